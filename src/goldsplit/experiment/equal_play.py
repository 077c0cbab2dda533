"""Whether the variants of an experiment played as the base did, pair by pair, at the same seeds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from goldsplit.experiment.comparison import Equal, Pair, pairs_of
from goldsplit.experiment.equivalence import (
    NO,
    NOT_COMPARABLE,
    YES,
    Equivalence,
    compare_trajectories,
    unseeded,
)
from goldsplit.experiment.trials import Experiment
from goldsplit.model.experiment.trial import Trial
from goldsplit.model.trajectory import Trajectory
from goldsplit.report.words import plural
from goldsplit.store.experiment_files import RUNS
from goldsplit.store.trajectory_file import read_trajectory

Read = Callable[[Path], Trajectory | None]


class EqualPlay:
    """Compares trajectories of pairs. Where a pair differs, the base is run once more with that seed: a
    program that differs from itself cannot be compared. Where it does not, the variant runs once more, too:
    now each step is hashed among which the two part, and so the step is found."""

    def __init__(self, experiment: Experiment, read: Read = read_trajectory) -> None:
        self.experiment = experiment
        self.read = read
        self._unseeded: dict[tuple[int, str], Equivalence | None] = {}
        self._again: dict[tuple[int, str, str], Trajectory | None] = {}

    def answers(self) -> dict[str, Equal]:
        """What the pairs so far say about each variant that has any."""
        plan, trials = self.experiment.plan, self.experiment.trials
        pairs = {variant.name: pairs_of(plan, variant, trials) for variant in plan.others}
        return {name: self._answer(found) for name, found in pairs.items() if found}

    def _answer(self, pairs: list[Pair]) -> Equal:
        found = [self._pair(pair) for pair in pairs]
        for pair, one in zip(pairs, found, strict=True):
            if one.answer == NO:
                doubt = self._doubt(pair, one.window)
                return (
                    Equal(NO, self._closely(pair, one).reason)
                    if doubt is None
                    else Equal(NOT_COMPARABLE, doubt.reason)
                )
        refused = next((one for one in found if one.answer == NOT_COMPARABLE), None)
        if refused is not None:
            return Equal(NOT_COMPARABLE, refused.reason)
        return Equal(YES, f"{found[0].reason}, at {plural(len(found), 'seed')}")

    def _pair(self, pair: Pair) -> Equivalence:
        base, other = (self._trajectory(trial.run) for trial in (pair.base, pair.other))
        if base is None or other is None:
            return Equivalence(NOT_COMPARABLE, None, None, None, "no trajectory was recorded")
        return compare_trajectories(base, other)

    def _doubt(self, pair: Pair, steps: str) -> Equivalence | None:
        """Whether the base differs from itself at this seed; None: it does not."""
        key = (pair.base.block, steps)
        if key not in self._unseeded:
            first, second = self._trajectory(pair.base.run), self._once_more(pair.base, steps)
            if first is None or second is None:
                why = "the base could not be run again to see whether it is seeded"
                self._unseeded[key] = Equivalence(NOT_COMPARABLE, None, None, None, why)
            else:
                self._unseeded[key] = unseeded(first, second)
        return self._unseeded[key]

    def _closely(self, pair: Pair, found: Equivalence) -> Equivalence:
        """The same difference with its step, where the pair shows it again."""
        if not found.window:
            return found
        base, other = (self._once_more(one, found.window) for one in (pair.base, pair.other))
        closer = compare_trajectories(base, other) if base is not None and other is not None else found
        return closer if closer.answer == NO and closer.environment == found.environment else found

    def _once_more(self, trial: Trial, steps: str) -> Trajectory | None:
        key = (trial.block, trial.variant, steps)
        if key not in self._again:
            again = self.experiment.run_again(trial.block, trial.variant, steps)
            self._again[key] = self._trajectory(again.run)
        return self._again[key]

    def _trajectory(self, run: str) -> Trajectory | None:
        return self.read(self.experiment.folder / RUNS / run)
