"""Whether a variant plays as well as the base: non-inferiority with a margin, never "no difference found"."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from goldsplit.experiment.statistics import fewest_pairs, interval, newcombe, overdispersion, typical
from goldsplit.model.experiment.conclusion import GateResult, GateState
from goldsplit.model.experiment.design import ALPHA, Gate, GateKind
from goldsplit.model.experiment.trial import Outcome

Pairs = Sequence[tuple[Outcome, Outcome]]
"""Base and variant of each block."""


def judge_gate(gate: Gate, pairs: Pairs) -> GateResult:
    """One gate of one variant. Passed: the interval of the difference lies above the margin. Failed: the
    variant is worse by more than chance, and by more than the margin."""
    known = [(base, other) for base, other in pairs if base.count and other.count]
    if not known:
        return _nothing(gate, "no trial of a pair has values for it")
    if gate.kind == GateKind.RATE:
        return _rate(gate, known)
    return _mean(gate, known) if gate.kind == GateKind.MEAN else _reasons(gate, known)


def _nothing(gate: Gate, why: str) -> GateResult:
    return GateResult(gate.name, GateState.NOT_MEASURED, None, None, None, None, None, gate.max_drop, why=why)


def _too_few(pairs: int) -> str:
    """Why so many pairs say nothing yet; "": they are enough. However many episodes were played: those of one
    training are one policy's, and two trainings of equal code differ. How much is only seen over several."""
    more = fewest_pairs(ALPHA) - pairs
    return f"too few pairs for an interval: {pairs}; {more} more" if more > 0 else ""


def _open(
    gate: Gate,
    values: tuple[float, float],
    difference: float | None,
    margin: float,
    episodes: tuple[int, int],
    why: str,
) -> GateResult:
    """A difference without an interval, and why there is none."""
    return GateResult(
        gate.name, GateState.UNPROVEN, *values, difference, None, None, margin, *episodes, None, why
    )


def _rate(gate: Gate, pairs: Pairs) -> GateResult:
    groups = [[(o.count * (o.mean or 0.0), o.count) for o in side] for side in zip(*pairs, strict=True)]
    if any(not 0 <= (outcome.mean or 0.0) <= 1 for pair in pairs for outcome in pair):
        return _nothing(gate, "its values are not 0 or 1, so they are no rate")
    factor = overdispersion(groups)
    (base_wins, base_n), (wins, n) = (
        (sum(won for won, _ in group), sum(count for _, count in group)) for group in groups
    )
    difference, low, high = newcombe(
        (base_wins / factor, base_n / factor), (wins / factor, n / factor), ALPHA
    )
    if not gate.higher_is_better:
        difference, low, high = -difference, -high, -low
    shares = base_wins / base_n, wins / n
    if few := _too_few(len(pairs)):
        return _open(gate, shares, difference, gate.max_drop, (base_n, n), few)
    state = _state(difference, low, high, gate.max_drop)
    needed = None
    if state == GateState.UNPROVEN:
        # Rates of 0 or 1 in few episodes say little: count with at least one success and one failure.
        safe = [
            min(max(share, 1 / (count + 2)), 1 - 1 / (count + 2))
            for share, count in zip(shares, (base_n, n), strict=True)
        ]
        variance = factor * sum(share * (1 - share) for share in safe)
        needed = _needed(variance, gate.max_drop + difference, min(base_n, n))
    alike = f"episodes of one training are alike: {base_n + n} count as {(base_n + n) / factor:.0f}"
    why = "; ".join(part for part in (_why(state, needed), alike if factor > 1.5 else "") if part)
    return GateResult(
        gate.name, state, shares[0], shares[1], difference, low, high, gate.max_drop, base_n, n, needed, why
    )


def _needed(variance: float, room: float, episodes: int) -> int | None:
    """More episodes for each side, until the interval is narrow enough; None: at this difference, never."""
    if room <= 0:
        return None
    z = statistics.NormalDist().inv_cdf(1 - ALPHA / 2)
    return max(1, math.ceil(z * z * variance / (room * room)) - episodes)


def _mean(gate: Gate, pairs: Pairs) -> GateResult:
    """Trial by trial: the episodes of a trial are one training, so each pair is one difference."""
    values = [[o.mean or 0.0 for o in side] for side in zip(*pairs, strict=True)]
    base_n, n = (sum(o.count for o in side) for side in zip(*pairs, strict=True))
    base_mean, mean = (statistics.fmean(side) for side in values)
    margin = gate.max_drop * (abs(base_mean) if gate.relative else 1.0)
    sign = 1.0 if gate.higher_is_better else -1.0
    differences = [sign * (other - base) for base, other in zip(*values, strict=True)]
    found = interval(differences, ALPHA)
    middle = typical(differences)
    if found is None:
        return _open(gate, (base_mean, mean), middle, margin, (base_n, n), _too_few(len(pairs)))
    low, high = found
    state = _state(middle, low, high, margin)
    needed = None
    if state == GateState.UNPROVEN and margin + middle > 0:
        needed = max(1, math.ceil(min(base_n, n) * (((middle - low) / (margin + middle)) ** 2 - 1)))
    return GateResult(
        gate.name, state, base_mean, mean, middle, low, high, margin, base_n, n, needed, _why(state, needed)
    )


def _reasons(gate: Gate, pairs: Pairs) -> GateResult:
    """The reason whose share moved most, each tested so that all of them together are wrong seldom enough."""
    sides = [[o.reasons for o in side] for side in zip(*pairs, strict=True)]
    names = sorted({name for side in sides for reasons in side for name in reasons})
    base_n, n = (sum(sum(reasons.values()) for reasons in side) for side in sides)
    rows = []
    for name in names:
        groups = [[(float(r.get(name, 0)), sum(r.values())) for r in side] for side in sides]
        factor = overdispersion(groups)
        won = [sum(count for count, _ in group) / factor for group in groups]
        moved = newcombe((won[0], base_n / factor), (won[1], n / factor), ALPHA / len(names))
        rows.append((name, won[0] * factor / base_n, won[1] * factor / n, moved))
    name, base_share, share, (difference, low, high) = max(
        rows, key=lambda row: max(abs(row[3][1]), abs(row[3][2]))
    )
    proven = [row for row in rows if abs(row[3][0]) > gate.max_drop and (row[3][1] > 0 or row[3][2] < 0)]
    if few := _too_few(len(pairs)):
        why = f"largest change: {name!r}; {few}"
        return _open(gate, (base_share, share), difference, gate.max_drop, (base_n, n), why)
    within = all(-gate.max_drop < row[3][1] and row[3][2] < gate.max_drop for row in rows)
    state = GateState.FAILED if proven else GateState.PASSED if within else GateState.UNPROVEN
    if proven:
        name, base_share, share, (difference, low, high) = max(proven, key=lambda row: abs(row[3][0]))
    return GateResult(
        gate.name,
        state,
        base_share,
        share,
        difference,
        low,
        high,
        gate.max_drop,
        base_n,
        n,
        None,
        f"largest change: {name!r}",
    )


def _state(difference: float, low: float, high: float, margin: float) -> str:
    if low > -margin:
        return GateState.PASSED
    return GateState.FAILED if high < 0 and difference < -margin else GateState.UNPROVEN


def _why(state: str, needed: int | None) -> str:
    if state != GateState.UNPROVEN:
        return ""
    if needed is None:
        return "at this difference more episodes would not prove it"
    return f"about {needed} more episodes for each variant would decide it, if the difference stays"
