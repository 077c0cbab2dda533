"""Non-inferiority: proven, refused, or open with the number of episodes that would decide."""

from __future__ import annotations

import numpy as np
import pytest

from goldsplit.experiment.gates import judge_gate
from goldsplit.model.experiment.conclusion import GateResult, GateState
from goldsplit.model.experiment.design import Gate, GateKind, Source, SourceKind
from goldsplit.model.experiment.trial import Outcome

HERE = Source(SourceKind.RECORDED, "", "x")
RATE = Gate("win_rate", GateKind.RATE, HERE, 0.03)


def played(base: float, other: float, episodes: int, seed: int) -> GateResult:
    """8 trials of each side with so many episodes in all."""
    draw = np.random.default_rng(seed)
    won = [draw.binomial(episodes // 8, share, 8) / (episodes // 8) for share in (base, other)]
    pairs = [(Outcome(episodes // 8, a), Outcome(episodes // 8, b)) for a, b in zip(*won, strict=True)]
    return judge_gate(RATE, pairs)


def test_a_loss_of_10_points_is_refused() -> None:
    states = [played(0.5, 0.4, 2400, seed).state for seed in range(50)]
    assert states.count(GateState.FAILED) >= 48
    assert GateState.PASSED not in states


def test_no_loss_is_not_refused_and_is_proven_with_enough_episodes() -> None:
    states = [played(0.5, 0.5, 16000, seed).state for seed in range(50)]
    assert states.count(GateState.FAILED) <= 1
    assert states.count(GateState.PASSED) >= 45


def test_too_few_episodes_prove_nothing() -> None:
    results = [played(0.5, 0.5, 160, seed) for seed in range(50)]
    states = [result.state for result in results]
    # Who happens to win far more often has proven it; that is not wrong, only rare.
    assert states.count(GateState.UNPROVEN) >= 42
    assert states.count(GateState.FAILED) <= 3
    open_ones = [result for result in results if result.episodes_needed is not None]
    assert open_ones
    assert all("more episodes" in result.why for result in open_ones)


def test_the_number_still_needed_is_about_right() -> None:
    found = judge_gate(RATE, [(Outcome(100, 0.5), Outcome(100, 0.5))] * 8)
    assert found.state == GateState.UNPROVEN
    assert found.episodes_needed == pytest.approx(1.96**2 * 0.5 / 0.03**2 - 800, abs=2)
    lost = judge_gate(RATE, [(Outcome(100, 0.5), Outcome(100, 0.46))] * 8)
    assert (lost.state, lost.episodes_needed) == (GateState.UNPROVEN, None)
    assert "would not prove it" in lost.why


def test_trainings_of_equal_code_differ_so_few_of_them_say_nothing() -> None:
    """However many episodes: each training is one policy."""
    draw = np.random.default_rng(1)
    reasons = Gate("end_reasons", GateKind.REASONS, HERE, 0.05)
    for pairs in (1, 2, 5):
        shares = draw.normal(0.5, 0.1, (pairs, 2))
        rates = [(Outcome(3000, a), Outcome(3000, b)) for a, b in shares]
        ends = [tuple(_ended(round(3000 * share)) for share in pair) for pair in shares]
        for found in (judge_gate(RATE, rates), judge_gate(reasons, ends)):  # type: ignore[arg-type]
            assert (found.state, found.low) == (GateState.UNPROVEN, None)
            assert found.difference is not None
            assert f"too few pairs for an interval: {pairs}; {6 - pairs} more" in found.why


def _ended(won: int) -> Outcome:
    return Outcome(3000, None, {"won": won, "lost": 3000 - won})


def test_alike_episodes_count_as_fewer() -> None:
    pairs = [(Outcome(1000, share), Outcome(1000, share)) for share in (0.2, 0.8, 0.3, 0.7, 0.5, 0.5)]
    found = judge_gate(RATE, pairs)
    assert found.state == GateState.UNPROVEN
    assert "count as" in found.why
    proven = judge_gate(Gate("win_rate", GateKind.RATE, HERE, 0.9), pairs)
    assert proven.state == GateState.PASSED
    assert proven.why.startswith("episodes of one training are alike: ")


def test_means_are_compared_pair_by_pair() -> None:
    gate = Gate("return", GateKind.MEAN, HERE, 0.05, relative=True)
    pairs = [(Outcome(9, 100.0 + b), Outcome(9, 99.0 + b + 0.1 * (b % 3))) for b in range(8)]
    found = judge_gate(gate, pairs)
    assert (found.state, found.max_drop) == (GateState.PASSED, pytest.approx(0.05 * 103.5))
    worse = [(a, Outcome(9, (b.mean or 0) - 20)) for a, b in pairs]
    assert judge_gate(gate, worse).state == GateState.FAILED
    assert judge_gate(gate, pairs[:5]).state == GateState.UNPROVEN
    assert "1 more" in judge_gate(gate, pairs[:5]).why
    cheaper = Gate("moves", GateKind.MEAN, HERE, 1.0, higher_is_better=False)
    assert judge_gate(cheaper, worse).state == GateState.PASSED


def test_end_reasons() -> None:
    gate = Gate("end_reasons", GateKind.REASONS, HERE, 0.05)

    def ends(win: int, timeout: int) -> Outcome:
        return Outcome(win + timeout, None, {"win": win, "timeout": timeout})

    same = [(ends(500 + b, 500), ends(503 - b, 500)) for b in range(6)]
    assert judge_gate(gate, same).state == GateState.PASSED
    moved = [(ends(500 + b, 500), ends(350 - b, 650)) for b in range(6)]
    found = judge_gate(gate, moved)
    assert found.state == GateState.FAILED
    assert "win" in found.why or "timeout" in found.why
    assert judge_gate(gate, [(ends(5, 5), ends(5, 5))]).state == GateState.UNPROVEN


def test_what_was_not_measured_is_said() -> None:
    assert judge_gate(RATE, []).state == GateState.NOT_MEASURED
    assert judge_gate(RATE, [(Outcome(0), Outcome(5, 0.5))]).state == GateState.NOT_MEASURED
    no_rate = judge_gate(RATE, [(Outcome(5, 3.0), Outcome(5, 0.5))])
    assert (no_rate.state, no_rate.why) == (
        GateState.NOT_MEASURED,
        "its values are not 0 or 1, so they are no rate",
    )
