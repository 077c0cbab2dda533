"""An environment that raises, a worker that dies, a caller that dies: told at once, and nothing left over."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import psutil
import pytest
from gymnasium.error import ClosedEnvironmentError

from goldsplit.fast.vector import EnvironmentFailedError, SharedVectorEnv, WorkerDiedError

BACKENDS = {
    "inprocess": {"backend": "inprocess"},
    "workers": {"backend": "workers", "workers": 2},
    "mixed": {"backend": "mixed", "workers": 2},  # the worker has environments 0 and 1, the caller 2 and 3
}
#: It takes a tenth of a second; where other programs have all cores, some seconds; unnoticed, for ever.
LIMIT_SECONDS = 10.0


class Trouble(gym.Env[Any, Any]):
    """Does one bad thing at a given moment, when it is environment number `bad`."""

    observation_space = gym.spaces.Box(-1, 1, (2,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def __init__(self, index: int, bad: int, moment: str, act: Callable[[], Any]) -> None:
        self._act: dict[str, Callable[[], Any]] = {moment: act} if index == bad else {}
        self._run("construction")

    def _run(self, moment: str) -> Any:
        return self._act.get(moment, lambda: None)()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        super().reset(seed=seed)
        self._run("reset")
        return np.zeros(2, np.float32), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        found = self._run("step")
        observation = found if isinstance(found, np.ndarray) else np.zeros(2, np.float32)
        return observation, 0.0, False, False, found if isinstance(found, dict) else {}

    @property
    def unpicklable(self) -> Callable[[], None]:
        return lambda: None


class Noted(gym.Wrapper[Any, Any, Any, Any]):
    """Says when it is closed, in a list of this process."""

    def __init__(self, env: gym.Env[Any, Any], closed: list[int]) -> None:
        super().__init__(env)
        self._closed = closed

    def close(self) -> None:
        self._closed.append(os.getpid())
        super().close()


def explode() -> None:
    raise KeyError("the map has no such hex")


def kill_own_process() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def make(bad: int, moment: str, act: Callable[[], Any], count: int = 4) -> list[Callable[[], Trouble]]:
    return [lambda index=index: Trouble(index, bad, moment, act) for index in range(count)]


def shared_mappings() -> int:
    return Path("/proc/self/maps").read_text().count("goldsplit-vector")


def assert_nothing_left(children_before: set[int]) -> None:
    left = {child.pid for child in multiprocessing.active_children()} - children_before
    assert not left
    gc.collect()  # a traceback of an earlier test may still hold its environments
    assert shared_mappings() <= MAPPINGS_BEFORE[-1]
    assert not [entry for entry in Path("/dev/shm").iterdir() if "goldsplit" in entry.name]


MAPPINGS_BEFORE = [0]


@pytest.fixture
def children() -> set[int | None]:
    gc.collect()
    MAPPINGS_BEFORE[-1] = shared_mappings()
    return {child.pid for child in multiprocessing.active_children()}


@pytest.mark.parametrize("moment", ["construction", "reset", "step"])
@pytest.mark.parametrize("backend", list(BACKENDS))
def test_an_exception_arrives_with_index_and_traceback(backend: str, moment: str, children: set[int]) -> None:
    start = time.monotonic()

    def run() -> None:
        envs = SharedVectorEnv(make(3, moment, explode), **BACKENDS[backend])
        envs.reset()
        envs.step(np.zeros(4, int))

    with pytest.raises(EnvironmentFailedError) as caught:
        run()
    assert time.monotonic() - start < LIMIT_SECONDS + 1.0  # start-up is in it
    assert caught.value.env_index == 3
    assert f"environment 3 failed in {moment}: KeyError" in str(caught.value)
    assert "the map has no such hex" in caught.value.worker_traceback
    assert "in explode" in caught.value.worker_traceback
    del caught
    assert_nothing_left(children)


@pytest.mark.parametrize("backend", list(BACKENDS))
def test_after_a_failure_it_is_closed_and_says_so(backend: str) -> None:
    envs = SharedVectorEnv(make(0, "step", explode), **BACKENDS[backend])
    envs.reset()
    with pytest.raises(EnvironmentFailedError):
        envs.step(np.zeros(4, int))
    with pytest.raises(ClosedEnvironmentError, match="ended when a step failed or was interrupted"):
        envs.step(np.zeros(4, int))
    envs.close()
    with pytest.raises(ClosedEnvironmentError, match="was closed"):
        envs.reset()


@pytest.mark.parametrize("moment", ["construction", "reset", "step"])
@pytest.mark.parametrize("bad", [1, 2])
def test_beside_the_caller_either_side_ends_the_other(bad: int, moment: str, children: set[int]) -> None:
    closed: list[int] = []
    made = make(bad, moment, explode)

    def run() -> None:
        envs = SharedVectorEnv([lambda fn=fn: Noted(fn(), closed) for fn in made], **BACKENDS["mixed"])
        envs.reset()
        envs.step(np.zeros(4, int))

    with pytest.raises(EnvironmentFailedError) as caught:
        run()
    assert caught.value.env_index == bad
    assert "in explode" in caught.value.worker_traceback
    assert len(closed) == (0 if (bad, moment) == (2, "construction") else 2)  # those that were made here
    del caught
    assert_nothing_left(children)


@pytest.mark.parametrize("moment", ["construction", "reset", "step"])
@pytest.mark.parametrize("backend", ["workers", "mixed"])
def test_a_killed_worker_is_noticed_soon(backend: str, moment: str, children: set[int]) -> None:
    bad, span = (2, "2 to 3") if backend == "workers" else (0, "0 to 1")
    start = time.monotonic()

    def run() -> None:
        nonlocal start
        envs = SharedVectorEnv(make(bad, moment, kill_own_process), **BACKENDS[backend])
        start = time.monotonic()
        envs.reset()
        envs.step(np.zeros(4, int))

    with pytest.raises(WorkerDiedError, match=f"environments {span} was killed by signal 9") as caught:
        run()
    assert time.monotonic() - start < LIMIT_SECONDS
    assert caught.value.env_index == bad
    del caught
    assert_nothing_left(children)


def test_the_environment_at_work_is_named_when_its_worker_is_killed() -> None:
    envs = SharedVectorEnv(make(1, "step", kill_own_process), backend="workers", workers=1)
    envs.reset()
    with pytest.raises(WorkerDiedError, match="last working on environment 1") as caught:
        envs.step(np.zeros(4, int))
    assert caught.value.env_index == 1


def test_a_worker_killed_while_idle_is_noticed_at_the_next_step() -> None:
    envs = SharedVectorEnv(make(9, "never", explode), backend="workers", workers=2)
    envs.reset()
    victim = psutil.Process(envs.worker_pids[1])
    victim.kill()
    victim.wait(5)
    start = time.monotonic()
    with pytest.raises(WorkerDiedError, match="worker 1"):
        envs.step(np.zeros(4, int))
    assert time.monotonic() - start < LIMIT_SECONDS


@pytest.mark.parametrize("how", [explode, kill_own_process])
@pytest.mark.parametrize("backend", ["workers", "mixed"])
def test_recv_of_a_part_does_not_wait_for_a_dead_worker(backend: str, how: Callable[[], Any]) -> None:
    envs = SharedVectorEnv(make(1, "step", how), **BACKENDS[backend])
    envs.reset()
    envs.send(np.zeros(4, int))
    start = time.monotonic()
    with pytest.raises(EnvironmentFailedError) as caught:
        envs.recv(1.0)
    assert time.monotonic() - start < LIMIT_SECONDS
    assert caught.value.env_index == 1


def test_infos_that_do_not_pickle_are_reported_and_do_not_hang() -> None:
    lock = multiprocessing.get_context("fork").Lock()
    envs = SharedVectorEnv(make(1, "step", lambda: {"lock": lock}), backend="workers", workers=2, info="full")
    envs.reset()
    with pytest.raises(EnvironmentFailedError, match="exchange with the caller: RuntimeError"):
        envs.step(np.zeros(4, int))


WRONG = {
    "shape": (np.zeros(1, np.float32), r"observation has shape \(1,\), but the space says \(2,\)"),
    "dtype": (np.zeros(2, np.complex64), "observation has dtype complex64, but the space says float32"),
}


@pytest.mark.parametrize("what", list(WRONG))
@pytest.mark.parametrize("backend", list(BACKENDS))
def test_an_observation_of_the_wrong_shape_or_type_is_refused_by_name(backend: str, what: str) -> None:
    bad, message = WRONG[what]
    envs = SharedVectorEnv(make(2, "step", lambda: bad), **BACKENDS[backend])
    envs.reset()
    with pytest.raises(EnvironmentFailedError, match=message):
        envs.step(np.zeros(4, int))


@pytest.mark.parametrize("backend", list(BACKENDS))
def test_an_interrupt_during_a_step_ends_it_cleanly(backend: str, children: set[int]) -> None:
    """Ctrl-C in a notebook: no answer may be left under way, and the next call must not hang."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    envs = SharedVectorEnv(make(1, "step", lambda: time.sleep(60)), **BACKENDS[backend])
    envs.reset()
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(KeyboardInterrupt):
            envs.step(np.zeros(4, int))
    finally:
        signal.signal(signal.SIGALRM, before)
    with pytest.raises(ClosedEnvironmentError, match="interrupted"):
        envs.recv()
    del envs
    assert_nothing_left(children)


def test_values_that_cannot_travel_fail_the_call_and_nothing_else() -> None:
    envs = SharedVectorEnv(make(9, "never", explode), backend="workers", workers=2)
    envs.reset()
    with pytest.raises(Exception, match=r"(?i)pickle|local object"):
        envs.set_attr("callback", lambda: None)
    with pytest.raises(Exception, match=r"(?i)pickle|lambda"):
        envs.call("get_wrapper_attr", "unpicklable")
    envs.step(np.zeros(4, int))
    envs.close()


@pytest.mark.parametrize("backend", list(BACKENDS))
def test_a_mask_that_does_not_exist_is_named(backend: str) -> None:
    envs = SharedVectorEnv(make(9, "never", explode), mask="legal_moves", **BACKENDS[backend])
    with pytest.raises(EnvironmentFailedError, match="mask='legal_moves' is neither a method"):
        envs.reset()


def test_infos_larger_than_a_pipe_arrive() -> None:
    big = np.arange(300_000)
    envs = SharedVectorEnv(make(1, "step", lambda: {"big": big}), backend="workers", workers=2, info="full")
    envs.reset()
    *_, infos = envs.step(np.zeros(4, int))
    np.testing.assert_array_equal(infos["big"][1], big)
    assert infos["_big"].tolist() == [False, True, False, False]
    envs.close()


@pytest.mark.parametrize("backend", ["workers", "mixed"])
def test_dropping_the_last_reference_ends_the_workers(backend: str, children: set[int]) -> None:
    envs = SharedVectorEnv(make(9, "never", explode), **BACKENDS[backend])
    envs.reset()
    assert shared_mappings() > 0
    del envs
    assert_nothing_left(children)


def test_buffers_that_the_caller_still_holds_stay_readable() -> None:
    envs = SharedVectorEnv(make(9, "never", explode), backend="workers", workers=2, copy=False)
    observations, _ = envs.reset()
    envs.close()
    assert observations.sum() == 0.0


CALLER = """
import gymnasium as gym, numpy as np, signal, sys, time
from goldsplit.fast.vector import SharedVectorEnv

def make():
    env = gym.make("CartPole-v1")
    if sys.argv[2] == "hanging":
        env.unwrapped.step = lambda action: time.sleep(1000)
    return env

if __name__ == "__main__":
    envs = SharedVectorEnv([make] * 4, backend="workers", workers=4, context=sys.argv[1])
    envs.reset(seed=0)
    envs.send(np.zeros(4, int))
    print(*envs.worker_pids, flush=True)
    if sys.argv[3] == "forget":
        sys.exit(0)
    signal.pause()
"""


def gone_within(pids: list[int], seconds: float) -> bool:
    processes = [psutil.Process(pid) for pid in pids if psutil.pid_exists(pid)]
    _, alive = psutil.wait_procs(processes, timeout=seconds)
    return not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("context", "steps", "ending"),
    [
        ("fork", "idle", "kill"),
        ("fork", "hanging", "forget"),
        ("forkserver", "hanging", "kill"),
        ("forkserver", "idle", "forget"),
        ("spawn", "hanging", "kill"),
    ],
)
def test_no_worker_survives_its_caller(context: str, steps: str, ending: str, tmp_path: Path) -> None:
    script = tmp_path / "caller.py"
    script.write_text(textwrap.dedent(CALLER))
    caller = subprocess.Popen(
        [sys.executable, str(script), context, steps, ending], stdout=subprocess.PIPE, text=True
    )
    assert caller.stdout is not None
    pids = [int(pid) for pid in caller.stdout.readline().split()]
    assert len(pids) == 4
    if ending == "kill":
        caller.kill()
    caller.wait(20)
    caller.stdout.close()
    assert gone_within(pids, 5.0)
    if ending == "forget":
        assert caller.returncode == 0
