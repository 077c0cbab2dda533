"""`goldsplit stages --explain`: the functions of a run, their stages, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from goldsplit.model.launched import record_with
from goldsplit.model.named_code import BY_PURPOSE, FunctionRow
from goldsplit.model.pasting import broken, our_command
from goldsplit.model.stage import ACT, LEARN_FORWARD, ROLLOUT
from goldsplit.report import words
from goldsplit.report.column import Column
from goldsplit.report.terminal import TerminalRenderer
from goldsplit.report.terminal_tables import lay_out

INDENT = "    "
#: In place of a stage: a loop that has the stages inside it.
AROUND = "(around)"


def stage_text(row: FunctionRow) -> str:
    """A function's stage; what acts or learns by its caller has both."""
    if row.stage == BY_PURPOSE:
        return f"{ACT}/{LEARN_FORWARD}"
    if row.stage is None:
        unnamed = words.NO_STAGE if row.suggested else AROUND
        return f"in {row.inside}" if row.inside else unnamed
    return row.stage


COLUMNS: tuple[Column[FunctionRow], ...] = (
    Column("stage", stage_text, width=15, most=24),
    Column("function", lambda row: row.function, width=16, most=40),
    Column(
        "where",
        lambda row: words.file_and_line(row.file, row.line),
        width=14,
        most=30,
        shorten=words.without_folder,
    ),
    Column("share", lambda row: row.share, words.share, right=True, width=6),
    Column("time", lambda row: row.known_by, width=8),
)


class FunctionTableRenderer:
    """Options are given here; `render` takes data only."""

    def __init__(self, page: TerminalRenderer) -> None:
        self.page = page

    @classmethod
    def for_stream(cls, stream: TextIO) -> FunctionTableRenderer:
        return cls(TerminalRenderer.for_stream(stream))

    def render(
        self, run: str, rows: Sequence[FunctionRow], command: Sequence[str] = (), folder: str = ""
    ) -> str:
        """Text that ends with a newline. `command`, `folder`: what was recorded, and where it was started."""
        lines = [self.page.paint(f"Functions of {words.plain(run)} and their stages", "strong")]
        if not rows:
            lines += ["", "no function of this run has a stage, and no stack was sampled"]
            return self.page.written("\n".join(lines) + "\n")
        legend = "share: of the samples in which a thread was at work, those with the function in their stack"
        lines += [self.page.paint(line, "dim") for line in words.wrap(legend, self.page.width)]
        title, *texts = lay_out(COLUMNS, rows, self.page.width)
        lines += ["", self.page.paint(title, "dim")]
        for row, text in zip(rows, texts, strict=True):
            lines.append(text)
            lines += self._reason(row)
        wanted = [row for row in rows if row.suggested is not None and row.inside in (None, ROLLOUT)]
        if wanted:
            names = our_command("stages")
            intro = f"In no stage but the loop's: record with these, or better names (see `{names}`)"
            lines += ["", *(self.page.paint(line, "strong") for line in words.wrap(intro, self.page.width))]
            options = [word for row in wanted for word in ("--stage", f"{row.target}={row.suggested}")]
            lines += broken(words.plain(record_with(command, folder, *options)), self.page.width)
        return self.page.written("\n".join(lines) + "\n")

    def _reason(self, row: FunctionRow) -> list[str]:
        parts = words.wrap(words.plain(row.reason), self.page.width - len(INDENT))
        return [INDENT + self.page.paint(part, "dim") for part in parts]
