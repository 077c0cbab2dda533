"""Environments and their server: lost servers, bad files, what is closed and what cannot be saved."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from tests.unit.games.duel.conftest import is_gone, servers_here

import goldsplit.games  # noqa: F401 - registers the ids
from goldsplit.games.duel import server_process
from goldsplit.games.duel.batch import DuelBatch
from goldsplit.games.duel.errors import DuelError, ServerLostError, SpecError
from goldsplit.games.duel.fast import DuelFast
from goldsplit.games.duel.plain import DuelPlain

Make = Callable[..., Any]

TWINS: list[Make] = [DuelPlain, DuelFast, DuelBatch]
each_twin = pytest.mark.parametrize("twin", TWINS)


@pytest.fixture
def make() -> Iterator[Make]:
    """Makes environments, and closes them after the test."""
    opened: list[Any] = []

    def make_one(twin: Make, **options: Any) -> Any:
        opened.append(twin(**options))
        return opened[-1]

    yield make_one
    for env in opened:
        env.close()


def action_for(env: Any, number: int = 0) -> Any:
    return np.full(env.num_envs, number) if isinstance(env, DuelBatch) else number


def kill_server() -> None:
    server = server_process.running()
    assert server is not None
    os.kill(server.pid, signal.SIGKILL)
    assert is_gone(server.pid)


@each_twin
def test_a_killed_server_is_named_and_reset_starts_another(twin: Make, make: Make) -> None:
    env, other = make(twin), make(twin)
    env.reset(seed=1)
    first, _ = other.reset(seed=2)
    kill_server()
    for lost in (env, other):
        with pytest.raises(ServerLostError, match=r"the battle server is gone .*\nhint: call reset\(\)"):
            lost.step(action_for(lost))
        with pytest.raises(DuelError, match="hint: call reset"):
            lost.step(action_for(lost))
    env.reset()  # without a seed, too
    again, _ = other.reset(seed=2)
    assert np.array_equal(first, again)
    env.step(action_for(env))
    assert len(servers_here()) == 1


@each_twin
def test_a_silent_server_is_not_waited_for_without_end(
    twin: Make, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_process, "SECONDS_TO_END", 0.1)
    env = make(twin, timeout=0.3)
    env.reset(seed=1)
    server = server_process.running()
    assert server is not None
    os.kill(server.pid, signal.SIGSTOP)
    with pytest.raises(ServerLostError, match=r"does not answer\nhint: give .* a longer `timeout`"):
        env.step(action_for(env))
    assert is_gone(server.pid)  # this was its last user, and it did not end when asked


def test_a_server_that_cannot_start_is_named(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_process.sys, "executable", "/bin/false")
    for twin in TWINS:
        with pytest.raises(ServerLostError, match=r"ended while it started\nhint: run `python -m"):
            make(twin).reset(seed=1)


def test_one_server_for_all_and_the_last_to_close_ends_it(make: Make) -> None:
    envs = [make(twin) for twin in TWINS]
    assert server_process.running() is None  # nothing is started before it is needed
    for env in envs:
        env.reset(seed=1)
    assert len(servers_here()) == 1
    clients = [thread for thread in threading.enumerate() if thread.name == "duel-client"]
    assert len(clients) == 1
    for env in envs[:2]:
        env.close()
        env.close()
    assert len(servers_here()) == 1
    assert not clients[0].is_alive()
    envs[2].close()
    assert servers_here() == []
    envs[0].reset(seed=1)  # a closed environment can be opened again


@each_twin
def test_a_forgotten_environment_closes_itself(twin: Make) -> None:
    env = twin()
    env.reset(seed=1)
    assert len(servers_here()) == 1
    del env
    gc.collect()
    assert servers_here() == []


@each_twin
def test_steps_in_the_wrong_place_are_refused(twin: Make, make: Make) -> None:
    env = make(twin)
    assert env.action_masks().all()
    with pytest.raises(DuelError, match="hint: call reset"):
        env.step(action_for(env))
    assert server_process.running() is None


@pytest.mark.parametrize("twin", [DuelPlain, DuelFast])
def test_after_the_end_a_step_is_refused_and_reset_goes_on(twin: Make, make: Make) -> None:
    env = make(twin)
    env.reset(seed=1)
    while not any(env.step(0)[2:4]):
        pass
    with pytest.raises(DuelError, match=r"battle 0 is over\nhint: call reset"):
        env.step(0)
    env.reset()
    assert env.step(0)[4]["turn"] == 1


@each_twin
def test_a_bad_feature_file_is_named_before_anything_starts(twin: Make, make: Make, tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text("features: 3")
    with pytest.raises(SpecError, match=r"own\.yaml .*\nhint: "):
        make(twin, spec=file)


@each_twin
def test_a_file_of_ones_own_makes_the_observation(twin: Make, make: Make, tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text('features:\n  a: {turn: "battle.turn / 100", two: 2}')
    env = make(twin, spec=str(file))
    env.reset(seed=1)
    observation = np.asarray(env.step(action_for(env))[0]).reshape(-1)
    assert observation.tolist() == [np.float32(0.01), 2.0]


@each_twin
def test_a_battle_cannot_be_saved(twin: Make, make: Make) -> None:
    """The trainers' checkpoints take these errors for "without the games"."""
    env = make(twin)
    for _ in range(2):  # before the first battle and within it
        with pytest.raises((TypeError, AttributeError, pickle.PicklingError)):
            pickle.dumps(env)
        env.reset(seed=1)


@pytest.mark.parametrize("error", [ServerLostError("a", "b"), SpecError("a", "b"), DuelError("a", "b")])
def test_errors_come_whole_out_of_a_worker_process(error: DuelError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (type(error), "a\nhint: b")


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
@each_twin
def test_a_forked_child_starts_a_server_of_its_own(twin: Make, make: Make) -> None:
    env = make(twin)
    first, _ = env.reset(seed=5)
    parents = servers_here()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:  # no assertion may leave this branch
        verdict = b"wrong"
        try:
            try:
                env.step(action_for(env))
            except DuelError:
                again, _ = env.reset(seed=5)
                own = server_process.running()
                if own is not None and own.pid not in parents and np.array_equal(first, again):
                    env.close()
                    verdict = b"right" if server_process.running() is None else verdict
        finally:
            os.write(writing, verdict)
            os._exit(0)
    os.waitpid(child, 0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        assert pipe.read() == b"right"
    env.step(action_for(env))  # the parent's battle goes on
    assert servers_here() == parents


def test_batches_check_their_seeds_and_size(make: Make) -> None:
    with pytest.raises(DuelError, match="hint: num_envs is 1 or more"):
        make(DuelBatch, num_envs=0)
    with pytest.raises(DuelError, match=r"1 seeds for 2 battles\nhint: one seed for each"):
        make(DuelBatch, num_envs=2).reset(seed=[1])


def test_gymnasium_makes_all_twins(make: Make) -> None:
    for twin, kind in (("plain", DuelPlain), ("fast", DuelFast), ("batch", DuelFast)):
        assert isinstance(make(gymnasium.make, id=f"goldsplit/Duel-{twin}-v0").unwrapped, kind)
    assert isinstance(make(gymnasium.make_vec, id="goldsplit/Duel-batch-v0", num_envs=2).unwrapped, DuelBatch)
