from __future__ import annotations

import dataclasses
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.barrier_bound import RULE, barrier_share
from goldsplit.model.profile import Profile, UserLine
from goldsplit.model.progress import Throughput
from goldsplit.model.structure import Structure

STAGES = {"env.step": 0.3, "vec.wait": 0.1, "act": 0.4}


def fast(make: SimpleNamespace) -> Throughput:
    rates: Throughput = make.throughput(env_steps_per_second=2000.0)
    return rates


def spiky(every: int, turns: int = 100) -> list[list[float]]:
    """Two workers of 300 us per step; sometimes one of them needs ten times as long."""
    return [
        [3000.0 if i % (2 * every) == 0 else 300.0, 3000.0 if i % (2 * every) == every else 300.0]
        for i in range(turns)
    ]


def slow_in(stage: str, structure: Structure) -> Structure:
    """The same turns, whose slow steps spend what they take beyond 320 us in another stage."""
    turns = [
        dataclasses.replace(
            turn,
            workers=[
                dataclasses.replace(
                    one,
                    stages={"env.step": min(320.0, one.finish_us), stage: max(0.0, one.finish_us - 320.0)},
                )
                for one in turn.workers
            ],
        )
        for turn in structure.turns
    ]
    return dataclasses.replace(structure, turns=turns)


def test_the_stage_that_fills_the_slow_turns_is_blamed(
    make: SimpleNamespace, team: Callable[..., Profile], lock_step: Callable[..., Structure]
) -> None:
    """Resets are slow as well, but the slow turns are the bot's."""
    rows = [
        make.row("env.step", 0.3, p50_us=310.0),
        make.row("env.reset", 0.02, p50_us=3100.0),
        make.row("env.opponent", 0.15),
    ]
    turns = slow_in("env.opponent", lock_step(spiky(every=5)))
    (finding,) = make.found(RULE, team(rows, structure=turns, throughput=fast(make)))
    assert finding.stage == "env.opponent"


def test_rare_resets_are_not_to_blame_for_steps_that_lost_their_core(
    make: SimpleNamespace, team: Callable[..., Profile], lock_step: Callable[..., Structure]
) -> None:
    """30 resets of 3 ms in 100 s: the slow turns are others."""
    often = make.row("env.reset", 0.02, p50_us=3100.0)
    turns = lock_step(spiky(every=5))
    workers = [dataclasses.replace(one, delayed_share=0.7) for one in turns.workers]
    turns = dataclasses.replace(turns, workers=workers)
    for reset, found in ((often, 1), (dataclasses.replace(often, calls=30), 0)):
        rows = [make.row("env.step", 0.3, p50_us=310.0), reset]
        assert len(make.found(RULE, team(rows, structure=turns, throughput=fast(make)))) == found


def test_expensive_resets_delay_the_others(
    make: SimpleNamespace,
    team: Callable[..., Profile],
    lock_step: Callable[..., Structure],
    line: Callable[..., UserLine],
) -> None:
    rows = [
        make.row("env.step", 0.3, p50_us=310.0),
        make.row("env.reset", 0.15, p50_us=3100.0),
    ]
    lines = [line("env.step", 0.3, "move"), line("env.reset", 0.15, "new_map")]
    turns = slow_in("env.reset", lock_step(spiky(every=5)))
    seen = team(rows, structure=turns, user_lines=lines, throughput=fast(make))
    (finding,) = make.found(RULE, seen)
    assert finding.where.function == "new_map"
    assert finding.stage == "env.reset"
    assert finding.evidence["step_p99_us"] == 3000.0
    assert finding.evidence["median_reset_over_median_step"] == pytest.approx(10.0)
    assert finding.share == pytest.approx(barrier_share(seen.structure))
    assert finding.confidence == "high"


def test_steps_that_vary_much_by_themselves(
    make: SimpleNamespace, team: Callable[..., Profile], lock_step: Callable[..., Structure]
) -> None:
    seen = team(
        STAGES, structure=lock_step(spiky(every=5)), throughput=make.throughput(env_steps_per_second=400.0)
    )
    (finding,) = make.found(RULE, seen)
    assert finding.stage == "env.step"
    assert finding.share == pytest.approx(400 * 0.1 * 2400e-6 / 2)
    assert finding.confidence == "medium"


def test_steps_that_lose_their_core_are_not_the_games_fault(
    make: SimpleNamespace, team: Callable[..., Profile], lock_step: Callable[..., Structure]
) -> None:
    calm = lock_step(spiky(every=5))
    workers = [dataclasses.replace(worker, delayed_share=0.4) for worker in calm.workers]
    crowded = dataclasses.replace(calm, workers=workers)
    assert make.found(RULE, team(STAGES, structure=crowded, throughput=fast(make))) == []
    rare = lock_step(spiky(every=50, turns=400))
    assert make.found(RULE, team(STAGES, structure=rare, throughput=fast(make))) == []


def test_even_steps_are_fine(
    make: SimpleNamespace, team: Callable[..., Profile], lock_step: Callable[..., Structure]
) -> None:
    even = [[300.0 + i % 7 * 20, 300.0 + i % 5 * 20] for i in range(100)]
    assert make.found(RULE, team(STAGES, structure=lock_step(even), throughput=fast(make))) == []


def test_a_worker_that_is_always_slower_is_for_another_rule(
    make: SimpleNamespace, team: Callable[..., Profile], lock_step: Callable[..., Structure]
) -> None:
    uneven = [[300.0, 3000.0] for _ in range(100)]
    assert make.found(RULE, team(STAGES, structure=lock_step(uneven), throughput=fast(make))) == []


def test_little_waiting_is_fine(
    make: SimpleNamespace, team: Callable[..., Profile], lock_step: Callable[..., Structure]
) -> None:
    structure = lock_step(spiky(every=5), waited_seconds=5.0)
    assert make.found(RULE, team(STAGES, structure=structure, throughput=fast(make))) == []


def test_too_few_turns_say_nothing(
    make: SimpleNamespace, team: Callable[..., Profile], lock_step: Callable[..., Structure]
) -> None:
    few = lock_step(spiky(every=5, turns=10))
    assert make.found(RULE, team(STAGES, structure=few, throughput=fast(make))) == []


def test_the_share_is_what_the_last_worker_needs_beyond_the_mean(
    lock_step: Callable[..., Structure],
) -> None:
    assert barrier_share(lock_step([[100.0, 300.0]] * 10)) == pytest.approx(0.5 * 100 / 300)
