"""The report for a terminal or a log file: verdict first, then tables. Plain text, colour on request."""

from __future__ import annotations

import os
import shutil
from typing import TextIO

from goldsplit.model.pasting import broken
from goldsplit.model.report import Report
from goldsplit.report import words
from goldsplit.report.columns import is_sampled
from goldsplit.report.finding_text import finding_lines
from goldsplit.report.terminal_tables import hotspot_table, lane_table, stage_table
from goldsplit.report.verdict import Line, counted, deep_look, machine, phases, verdict

NARROWEST, WIDEST = 72, 120
LABEL_WIDTH = 13
_CODES = {"strong": "1", "good": "32", "warning": "33", "dim": "2"}
_IN_ASCII = str.maketrans(
    {"·": "|", "–": "-", "…": "~", "→": ">"} | dict.fromkeys("▏▎▍", " ") | dict.fromkeys("▌▋▊▉█", "#")
)


class TerminalRenderer:
    """Options are given here; `render` takes data only."""

    def __init__(self, colour: bool = False, width: int | None = None, unicode: bool = True) -> None:
        wanted = width or shutil.get_terminal_size(fallback=(80, 24)).columns
        self.width = max(NARROWEST, min(WIDEST, wanted))
        self.colour = colour
        self.unicode = unicode

    @classmethod
    def for_stream(cls, stream: TextIO) -> TerminalRenderer:
        """Colour only on a terminal that wants it; only characters that the stream can write."""
        colour = stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
        encoding = (getattr(stream, "encoding", None) or "ascii").lower()
        return cls(colour=colour, unicode=encoding.startswith("utf"))

    def render(self, report: Report) -> str:
        """The whole report as text that ends with a newline."""
        lines = [*self.head(report), ""]
        for line in verdict(report):
            lines += self.paragraph(line)
        lines += self.tables(report)
        profile = report.profile
        lines.append("")
        for line in (counted(profile), deep_look(profile), machine(profile)):
            lines += self.paragraph(line) if line.text else []
        return self.written("\n".join(lines) + "\n")

    def written(self, text: str) -> str:
        """The text in characters that the stream can write."""
        return text if self.unicode else text.translate(_IN_ASCII)

    def head(self, report: Report) -> list[str]:
        """Which run this is, and how long its parts took."""
        run = report.profile.run
        text = f"{run.id} · {run.status} · {words.seconds(run.wall_seconds)}: {phases(report.profile)}"
        return [self.paint(line, "strong") for line in words.wrap(text, self.width)]

    def paragraph(self, line: Line) -> list[str]:
        """A labelled line of the verdict, wrapped under itself."""
        parts = words.wrap(line.text, self.width - LABEL_WIDTH) or [""]
        parts += broken(words.plain(line.command), self.width - LABEL_WIDTH)
        labels = [line.label, *[""] * (len(parts) - 1)]
        return [
            self.paint(label.ljust(LABEL_WIDTH), "dim") + self.paint(part, line.tone)
            for label, part in zip(labels, parts, strict=True)
        ]

    def tables(self, report: Report) -> list[str]:
        """The tables that have something to show."""
        profile = report.profile
        lines: list[str] = []
        if profile.stages:
            sampled = any(map(is_sampled, profile.stages))
            legend = "wall time of the training loop, 100 % in all" + ("; * sampled" if sampled else "")
            lines += self.section(f"Stages ({legend})", stage_table(profile, self.width))
        if profile.lanes:
            title = "Processes and threads (in parallel, so never added to wall time)"
            lines += self.section(title, lane_table(profile.lanes, self.width))
        if profile.hotspots:
            title = f"Hot spots (share of wall time, from {profile.trust.samples} stack samples)"
            lines += self.section(title, hotspot_table(profile.hotspots, self.width))
        if report.findings:
            title = "Findings (faults first, by the speed-up of the whole run; then where to look)"
            found = finding_lines(report.findings, self.width)
            lines += ["", *(self.paint(line, "strong") for line in words.wrap(title, self.width)), *found]
        return lines

    def section(self, title: str, body: list[str]) -> list[str]:
        """A title and its lines."""
        return ["", self.paint(title, "strong"), self.paint(body[0], "dim"), *body[1:]]

    def paint(self, text: str, tone: str) -> str:
        """Colour, where it is wanted."""
        code = _CODES.get(tone)
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and code and text.strip() else text
