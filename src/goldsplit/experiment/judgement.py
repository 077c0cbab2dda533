"""From an effect and its gates to a verdict and a decision: the rules in one place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from goldsplit.model.experiment.conclusion import Decision, Effect, GateResult, GateState, Judged, Verdict

#: Keep; roll back; undecided.
EXIT_KEEP, EXIT_ROLL_BACK, EXIT_UNDECIDED = 0, 1, 3
#: Log-ratios of pairs that spread more than this make a machine noisy: there a gain needs more proof.
NOISY_SPREAD = 0.08
#: A gain must also be seen at this level: of 8 pairs that is in every single one.
SURE_LEVEL = 0.01
#: … above so many minimum gains: by CPU time or where pairs agree, and where they differ much.
SURE_PART, NOISY_PART = 0.75, 2.0


def threshold(minimum_gain: float) -> float:
    """The interval of a gain must lie above half the minimum gain: a true gain well below the minimum then
    never passes, and one of twice the minimum does not need endless pairs."""
    return 1 + minimum_gain / 2


@dataclass(frozen=True, slots=True)
class Seen:
    """What the pairs of one variant say about speed."""

    effect: Effect
    cpu: Effect | None
    """The same change in CPU time; None: it says nothing about this metric."""
    minimum_gain: float
    is_pending: bool = False
    """No pair has ended yet, and no trial has failed: it was interrupted."""

    @property
    def is_confirmed(self) -> bool:
        """Whether the CPU time of a step fell, too, by as much as is worth having."""
        cpu = self.cpu
        if cpu is None or cpu.gain is None or cpu.sure_low is None:
            return False
        return cpu.gain >= 1 + self.minimum_gain and cpu.sure_low > 1 + SURE_PART * self.minimum_gain

    @property
    def is_faster(self) -> bool:
        """Whether a gain worth having is proven. That 8 pairs all run one way by chance is rare, but not rare
        enough for a promise: so CPU time must confirm it, or every pair must show it clearly."""
        effect, least = self.effect, self.minimum_gain
        if effect.gain is None or effect.low is None or effect.gain < 1 + least:
            return False
        if self.is_confirmed:
            return effect.low > 1
        noisy = effect.spread is None or effect.spread > NOISY_SPREAD
        sure = 1 + (NOISY_PART if noisy else SURE_PART) * least
        return effect.low > threshold(least) and (effect.sure_low or 0.0) > sure


def speed_verdict(seen: Seen) -> tuple[str, str]:
    """What the pairs say about speed alone, and why."""
    effect, least = seen.effect, 1 + seen.minimum_gain
    if effect.gain is None and seen.is_pending:
        return Verdict.FEW, "no pair of trials has ended yet"
    if effect.gain is None:
        return Verdict.FAILED, "no pair of complete trials has the metric"
    if effect.low is None or effect.high is None:
        return Verdict.FEW, f"too few pairs for any statement: {effect.pairs}"
    shown = f"{effect.gain:.3g}x ({effect.low:.3g}x to {effect.high:.3g}x)"
    if seen.is_faster:
        noisy = effect.spread is None or effect.spread > NOISY_SPREAD
        return Verdict.FASTER, shown + (", confirmed by CPU time" if noisy and seen.is_confirmed else "")
    if effect.high < 1:
        return Verdict.SLOWER, shown
    if effect.high < least:
        small = "a small gain, " if effect.low > 1 else ""
        return Verdict.NOTHING, f"{small}{shown}: a gain of {least:.3g}x is ruled out"
    if effect.gain >= least and effect.low > threshold(seen.minimum_gain):
        why = f"{shown}, but not every pair shows it clearly, and CPU time does not confirm it"
    else:
        why = f"{shown}: neither nothing nor {least:.3g}x is ruled out"
    if effect.pairs_needed is not None and effect.pairs_needed > effect.pairs:
        why += f"; about {effect.pairs_needed} pairs would decide at this noise"
    return Verdict.NOISY, why


def judge(seen: Seen, gates: Sequence[GateResult], equal: str, equivalent: bool) -> tuple[str, str, str]:
    """Verdict, decision and why. `equivalent`: equal trajectories were asked for."""
    verdict, why = speed_verdict(seen)
    failed = [gate for gate in gates if gate.state == GateState.FAILED]
    open_gates = [gate for gate in gates if gate.state in (GateState.UNPROVEN, GateState.NOT_MEASURED)]
    if failed:
        told = ", ".join(f"{gate.gate} {_lost(gate)}" for gate in failed)
        return Verdict.WORSE, Decision.ROLL_BACK, f"{told}; speed: {why}"
    if equivalent and equal == "no":
        return Verdict.OTHER, Decision.ROLL_BACK, f"its trajectories are not the base's; speed: {why}"
    if verdict in (Verdict.SLOWER, Verdict.NOTHING):
        return verdict, Decision.ROLL_BACK, why
    if verdict != Verdict.FASTER:
        return verdict, Decision.UNDECIDED, why
    if equal == "yes":
        return verdict, Decision.KEEP, f"{why}; its trajectories are the base's"
    if open_gates:
        told = "; ".join(f"{gate.gate}: {gate.why or gate.state}" for gate in open_gates)
        return Verdict.UNPROVEN, Decision.UNDECIDED, f"{why}; {told}"
    if not gates:
        return Verdict.UNPROVEN, Decision.KEEP, f"{why}; no quality gate was set"
    return verdict, Decision.KEEP, why


def _lost(gate: GateResult) -> str:
    if gate.base_value is None or gate.value is None:
        return "lost"
    return f"{gate.base_value:.3g} → {gate.value:.3g}"


def ci_exit_code(judged: Sequence[Judged], minimum_gain: float) -> int:
    """1 only where a variant is proven worse by an amount that matters, or fails: what is called slower by
    chance once in fifty experiments is hardly slower at all, and must not stop anybody's work."""

    def is_worse(one: Judged) -> bool:
        if one.verdict in (Verdict.WORSE, Verdict.FAILED):
            return True
        slower = one.verdict == Verdict.SLOWER and one.effect.gain is not None
        return slower and (one.effect.gain or 1.0) <= 1 / (1 + minimum_gain)

    return EXIT_ROLL_BACK if any(map(is_worse, judged)) else EXIT_KEEP


def exit_code(judged: Sequence[Judged]) -> int:
    """0 where a variant is to be kept, 3 where the best of them is undecided, else 1."""
    decisions = {one.decision for one in judged}
    if Decision.KEEP in decisions:
        return EXIT_KEEP
    return EXIT_UNDECIDED if Decision.UNDECIDED in decisions or not judged else EXIT_ROLL_BACK
