"""Drift over hand-made windows: what grew, against what, and what only looks like growth."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import pytest

from goldsplit.analyse.predict.drift import drift
from goldsplit.model.profile import Window


def windows(
    number: int = 20, seed: int = 1, noise: float = 0.0, steps: int = 1000, **figures: Any
) -> list[Window]:
    """Windows of a fixed number of env steps. `figures`: stage → microseconds per env step, as a function of
    the env steps so far; `episode_steps`, `updates`, `rss_bytes`, `delayed`: likewise."""
    chance = random.Random(seed)
    made, done, at = [], 0, 0.0
    lengths = figures.pop("episode_steps", lambda n: 50.0)
    updates = figures.pop("updates", lambda n: steps // 4)
    memory = figures.pop("rss_bytes", None)
    delayed = figures.pop("delayed", lambda n: 0.0)
    for _ in range(number):
        costs = {
            name.replace("_", "."): us(done) * chance.lognormvariate(0.0, noise)
            for name, us in figures.items()
        }
        late = delayed(done)
        seconds = steps * sum(costs.values()) / 1e6 + late
        made.append(
            Window(
                start=at,
                seconds=seconds,
                env_steps=steps,
                env_steps_per_second=steps / seconds,
                episodes=round(steps / lengths(done)),
                updates=updates(done),
                stages={name: steps * us / 1e6 / seconds for name, us in costs.items()},
                calls={"replay.add": steps, "replay.sample": updates(done), "env.step": steps},
                call_us={name: us * (4 if name == "replay.sample" else 1) for name, us in costs.items()},
                env_steps_before=done,
                delayed_seconds=late,
                rss_bytes=memory(done) if memory else None,
            )
        )
        done += steps
        at += seconds
    return made


def flat(us: float) -> Any:
    return lambda done: us


def test_a_stage_that_grows_with_the_replay_memory_is_named_with_its_factor() -> None:
    found = drift(
        windows(noise=0.05, replay_sample=lambda n: 50 + 0.02 * n, env_step=flat(300.0), act=flat(100.0))
    )
    assert found.slows_down
    (row,) = found.growing_stages
    assert row["stage"] == "replay.sample"
    assert row["factor"] == pytest.approx(row["us_per_env_step_last"] / row["us_per_env_step_first"])
    assert 3.5 < row["factor"] < 6.0
    assert row["call_factor"] == pytest.approx(row["factor"], rel=0.05), "each call became slower"
    assert row["calls_per_env_step_first"] == pytest.approx(0.25)
    assert row["against"] == "transitions stored"
    assert row["correlation"] > 0.9
    assert row["model"] == "linear"
    assert found.cost_factor == pytest.approx(1.6, abs=0.15)
    assert found.episodes_change == "steady"


def test_a_full_buffer_stops_the_growth() -> None:
    grown = windows(30, noise=0.02, replay_sample=lambda n: 50 + 0.05 * min(n, 12_000), env_step=flat(200.0))
    (row,) = drift(grown).growing_stages
    assert row["model"] == "saturating"
    assert row["full_at_env_steps"] == pytest.approx(12_000, abs=3_000)


def test_longer_episodes_are_not_slower_steps() -> None:
    found = drift(windows(noise=0.05, env_step=flat(300.0), episode_steps=lambda n: 10 + n / 200))
    assert found.growing_stages == []
    assert not found.slows_down
    assert found.episodes_change == "longer"
    assert found.episode_factor is not None
    assert found.episode_factor > 4
    assert found.cost_factor == pytest.approx(1.0, abs=0.1)


def test_a_game_that_costs_more_in_longer_episodes() -> None:
    def length(done: int) -> float:
        return 10 + 90 * (done > 9_000)

    found = drift(
        windows(noise=0.03, env_step=lambda n: 100 + 3 * length(n), act=flat(50.0), episode_steps=length)
    )
    (row,) = found.growing_stages
    assert (row["stage"], row["against"]) == ("env.step", "episode length")
    assert row["against_last"] == pytest.approx(100.0, rel=0.1)


def test_memory_that_grows_by_leaps_is_recognised() -> None:
    def leap(done: int) -> int:
        return 3 if done > 9_000 else 1

    grown = windows(
        noise=0.02, log=lambda n: 20.0 * leap(n), env_step=flat(100.0), rss_bytes=lambda n: leap(n) << 30
    )
    (row,) = drift(grown).growing_stages
    assert (row["stage"], row["against"]) == ("log", "memory")


@pytest.mark.parametrize("seed", range(40))
def test_a_steady_noisy_run_does_not_drift(seed: int) -> None:
    number = (8, 16, 60)[seed % 3]
    found = drift(
        windows(number, seed, noise=0.25, env_step=flat(300.0), act=flat(100.0), replay_sample=flat(80.0))
    )
    assert found.growing_stages == []
    assert not found.slows_down
    assert found.episodes_change == "steady"


def test_learning_that_begins_is_no_drift() -> None:
    found = drift(
        windows(
            noise=0.03,
            env_step=flat(100.0),
            learn_loss=lambda n: 0.0 if n < 6_000 else 400.0,
            updates=lambda n: 0 if n < 6_000 else 250,
        )
    )
    assert found.throughput_change is not None
    assert found.throughput_change < -0.5, "the whole run's throughput did fall"
    assert found.growing_stages == []
    assert not found.slows_down
    assert found.windows_compared == 13


def test_a_busy_machine_is_no_drift() -> None:
    late = windows(noise=0.02, env_step=flat(300.0), delayed=lambda n: 0.3 if n > 12_000 else 0.0)
    found = drift(late)
    assert found.throughput_change is not None
    assert found.throughput_change < -0.4
    assert found.cost_factor == pytest.approx(1.0, abs=0.05)
    assert not found.slows_down


def test_no_stage_is_said_to_grow_where_the_machine_became_busy() -> None:
    """A stage's wall time holds the moments without a core too; those grew, and not the stage."""
    late = windows(noise=0.02, env_step=flat(300.0), delayed=lambda n: 0.03 * n / 1000)
    stretched = [dataclasses.replace(window, stages={"env.step": 0.7, "act": 0.3}) for window in late]
    assert drift(stretched).growing_stages == []


def test_waiting_that_grows_bears_the_name_of_what_is_waited_for() -> None:
    grown = windows(noise=0.02, vec_wait=lambda n: 100 + 0.03 * n, act=flat(50.0))
    (row,) = drift(grown, {"env.step": 8.0, "env.reset": 1.0}).growing_stages
    assert row["stage"] == "env.step"
    assert row["window_stage"] == "vec.wait"
