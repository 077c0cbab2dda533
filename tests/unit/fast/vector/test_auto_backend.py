"""backend="auto" works wherever SubprocVecEnv does: on doubt it does as that."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces

from goldsplit.fast.vector import SharedVectorEnv, opening
from goldsplit.fast.vector import probe as probing
from goldsplit.fast.vector.calibrate import Choice, StepCost

pytest.importorskip("stable_baselines3")
from goldsplit.fast.vector.sb3 import SharedVecEnv


class Picky(gym.Env[Any, Any]):
    """Only every third action is legal, and which one changes with every step."""

    observation_space = spaces.Box(0, 100, (1,), np.float32)
    action_space = spaces.Discrete(9)

    def __init__(self) -> None:
        self.time = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        super().reset(seed=seed)
        self.time = 0
        return self.view(), self.info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if not self.legal()[int(action)]:
            raise ValueError(f"action {action} is illegal")
        self.time += 1
        return self.view(), 1.0, self.time == 30, False, self.info()

    def legal(self) -> Any:
        return np.arange(9) % 3 == self.time % 3

    def view(self) -> Any:
        return np.array([self.time], np.float32)

    def info(self) -> dict[str, Any]:
        return {}


class WithMethod(Picky):
    def action_masks(self) -> Any:
        return self.legal()


class WithMaskInInfo(Picky):
    def info(self) -> dict[str, Any]:
        return {"action_mask": self.legal().astype(np.int8)}


class WithListInInfo(Picky):
    def info(self) -> dict[str, Any]:
        return {"legal_actions": np.flatnonzero(self.legal()).tolist()}


class OnePerProcess(Picky):
    made: ClassVar[set[int]] = set()

    def __init__(self) -> None:
        super().__init__()
        if os.getpid() in self.made:
            raise RuntimeError("only one emulator per process")
        self.made.add(os.getpid())


class Crashing(OnePerProcess):
    """The second one takes the whole process with it."""

    def __init__(self) -> None:
        try:
            super().__init__()
        except RuntimeError:
            os.kill(os.getpid(), signal.SIGKILL)


class Moving(WithMethod):
    def __init__(self) -> None:
        super().__init__()
        os.chdir("/")


class Seeding(WithMethod):
    def reset(self, **options: Any) -> tuple[Any, Any]:
        np.random.seed(0)
        return super().reset(**options)


class Threaded(WithMethod):
    def __init__(self) -> None:
        super().__init__()
        threading.Thread(target=threading.Event().wait, daemon=True).start()


class Talking(WithMethod):
    def __init__(self) -> None:
        super().__init__()
        os.write(1, b"hello from an environment\n")


def play(envs: SharedVectorEnv) -> None:
    """Forty legal steps; the second of three legal actions is always time + 3."""
    try:
        observations, _ = envs.reset(seed=0)
        for _ in range(40):
            observations, *_ = envs.step(observations[:, 0].astype(np.int64) % 3 + 3)
    finally:
        envs.close()


@pytest.mark.parametrize("make", [WithMethod, WithMaskInInfo, WithListInInfo])
def test_masks_are_found_and_obeyed_in_the_probe(make: Callable[[], Any]) -> None:
    seen = probing.probe([make] * 3, None, "fork")
    assert (seen.doubt, seen.together) == ("", True)
    assert seen.cost is not None
    play(SharedVectorEnv([make] * 3))


@pytest.mark.parametrize(
    ("make", "doubt", "workers"),
    [
        (Picky, "ValueError: action", 2),
        (OnePerProcess, "RuntimeError: only one emulator", 3),
        (Crashing, "ended by itself", 3),
        (Moving, "change the working directory", 2),
        (Seeding, "change the seed of all random numbers", 2),
        (Threaded, "change the number of threads", 2),
    ],
)
def test_what_is_in_doubt_gets_workers(
    make: Callable[[], Any], doubt: str, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "available_cores", lambda: 2)
    here = Path.cwd()
    envs = SharedVectorEnv([make] * 3)
    assert (envs.choice.backend, envs.choice.workers) == ("workers", workers)
    assert doubt in envs.choice.reason
    play(envs)
    assert Path.cwd() == here


def test_environments_that_take_long_to_make_get_a_process_each(monkeypatch: pytest.MonkeyPatch) -> None:
    (waits, opens), really_end = os.pipe(), probing._end

    def late() -> Any:
        os.read(waits, 1)  # nothing comes as long as the probe lasts
        return WithMethod()

    def end(process: Any) -> None:
        really_end(process)
        os.write(opens, bytes(16))

    monkeypatch.setattr(probing, "ANSWER_SECONDS", 0.01)
    monkeypatch.setattr(probing, "_end", end)
    envs = SharedVectorEnv([late] * 3, context="fork")
    assert (envs.choice.backend, envs.choice.workers) == ("workers", 3)
    assert "not ready after" in envs.choice.reason
    play(envs)


def test_what_the_probe_prints_is_not_seen(capfd: pytest.CaptureFixture[str]) -> None:
    assert probing.probe([Talking] * 2, None, "fork").cost is not None
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize("context", ["spawn", "forkserver"])
def test_local_classes_travel_with_cloudpickle(context: str) -> None:
    class Local(WithMethod):
        def __init__(self) -> None:
            import wave  # noqa: F401  (an import of its own, in whichever process it lives)

            super().__init__()

    play(SharedVectorEnv([lambda: Local()] * 2, context=context))


def test_a_failure_of_the_environment_itself_is_still_told() -> None:
    def broken() -> Any:
        raise FileNotFoundError("level.json")

    with pytest.raises(Exception, match=r"level\.json"):
        SharedVectorEnv([broken] * 2)


@pytest.mark.parametrize(("busy_now", "again"), [(0.0, False), (2.0, True)])
def test_it_is_rehearsed_again_when_load_has_changed(
    busy_now: float, again: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "available_cores", lambda: 2)
    monkeypatch.setattr(opening, "busy_cores", lambda: 0.0)
    chosen = [Choice("mixed", 2, "first"), Choice("inprocess", 0, "again")]
    monkeypatch.setattr(opening, "choose", lambda *_: chosen.pop(0))
    monkeypatch.setattr(opening, "probe", lambda *_: probing.Probe(StepCost(500.0, 1.0), "", True))
    envs = SharedVecEnv([WithMethod] * 4)
    assert envs.has_attr("time")  # reading changes nothing
    monkeypatch.setattr(opening, "busy_cores", lambda: busy_now)
    try:
        assert envs.envs.choice.reason == "first"
        first = envs.reset()
        assert envs.envs.choice.reason == ("again" if again else "first")
        assert first.shape == (4, 1)
        envs.step(np.full(4, 3))
        chosen[:] = [Choice("mixed", 2, "never")]
        envs.reset()
        assert envs.envs.choice.reason != "never"
    finally:
        envs.close()


def test_environments_that_were_changed_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any) -> Any:
        raise AssertionError("the change would be lost")

    envs = SharedVecEnv([WithMethod] * 2)
    envs.set_attr("level", 3)
    monkeypatch.setattr(opening, "reconsidered", refused)
    monkeypatch.setattr("goldsplit.fast.vector.shared_env.reconsidered", refused)
    try:
        envs.reset()
        assert envs.get_attr("level") == [3, 3]
    finally:
        envs.close()
