"""Does the game stay the same with a remedy? Trajectories at one seed, base against base first."""

from __future__ import annotations

from collections.abc import Mapping

from goldsplit.experiment.comparison import Equal
from goldsplit.experiment.equivalence import NOT_COMPARABLE, compare_trajectories, unseeded
from goldsplit.model.trajectory import Trajectory

#: The second run of the unchanged program.
AGAIN = "base-again"


def judge_equality(
    base: str, found: Mapping[str, Trajectory | None], variants: list[str]
) -> dict[str, Equal]:
    """Variant → whether it plays as the base does."""
    first, second = found.get(base), found.get(AGAIN)
    if first is None or second is None:
        why = "the trajectory of the unchanged program was not recorded"
        return {name: Equal(NOT_COMPARABLE, why) for name in variants}
    doubt = unseeded(first, second)
    if doubt is not None:
        return {name: Equal(NOT_COMPARABLE, doubt.reason) for name in variants}
    return {name: _compared(first, found.get(name)) for name in variants}


def _compared(base: Trajectory, other: Trajectory | None) -> Equal:
    if other is None:
        return Equal(NOT_COMPARABLE, "its trajectory was not recorded")
    answer = compare_trajectories(base, other)
    return Equal(answer.answer, answer.reason)
