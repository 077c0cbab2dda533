"""The tables below the verdict: stages, threads and processes, hot spots. Plain text, fixed columns."""

from __future__ import annotations

from dataclasses import dataclass

from goldsplit.model.profile import Hotspot, Lane, Profile, StageRow
from goldsplit.report import words

MOST_LANES = 12
MOST_HOTSPOTS = 10
_EIGHTHS = " ▏▎▍▌▋▊▉█"


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its title, its width, to which side its cells lean, and whether it can be spared."""

    title: str
    width: int
    right: bool = False
    spare: bool = False

    def cell(self, text: str) -> str:
        fitted = clip(words.plain(text), self.width)
        return fitted.rjust(self.width) if self.right else fitted.ljust(self.width)


def clip(text: str, width: int) -> str:
    """The beginning of a text that is too long."""
    return text if len(text) <= width else text[: max(0, width - 1)] + "…"


def clip_left(text: str, width: int) -> str:
    """The end of a text that is too long: of a path, the file matters."""
    return text if len(text) <= width else "…" + text[len(text) - width + 1 :]


def lay_out(columns: list[Column], rows: list[list[str]], width: int | None = None) -> list[str]:
    """Title line and rows, without trailing blanks; columns that can be spared go where space is short."""
    kept = list(range(len(columns)))
    while width is not None and sum(columns[place].width + 1 for place in kept) - 1 > width:
        sparable = [place for place in kept if columns[place].spare]
        if not sparable:
            break
        kept.remove(sparable[-1])
    lines = [[column.title for column in columns], *rows]
    return [" ".join(columns[place].cell(line[place]) for place in kept).rstrip() for line in lines]


def bar(share: float, width: int) -> str:
    """A share of 0..1 as a bar, in steps of an eighth of a character."""
    eighths = round(min(1.0, max(0.0, share)) * width * 8)
    return _EIGHTHS[8] * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")


def stage_table(profile: Profile, width: int) -> list[str]:
    """Every stage with its part of the wall time, then what no stage explains."""
    name_width = min(24, max([15, *(len(stage_name(row)) for row in profile.stages)]), max(16, width - 65))
    columns = [
        Column("stage", name_width),
        Column("", max(6, min(20, width - name_width - 58))),
        Column("share", 6, right=True),
        Column("interval", 9, right=True),
        Column("calls", 6, right=True),
        Column("mean", 7, right=True),
        Column("p95", 7, right=True, spare=True),
        Column("per step", 8, right=True),
        Column("ceiling", 7, right=True),
    ]
    missing = profile.unattributed.wall_share
    longest = max([0.01, missing, *(row.wall_share for row in profile.stages)])
    rows = [stage_cells(row, longest, columns[1].width) for row in profile.stages]
    rest = ["(no stage)", bar(missing / longest, columns[1].width), words.share(missing), *[words.DASH] * 6]
    return lay_out(columns, [*rows, rest], width)


def stage_name(row: StageRow) -> str:
    """With a star where only stacks tell of the stage."""
    return row.stage + ("*" if row.source == "sampled" else "")


def stage_cells(row: StageRow, longest: float, bar_width: int) -> list[str]:
    """One stage."""
    return [
        stage_name(row),
        bar(row.wall_share / longest, bar_width),
        words.share(row.wall_share),
        words.interval(row.wall_share_low, row.wall_share_high),
        words.count(row.calls),
        words.duration(row.mean_us),
        words.duration(row.p95_us),
        words.duration(row.us_per_env_step),
        words.speedup(row.ceiling_speedup),
    ]


def lane_table(lanes: list[Lane], width: int) -> list[str]:
    """One line per thread or process, beside the wall time and never added to it."""
    barriers = any(lane.barrier_share is not None for lane in lanes[:MOST_LANES])
    name_width = max(17, min(30, width - 65))
    columns = [
        Column("process", name_width),
        Column("role", 10),
        Column("busy", 5, right=True),
        Column("wait", 5, right=True),
        *([Column("barrier", 7, right=True, spare=True)] if barriers else []),
        Column("holds up", 8, right=True),
        Column("CPU s", 5, right=True),
        Column("mostly in", max(16, width - name_width - (47 if barriers else 39))),
    ]
    rows = [lane_cells(lane, barriers, columns[0].width, columns[-1].width) for lane in lanes[:MOST_LANES]]
    lines = lay_out(columns, rows, width)
    hidden = len(lanes) - MOST_LANES
    return [*lines, f"… and {hidden} more; --json has all of them"] if hidden > 0 else lines


def lane_cells(lane: Lane, barriers: bool, name_width: int, stages_width: int) -> list[str]:
    """One thread; with its time at a barrier, where any thread has one."""
    number = str(lane.pid)
    name = lane.process if lane.thread in ("", "MainThread") else lane.thread
    cpu = words.DASH if lane.cpu_seconds is None else f"{lane.cpu_seconds:.1f}"
    return [
        f"{number} {clip(name, name_width - len(number) - 1)}",
        lane.role,
        words.share(lane.busy_share),
        words.share(lane.wait_share),
        *([words.share(lane.barrier_share)] if barriers else []),
        words.share(lane.charged_share),
        cpu,
        _fitting([f"{entry.stage} {words.share(entry.share)}" for entry in lane.stages], stages_width),
    ]


def _fitting(parts: list[str], width: int) -> str:
    """As many parts as fit; at least the first."""
    text = parts[0] if parts else words.DASH
    for part in parts[1:]:
        if len(text) + 2 + len(part) > width:
            break
        text += f", {part}"
    return text


def hotspot_table(spots: list[Hotspot], width: int) -> list[str]:
    """The hottest functions, whose they are, and how often they are called where that was counted."""
    shown = spots[:MOST_HOTSPOTS]
    counted = any(words.known(spot.calls_per_env_step) is not None for spot in shown)
    spare = max(0, width - 80)
    stage_width = max([12, *(min(15, len(spot.stage or "")) for spot in shown)])
    for_where = (33 if counted else 36) - stage_width  # a folder is left out sooner than a stage is cut
    columns = [
        Column("function", (19 if counted else 22) + spare // 2),
        Column("where", for_where + spare - spare // 2),
        Column("stage", stage_width, spare=True),
        Column("self", 5, right=True),
        Column("total", 5, right=True),
        *([Column("/step", 5, right=True)] if counted else []),
        Column("whose", 7),
    ]
    return lay_out(columns, [hotspot_cells(spot, columns[1].width, counted) for spot in shown], width)


def hotspot_cells(spot: Hotspot, where_width: int, counted: bool) -> list[str]:
    """One function."""
    return [
        spot.function,
        where(spot, where_width),
        spot.stage or words.DASH,
        words.share(spot.self_share),
        words.share(spot.total_share),
        *([words.per_step(spot.calls_per_env_step)] if counted else []),
        spot.kind,
    ]


def where(spot: Hotspot, width: int) -> str:
    """Folder, file and line: the folder tells `__init__.py` files apart; it goes when space is short."""
    if not spot.file:
        return words.DASH
    folder_and_file = "/".join(spot.file.rsplit("/", 2)[-2:]) + f":{spot.line}"
    if len(folder_and_file) <= width:
        return folder_and_file
    return clip_left(folder_and_file.rpartition("/")[2], width)
