"""One contract for every backend and autoreset mode: step for step what Gymnasium's SyncVectorEnv does."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from goldsplit.fast.vector import SharedVectorEnv

NUM_ENVS = 5
STEPS = 60
BACKENDS: dict[str, dict[str, Any]] = {
    "inprocess": {"backend": "inprocess"},
    "one worker": {"backend": "workers", "workers": 1},
    "two uneven workers": {"backend": "workers", "workers": 2},
    "worker per environment": {"backend": "workers", "workers": NUM_ENVS},
    "spinning": {"backend": "workers", "workers": 2, "spin_us": 50.0},
    "caller and one worker": {"backend": "mixed", "workers": 2},
    "caller and two spinning": {"backend": "mixed", "workers": 3, "spin_us": 50.0},
    "auto": {"backend": "auto", "workers": 2},
}
OBSERVATION_SPACES: dict[str, spaces.Space[Any]] = {
    "box": spaces.Box(-5, 5, (3, 2), np.float32),
    "discrete": spaces.Discrete(7),
    "nested": spaces.Dict(
        {
            "b": spaces.Tuple((spaces.MultiBinary(4), spaces.MultiDiscrete([3, 4]))),
            "a": spaces.Box(0, 255, (2,), np.uint8),
        }
    ),
}
ACTION_SPACES: dict[str, spaces.Space[Any]] = {
    "discrete": spaces.Discrete(4, start=1),
    "box": spaces.Box(-1, 1, (2,), np.float32),
    "dict": spaces.Dict({"move": spaces.Discrete(3), "aim": spaces.Box(-1, 1, (2,), np.float64)}),
}


class Walk(gym.Env[Any, Any]):
    """Random but seeded: what it returns depends on its generator and on every action it got."""

    def __init__(self, observation_space: spaces.Space[Any], action_space: spaces.Space[Any]) -> None:
        self.observation_space = observation_space
        self.action_space = action_space
        self.label = "fresh"

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        super().reset(seed=seed)
        if seed is not None:
            self.observation_space.seed(seed)
        self.steps = 0
        return self.observation_space.sample(), {
            "options": str(options),
            "luck": float(self.np_random.random()),
        }

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        assert self.action_space.contains(action), action
        self.steps += 1
        luck = float(self.np_random.random())
        total = float(
            sum(np.sum(part) for part in (action.values() if isinstance(action, dict) else [action]))
        )
        info: dict[str, Any] = {
            "steps": self.steps,
            "luck": luck,
            "vector": np.arange(3) * luck,
            "name": f"s{self.steps}",
            "inner": {"total": total, "deep": {"flag": luck > 0.5}},
            "small": np.float32(luck),
        }
        if luck > 0.7:
            info["rare"] = luck
        return self.observation_space.sample(), total + luck, luck < 0.1, self.steps >= 9, info

    def action_masks(self) -> np.ndarray[Any, Any]:
        return np.array([True, self.steps % 2 == 0, self.steps % 3 == 0, False])


def factories(observations: str = "box", actions: str = "discrete", count: int = NUM_ENVS) -> list[Any]:
    """Environments with spaces of their own: sampling from a shared one would couple them."""
    from copy import deepcopy

    def make() -> Walk:
        return Walk(deepcopy(OBSERVATION_SPACES[observations]), deepcopy(ACTION_SPACES[actions]))

    return [make] * count


def assert_same(expected: Any, found: Any, where: str = "") -> None:
    if isinstance(expected, dict):
        assert isinstance(found, dict), where
        assert expected.keys() == found.keys(), where
        for key in expected:
            assert_same(expected[key], found[key], f"{where}[{key!r}]")
    elif isinstance(expected, tuple):
        assert isinstance(found, tuple), where
        assert len(expected) == len(found), where
        for at, (left, right) in enumerate(zip(expected, found, strict=True)):
            assert_same(left, right, f"{where}[{at}]")
    elif isinstance(expected, np.ndarray) and expected.dtype == object:
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape), where
        for left, right in zip(expected, found, strict=True):
            assert_same(left, right, where)
    elif isinstance(expected, np.ndarray):
        assert isinstance(found, np.ndarray), where
        assert expected.dtype == found.dtype, where
        np.testing.assert_array_equal(expected, found, err_msg=where)
    else:
        assert (type(expected), expected) == (type(found), found), where


def twins(
    backend: str, mode: AutoresetMode, observations: str = "box", actions: str = "discrete"
) -> tuple[Any, Any]:
    sync = SyncVectorEnv(factories(observations, actions), autoreset_mode=mode)
    ours = SharedVectorEnv(
        factories(observations, actions), autoreset_mode=mode, info="full", **BACKENDS[backend]
    )
    sync.action_space.seed(3)
    return sync, ours


def play(sync: Any, ours: Any, mode: AutoresetMode) -> int:
    """The same actions for both; every result compared. Returns the number of episodes that ended."""
    assert_same(sync.reset(seed=11, options={"level": 2}), ours.reset(seed=11, options={"level": 2}), "reset")
    ends = 0
    for at in range(STEPS):
        actions = sync.action_space.sample()
        expected = sync.step(actions)
        assert_same(expected, ours.step(actions), f"step {at}: ")
        over = expected[2] | expected[3]
        ends += int(over.sum())
        if mode is AutoresetMode.DISABLED and over.any():
            again = sync.reset(options={"reset_mask": over.copy()})
            assert_same(again, ours.reset(options={"reset_mask": over.copy()}), f"reset at {at}")
    return ends


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("backend", list(BACKENDS))
def test_equals_gymnasium_step_for_step(backend: str, mode: AutoresetMode) -> None:
    sync, ours = twins(backend, mode)
    with_ends = play(sync, ours, mode)
    assert with_ends > NUM_ENVS, "the comparison must cover episode ends"
    sync.close()
    ours.close()


@pytest.mark.parametrize("actions", list(ACTION_SPACES))
@pytest.mark.parametrize("observations", list(OBSERVATION_SPACES))
@pytest.mark.parametrize("backend", ["inprocess", "two uneven workers", "caller and one worker"])
def test_equals_gymnasium_for_every_kind_of_space(backend: str, observations: str, actions: str) -> None:
    sync, ours = twins(backend, AutoresetMode.SAME_STEP, observations, actions)
    assert play(sync, ours, AutoresetMode.SAME_STEP) > 0
    for name in ("observation_space", "action_space", "single_observation_space", "single_action_space"):
        assert getattr(ours, name) == getattr(sync, name)
    assert ours.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    sync.close()
    ours.close()


@pytest.mark.parametrize("backend", list(BACKENDS))
def test_attributes_and_calls_reach_every_environment(backend: str) -> None:
    envs = SharedVectorEnv(factories(), **BACKENDS[backend])
    envs.reset(seed=0)
    assert envs.get_attr("label") == ("fresh",) * NUM_ENVS
    envs.set_attr("label", [f"env {index}" for index in range(NUM_ENVS)])
    assert envs.get_attr("label") == tuple(f"env {index}" for index in range(NUM_ENVS))
    envs.set_attr("label", "same")
    assert envs.call("get_wrapper_attr", "label") == ("same",) * NUM_ENVS
    with pytest.raises(AttributeError):
        envs.get_attr("no_such_attribute")
    envs.step(envs.sample_actions())  # a missing attribute does not end the environments
    with pytest.raises(ValueError, match="2 values of 'label' for 5 environments"):
        envs.set_attr("label", ["a", "b"])
    envs.close()


@pytest.mark.parametrize("backend", list(BACKENDS))
def test_masks_are_current_and_sampling_obeys_them(backend: str) -> None:
    envs = SharedVectorEnv(factories(), mask="action_masks", autoreset_mode="SameStep", **BACKENDS[backend])
    envs.reset(seed=5)
    rng = np.random.default_rng(1)
    seen: set[int] = set()
    for _ in range(40):
        expected = np.stack(envs.call("action_masks"))
        np.testing.assert_array_equal(envs.action_masks, expected)
        actions = envs.sample_actions(rng)
        assert expected[np.arange(NUM_ENVS), actions - 1].all()  # the space starts at 1
        seen.update(actions.tolist())
        envs.step(actions)
    assert seen == {1, 2, 3}
    envs.close()


@pytest.mark.parametrize("backend", list(BACKENDS))
def test_copy_false_hands_out_the_buffer_and_copy_true_does_not(backend: str) -> None:
    for copy in (False, True):
        envs = SharedVectorEnv(factories(), copy=copy, **BACKENDS[backend])
        first, _ = envs.reset(seed=2)
        kept = first.copy()
        second, *_ = envs.step(envs.sample_actions())
        assert (first is second) is not copy
        assert np.array_equal(first, kept) is copy
        envs.close()


@pytest.mark.parametrize("backend", list(BACKENDS))
def test_partial_steps_play_the_same_episodes(backend: str) -> None:
    """Without a barrier each environment must still see its own actions, in order, and nothing else."""
    script = np.random.default_rng(7).integers(1, 5, (30, NUM_ENVS))
    whole = SharedVectorEnv(factories(), backend="inprocess")
    whole.reset(seed=21)
    expected = [whole.step(actions) for actions in script]
    envs = SharedVectorEnv(factories(), **BACKENDS[backend])
    envs.reset(seed=21)
    taken = np.zeros(NUM_ENVS, int)
    envs.send(script[0])
    while (taken < len(script)).any():
        ready = envs.recv(0.4)
        assert len(ready.env_ids) >= 1
        for row, index in enumerate(ready.env_ids.tolist()):
            observations, rewards, terminations, truncations, _ = expected[taken[index]]
            np.testing.assert_array_equal(ready.observations[row], observations[index])
            assert ready.rewards[row] == rewards[index]
            assert (ready.terminations[row], ready.truncations[row]) == (
                terminations[index],
                truncations[index],
            )
        taken[ready.env_ids] += 1
        more = ready.env_ids[taken[ready.env_ids] < len(script)]
        if len(more):
            envs.send(script[taken[more], more], more)
    assert (taken == len(script)).all()
    whole.close()
    envs.close()


@pytest.mark.parametrize("backend", list(BACKENDS))
def test_infos_of_a_full_recv_belong_to_their_environments(backend: str) -> None:
    """Workers arrive in any order; their infos must not."""
    sync = SyncVectorEnv(factories())
    ours = SharedVectorEnv(factories(), info="full", **BACKENDS[backend])
    sync.reset(seed=3)
    ours.reset(seed=3)
    for actions in np.random.default_rng(2).integers(1, 5, (40, NUM_ENVS)):
        *_, expected = sync.step(actions)
        ours.send(actions)
        assert_same(expected, ours.recv().infos)
    sync.close()
    ours.close()


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("backend", ["inprocess", "two uneven workers", "caller and one worker"])
@pytest.mark.parametrize("info", ["final", "lean"])
def test_leaner_infos_are_a_subset_of_the_full_ones(backend: str, mode: AutoresetMode, info: str) -> None:
    """Same arrays as with full infos; of the infos exactly what the mode promises."""
    full = SharedVectorEnv(factories(), autoreset_mode=mode, info="full", backend="inprocess")
    lean = SharedVectorEnv(
        factories(), autoreset_mode=mode, info=info, info_keys=["luck"], **BACKENDS[backend]
    )
    _, full_infos = full.reset(seed=4)
    _, infos = lean.reset(seed=4)
    assert_same(full_infos if info == "final" else {key: full_infos[key] for key in ("luck", "_luck")}, infos)
    script = np.random.default_rng(8).integers(1, 5, (40, NUM_ENVS))
    for at, actions in enumerate(script):
        *arrays, full_infos = full.step(actions)
        *lean_arrays, infos = lean.step(actions)
        assert_same(tuple(arrays), tuple(lean_arrays))
        np.testing.assert_array_equal(infos["luck"], full_infos["luck"], err_msg=f"step {at}")
        over = arrays[2] | arrays[3]
        if not over.any():
            assert infos.keys() == {"luck", "_luck"}
        elif mode is AutoresetMode.SAME_STEP:
            expected = full_infos["final_info"]
            wanted = expected if info == "final" else {key: expected[key] for key in ("luck", "_luck")}
            assert_same(wanted, infos["final_info"])
            assert_same(full_infos["final_obs"], infos["final_obs"])
            assert infos.keys() == {"luck", "_luck", "final_obs", "_final_obs", "final_info", "_final_info"}
        elif info == "final":
            np.testing.assert_array_equal(infos["_steps"], over)
            np.testing.assert_array_equal(infos["steps"][over], full_infos["steps"][over])
        else:
            assert infos.keys() == {"luck", "_luck"}
        if mode is AutoresetMode.DISABLED and over.any():
            full.reset(options={"reset_mask": over})
            lean.reset(options={"reset_mask": over})
    full.close()
    lean.close()


@pytest.mark.parametrize("backend", list(BACKENDS))
def test_info_keys_with_a_dtype_come_from_memory_with_equal_values(backend: str) -> None:
    plain = SharedVectorEnv(factories(), info="full", backend="inprocess")
    stored = SharedVectorEnv(
        factories(), info_keys={"rare": np.float64, "vector": ((3,), np.float64)}, **BACKENDS[backend]
    )
    plain.reset(seed=6)
    stored.reset(seed=6)
    rare = 0
    for actions in np.random.default_rng(9).integers(1, 5, (40, NUM_ENVS)):
        *_, expected = plain.step(actions)
        *_, infos = stored.step(actions)
        for key in ("rare", "_rare", "vector", "_vector"):
            assert_same(expected.get(key), infos.get(key), key)
        rare += int(np.sum(infos.get("_rare", 0)))
    assert rare > 0
    plain.close()
    stored.close()
