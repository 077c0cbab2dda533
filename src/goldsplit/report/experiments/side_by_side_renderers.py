"""Two recordings side by side: for a terminal, as Markdown, and as one HTML page."""

from __future__ import annotations

from importlib.resources import files
from typing import TextIO

import jinja2
from markupsafe import Markup

from goldsplit.model.experiment.side_by_side import SideBySide, SideRow, SideRun
from goldsplit.report import words
from goldsplit.report.bottleneck import Line
from goldsplit.report.column import Column
from goldsplit.report.html.table import lay_out as lay_out_page
from goldsplit.report.markdown import code, table, text
from goldsplit.report.terminal import TerminalRenderer
from goldsplit.report.terminal_tables import lay_out

MOST_ROWS = 20
_STAGES_TITLE = "Stages (wall time per env step; largest change first)"
_FUNCTIONS_TITLE = "Functions (own time per env step, from stack samples)"


def difference(row: SideRow) -> str:
    """With its sign."""
    sign = "+" if row.difference_us > 0 else "-"
    return sign + words.duration(abs(row.difference_us))


def calls(row: SideRow) -> str:
    """Per env step, in A and in B."""
    if row.first_calls is None and row.second_calls is None:
        return words.DASH
    return f"{words.per_step(row.first_calls)} → {words.per_step(row.second_calls)}"


def _short_change(change: str, width: int) -> str:
    """In a narrow column; the heading of the table names the samples."""
    return words.clip(change.replace("too few samples", "too few"), width)


def _columns(what: str) -> tuple[Column[SideRow], ...]:
    return (
        Column(what, lambda row: row.name, width=14, most=34),
        Column("A", lambda row: row.first_us, words.duration, right=True, width=8),
        Column("B", lambda row: row.second_us, words.duration, right=True, width=8),
        Column("change", difference, right=True, width=9, order=lambda row: row.difference_us),
        Column("noise", lambda row: row.noise_us, words.duration, right=True, width=8),
        Column("calls", calls, right=True, width=11, spare=True, if_measured=True),
        Column("", lambda row: row.change, width=14, most=20, shorten=_short_change),
        Column("where", lambda row: row.where, width=12, most=24, spare=True, if_measured=True),
    )


STAGES, FUNCTIONS = _columns("stage"), _columns("function")


def run_text(run: SideRun) -> str:
    """A run in one line."""
    parts = [run.id]
    if run.us_per_env_step is not None:
        parts.append(f"{words.duration(run.us_per_env_step)} per env step")
    if run.cpu_us_per_env_step is not None:
        parts.append(f"{words.duration(run.cpu_us_per_env_step)} of CPU")
    parts.append(f"{words.count(run.env_steps)} env steps")
    if run.revision:
        parts.append(f"git {run.revision}")
    return " · ".join(parts)


def head_lines(found: SideBySide) -> list[Line]:
    """The runs, the ratio, and the warnings."""
    ratio = words.NOT_MEASURED if found.speedup is None else f"{found.speedup:.2f}x as many env steps/s in B"
    lines = [
        Line("A", run_text(found.first)),
        Line("B", run_text(found.second)),
        Line("Speed", ratio, "strong"),
    ]
    lines += [Line("Warning" if i == 0 else "", text, "warning") for i, text in enumerate(found.warnings)]
    return lines


class SideBySideRenderer:
    """Options are given here; `render` takes data only."""

    def __init__(self, page: TerminalRenderer) -> None:
        self.page = page

    @classmethod
    def for_stream(cls, stream: TextIO) -> SideBySideRenderer:
        return cls(TerminalRenderer.for_stream(stream))

    def render(self, found: SideBySide) -> str:
        """Text that ends with a newline."""
        lines: list[str] = []
        for line in head_lines(found):
            lines += self.page.paragraph(line)
        for title, columns, rows in _tables(found):
            lines += self.page.section(title, lay_out(columns, rows, self.page.width))
        return self.page.written("\n".join(lines) + "\n")


def _tables(found: SideBySide) -> list[tuple[str, tuple[Column[SideRow], ...], list[SideRow]]]:
    tables = [
        (_STAGES_TITLE, STAGES, found.stages[:MOST_ROWS]),
        (_FUNCTIONS_TITLE, FUNCTIONS, found.functions[:MOST_ROWS]),
    ]
    return [one for one in tables if one[2]]


class SideBySideMarkdown:
    """For a pull request."""

    def render(self, found: SideBySide) -> str:
        """Text that ends with a newline."""
        lines = ["## Two recordings side by side", ""]
        label = ""
        for one in head_lines(found):
            label = one.label or label  # each bullet stands for itself
            lines.append(f"- {text(label)}: {text(one.text)}")
        for title, columns, rows in _tables(found):
            shown = [one for one in columns if one.title != "where" or rows[0].where]
            cells = [[_cell(column, row) for column in shown] for row in rows]
            sides = "".join("r" if column.right else "l" for column in shown)
            lines += ["", f"**{text(title)}**", "", *table([column.title for column in shown], cells, sides)]
        return "\n".join(lines) + "\n"


def _cell(column: Column[SideRow], row: SideRow) -> str:
    written = column.text(row)
    return code(written) if column.title in ("stage", "function") else text(written)


class SideBySidePage:
    """One HTML file that works offline."""

    def render(self, found: SideBySide) -> str:
        """The whole page; whatever comes from the runs is escaped."""
        environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
        tables = [lay_out_page(title, columns, rows) for title, columns, rows in _tables(found)]
        style = files("goldsplit.report.html").joinpath("page", "style.css").read_text(encoding="utf-8")
        template = files("goldsplit.report.experiments").joinpath("side_by_side.html.j2")
        return environment.from_string(template.read_text(encoding="utf-8")).render(
            title=words.plain(f"{found.first.id} and {found.second.id}"),
            lines=[(line.label, words.plain(line.text)) for line in head_lines(found)],
            tables=tables,
            style=Markup(style),
        )
