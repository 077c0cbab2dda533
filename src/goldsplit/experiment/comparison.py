"""Trials → Comparison: effects from pairs, corrected for several variants and looks; gates; counts; verdicts.

Pure: the same trials always give the same answer. Everything is read from the trials alone, so an
experiment can be judged again later, or with another minimum gain.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from goldsplit.experiment.gates import judge_gate
from goldsplit.experiment.judgement import SURE_LEVEL, Seen, judge, threshold
from goldsplit.experiment.metrics import CPU_METRIC, WALL_METRICS, common_stretch, compared_seconds, metric_of
from goldsplit.experiment.statistics import (
    detectable,
    fewest_pairs,
    holm_levels,
    interval,
    look_levels,
    p_above,
    p_below,
    pairs_needed,
    spread,
    sure_low,
    typical,
)
from goldsplit.model.experiment.conclusion import Comparison, CountChange, Effect, Judged, MachineNoise
from goldsplit.model.experiment.design import ALPHA, Plan, Variant
from goldsplit.model.experiment.trial import Outcome, Trial
from goldsplit.report.words import plural

#: Counts that differ by less are the same for anyone who reads them.
SAME_COUNT = 0.005
#: A shorter part of a trial says more about where the system put it than about its speed.
SHORT_SECONDS = 2.0
#: A machine is calm if others keep less than this share of it busy, and the base alone varies less than that.
CALM_SHARE, CALM_SPREAD = 0.15, 0.10


@dataclass(frozen=True, slots=True)
class Pair:
    """Base and variant of one block, both complete."""

    base: Trial
    other: Trial


@dataclass(frozen=True, slots=True)
class Equal:
    """What comparing trajectories said about a variant."""

    answer: str
    why: str = ""


def compare(plan: Plan, trials: Sequence[Trial], equal: dict[str, Equal] | None = None) -> Comparison:
    """Judge what has been measured so far."""
    pairs = {variant.name: pairs_of(plan, variant, trials) for variant in plan.others}
    ratios = {name: log_ratios(plan, plan.metric, found) for name, found in pairs.items()}
    level = level_now(plan, max((len(found) for found in ratios.values()), default=0))
    levels = dict(
        zip(ratios, holm_levels([_p_value(found, plan) for found in ratios.values()], level), strict=True)
    )
    judged = tuple(
        _judged(
            plan,
            variant,
            pairs[variant.name],
            levels[variant.name],
            (equal or {}).get(variant.name),
            _is_pending(plan, variant, trials),
        )
        for variant in plan.others
    )
    latest = _latest(trials)
    runner = [trial.runner_seconds for trial in latest if trial.complete]
    return Comparison(
        name=plan.name,
        metric=plan.metric,
        minimum_gain=plan.minimum_gain,
        command=plan.command,
        pairs_planned=plan.pairs,
        judged=judged,
        machine=machine_noise(plan, latest),
        failed=tuple((t.variant, t.block, t.problem) for t in trials if not t.complete),
        notes=(*plan_notes(plan), *short_notes(plan, latest)),
        trials=len(trials),
        runner_seconds=statistics.median(runner) if runner else None,
    )


def _is_pending(plan: Plan, variant: Variant, trials: Sequence[Trial]) -> bool:
    """Whether no pair has ended, though nothing has failed."""
    names = (plan.base.name, variant.name)
    failed = any(not trial.complete for trial in _latest(trials) if trial.variant in names)
    return not failed and not pairs_of(plan, variant, trials)


def _latest(trials: Sequence[Trial]) -> list[Trial]:
    """A trial that was made again replaces the one before it."""
    return list({(trial.block, trial.variant): trial for trial in trials}.values())


def pairs_of(plan: Plan, variant: Variant, trials: Sequence[Trial]) -> list[Pair]:
    """The blocks in which both ran to their end, in order."""
    done = {(t.block, t.variant): t for t in _latest(trials) if t.complete}
    blocks = sorted({block for block, _ in done})
    keys = [((block, plan.base.name), (block, variant.name)) for block in blocks]
    return [Pair(done[base], done[other]) for base, other in keys if base in done and other in done]


def log_ratios(plan: Plan, metric: str, pairs: Sequence[Pair]) -> list[float]:
    """The gain of each pair as a logarithm: above 0 is better. Pairs without the metric are left out."""
    return [math.log(other / base) for base, other in _oriented(plan, metric, pairs)]


def _oriented(plan: Plan, metric: str, pairs: Sequence[Pair]) -> list[tuple[float, float]]:
    found = []
    higher = metric_of(plan, metric).higher_is_better
    for base, other in values_of(plan, metric, pairs):
        if base > 0 and other > 0:
            found.append((base, other) if higher else (other, base))
    return found


def values_of(plan: Plan, metric: str, pairs: Sequence[Pair]) -> list[tuple[float, float]]:
    """The metric of both trials of each pair that has it, over their common stretch."""
    read = metric_of(plan, metric)
    found = []
    for pair in pairs:
        stretch = common_stretch((pair.base, pair.other), plan.warm_up)
        base, other = read.value(pair.base, stretch), read.value(pair.other, stretch)
        if base is not None and other is not None:
            found.append((base, other))
    return found


def level_now(plan: Plan, pairs: int) -> float:
    """The level of a look after so many pairs. One that was not planned (Ctrl-C) has what planned ones
    left."""
    levels = look_levels(plan.pairs, ALPHA, plan.early_stop)
    if pairs in levels:
        return levels[pairs]
    return ALPHA - sum(level for number, level in levels.items() if number < min(pairs, plan.pairs))


def _p_value(ratios: Sequence[float], plan: Plan) -> float:
    if not ratios:
        return 1.0
    return min(p_above(ratios, math.log(threshold(plan.minimum_gain))), p_below(ratios, 0.0))


def effect_of(plan: Plan, metric: str, pairs: Sequence[Pair], level: float) -> Effect:
    """The gain in one metric, with its interval."""
    ratios = log_ratios(plan, metric, pairs)
    if not ratios:
        return Effect(metric, 0, None, None, None, level, None, None)
    deviation = spread(ratios)
    found = interval(ratios, level)
    values = values_of(plan, metric, pairs)
    return Effect(
        metric=metric,
        pairs=len(ratios),
        gain=math.exp(typical(ratios)),
        low=None if found is None else math.exp(found[0]),
        high=None if found is None else math.exp(found[1]),
        level=level,
        spread=deviation,
        detectable=None
        if found is None or deviation is None
        else math.exp(detectable(deviation, len(ratios), level)),
        pairs_needed=None
        if deviation is None
        else pairs_needed(deviation, math.log1p(plan.minimum_gain) / 2, level),
        sure_low=_exp(sure_low(ratios, min(level, SURE_LEVEL))),
        base_value=statistics.median(base for base, _ in values),
        value=statistics.median(other for _, other in values),
        ratios=tuple(math.exp(ratio) for ratio in ratios),
    )


def _exp(logarithm: float | None) -> float | None:
    return None if logarithm is None else math.exp(logarithm)


def _judged(
    plan: Plan,
    variant: Variant,
    pairs: Sequence[Pair],
    level: float,
    equal: Equal | None,
    is_pending: bool = False,
) -> Judged:
    effect = effect_of(plan, plan.metric, pairs, level)
    cpu = effect_of(plan, CPU_METRIC, pairs, level) if plan.metric != CPU_METRIC else None
    gates = [
        judge_gate(gate, [(_outcome(p.base, gate.name), _outcome(p.other, gate.name)) for p in pairs])
        for gate in plan.gates
    ]
    answer = equal.answer if equal is not None else ""
    seen = Seen(effect, cpu if plan.metric in WALL_METRICS else None, plan.minimum_gain, is_pending)
    verdict, decision, why = judge(seen, gates, answer, plan.equivalent)
    changes, compared = count_changes(pairs)
    return Judged(
        variant=variant.name,
        verdict=verdict,
        decision=decision,
        why=why,
        effect=effect,
        cpu=cpu if cpu is not None and cpu.gain is not None else None,
        gates=tuple(gates),
        counts=tuple(changes),
        counts_compared=compared,
        equal=answer,
        equal_why=equal.why if equal is not None else "",
        predicted=plan.predicted.get(variant.name),
    )


def _outcome(trial: Trial, gate: str) -> Outcome:
    return trial.outcomes.get(gate) or Outcome(0)


def count_changes(pairs: Sequence[Pair]) -> tuple[list[CountChange], int]:
    """Counts per env step that differ in every pair in the same direction; and how many were compared."""
    names = sorted({name for pair in pairs for trial in (pair.base, pair.other) for name in trial.counts})
    found = []
    for name in names:
        both = [(pair.base.counts.get(name, 0.0), pair.other.counts.get(name, 0.0)) for pair in pairs]
        more = all(other > base * (1 + SAME_COUNT) for base, other in both)
        fewer = all(other < base * (1 - SAME_COUNT) for base, other in both)
        if more or fewer:
            bases, others = zip(*both, strict=True)
            found.append(CountChange(name, statistics.median(bases), statistics.median(others)))
    return found, len(names)


def machine_noise(plan: Plan, trials: Sequence[Trial]) -> MachineNoise:
    """What else ran, and how much the base alone varied."""
    cores = max((trial.calm.cores for trial in trials), default=1)
    others = [trial.calm.other_cores for trial in trials if trial.calm.other_cores is not None]
    stolen = [trial.calm.stolen_share for trial in trials if trial.calm.stolen_share is not None]
    base = [trial for trial in trials if trial.variant == plan.base.name and trial.complete]
    stretch = common_stretch(base, plan.warm_up)
    read = metric_of(plan, plan.metric)
    values = [value for trial in base if (value := read.value(trial, stretch))]
    deviation = spread(values)
    base_spread = None if deviation is None else deviation / statistics.fmean(values)
    busy = statistics.fmean(others) if others else None
    return MachineNoise(
        cores=cores,
        other_cores=busy,
        other_cores_most=max(others, default=None),
        stolen_share=statistics.fmean(stolen) if stolen else None,
        base_spread=base_spread,
        calm=(busy or 0.0) < CALM_SHARE * cores and (base_spread or 0.0) < CALM_SPREAD,
    )


def plan_notes(plan: Plan) -> list[str]:
    """What is wrong with a plan, before any trial is made."""
    notes = []
    fewest = fewest_pairs(ALPHA / max(1, len(plan.others)))
    if plan.pairs < fewest:
        notes.append(
            f"{plural(plan.pairs, 'pair')} cannot prove anything about "
            f"{plural(len(plan.others), 'variant')}: at least {fewest}"
        )
    return notes


def short_notes(plan: Plan, trials: Sequence[Trial]) -> list[str]:
    """Whether the part of the trials that is compared is too short to say much."""
    found = []
    for trial in trials:
        stretch = common_stretch((trial,), plan.warm_up)
        seconds = compared_seconds(trial, stretch)
        if trial.complete and seconds is not None:
            found.append(seconds)
    middle = statistics.median(found) if found else SHORT_SECONDS
    if middle >= SHORT_SECONDS or plan.metric not in WALL_METRICS:
        return []
    return [
        f"only {middle:.1f} s of each trial are compared (start-up and warm-up are not): let them make more "
        f"steps, for {SHORT_SECONDS:g} s or more, and the pairs will differ less"
    ]
