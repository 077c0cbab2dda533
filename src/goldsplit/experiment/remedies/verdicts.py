"""From trials of remedies to keep or drop: pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from goldsplit.experiment.comparison import Equal, compare, log_ratios, pairs_of
from goldsplit.experiment.equivalence import NO, NOT_COMPARABLE
from goldsplit.model.experiment.conclusion import Decision, Judged
from goldsplit.model.experiment.design import Plan, Variant
from goldsplit.model.experiment.trial import Trial
from goldsplit.model.experiment.tried import DROP, KEEP, UNDECIDED, Candidate, Measured, Together, Tried
from goldsplit.model.overlays.overlay import STOPPED_EXIT_CODE, OverlayUse
from goldsplit.store.directory import clean_name

#: A remedy that costs nobody an edit is worth having from this gain on.
MINIMUM_GAIN = 0.05
#: After so many pairs a remedy without any hope is not tried further: its best pair is below this gain.
LOOK_AFTER, HOPELESS = 4, 1.03
#: These promise the same game: where it differs, they are wrong. The others may round differently.
PROMISE_EQUAL = frozenset(
    {"constant", "memo", "compiled-text", "no-validation", "quiet", "lean-info", "no-checkpoint"}
)
#: These change one function, which their argument names: two of them on the same one are one remedy.
WITH_TARGET = ("constant:", "memo:")
_LONGEST_NAME = 40
_WORDS = {Decision.KEEP: KEEP, Decision.ROLL_BACK: DROP, Decision.UNDECIDED: UNDECIDED}


def variant_name(number: int, candidate: Candidate) -> str:
    """An overlay's text is no file name, and two texts may clean to the same: so it gets a number."""
    return f"{number + 1}-{clean_name(candidate.overlay)[:_LONGEST_NAME]}"


def is_hopeless(plan: Plan, variant: Variant, trials: Sequence[Trial]) -> bool:
    """Whether even the best of several pairs shows no gain. Giving up early makes no gain look
    proven."""
    ratios = log_ratios(plan, plan.metric, pairs_of(plan, variant, trials))
    return len(ratios) >= LOOK_AFTER and max(ratios) < math.log(HOPELESS)


def wrong_at_once(overlay: str, trial: Trial, same: Equal, uses: Sequence[OverlayUse]) -> str:
    """Why a remedy needs no timing after its first trial; "": it does."""
    if not trial.complete:
        return failure(trial.problem)
    if same.answer == NO and promises_equal(overlay):
        return f"the game is not the same any more: {same.why}"
    own = [use for use in uses if use.overlay == overlay]
    if own and not any(use.changed for use in own):
        return "it changed nothing in this program"
    return ""


def failure(problem: str) -> str:
    """A failed trial, in words."""
    code, _, said = problem.partition(": ")
    if code == f"exit code {STOPPED_EXIT_CODE}" and said:
        return f"it would have changed an answer: {said}"
    return f"the program fails with it: {problem}"


def promises_equal(overlay: str) -> bool:
    return overlay.partition(":")[0] in PROMISE_EQUAL


def judge_remedies(
    plan: Plan | None,
    trials: Sequence[Trial],
    found: Mapping[str, Candidate],
    equal: Mapping[str, Equal],
    dropped: Mapping[str, str],
) -> list[Tried]:
    """What came of each candidate (by variant), the largest gain first. `plan`: of timed trials; None:
    none were made. `dropped`: why a candidate was not timed at all."""
    judged = (
        {one.variant: one for one in compare(plan, trials, dict(equal)).judged} if plan is not None else {}
    )
    rows = []
    for name, candidate in found.items():
        same = equal.get(name) or Equal(NOT_COMPARABLE, "not compared")
        if name in dropped or plan is None or name not in judged:
            verdict, why = (DROP, dropped[name]) if name in dropped else (UNDECIDED, "not timed")
            rows.append(Tried(candidate, Measured(), same.answer, same.why, verdict, why))
            continue
        variant = next(one for one in plan.variants if one.name == name)
        failed = [trial.problem for trial in trials if trial.variant == name and not trial.complete]
        rows.append(judge_one(candidate, judged[name], same, failed, is_hopeless(plan, variant, trials)))
    return sorted(rows, key=_rank)


def _rank(one: Tried) -> tuple[bool, float, float]:
    """Kept ones first; then by what was measured, and where nothing was, by what was predicted."""
    return (one.verdict != KEEP, -(one.measured.gain or 0.0), -(one.candidate.predicted_gain or 0.0))


def judge_one(
    candidate: Candidate, judged: Judged, same: Equal, failed: Sequence[str], hopeless: bool
) -> Tried:
    """One remedy that was timed."""
    effect = judged.effect
    measured = Measured(effect.gain, effect.low, effect.high, effect.pairs)
    verdict, why = _WORDS[judged.decision], judged.why
    stopped = next((text for text in failed if text.startswith(f"exit code {STOPPED_EXIT_CODE}: ")), None)
    if stopped is not None:
        verdict, why = DROP, failure(stopped)
    elif failed and not effect.pairs:
        verdict, why = DROP, failure(failed[-1])
    elif hopeless and verdict != KEEP:
        verdict, why = DROP, f"no gain of {HOPELESS}x in any of {effect.pairs} pairs"
    return Tried(candidate, measured, same.answer, same.why, verdict, why)


def fit_together(kept: Sequence[Tried]) -> tuple[str, ...]:
    """The overlays of kept remedies that can be on at once: of several on one function, or with one name, the
    one that gains most."""
    chosen: dict[str, str] = {}
    for one in kept:
        chosen.setdefault(subject(one.candidate.overlay), one.candidate.overlay)
    return tuple(chosen.values())


def subject(overlay: str) -> str:
    """What an overlay changes."""
    name, _, argument = overlay.partition(":")
    if overlay.startswith(WITH_TARGET):
        return argument.partition(",")[0].partition("@")[0]
    return overlay if name == "fast" else name


def judge_together(plan: Plan, trials: Sequence[Trial], same: Equal) -> Together:
    """All kept remedies at once."""
    variant = plan.others[0]
    judged = compare(plan, trials, {variant.name: same}).judged[0]
    effect = judged.effect
    failed = [trial.problem for trial in trials if trial.variant == variant.name and not trial.complete]
    verdict, why = _WORDS[judged.decision], judged.why
    if failed:
        verdict, why = DROP, failure(failed[-1])
    elif same.answer == NO and all(map(promises_equal, variant.overlays)):
        verdict, why = DROP, f"the game is not the same any more: {same.why}"
    measured = Measured(effect.gain, effect.low, effect.high, effect.pairs)
    return Together(variant.overlays, measured, same.answer, verdict, why)
