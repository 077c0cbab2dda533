"""Carry a plan out: trial after trial, looks on the way if it may stop early, and the conclusion at the
end."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from goldsplit.errors import CommandError
from goldsplit.experiment.comparison import Equal, compare, pairs_of
from goldsplit.experiment.engines.one_trial import Interrupted
from goldsplit.experiment.engines.trial_engine import Row
from goldsplit.experiment.equal_play import EqualPlay
from goldsplit.experiment.equivalence import NO
from goldsplit.experiment.plan_checks import check_first
from goldsplit.experiment.statistics import look_levels
from goldsplit.experiment.trials import Experiment
from goldsplit.model.experiment.conclusion import Comparison, Decision
from goldsplit.model.experiment.design import ALPHA, Plan
from goldsplit.model.experiment.trial import Trial
from goldsplit.store.experiment_files import write_result


@dataclass(frozen=True, slots=True)
class Progress:
    """What is about to run, and how long everything may still take."""

    number: int
    total: int
    block: int
    variant: str
    seconds_left: float | None
    """None: no trial has ended yet."""


@dataclass(frozen=True, slots=True)
class Carried:
    """How it ended."""

    comparison: Comparison
    interrupted: bool = False
    stopped_early: bool = False


Listener = Callable[[Progress], None]


def carry_out(
    experiment: Experiment, before_trial: Listener, after_trial: Callable[[Trial], None]
) -> Carried:
    """Make all trials that are left, then judge. Ctrl-C keeps what is done."""
    interrupted = early = False
    left = experiment.left()
    play = EqualPlay(experiment) if experiment.plan.equivalent else None
    to_come = Counter(row.block for row in left)
    before = len(experiment.trials)
    running = experiment.run(
        left, lambda row: before_trial(progress(experiment, left, left.index(row), before))
    )
    try:
        for trial in running:
            after_trial(trial)
            check_base(experiment)
            if trial.variant == experiment.plan.base.name:
                check_first(experiment.plan, trial)
            to_come[trial.block] -= 1
            block_ends = to_come[trial.block] == 0 and any(to_come.values())
            if block_ends and (none_is_equal(play) or may_stop(experiment.plan, experiment.trials)):
                early = True
                break
        equal = None if play is None else play.answers()
    except (Interrupted, KeyboardInterrupt):
        interrupted, equal = True, None
    finally:
        running.close()
    return Carried(conclude(experiment, equal), interrupted, early)


def none_is_equal(play: EqualPlay | None) -> bool:
    """Whether equal trajectories were asked for, and every variant has been seen to differ: then its times do
    not matter."""
    if play is None:
        return False
    answers = play.answers()
    return len(answers) == len(play.experiment.plan.others) and all(
        equal.answer == NO for equal in answers.values()
    )


def conclude(
    experiment: Experiment,
    equal: dict[str, Equal] | None = None,
    said: Mapping[str, tuple[str, str]] | None = None,
) -> Comparison:
    """Judge what is there, and write it down. `said`: what to do with a variant and why, where the caller has
    decided by more than its pairs: one word for one variant, wherever it is read."""
    comparison = compare(experiment.plan, experiment.trials, equal)
    if said:
        rows = [
            replace(one, decision=said[one.variant][0], why=said[one.variant][1])
            if one.variant in said
            else one
            for one in comparison.judged
        ]
        comparison = replace(comparison, judged=tuple(rows))
    write_result(experiment.folder, comparison.to_json())
    return comparison


def progress(experiment: Experiment, left: Sequence[Row], number: int, before: int) -> Progress:
    """What comes next; the time left from how long trials of each variant took so far. `before`: trials that
    were there when it began. Several may run at once, so those that have ended do not tell the number."""
    block, _, name = left[number]
    took: dict[str, list[float]] = {}
    for trial in experiment.trials:
        took.setdefault(trial.variant, []).append(trial.wall_seconds + trial.runner_seconds)
    typical = {variant: statistics.median(seconds) for variant, seconds in took.items()}
    usual = statistics.fmean(typical.values()) if typical else None
    seconds = None
    if usual is not None:
        seconds = sum(typical.get(row.variant, usual) for row in left[number:]) / experiment.engine.width
    return Progress(before + number + 1, before + len(left), block, name, seconds)


def may_stop(plan: Plan, trials: Sequence[Trial]) -> bool:
    """Whether this is a planned look, and nothing is left undecided."""
    if not plan.early_stop:
        return False
    pairs = min((len(pairs_of(plan, variant, trials)) for variant in plan.others), default=0)
    if pairs >= plan.pairs or pairs not in look_levels(plan.pairs, ALPHA, early_stop=True):
        return False
    return all(one.decision != Decision.UNDECIDED for one in compare(plan, trials).judged)


def check_base(experiment: Experiment) -> None:
    """Without the base nothing can be compared."""
    base = experiment.plan.base.name
    if experiment.given_up(base):
        problem = [trial.problem for trial in experiment.trials if trial.variant == base][-1]
        raise CommandError(f"the command fails: {problem}", "run it alone first, without goldsplit")
