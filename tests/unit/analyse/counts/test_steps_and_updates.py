"""Steps, episodes and updates: each once, believed in the right order; rates, windows, drift."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.counts.steps_and_updates import Counting
from goldsplit.analyse.counts.throughput import throughput, window_borders
from goldsplit.analyse.predict.drift import drift
from goldsplit.analyse.profile import analyse
from goldsplit.analyse.wall.steady import Steady, find_driver, find_steady
from goldsplit.model.progress import Window
from goldsplit.model.recording import ProcessId, Recording, ThreadKey
from goldsplit.model.wire import Header

S = 1_000_000_000
END = 1 << 62


def thread(pid: int, index: int = 0) -> ThreadKey:
    return ThreadKey(ProcessId(pid), index)


def counting(run: Recording) -> Counting:
    return Counting(run, {process.id: Series(process) for process in run.processes})


def test_a_vector_driver_counts_for_its_workers(maker: Any, recording: Callable[..., Recording]) -> None:
    driver, forkserver, worker, stranger = maker(7), maker(8, 7), maker(9, 8), maker(20)
    driver.snapshot(S, vec_env_steps=100, vec_episodes=5)
    forkserver.snapshot(S)
    worker.snapshot(S, own_env_steps=50, own_episodes=2)
    stranger.snapshot(S, own_env_steps=7)
    counts = counting(recording(driver, forkserver, worker, stranger)).at(END)
    assert (counts.env_steps, counts.episodes) == (107, 5)


def test_updates_are_backward_passes_where_no_optimizer_was_seen(
    maker: Any, recording: Callable[..., Recording]
) -> None:
    counters = {
        "user:updates": 2,
        "updates:0": 5,
        "updates:1": 4,
        "backward:0": 9,
        "backward:3": 7,
        "gradients:1": 20,
    }
    expected = [
        ("the program's own count", 2),
        ("optimizer steps", 5),
        ("backward passes", 9),
        ("calls of torch.autograd.grad", 20),
        (None, None),
    ]
    for kind, (counted_from, updates) in zip(
        ("", "user", "updates", "backward", "gradients"), expected, strict=True
    ):
        counters = {name: value for name, value in counters.items() if name.split(":")[0] != kind}
        learner = maker(7)
        learner.snapshot(S, **counters)
        found = counting(recording(learner))
        assert (found.updates_from, found.at(END).updates) == (counted_from, updates)


@pytest.mark.parametrize(
    ("overlay", "updates"),
    [("skip:learn.optimizer", None), ("every:2:learn.backward", None), ("skip:eval", 9), ("unknown:1", 9)],
)
def test_backward_passes_are_no_updates_where_an_overlay_leaves_a_part_of_them_out(
    maker: Any, recording: Callable[..., Recording], overlay: str, updates: int | None
) -> None:
    learner = maker(7)
    learner.snapshot(S, **{"backward:0": 9})
    run = recording(learner)
    run = dataclasses.replace(run, run={**run.run, Header.OVERLAYS: [overlay]})
    assert counting(run).at(END).updates == updates


def test_without_a_vector_every_process_counts_its_own(
    maker: Any, recording: Callable[..., Recording]
) -> None:
    driver, worker = maker(7), maker(8, 7)
    driver.snapshot(S, own_env_steps=10)
    worker.snapshot(S, own_env_steps=20, own_episodes=3)
    counts = counting(recording(driver, worker)).at(END)
    assert (counts.env_steps, counts.episodes, counts.updates, counts.eval_env_steps) == (30, 3, None, None)


@pytest.mark.parametrize(
    ("first", "episodes"),
    [
        ((1, 1), 50),  # workers of a pool: each plays one game after the other
        ((4, 1), 46),  # four games beside each other in one process have only begun
        ((2, 3), 45),
    ],
)
def test_games_that_are_counted_by_their_beginnings(
    maker: Any, recording: Callable[..., Recording], first: tuple[int, int], episodes: int
) -> None:
    workers = [maker(8, 7), maker(9, 7)]
    for one, many in zip(workers, first, strict=True):
        one.snapshot(S, own_env_steps=100, resets=25, first_resets=many)
    assert counting(recording(maker(7), *workers)).at(END).episodes == episodes


def test_the_users_counters_win(maker: Any, recording: Callable[..., Recording]) -> None:
    one = maker(7)
    one.snapshot(S, **{"own_env_steps": 10, "user:env_steps": 4, "user:updates": 3, "updates:1": 99})
    counts = counting(recording(one)).at(END)
    assert (counts.env_steps, counts.updates) == (4, 3)


def test_updates_are_those_of_the_busiest_optimizer(maker: Any, recording: Callable[..., Recording]) -> None:
    one = maker(7)
    one.snapshot(S, **{"updates:111": 40, "updates:222": 20})
    assert counting(recording(one)).at(END).updates == 40


def test_learners_in_several_processes_each_update(maker: Any, recording: Callable[..., Recording]) -> None:
    one, two, idle = maker(7), maker(8), maker(9)
    one.snapshot(S, **{"updates:111": 40, "updates:222": 20})
    two.snapshot(S, **{"updates:111": 30})
    idle.snapshot(S, own_env_steps=5)
    assert counting(recording(one, two, idle)).at(END).updates == 70


def test_workers_of_an_evaluation_vector_do_not_train(
    maker: Any, recording: Callable[..., Recording]
) -> None:
    """A loop of one's own trains on one environment and evaluates on a vector over processes."""
    driver, worker = maker(7), maker(8, 7)
    driver.snapshot(S, own_env_steps=100, eval_vec_env_steps=40)
    worker.snapshot(S, own_env_steps=40)
    counts = counting(recording(driver, worker)).at(END)
    assert (counts.env_steps, counts.eval_env_steps) == (100, 40)


@pytest.mark.parametrize(("steps", "episodes"), [({}, None), ({"own_env_steps": 90}, 5)])
def test_games_that_began_are_counted_beside_steps_only(
    steps: dict[str, int], episodes: int | None, maker: Any, recording: Callable[..., Recording]
) -> None:
    one = maker(7)
    one.snapshot(S, resets=9, first_resets=4, **steps)
    assert counting(recording(one)).at(END).episodes == episodes


def test_counts_at_an_instant(maker: Any, recording: Callable[..., Recording]) -> None:
    one = maker(7)
    one.snapshot(S, own_env_steps=10)
    one.snapshot(2 * S, own_env_steps=30)
    counted = counting(recording(one))
    assert [counted.at(t).env_steps for t in (0, S, int(1.5 * S), 2 * S)] == [0, 10, 10, 30]


def test_metrics_and_other_counters(maker: Any, recording: Callable[..., Recording]) -> None:
    one, two = maker(7), maker(8)
    one.snapshot(S, **{"metric_n:win": 3, "metric_sum:win": 2.0, "user:kills": 5, "tensor_reads:item": 7})
    two.snapshot(S, **{"metric_n:win": 1, "metric_sum:win": 0.0, "user:kills": 1, "own_env_steps": 2})
    counters, metrics = counting(recording(one, two)).extra(END)
    assert counters == {"user:kills": 6, "tensor_reads:item": 7}
    assert metrics == {"win": {"count": 4, "mean": 0.5}}


def slowing(maker: Any) -> Any:
    """20 s, a snapshot per second: 100 steps/s in the first half, 50 in the second; env.step doubles."""
    one = maker(7)
    one.node("env.step")
    one.node("act")
    steps = 0
    one.snapshot(0, own_env_steps=0)
    for second in range(1, 21):
        rate = 100 if second <= 10 else 50
        steps += rate
        one.spend(S // 2 if rate == 100 else 3 * S // 4, "env.step", count=rate)
        one.spend(S // 4, "act", count=rate)
        one.snapshot(second * S, own_env_steps=steps, **{"updates:1": steps // 2})
    one.steps(1, 20 * S)
    return one


def test_rates_windows_and_drift(maker: Any, recording: Callable[..., Recording]) -> None:
    profile = analyse(recording(slowing(maker), end_ns=20 * S))
    speed = profile.throughput
    assert speed.env_steps == 1500
    assert speed.env_steps_per_second == pytest.approx(1400 / 19)
    assert speed.seconds_per_1000_env_steps == pytest.approx(19_000 / 1400)
    assert speed.updates_per_env_step == pytest.approx(0.5)
    assert sum(window.env_steps or 0 for window in speed.windows) == 1400
    assert {round(w.env_steps_per_second or 0) for w in speed.windows} == {100, 50}
    assert profile.drift.throughput_change == pytest.approx(-0.5)
    assert profile.drift.growing_stages == [], "it changed once"
    assert profile.drift.changed is not None
    assert profile.drift.changed.factor == pytest.approx(2.0, rel=0.01)
    changed = [row["stage"] for row in profile.drift.changed_stages]
    assert changed == ["env.step", "act"], "as much wall time for half the steps"


def test_windows_cover_the_steady_phase_without_overlap(maker: Any) -> None:
    one = slowing(maker)
    series = Series(one.process)
    steady = Steady(2 * S, 19 * S, 2 * S, 19 * S, False)
    borders = window_borders(series, steady)
    assert borders == sorted(set(borders))
    assert (borders[0], borders[-1]) == (2 * S, 19 * S)
    long = maker(8)
    for tick in range(4000):
        long.snapshot(tick * S)
    borders = window_borders(Series(long.process), Steady(0, 3999 * S, 0, 3999 * S, False))
    assert 30 <= len(borders) - 1 <= 60


def window(rate: int | None, **stages: float) -> Window:
    return Window(0.0, 1.0, rate, None if rate is None else float(rate), None, None, stages)


def test_drift_needs_something_to_compare() -> None:
    assert drift([]).throughput_change is None
    assert drift([window(10)] * 3).throughput_change is None
    assert drift([window(None)] * 9).throughput_change is None
    steady = drift([window(10, act=0.5)] * 8)
    assert steady.throughput_change == pytest.approx(0.0)
    assert steady.growing_stages == []


def test_a_run_that_speeds_up(maker: Any) -> None:
    faster = drift([window(10, act=0.5)] * 4 + [window(20, act=0.5)] * 4)
    assert faster.throughput_change == pytest.approx(1.0)
    assert faster.growing_stages == []


def test_nothing_counted_is_none_and_not_zero(maker: Any, recording: Callable[..., Recording]) -> None:
    one = maker(7)
    one.spend(S, "act")
    one.snapshot(S)
    one.spend(S, "act")
    one.snapshot(2 * S)
    speed = analyse(recording(one)).throughput
    assert (speed.env_steps, speed.episodes, speed.updates, speed.env_steps_per_second) == (None,) * 4
    assert throughput(
        counting(recording(one)), Series(one.process), thread(7), Steady(S, 2 * S, S, 2 * S, True)
    ).windows


def test_the_driver_is_the_thread_that_acts_and_learns(
    maker: Any, recording: Callable[..., Recording]
) -> None:
    trainer, worker = maker(7, threads=2), maker(8, 7)
    trainer.spend(S, "learn.backward", thread=1)
    trainer.snapshot(S)
    worker.spend(9 * S, "env.step")
    worker.snapshot(S)
    run = recording(trainer, worker)
    series = {process.id: Series(process) for process in run.processes}
    assert find_driver(run, series) == thread(7, 1)
    idle, other = maker(7), maker(8, 7)
    idle.snapshot(S)
    other.spend(S, "env.step")
    other.snapshot(S)
    run = recording(other, idle)
    series = {process.id: Series(process) for process in run.processes}
    assert find_driver(run, series) == thread(7), "no thread acts: the main thread of the first process"
    assert find_driver(recording(), {}) is None


@pytest.mark.parametrize(
    ("detail", "rounds", "learns", "driver"),
    [("t:9", 20, False, 7), ("t:9", 3, False, 8), ("pid:8", 20, False, 8), ("t:9", 20, True, 8)],
)
def test_who_takes_the_answers_of_a_pool_drives(
    maker: Any, recording: Callable[..., Recording], detail: str, rounds: int, learns: bool, driver: int
) -> None:
    """Whole episodes are played in a pool: its workers act, the main thread waits and does something else. A
    learner is no worker of who waits for it, and waiting for the end of a process takes no answer."""
    main, worker = maker(7), maker(8, 7)
    worker.spend(9 * S, "act")
    if learns:
        worker.spend(S, "learn.loss")
    worker.snapshot(S)
    for _ in range(rounds):
        main.spend(S // 4, "wait", detail=detail)
    main.snapshot(S)
    run = recording(main, worker)
    assert find_driver(run, {one.id: Series(one) for one in run.processes}) == thread(driver)


def test_the_steady_phase_lies_between_first_and_last_step(
    maker: Any, recording: Callable[..., Recording]
) -> None:
    trainer, worker = maker(7), maker(8, 7)
    for second in range(10):
        trainer.snapshot(second * S)
    worker.steps(int(2.5 * S), int(7.5 * S))
    steady = find_steady(recording(trainer, worker), Series(trainer.process))
    assert steady is not None
    assert (steady.start_ns, steady.end_ns, steady.whole_run) == (3 * S, 7 * S, False)
    assert (steady.first_step_ns, steady.last_step_ns) == (int(2.5 * S), int(7.5 * S))


@pytest.mark.parametrize(("after_the_end", "end"), [(0.05, 10.05), (2.0, 8.5)])
def test_a_snapshot_just_after_the_last_step_ends_the_steady_phase(
    maker: Any, recording: Callable[..., Recording], after_the_end: float, end: float
) -> None:
    """Else a short program's last seconds would be in its counts, but not in its shares and calls."""
    trainer = maker(7)
    for second in (0.0, 4.0, 8.5, 10.0 + after_the_end):
        trainer.snapshot(int(second * S))
    trainer.steps(int(0.1 * S), 10 * S)
    steady = find_steady(recording(trainer), Series(trainer.process))
    assert steady is not None
    assert steady.end_ns == int(end * S)


def test_a_short_steady_phase_takes_the_snapshots_around_it(
    maker: Any, recording: Callable[..., Recording]
) -> None:
    trainer = maker(7)
    for second in range(4):
        trainer.snapshot(second * S)
    trainer.steps(int(1.2 * S), int(1.4 * S))
    steady = find_steady(recording(trainer), Series(trainer.process))
    assert steady is not None
    assert (steady.start_ns, steady.end_ns) == (S, 2 * S)


@pytest.mark.parametrize("stage", ["act", "learn.backward"])
def test_without_steps_training_begins_with_its_first_stage(
    maker: Any, recording: Callable[..., Recording], stage: str
) -> None:
    one = maker(7)
    one.spend(3 * S, "startup")
    for second in range(1, 4):
        one.snapshot(second * S)
    one.spend(S, stage)
    one.snapshot(4 * S)
    one.snapshot(5 * S)
    profile = analyse(recording(one, end_ns=5 * S))
    assert profile.phases.startup_seconds == pytest.approx(3.0)
    assert not any("no environment step" in note for note in profile.trust.notes)


def test_no_step_at_all_is_said(maker: Any, recording: Callable[..., Recording]) -> None:
    one = maker(7)
    one.spend(S, "act")
    one.snapshot(S)
    one.snapshot(2 * S)
    profile = analyse(recording(one, end_ns=3 * S))
    assert profile.phases.startup_seconds is None
    assert any("no environment step" in note for note in profile.trust.notes)
