"""The flame graph as one SVG without script: stages on top, what they call below, details on hover."""

from __future__ import annotations

from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from goldsplit.model.detail import Detail, Flame, FlameFrame
from goldsplit.model.report import Report
from goldsplit.model.stage import category_of
from goldsplit.report import words

WIDTH, MARGIN = 1200, 12
ROW, HEAD = 19, 82
#: Width of one character of the monospaced font at its size below, in pixels.
CHARACTER = 6.65
NARROWEST_BOX, NARROWEST_TEXT = 0.6, 22.0
#: Rows in which all boxes are narrower than this are left out: they could not be read.
NARROWEST_ROW = 12.0
#: Category → hue, saturation in percent.
HUES = {
    "environment": (140, 45),
    "agent": (212, 60),
    "replay": (275, 40),
    "learning": (28, 75),
    "communication": (345, 55),
    "output": (48, 60),
    "start-up": (190, 25),
    "your code": (170, 30),
    "other": (220, 8),
}
_STYLE = (
    "text{font:11px ui-monospace,Menlo,Consolas,monospace;fill:#1d2733}"
    ".title{font:600 17px system-ui,sans-serif}.note{font:13px system-ui,sans-serif;fill:#51606f}"
    ".stage text{fill:#fff;font-weight:600}g:hover>rect{stroke:#1d2733;stroke-width:1.5}"
)


@dataclass(frozen=True, slots=True)
class Box:
    """One node with its place on the canvas."""

    frame: FlameFrame
    stage: str
    depth: int
    x: float
    width: float
    weight: float
    own: float


class FlamegraphRenderer:
    """Options are given here; `render` takes data only."""

    def __init__(self, width: int = WIDTH) -> None:
        self.width = max(400, width)

    def render(self, report: Report, detail: Detail) -> str:
        """The whole run's stacks as an SVG document."""
        flame = detail.flames[0] if detail.flames else None
        boxes = place_boxes(flame, detail.frames, self.width - 2 * MARGIN) if flame is not None else []
        rows = 1 + max((box.depth for box in boxes), default=0)
        height = HEAD + rows * ROW + MARGIN
        title = f"Flame graph of {report.profile.run.id}"
        body = [draw(box) for box in boxes] or [note("no stack samples were taken in this run", HEAD + 16)]
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{height}" '
                f'viewBox="0 0 {self.width} {height}" role="img" aria-label={attribute(title)}>',
                f"<title>{text(title)}</title>",
                f"<desc>{text(summary(report))}</desc>",
                f"<style>{_STYLE}</style>",
                f'<rect width="{self.width}" height="{height}" fill="#fff"/>',
                f'<text x="{MARGIN}" y="26" class="title">{text(title)}</text>',
                note(explanation(flame), 47),
                legend(boxes),
                *body,
                "</svg>\n",
            ]
        )


def place_boxes(flame: Flame, frames: list[FlameFrame], width: float) -> list[Box]:
    """Every node with its place: the first child begins where its parent does, the next ones follow."""
    boxes: list[Box] = []
    free: list[float] = [0.0]
    stage = ""
    for node in flame.nodes:
        del free[node.depth + 1 :]
        x = free[node.depth]
        free[node.depth] = x + node.weight * width
        free.append(x)
        stage = frames[node.frame].function if node.depth == 0 else stage
        if node.weight * width >= NARROWEST_BOX:
            frame = frames[node.frame]
            boxes.append(
                Box(frame, stage, node.depth, x + MARGIN, node.weight * width, node.weight, node.own)
            )
    readable = {box.depth for box in boxes if box.width >= NARROWEST_ROW}
    return [box for box in boxes if box.depth in readable]


def draw(box: Box) -> str:
    """One box: its rectangle, what it says on hover, and its name where there is room."""
    y = HEAD + box.depth * ROW
    kind = ' class="stage"' if box.frame.kind == "stage" else ""
    parts = [
        f"<g{kind}><title>{text(hover(box))}</title>",
        f'<rect x="{box.x:.2f}" y="{y}" width="{max(0.4, box.width - 0.6):.2f}" height="{ROW - 1}" '
        f'rx="2" fill="{colour(box)}"/>',
    ]
    if box.width >= NARROWEST_TEXT:
        parts.append(f'<text x="{box.x + 4:.2f}" y="{y + 13}">{text(name_in(box))}</text>')
    return "".join(parts) + "</g>"


def name_in(box: Box) -> str:
    """As much of the name as fits; a wide box says its share too."""
    room = int((box.width - 7) / CHARACTER)
    name, share = words.plain(box.frame.function), f"  {words.share(box.weight)}"
    if len(name) + len(share) <= room:
        return name + share
    short = name.rpartition(".")[2] if len(name) > room else name
    return short if len(short) <= room else short[: max(1, room - 1)] + "…"


def hover(box: Box) -> str:
    """Everything about a box."""
    frame = box.frame
    if frame.kind == "stage":
        return f"{frame.function}: {words.share(box.weight)} of wall time"
    where = f"{frame.file}:{frame.line}" if frame.line else frame.file
    return (
        f"{frame.function}\n{where}\n{words.share(box.weight)} of wall time, {words.share(box.own)} itself"
        f"\nin {box.stage}, {'your code' if frame.kind == 'yours' else f'{frame.kind} code'}"
    )


def colour(box: Box) -> str:
    """Hue by the stage's category; full for your own code, pale for libraries, dark for the stage itself."""
    hue, strength = HUES[category_of(box.stage) if not box.stage.startswith("(") else "other"]
    if box.frame.kind == "stage":
        return f"hsl({hue},{strength}%,36%)"
    return f"hsl({hue},{strength}%,{74 if box.frame.kind == 'yours' else 90}%)"


def legend(boxes: list[Box]) -> str:
    """The categories that occur, widest first."""
    totals: dict[str, float] = {}
    for box in boxes:
        if box.depth == 0:
            category = category_of(box.stage) if not box.stage.startswith("(") else "other"
            totals[category] = totals.get(category, 0.0) + box.weight
    parts, x = [], float(MARGIN)
    for category in sorted(totals, key=lambda name: -totals[name]):
        hue, strength = HUES[category]
        parts.append(
            f'<rect x="{x:.1f}" y="58" width="11" height="11" rx="2" fill="hsl({hue},{strength}%,36%)"/>'
            f'<text x="{x + 16:.1f}" y="68" class="note">{text(category)}</text>'
        )
        x += 34 + 7.2 * len(category)
    return "".join(parts)


def explanation(flame: Flame | None) -> str:
    """How to read it."""
    if flame is None:
        return "nothing to draw"
    sampled = words.plural(flame.samples, "stack sample")
    return (
        f"Width: share of the training loop's wall time, from {sampled}. Full colour: your code; "
        "pale: libraries; blank: no samples. Hover for file, line and share."
    )


def summary(report: Report) -> str:
    """The picture in words, for those who cannot see it."""
    rows = [f"{row.stage} {words.share(row.wall_share)}" for row in report.profile.stages]
    return "Wall time by stage: " + (words.listing(rows, 8) or words.NOT_MEASURED)


def note(sentence: str, y: int) -> str:
    return f'<text x="{MARGIN}" y="{y}" class="note">{text(sentence)}</text>'


def text(value: str) -> str:
    """Text as XML; characters that XML forbids become blanks."""
    return escape(words.plain(value, keep="\n"))


def attribute(value: str) -> str:
    return quoteattr(words.plain(value))
