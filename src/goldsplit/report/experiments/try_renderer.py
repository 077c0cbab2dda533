"""What came of tried remedies, for a terminal."""

from __future__ import annotations

from typing import TextIO

from goldsplit.model.experiment.tried import KEEP, Measured, Together, Tried, TryResult
from goldsplit.model.pasting import joined, our_command, quoted
from goldsplit.report import words
from goldsplit.report.bottleneck import Line
from goldsplit.report.column import Column
from goldsplit.report.terminal import TerminalRenderer
from goldsplit.report.terminal_tables import lay_out


def interval(measured: Measured) -> str:
    """Where the gain lies."""
    if measured.low is None or measured.high is None:
        return words.DASH
    return f"{measured.low:.2f}–{measured.high:.2f}x"


def times(gain: float | None) -> str:
    """A measured gain; unlike a ceiling it is written out however large it is."""
    return words.DASH if gain is None else f"{gain:.2f}x"


ROWS: tuple[Column[Tried], ...] = (
    Column("remedy", lambda one: one.candidate.overlay, width=20, most=44),
    Column("at most", lambda one: one.candidate.predicted_gain, words.speedup, right=True, width=7),
    Column("measured", lambda one: one.measured.gain, times, right=True, width=8),
    Column("interval", lambda one: interval(one.measured), right=True, width=12),
    Column("pairs", lambda one: str(one.measured.pairs), right=True, width=5, spare=True),
    Column("same play", lambda one: one.equal, width=14),
    Column("do", lambda one: one.verdict, width=9),
)


class TryRenderer:
    """Options are given here; `render` takes data only."""

    def __init__(self, page: TerminalRenderer) -> None:
        self.page = page

    @classmethod
    def for_stream(cls, stream: TextIO) -> TryRenderer:
        return cls(TerminalRenderer.for_stream(stream))

    def render(self, result: TryResult) -> str:
        """Text that ends with a newline."""
        page = self.page
        lines = [page.paint(line, "strong") for line in words.wrap(heading(result), page.width)]
        if result.tried:
            title = "Remedies (at most: predicted from the recording; measured: in paired trials)"
            lines += page.section(title, lay_out(ROWS, result.tried, page.width))
        lines.append("")
        for line in [*reasons(result), *together_lines(result.together), *closing(result)]:
            lines += page.paragraph(line)
        return page.written("\n".join(lines) + "\n")


def heading(result: TryResult) -> str:
    """What was tried on what."""
    kept = len(result.kept)
    tried = words.plural(len(result.tried), "remedy", "remedies")
    text = f"{result.run} · {tried} tried, {kept} to keep"
    if result.trial_seconds is not None:
        text += f" · trials of {words.seconds(result.trial_seconds)} at most"
    return text + (" · interrupted" if result.interrupted else "")


def reasons(result: TryResult) -> list[Line]:
    """For each remedy why it is kept or dropped, and whether the play is the same."""
    if not result.tried:
        text = "nothing to try: no finding of this run has a remedy that can be applied from outside"
        return [Line("Remedies", text)]
    lines = []
    for one in result.tried:
        tone = "good" if one.verdict == KEEP else "plain"
        lines.append(Line(one.verdict, f"{one.candidate.overlay}: {one.why}", tone))
        if one.equal_why and one.equal_why not in one.why:
            lines.append(Line("", f"Same play: {one.equal} ({one.equal_why})"))
    return lines


def together_lines(together: Together | None) -> list[Line]:
    """All kept remedies at once."""
    if together is None:
        return []
    names = ", ".join(together.overlays)
    measured = together.measured
    if measured.gain is None:
        return [Line("Together", f"{names}: {words.NOT_MEASURED}: {together.why}")]
    found = f"{times(measured.gain)} ({interval(measured)}) in {words.plural(measured.pairs, 'pair')}"
    text = f"{names}: {found}, {together.verdict}"
    play = f"; same play: {together.equal}" if together.equal else ""
    return [Line("Together", text + play, "strong")]


def closing(result: TryResult) -> list[Line]:
    """What to write in the code; how to have it at once; what was left out."""
    lines = []
    for number, one in enumerate(result.kept):
        label = "For good" if number == 0 else ""
        lines.append(Line(label, f"{one.candidate.overlay}: {one.candidate.for_good or 'see its page'}"))
    if result.kept and result.together is not None:
        options = " ".join(f"--with {quoted(text)}" for text in result.together.overlays)
        lines.append(
            Line(
                "See it",
                "record with them:",
                command=our_command(f"record {options} -- {joined(result.command)}"),
            )
        )
    if result.left_out:
        what = words.listing(list(result.left_out), 8)
        lines.append(
            Line("Left out", f"no time for {what}: --minutes gives more, --only with --overlay chooses")
        )
    lines += [Line("Note" if number == 0 else "", text) for number, text in enumerate(result.notes)]
    return lines
