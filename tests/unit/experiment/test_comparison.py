"""From trials to verdicts, with trials made by hand and simulated ones."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import pytest

from goldsplit.errors import ConfigError
from goldsplit.experiment.comparison import Equal, compare, count_changes, pairs_of
from goldsplit.experiment.judgement import ci_exit_code
from goldsplit.model.experiment.conclusion import Decision, Verdict
from goldsplit.model.experiment.design import Gate, GateKind, Source, SourceKind
from goldsplit.model.experiment.trial import Calm, Trial, TrialStatus

WIN_RATE = Gate("win_rate", GateKind.RATE, Source(SourceKind.RECORDED, "", "win"), 0.03)


def verdicts(make: SimpleNamespace, gain: float, noise: float, times: int, pairs: int = 8) -> list[str]:
    plan = make.plan(pairs=pairs)
    found = (compare(plan, make.noisy(plan, {"fast": gain}, noise, seed)) for seed in range(times))
    return [comparison.judged[0].verdict for comparison in found]


@pytest.mark.parametrize("noise", [0.02, 0.1, 0.3])
def test_nothing_is_seldom_called_something(make: SimpleNamespace, noise: float) -> None:
    found = verdicts(make, 1.0, noise, 200)
    called = sum(verdict in (Verdict.SLOWER, Verdict.UNPROVEN, Verdict.FASTER) for verdict in found)
    assert called <= 10  # 5 % of 200


def test_a_gain_of_a_third_is_found_with_8_pairs(make: SimpleNamespace) -> None:
    assert verdicts(make, 1.3, 0.08, 50).count(Verdict.UNPROVEN) >= 45


@pytest.mark.parametrize("noise", [0.005, 0.03, 0.08, 0.2])
def test_a_gain_of_3_percent_is_not_called(make: SimpleNamespace, noise: float) -> None:
    assert Verdict.UNPROVEN not in verdicts(make, 1.03, noise, 100)


def pairs_with(make: SimpleNamespace, walls: list[float], cpu_gain: float) -> list[Trial]:
    """A pair for each gain by wall time; CPU time has a gain of its own."""
    return [
        trial
        for block, gain in enumerate(walls)
        for trial in (make.trial(block, "base", 10, 8.0), make.trial(block, "fast", 10 / gain, 8 / cpu_gain))
    ]


def test_pairs_that_differ_much_need_cpu_time_to_confirm_them(make: SimpleNamespace) -> None:
    plan = make.plan()
    noisy = [1.02, 1.58, 1.19, 1.29, 1.25, 1.11, 1.26, 1.69]
    confirmed = compare(plan, pairs_with(make, noisy, 1.3)).judged[0]
    assert confirmed.verdict == Verdict.UNPROVEN
    assert "confirmed by CPU time" in confirmed.why
    alone = compare(plan, pairs_with(make, noisy, 1.03)).judged[0]
    assert (alone.verdict, alone.decision) == (Verdict.NOISY, Decision.UNDECIDED)
    assert "CPU time does not confirm it" in alone.why


def test_a_gain_in_waiting_is_called_where_every_pair_shows_it(make: SimpleNamespace) -> None:
    plan = make.plan()
    clear = [1.5, 2.4, 1.9, 2.2, 1.6, 2.6, 1.8, 2.0]
    assert compare(plan, pairs_with(make, clear, 0.9)).judged[0].verdict == Verdict.UNPROVEN


def test_cpu_time_says_nothing_about_memory(make: SimpleNamespace) -> None:
    plan = make.plan(metric="peak_memory_bytes")
    trials = [
        dataclasses.replace(t, figures={"peak_memory_bytes": 1e9 / g if t.variant == "fast" else 1e9})
        for t, g in zip(
            pairs_with(make, [1.3] * 8, 2.0),
            [g for g in (1.02, 1.6, 1.2, 1.3, 1.25, 1.1, 1.3, 1.7) for _ in "12"],
            strict=True,
        )
    ]
    assert compare(plan, trials).judged[0].verdict == Verdict.NOISY


def test_a_short_comparison_is_said(make: SimpleNamespace) -> None:
    plan = make.plan()
    short = [make.trial(b, name, 0.4) for b in range(8) for name in ("base", "fast")]
    assert "only 0.4 s of each trial are compared" in compare(plan, short).notes[0]
    assert not compare(plan, make.noisy(plan, {}, 0.1)).notes


def test_the_gain_is_that_of_the_pairs(make: SimpleNamespace) -> None:
    plan = make.plan()
    trials = [
        t for b in range(8) for t in (make.trial(b, "base", 10 * (b + 1)), make.trial(b, "fast", 5 * (b + 1)))
    ]
    one = compare(plan, trials).judged[0]
    assert (one.effect.gain, one.effect.low, one.effect.high) == pytest.approx((2.0, 2.0, 2.0))
    assert one.cpu is not None
    assert one.cpu.gain == pytest.approx(2.0)
    assert (one.verdict, one.decision) == (Verdict.UNPROVEN, Decision.KEEP)
    assert "no quality gate" in one.why
    slower = compare(
        plan, [dataclasses.replace(t, variant={"base": "fast"}.get(t.variant, "base")) for t in trials]
    )
    assert (slower.judged[0].verdict, slower.judged[0].decision) == (Verdict.SLOWER, Decision.ROLL_BACK)


def test_too_few_pairs_decide_nothing(make: SimpleNamespace) -> None:
    plan = make.plan(pairs=5)
    one = compare(plan, make.noisy(plan, {"fast": 3.0}, 0.01))
    assert (one.judged[0].verdict, one.judged[0].effect.low) == (Verdict.FEW, None)
    assert "at least 6" in one.notes[0]


def test_before_the_first_pair_has_ended_nothing_has_failed(make: SimpleNamespace) -> None:
    plan = make.plan()
    one = compare(plan, [make.trial(0, "base")]).judged[0]
    assert (one.verdict, one.decision) == (Verdict.FEW, Decision.UNDECIDED)
    assert one.why == "no pair of trials has ended yet"
    failed = make.trial(0, "fast", status=TrialStatus.FAILED)
    assert compare(plan, [make.trial(0, "base"), failed]).judged[0].verdict == Verdict.FAILED


def test_several_variants_share_the_risk(make: SimpleNamespace) -> None:
    plan = make.plan("a", "b", "c", pairs=9)
    judged = compare(plan, make.noisy(plan, {"a": 2.0}, 0.05)).judged
    assert judged[0].effect.level == pytest.approx(0.05 / 3)
    assert judged[0].decision == Decision.KEEP
    assert {one.decision for one in judged[1:]} <= {Decision.ROLL_BACK, Decision.UNDECIDED}


def test_a_noisy_machine_is_said(make: SimpleNamespace) -> None:
    plan = make.plan()
    busy = Calm(3.0, 1.5, 0.0, 2)
    trials = [dataclasses.replace(t, calm=busy) for t in make.noisy(plan, {}, 0.5)]
    found = compare(plan, trials)
    assert not found.machine.calm
    assert found.machine.other_cores == 1.5
    assert found.judged[0].verdict == Verdict.NOISY
    assert "pairs would decide" in found.judged[0].why


@pytest.mark.parametrize(
    ("base_wins", "wins", "episodes", "verdict", "decision"),
    [
        (300, 260, 600, Verdict.WORSE, Decision.ROLL_BACK),  # 7 points of 4800 episodes
        (300, 300, 600, Verdict.FASTER, Decision.KEEP),
        (10, 10, 20, Verdict.UNPROVEN, Decision.UNDECIDED),
    ],
)
def test_gates(
    make: SimpleNamespace, base_wins: int, wins: int, episodes: int, verdict: str, decision: str
) -> None:
    plan = make.plan(gates=(WIN_RATE,))
    won = {"base": base_wins, "fast": wins}
    trials = [
        make.trial(b, name, seconds, outcomes=make.outcomes("win_rate", won[name] + b % 3, episodes))
        for b in range(8)
        for name, seconds in (("base", 10 + 0.1 * b), ("fast", 5))
    ]
    one = compare(plan, trials).judged[0]
    assert (one.verdict, one.decision) == (verdict, decision)
    if verdict == Verdict.UNPROVEN:
        assert one.gates[0].episodes_needed is not None
        assert one.gates[0].episodes_needed > 1000
        assert "more episodes" in one.why


def test_equal_trajectories_need_no_gate(make: SimpleNamespace) -> None:
    plan = make.plan(equivalent=True)
    trials = make.noisy(plan, {"fast": 2.0}, 0.02)
    assert compare(plan, trials, {"fast": Equal("yes")}).judged[0].verdict == Verdict.FASTER
    other = compare(plan, trials, {"fast": Equal("no", "step 17")}).judged[0]
    assert (other.decision, other.equal_why) == (Decision.ROLL_BACK, "step 17")
    assert (other.verdict, other.why.partition(";")[0]) == (
        Verdict.OTHER,
        "its trajectories are not the base's",
    )


def test_failed_trials_are_left_out_of_pairs_but_shown(make: SimpleNamespace) -> None:
    plan = make.plan()
    trials = make.noisy(plan, {"fast": 2.0}, 0.02)
    failed = dataclasses.replace(trials[1], status=TrialStatus.FAILED, problem="exit code 1")
    found = compare(plan, [trials[0], failed, *trials[2:]])
    assert found.judged[0].effect.pairs == 7
    assert found.failed == (("fast", 0, "exit code 1"),)
    assert compare(plan, [trials[0], failed]).judged[0].verdict == Verdict.FAILED


def test_a_trial_made_again_replaces_the_first(make: SimpleNamespace) -> None:
    plan = make.plan(pairs=1)
    trials = [
        make.trial(0, "base"),
        make.trial(0, "fast", 10),
        make.trial(0, "base"),
        make.trial(0, "fast", 4),
    ]
    pairs = pairs_of(plan, plan.others[0], trials)
    assert [pair.other.wall_seconds for pair in pairs] == [4]


def test_counts_that_differ_in_every_pair_are_named(make: SimpleNamespace) -> None:
    plan = make.plan()
    trials = [
        make.trial(
            b, name, counts={"updates": 0.1, "calls of env.observe": calls, "calls of act": 1 + b % 2 * calls}
        )
        for b in range(3)
        for name, calls in (("base", 2.0), ("fast", 1.0))
    ]
    changes, compared = count_changes(pairs_of(plan, plan.others[0], trials))
    assert compared == 3
    assert [(row.name, row.base_value, row.value, row.ratio) for row in changes] == [
        ("calls of env.observe", 2.0, 1.0, 0.5)
    ]


def test_an_unknown_metric_is_refused(make: SimpleNamespace) -> None:
    with pytest.raises(ConfigError, match="no metric"):
        compare(make.plan(metric="fps"), [])


@pytest.mark.parametrize(("gain", "code"), [(0.8, 1), (0.97, 0), (1.0, 0), (1.4, 0)])
def test_in_ci_only_what_is_clearly_slower_fails(make: SimpleNamespace, gain: float, code: int) -> None:
    plan = make.plan(metric="cpu_seconds_per_1000_env_steps")
    assert ci_exit_code(compare(plan, make.noisy(plan, {"fast": gain}, 0.03)).judged, 0.1) == code


def test_in_ci_equal_code_does_not_fail_by_chance(make: SimpleNamespace) -> None:
    plan = make.plan(metric="cpu_seconds_per_1000_env_steps")
    found = [compare(plan, make.noisy(plan, {}, 0.15, seed)).judged for seed in range(200)]
    assert sum(judged[0].verdict == Verdict.SLOWER for judged in found) > 0
    assert not any(ci_exit_code(judged, 0.1) for judged in found)


def test_in_ci_a_variant_that_fails_fails(make: SimpleNamespace) -> None:
    failed = make.trial(0, "fast", status=TrialStatus.FAILED)
    assert ci_exit_code(compare(make.plan(), [make.trial(0, "base"), failed]).judged, 0.1) == 1
