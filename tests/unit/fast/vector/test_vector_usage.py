"""How callers use a vector environment: wrong arguments, out of turn, start methods, wrappers around it."""

from __future__ import annotations

import os
import random
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from goldsplit.fast.vector import SharedVectorEnv


def cartpole() -> gym.Env[Any, Any]:
    return gym.make("CartPole-v1")


def test_wrong_arguments_are_refused_before_anything_starts() -> None:
    with pytest.raises(ValueError, match="at least one environment"):
        SharedVectorEnv([])
    with pytest.raises(ValueError, match=r"workers=0 must be at least 1(.|\n)*inprocess"):
        SharedVectorEnv([cartpole], workers=0)
    with pytest.raises(ValueError, match="backend='threads' is unknown"):
        SharedVectorEnv([cartpole], backend="threads")


KINDS = [{"backend": "inprocess"}, {"backend": "workers", "workers": 2}, {"backend": "mixed", "workers": 2}]


@pytest.fixture(params=KINDS)
def envs(request: pytest.FixtureRequest) -> Any:
    made = SharedVectorEnv([cartpole] * 4, **request.param)
    made.reset(seed=0)
    yield made
    made.close()


def test_actions_of_the_wrong_shape_or_type_are_refused(envs: SharedVectorEnv) -> None:
    with pytest.raises(ValueError, match=r"actions have shape \(3,\), but 4 environments"):
        envs.step(np.zeros(3, int))
    with pytest.raises(ValueError, match="actions have dtype float64, but the action space says int64"):
        envs.step(np.zeros(4))
    envs.step(np.zeros(4, np.int32))


def test_send_and_recv_out_of_turn_are_refused(envs: SharedVectorEnv) -> None:
    with pytest.raises(RuntimeError, match="no environment is stepping"):
        envs.recv()
    envs.send(np.zeros(4, int))
    with pytest.raises(RuntimeError, match=r"environments \[0, 1\] are still stepping"):
        envs.send(np.zeros(2, int), [0, 1])
    with pytest.raises(RuntimeError, match="4 environments are still stepping"):
        envs.step(np.zeros(4, int))
    assert sorted(envs.recv(1.0).env_ids.tolist()) == [0, 1, 2, 3]
    with pytest.raises(ValueError, match="must be distinct numbers from 0 to 3"):
        envs.send(np.zeros(2, int), [1, 1])
    with pytest.raises(AttributeError, match="made without masks"):
        envs.action_masks  # noqa: B018


def test_without_autoreset_a_finished_episode_must_be_reset() -> None:
    made = SharedVectorEnv([cartpole] * 2, backend="inprocess", autoreset_mode="Disabled")
    made.reset(seed=0)
    over = np.zeros(2, bool)
    while not over.any():
        _, _, terminations, truncations, _ = made.step(np.ones(2, int))
        over = terminations | truncations
    with pytest.raises(RuntimeError, match=r"autoreset_mode is DISABLED(.|\n)*hint: reset"):
        made.step(np.ones(2, int))
    made.reset(options={"reset_mask": over})
    made.step(np.ones(2, int))
    made.close()


@pytest.mark.slow
@pytest.mark.parametrize("context", ["fork", "forkserver", "spawn"])
def test_every_start_method_plays_the_same_episodes(context: str) -> None:
    reference = SyncVectorEnv([cartpole] * 3)
    made = SharedVectorEnv([cartpole] * 3, backend="workers", workers=2, context=context)
    for envs in (reference, made):
        envs.reset(seed=8)
    for actions in np.random.default_rng(0).integers(0, 2, (50, 3)):
        expected, found = reference.step(actions), made.step(actions)
        for left, right in zip(expected[:4], found[:4], strict=True):
            np.testing.assert_array_equal(left, right)
    reference.close()
    made.close()


def test_mixed_counts_the_caller_among_its_workers() -> None:
    made = SharedVectorEnv([Drawing] * 4, backend="mixed", workers=3)
    assert (made.choice.backend, made.choice.workers, len(made.worker_pids)) == ("mixed", 3, 2)
    assert [pid == os.getpid() for pid in made.call("process_id")] == [False, False, False, True]
    made.close()
    alone = SharedVectorEnv([Drawing] * 4, backend="mixed", workers=1)
    assert (alone.choice.backend, alone.worker_pids) == ("inprocess", ())
    alone.close()


def test_environments_of_the_caller_are_not_starved_by_workers_that_are_always_ready() -> None:
    made = SharedVectorEnv([cartpole] * 4, backend="mixed", workers=2)
    made.reset(seed=0)
    made.send(np.zeros(4, int))
    taken = np.zeros(4, int)
    for _ in range(12):
        ready = made.recv(0.5)
        taken[ready.env_ids] += 1
        made.send(np.zeros(len(ready.env_ids), int), ready.env_ids)
    made.close()
    assert taken[2:].min() >= 5  # the caller's own: passed over at most once in a row


def test_forked_workers_do_not_share_one_stream_of_global_random_numbers() -> None:
    made = SharedVectorEnv([Drawing] * 4, backend="workers", workers=4, context="fork")
    draws = made.call("draw")
    made.close()
    assert len(set(draws)) == 4


class Drawing(gym.Env[Any, Any]):
    observation_space = spaces.Discrete(2)
    action_space = spaces.Discrete(2)

    def process_id(self) -> int:
        return os.getpid()

    def draw(self) -> tuple[float, float]:
        return random.random(), float(np.random.random())


@pytest.mark.parametrize("backend", ["inprocess", "workers"])
def test_gymnasiums_vector_wrappers_work_around_it(backend: str) -> None:
    made = RecordEpisodeStatistics(SharedVectorEnv([cartpole] * 3, backend=backend))
    made.reset(seed=1)
    lengths: list[int] = []
    for _ in range(80):
        *_, infos = made.step(np.ones(3, int))
        if "episode" in infos:
            lengths += infos["episode"]["l"][infos["_episode"]].tolist()
    made.close()
    assert len(lengths) > 3
    assert all(5 < length < 20 for length in lengths)  # always pushing one way falls soon


def test_actions_without_masks_are_drawn_for_every_kind_of_space() -> None:
    class Any_(gym.Env[Any, Any]):
        observation_space = spaces.Discrete(2)

    for space in (spaces.Discrete(3, start=2), spaces.MultiDiscrete([2, 5]), spaces.Box(-1, 1, (2,))):
        Any_.action_space = space
        made = SharedVectorEnv([Any_] * 6, backend="inprocess")
        rng = np.random.default_rng(0)
        for _ in range(20):
            assert made.action_space.contains(np.asarray(made.sample_actions(rng)))
        made.close()


class MaskInInfo(gym.Env[Any, Any]):
    """Says in its infos, not by a method, which actions are legal."""

    observation_space = spaces.Discrete(2)
    action_space = spaces.Discrete(3)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, Any]:
        self.steps = 0
        return 0, self._info()

    def step(self, action: Any) -> tuple[int, float, bool, bool, dict[str, Any]]:
        assert self._info()["legal"][action]
        self.steps += 1
        return 0, 0.0, self.steps == 4, False, self._info()

    def _info(self) -> dict[str, Any]:
        return {"legal": np.arange(3) == self.steps % 3}


@pytest.mark.parametrize("backend", ["inprocess", "workers"])
def test_masks_may_come_from_the_infos(backend: str) -> None:
    made = SharedVectorEnv([MaskInInfo] * 3, backend=backend, mask="legal", info="lean")
    made.reset()
    picked = []
    for _ in range(6):
        actions = made.sample_actions()
        picked.append(int(actions[0]))
        _, _, terminations, _, infos = made.step(actions)
        assert infos == {}
        if terminations.all():
            assert made.action_masks.all()  # the next action is not used
    made.close()
    assert picked[:4] == [0, 1, 2, 0]
    assert picked[5] == 0  # the first step of the next episode
