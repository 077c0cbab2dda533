"""What the sampler learns from a chunk, and what it samples next."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldsplit.record.outside import pacing
from goldsplit.record.outside import sampler as sampler_module
from goldsplit.record.outside.sampler import LoopView, StackSampler
from goldsplit.record.outside.stack_folding import ChunkResult

S = 1_000_000_000
FRAMES = [
    {"name": "<module>", "file": "/home/u/train.py", "line": 1},
    {"name": "Game.step", "file": "/home/u/game.py", "line": 5},
]


def chunk(pid: int, samples: list[list[int]], cpu_seconds: float = 0.1) -> ChunkResult:
    profiles = [{"name": f'Thread {pid} "MainThread"', "samples": samples}]
    speedscope = {"shared": {"frames": FRAMES}, "profiles": profiles}
    return ChunkResult(speedscope, len(samples), 0, 0, cpu_seconds, root_pid=pid, rate=20)


@pytest.fixture
def sampler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StackSampler:
    monkeypatch.setattr(sampler_module.time, "perf_counter_ns", lambda: 100 * S)
    return StackSampler(lambda: 7, lambda: (1, 1.0), tmp_path, rate=None, loop_view=LoopView)


def test_start_up_is_not_counted(sampler: StackSampler) -> None:
    sampler._write([chunk(7, [[0]] * 50)], (0, 5 * S))
    assert (sampler.samples[7], sampler.spent_seconds, sampler.loop_began_ns) == (0, 0.0, 0)
    sampler._write([chunk(7, [[0]] * 30 + [[0, 1]] * 20)], (5 * S, 10 * S))
    assert sampler.samples[7] == 20
    assert sampler.loop_began_ns == 8 * S
    assert sampler.spent_seconds == pytest.approx(0.04)


def test_once_spans_show_the_loop_everything_counts(sampler: StackSampler) -> None:
    sampler._notice(LoopView(3 * S, 1), 4 * S)
    sampler._write([chunk(7, [[0]] * 50), chunk(8, [[0]] * 40)], (4 * S, 6 * S))
    assert (sampler.loop_began_ns, sampler.samples) == (3 * S, {7: 50, 8: 40})


def test_costs_of_the_whole_tree_are_not_those_of_one_process(sampler: StackSampler) -> None:
    sampler._write([chunk(7, [[0]] * 50, cpu_seconds=5.0)], (0, 5 * S))
    assert sampler._tick_seconds(7, 1) > 0.09
    sampler._notice(LoopView(6 * S, 1), 7 * S)
    assert sampler._tick_seconds(7, 1) == pacing.first_guess(1)


def test_the_kind_with_the_fewest_samples_decides_the_rate(sampler: StackSampler) -> None:
    sampler.loop_began_ns, sampler.samples[7], sampler.spent_seconds = 70 * S, 600, 99.0
    view = LoopView(70 * S, 1)
    assert sampler._pace(7, [], [], view).rate == pacing.LEAST_RATE
    assert sampler._pace(7, [(8, 9)], [(8, 9)], view).rate == pacing.RATE_TO_REACH_IT
    sampler.samples.update({8: 200, 9: 200})
    assert sampler._pace(7, [(8, 9)], [(8, 9)], view).rate == pacing.LEAST_RATE


def test_the_rate_that_the_user_gives_is_taken(sampler: StackSampler) -> None:
    sampler.fixed_rate = 250
    assert sampler._pace(7, [], [], LoopView()).rate == 250
    assert sampler._pace(7, [(8,)], [(8,)], LoopView(3 * S, 9)).rate == 250


def test_chunks_before_the_loop_do_not_make_it_sampled_less(sampler: StackSampler) -> None:
    sampler.chunks, sampler.loop_began_ns = 9, 99 * S
    assert sampler._pace(7, [], [], LoopView(99 * S, 1)).rate >= pacing.RATE_TO_REACH_IT
    assert sampler._pace(7, [], [], LoopView(99 * S, 1)).seconds == 7
