"""A what-if's answer for a terminal: the prediction, then what it is based on; or the table of ceilings."""

from __future__ import annotations

from typing import TextIO

from goldsplit.model.pasting import our_command
from goldsplit.model.whatif import Prediction, Scenario, WhatIf
from goldsplit.report import words
from goldsplit.report.columns import CEILINGS
from goldsplit.report.terminal import TerminalRenderer
from goldsplit.report.terminal_tables import lay_out
from goldsplit.report.verdict import Line


class WhatIfRenderer:
    """Options are given here; `render` takes data only."""

    def __init__(self, page: TerminalRenderer) -> None:
        self.page = page

    @classmethod
    def for_stream(cls, stream: TextIO) -> WhatIfRenderer:
        return cls(TerminalRenderer.for_stream(stream))

    def render(self, answer: WhatIf) -> str:
        """Text that ends with a newline."""
        lines: list[str] = []
        for line in whatif_lines(answer):
            lines += self.page.paragraph(line)
        if answer.ceilings:
            table = lay_out(CEILINGS, answer.ceilings, self.page.width)
            lines += self.page.section("Ceilings (speed-up of the whole run)", table)
        return self.page.written("\n".join(lines) + "\n")


def whatif_lines(answer: WhatIf) -> list[Line]:
    """The labelled lines above the table."""
    lines = [Line("Run", answer.run)]
    if answer.prediction is not None:
        lines.append(Line("What if", question(answer.scenario)))
        lines.append(Line("Prediction", prediction(answer.prediction), "strong"))
        lines.append(Line("From", answer.prediction.basis))
        lines += [
            Line("Assumes" if i == 0 else "", text) for i, text in enumerate(answer.prediction.assumptions)
        ]
    else:
        lines.append(Line("From", answer.structure))
        questions = "--stage NAME --faster 2 | --envs N | --updates-per-step X"
        lines.append(Line("Ask", f"{our_command('whatif RUN')} {questions}"))
    return lines


def question(scenario: Scenario) -> str:
    """The scenario in words."""
    parts = [
        f"{stage} took no time" if left == 0 else f"{stage} were {1 / left:.3g}x faster"
        for stage, left in scenario.remaining.items()
    ]
    if scenario.envs is not None:
        parts.append(f"there were {words.plural(scenario.envs, 'environment')}")
    if scenario.workers is not None:
        parts.append(f"there were {words.plural(scenario.workers, 'worker')}")
    if scenario.updates_per_step is not None:
        parts.append(f"there were {scenario.updates_per_step:.3g} updates per env step")
    return ", and ".join(parts)


def prediction(answer: Prediction) -> str:
    """The figure with its interval."""
    text = f"{answer.speedup:.2f}x as many env steps/s ({answer.low:.2f}x to {answer.high:.2f}x)"
    if answer.env_steps_per_second is not None:
        text += f": {words.rate(answer.env_steps_per_second)} env steps/s"
    return text
