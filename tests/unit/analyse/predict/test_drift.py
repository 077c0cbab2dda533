"""Drift over hand-made windows: what grew, against what, and what only looks like growth."""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Callable
from typing import Any

import pytest

from goldsplit.analyse.predict.drift import drift
from goldsplit.model.progress import Drift, Window


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
        return 10 + 90 * done / 20_000

    found = drift(
        windows(noise=0.03, env_step=lambda n: 100 + 3 * length(n), act=flat(50.0), episode_steps=length)
    )
    (row,) = found.growing_stages
    assert (row["stage"], row["against"]) == ("env.step", "episode length")
    assert row["against_last"] > 3 * row["against_first"]


@pytest.mark.parametrize("noise", [0.02, 0.1])
def test_another_level_of_the_game_is_a_change_and_no_trend(noise: float) -> None:
    def leap(done: int) -> int:
        return 3 if done > 8_500 else 1

    found = drift(
        windows(
            noise=noise,
            env_step=lambda n: 100.0 * leap(n),
            act=flat(100.0),
            rss_bytes=lambda n: leap(n) << 30,
        )
    )
    assert found.growing_stages == []
    assert not found.slows_down
    assert found.model == "constant"
    assert found.changed is not None
    assert found.changed.at_env_steps == 9_000
    assert found.changed.factor == pytest.approx(2.0, rel=0.15)
    (row,) = found.changed_stages
    assert (row["stage"], row["against"], row["changed_at_env_steps"]) == ("env.step", "memory", 9_000)


def test_a_run_that_becomes_faster_at_once_has_changed_too() -> None:
    found = drift(windows(noise=0.03, env_step=lambda n: 300.0 if n < 8_500 else 150.0))
    assert found.changed is not None
    assert found.changed.factor == pytest.approx(0.5, rel=0.1)
    assert found.changed_stages == []


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
    assert found.throughput_change == pytest.approx(0.0, abs=0.05), "since learning began"
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


def alike(number: int, chance: random.Random, spread: float, likeness: float = 0.5) -> list[float]:
    """Factors by which a busy machine is slower, window by window; each resembles the one before it."""
    found, now = [], chance.gauss(0.0, spread)
    for _ in range(number):
        found.append(math.exp(now))
        now = likeness * now + math.sqrt(1 - likeness**2) * chance.gauss(0.0, spread)
    return found


def simulated(seed: int, growth: Callable[[float], float], number: int = 60) -> Drift:
    """A run of three stages, of which one grows; 25 % noise of the machine, 10 % of each stage."""
    chance = random.Random(seed)
    machine = alike(number, chance, 0.25)
    stages = {name: alike(number, chance, 0.1) for name in ("env.step", "act", "learn.loss")}
    made, at = [], 0.0
    for i in range(number):
        us = {"env.step": 300.0, "act": 100.0, "learn.loss": 100.0}
        us["env.step"] += 500.0 * (growth(i / number) - 1.0)
        us = {name: value * machine[i] * stages[name][i] for name, value in us.items()}
        seconds = sum(us.values()) / 1e3
        shares = {name: value / 1e3 / seconds for name, value in us.items()}
        made.append(
            Window(
                at, seconds, 1000, 1000 / seconds, 20, 250, shares,
                env_steps_before=1000 * i, cpu_seconds=0.9 * seconds,
            )
        )  # fmt: skip
        at += seconds
    return drift(made)


def claims(found: Drift) -> bool:
    return found.slows_down or bool(found.growing_stages)


def test_noise_is_no_trend_in_300_flat_runs() -> None:
    found = [simulated(seed, lambda u: 1.0, (20, 40, 60)[seed % 3]) for seed in range(300)]
    assert sum(map(claims, found)) < 6
    assert sum(one.changed is not None for one in found) < 6


@pytest.mark.parametrize("growth", [lambda u: 1 + u, lambda u: 1 + math.sqrt(u)], ids=["linear", "root"])
def test_a_cost_that_doubles_is_found_in_noise(growth: Callable[[float], float]) -> None:
    found = [simulated(seed, growth) for seed in range(100)]
    assert sum(map(claims, found)) > 90
    named = [one.growing_stages[0]["stage"] for one in found if one.growing_stages]
    assert named.count("env.step") > 0.97 * len(named)


def test_a_stall_is_no_trend() -> None:
    """Some seconds without progress: time passes, and the driver computes no more than before."""
    made = windows(30, noise=0.03, env_step=flat(300.0))
    made = [dataclasses.replace(w, cpu_seconds=0.28) for w in made]
    for i in (24, 25, 28):
        made[i] = dataclasses.replace(made[i], seconds=4 * made[i].seconds)
    found = drift(made)
    assert not claims(found)
    assert found.changed is None
    assert found.throughput_change == pytest.approx(0.0, abs=0.05)
    assert found.windows_compared == 27
