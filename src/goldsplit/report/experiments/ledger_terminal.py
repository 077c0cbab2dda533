"""The ledger for a terminal."""

from __future__ import annotations

from typing import TextIO

from goldsplit.model.experiment.ledger import CommitRow, Ledger, LedgerRow
from goldsplit.report import words
from goldsplit.report.bottleneck import Line
from goldsplit.report.column import Column
from goldsplit.report.terminal import TerminalRenderer
from goldsplit.report.terminal_tables import lay_out


def _interval(row: LedgerRow) -> str:
    return words.DASH if row.low is None or row.high is None else f"{row.low:.2f}–{row.high:.2f}x"


def _beyond(row: LedgerRow) -> str:
    """Where the measurement contradicts the prediction."""
    return "more than predicted" if row.more_than_predicted else words.DASH


ROWS: tuple[Column[LedgerRow], ...] = (
    Column("experiment", lambda row: row.experiment, width=10, most=20),
    Column("variant", lambda row: row.variant, width=9, most=20),
    Column("predicted", lambda row: row.predicted, words.speedup, right=True, width=9),
    Column("measured", lambda row: row.measured, words.speedup, right=True, width=8),
    Column("interval", _interval, right=True, width=12),
    Column("pairs", lambda row: str(row.pairs), right=True, width=5, spare=True),
    Column("", _beyond, width=19, if_measured=True),
    Column("do", lambda row: row.decision, width=9),
    Column("verdict", lambda row: row.verdict, width=31, spare=True),
)
COMMITS: tuple[Column[CommitRow], ...] = (
    Column("commit", lambda row: row.revision + ("+" if row.changed else ""), width=11),
    Column("runs", lambda row: str(row.runs), right=True, width=4),
    Column("env steps/s", lambda row: row.env_steps_per_second, words.rate, right=True, width=11),
    Column("range", lambda row: f"{row.lowest:.0f}–{row.highest:.0f}", right=True, width=13),
    Column("command", lambda row: row.command, width=28, fills=True),
)


class LedgerRenderer:
    """Options are given here; `render` takes data only."""

    def __init__(self, page: TerminalRenderer) -> None:
        self.page = page

    @classmethod
    def for_stream(cls, stream: TextIO) -> LedgerRenderer:
        return cls(TerminalRenderer.for_stream(stream))

    def render(self, ledger: Ledger) -> str:
        """Text that ends with a newline."""
        page = self.page
        told = f"{words.plural(len(ledger.rows), 'variant')} tried"
        if ledger.predictions:
            of = words.plural(ledger.predictions, "prediction")
            told += f"; {ledger.within} of {of} inside the measured interval"
        if ledger.unreadable:
            told += f"; {words.plural(ledger.unreadable, 'experiment')} could not be read"
        lines = page.paragraph(Line("Ledger", told, "strong"))
        if ledger.rows:
            lines += page.section("Predicted and measured gains", lay_out(ROWS, ledger.rows, page.width))
        if ledger.commits:
            title = "Throughput by git commit (single runs, not pairs, without overlays; + has changes)"
            lines += page.section(title, lay_out(COMMITS, ledger.commits, page.width))
        return page.written("\n".join(lines) + "\n")
