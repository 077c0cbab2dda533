"""An experiment's conclusion for a terminal, and as Markdown for a pull request."""

from __future__ import annotations

from typing import TextIO

from goldsplit.model.experiment.conclusion import Comparison, Judged
from goldsplit.model.pasting import joined
from goldsplit.report import words
from goldsplit.report.experiments.outcome_text import (
    VARIANTS,
    gain,
    gain_interval,
    heading,
    machine_text,
    outcome_lines,
    variant_details,
)
from goldsplit.report.markdown import code, table, text
from goldsplit.report.terminal import TerminalRenderer
from goldsplit.report.terminal_tables import lay_out


class OutcomeRenderer:
    """Options are given here; `render` takes data only."""

    def __init__(self, page: TerminalRenderer) -> None:
        self.page = page

    @classmethod
    def for_stream(cls, stream: TextIO) -> OutcomeRenderer:
        return cls(TerminalRenderer.for_stream(stream))

    def render(self, comparison: Comparison) -> str:
        """Text that ends with a newline."""
        page = self.page
        head = words.wrap(heading(comparison), page.width)
        lines = [page.paint(line, "strong") for line in head]
        if comparison.judged:
            rows = lay_out(VARIANTS, comparison.judged, page.width)
            lines += page.section("Variants (gain: above 1 is better)", rows)
        lines.append("")
        for line in outcome_lines(comparison):
            lines += page.paragraph(line)
        return page.written("\n".join(lines) + "\n")


class OutcomeMarkdown:
    """For a pull request."""

    def render(self, comparison: Comparison) -> str:
        """Text that ends with a newline."""
        head = ["Variant", "Gain", "Interval", "CPU gain", "Verdict", "Decision"]
        lines = [
            f"## Experiment {code(comparison.name)}",
            "",
            f"{text(heading(comparison))}: {code(joined(comparison.command))}",
            "",
            *table(head, [_row(one) for one in comparison.judged], "lrrrll"),
            "",
        ]
        for one in comparison.judged:
            lines += [f"**{text(one.variant)}**: {text(one.why)}", ""]
            lines += [f"- {text(detail)}" for detail in variant_details(one)] + [""]
        lines += [
            f"- Failed: {text(name)} in block {block + 1}: {text(why)}"
            for name, block, why in comparison.failed
        ]
        lines.append(f"_Paired, interleaved trials. Machine: {text(machine_text(comparison.machine))}._")
        return "\n".join(lines) + "\n"


def _row(one: Judged) -> list[str]:
    figures = [gain(one.effect), gain_interval(one.effect), gain(one.cpu)]
    return [text(one.variant), *figures, one.verdict, one.decision]
