"""A horizon's answer for a terminal: the expected time, how wrong proportion is, how the costs grow."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

from goldsplit.model.horizon import Horizon, Trend
from goldsplit.report import words
from goldsplit.report.terminal import TerminalRenderer
from goldsplit.report.verdict import Line

_UNITS = {"episodes": "episodes", "env_steps": "env steps", "updates": "updates"}
_HOW = {
    "constant": "does not change",
    "linear": "grows in a straight line with env steps",
    "accelerating": "grows faster and faster with env steps",
    "saturating": "grew, and stopped growing",
}


class HorizonRenderer:
    """Options are given here; `render` takes data only."""

    def __init__(self, page: TerminalRenderer) -> None:
        self.page = page

    @classmethod
    def for_stream(cls, stream: TextIO) -> HorizonRenderer:
        return cls(TerminalRenderer.for_stream(stream))

    def render(self, answer: Horizon) -> str:
        """Text that ends with a newline."""
        lines: list[str] = []
        for line in horizon_lines(answer):
            lines += self.page.paragraph(line)
        return self.page.written("\n".join(lines) + "\n")


def horizon_lines(answer: Horizon) -> list[Line]:
    """Everything, most important first."""
    unit = _UNITS[answer.unit]
    lines = [
        Line(
            "Recorded",
            f"{words.count(answer.recorded)} {unit} in {words.seconds(answer.recorded_seconds)}, "
            f"run {answer.run}",
        ),
        Line(
            "Expected",
            f"{words.seconds(answer.wall_seconds)} ({words.seconds(answer.low_seconds)} to "
            f"{words.seconds(answer.high_seconds)}) for {words.count(answer.target)} {unit}, "
            f"{answer.factor:.3g} times the recorded run",
            "strong",
        ),
        Line("Proportion", proportion(answer)),
        Line("Step cost", growth(answer.cost_us, "cost per env step", words.duration)),
    ]
    if answer.episode_steps is not None:
        lines.append(Line("Episodes", growth(answer.episode_steps, "length in env steps", words.count)))
    if answer.unit != "env_steps":
        lines.append(Line("Env steps", f"{words.count(answer.env_steps)} expected in all"))
    return lines + [Line("Warning", text, "warning") for text in answer.warnings]


def proportion(answer: Horizon) -> str:
    """What simple proportion gives, and how far off that is."""
    text = f"simple proportion gives {words.seconds(answer.naive_seconds)}"
    if abs(answer.naive_error) < 0.05:
        return f"{text}: about the same"
    amount = words.share(abs(answer.naive_error))
    return f"{text}: {amount} too {'little' if answer.naive_error < 0 else 'much'}"


def growth(trend: Trend, what: str, write: Callable[[float], str]) -> str:
    """One trend in words."""
    grower = f" ({trend.stage})" if trend.stage else ""
    text = f"{what} {_HOW[trend.model]}{grower}: {write(trend.first)} → {write(trend.last)}"
    if trend.model == "constant":
        return f"{what} {_HOW['constant']}: {write(trend.last)}"
    if trend.full_at_env_steps is not None:
        return f"{text}, from {words.count(trend.full_at_env_steps)} env steps on"
    return f"{text} so far, {write(trend.at_horizon)} at the horizon"
