"""A sweep for a terminal: the curve as bars, with intervals, beside the prediction."""

from __future__ import annotations

from typing import TextIO

from goldsplit.model.experiment.sweep import Sweep, SweepPoint
from goldsplit.report import words
from goldsplit.report.bottleneck import Line
from goldsplit.report.column import Column, On
from goldsplit.report.terminal import TerminalRenderer
from goldsplit.report.terminal_tables import lay_out


def _range(low: float | None, high: float | None) -> str:
    return words.DASH if low is None or high is None else f"{low:.2f}–{high:.2f}x"


POINTS: tuple[Column[SweepPoint], ...] = (
    Column("setting", lambda one: ", ".join(f"{k}={v}" for k, v in one.settings.items()), width=12, most=30),
    Column("", lambda one: one.gain or 0.0, width=12, fills=True, most=30, bar=On.TERMINAL),
    Column("metric", lambda one: one.value, words.rate, right=True, width=9),
    Column("gain", lambda one: one.gain, words.speedup, right=True, width=7),
    Column("interval", lambda one: _range(one.low, one.high), right=True, width=12),
    Column("predicted", lambda one: one.predicted, words.speedup, right=True, width=9),
    Column(
        "from–to", lambda one: _range(one.predicted_low, one.predicted_high), right=True, width=12, spare=True
    ),
)


class SweepRenderer:
    """Options are given here; `render` takes data only."""

    def __init__(self, page: TerminalRenderer) -> None:
        self.page = page

    @classmethod
    def for_stream(cls, stream: TextIO) -> SweepRenderer:
        return cls(TerminalRenderer.for_stream(stream))

    def render(self, sweep: Sweep) -> str:
        """Text that ends with a newline."""
        page = self.page
        pairs = max((point.pairs for point in sweep.points), default=0)
        lines = page.paragraph(
            Line("Sweep", f"{sweep.name} · {sweep.metric} · {words.plural(pairs, 'block')}", "strong")
        )
        if sweep.unpredicted:
            lines += page.paragraph(Line("Predicted", f"not: {sweep.unpredicted}"))
        for place, note in enumerate(sweep.notes):
            lines += page.paragraph(Line("Note" if place == 0 else "", words.plain(note), "warning"))
        title = "Settings (gains over the first one; intervals hold for all of them together)"
        lines += page.section(title, lay_out(POINTS, sweep.points, page.width))
        return page.written("\n".join(lines) + "\n")
