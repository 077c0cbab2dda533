"""The Stable-Baselines3 adapter: the same as DummyVecEnv, and good enough for PPO to learn with."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from goldsplit.fast.vector.sb3 import SharedVecEnv

NUM_ENVS = 4
BACKENDS: dict[str, dict[str, Any]] = {
    "inprocess": {"backend": "inprocess"},
    "workers": {"backend": "workers", "workers": 2},
    "mixed": {"backend": "mixed", "workers": 2},
}


class Maze(gym.Env[Any, Any]):
    """Short seeded episodes, both kinds of end, Dict observations, masks, reset infos and options."""

    def __init__(self) -> None:
        self.observation_space = spaces.Dict(
            {"view": spaces.Box(0, 1, (3,), np.float32), "room": spaces.Discrete(9)}
        )
        self.action_space = spaces.Discrete(3)
        self.difficulty = 1
        self.render_mode = "rgb_array"

    def _observe(self) -> dict[str, Any]:
        return {"view": self.np_random.random(3, np.float32), "room": int(self.np_random.integers(9))}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        super().reset(seed=seed)
        self.steps = 0
        return self._observe(), {"options": options, "start": float(self.np_random.random())}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.steps += 1
        luck = float(self.np_random.random())
        info = {"steps": self.steps, "note": f"{luck:.3f}"}
        return self._observe(), luck + float(action), luck < 0.15, self.steps >= 6, info

    def action_masks(self) -> np.ndarray[Any, Any]:
        return np.array([True, self.steps % 2 == 0, True])

    def render(self) -> np.ndarray[Any, Any]:
        return np.full((2, 2, 3), self.steps, np.uint8)


def make() -> gym.Env[Any, Any]:
    return Monitor(Maze())


def without_clock(info: dict[str, Any]) -> dict[str, Any]:
    """Monitor's elapsed time differs between any two runs."""
    episode = {key: value for key, value in info.get("episode", {}).items() if key != "t"}
    return {**info, "episode": episode} if episode else info


def assert_equal_infos(expected: dict[str, Any], found: dict[str, Any]) -> None:
    expected, found = without_clock(expected), without_clock(found)
    assert expected.keys() == found.keys()
    for key, value in expected.items():
        if key == "terminal_observation":
            assert value.keys() == found[key].keys()
            for name in value:
                np.testing.assert_array_equal(value[name], found[key][name])
        else:
            assert value == found[key], key


@pytest.mark.parametrize("backend", list(BACKENDS))
def test_equals_dummy_vec_env_step_for_step(backend: str) -> None:
    dummy = DummyVecEnv([make] * NUM_ENVS)
    ours = SharedVecEnv([make] * NUM_ENVS, info="full", **BACKENDS[backend])
    for each in (dummy, ours):
        each.seed(17)
        each.set_options({"level": 3})
    expected, found = dummy.reset(), ours.reset()
    rng = np.random.default_rng(2)
    ends = 0
    for _ in range(50):
        for key in expected:
            np.testing.assert_array_equal(expected[key], found[key])
        assert dummy.reset_infos == ours.reset_infos
        actions = rng.integers(0, 3, NUM_ENVS)
        expected, rewards, dones, infos = dummy.step(actions)
        found, our_rewards, our_dones, our_infos = ours.step(actions)
        np.testing.assert_array_equal(rewards, our_rewards)
        assert rewards.dtype == our_rewards.dtype
        np.testing.assert_array_equal(dones, our_dones)
        for left, right in zip(infos, our_infos, strict=True):
            assert_equal_infos(left, right)
        ends += int(dones.sum())
    assert ends > NUM_ENVS
    dummy.close()
    ours.close()


@pytest.mark.parametrize("backend", list(BACKENDS))
def test_final_infos_keep_all_that_sb3_reads(backend: str) -> None:
    dummy = DummyVecEnv([make] * NUM_ENVS)
    ours = SharedVecEnv([make] * NUM_ENVS, info_keys={"steps": np.int64}, **BACKENDS[backend])
    for each in (dummy, ours):
        each.seed(3)
        each.reset()
    for _ in range(30):
        actions = np.ones(NUM_ENVS, int)
        _, _, dones, infos = dummy.step(actions)
        *_, our_infos = ours.step(actions)
        for done, left, right in zip(dones, infos, our_infos, strict=True):
            if done:
                assert_equal_infos(left, right)
            else:
                assert right == {"TimeLimit.truncated": False, "steps": left["steps"]}
    dummy.close()
    ours.close()


@pytest.mark.parametrize("backend", list(BACKENDS))
def test_the_rest_of_the_interface(backend: str) -> None:
    ours = SharedVecEnv([make] * NUM_ENVS, mask="action_masks", **BACKENDS[backend])
    ours.seed(17)
    ours.reset()
    assert ours.env_is_wrapped(Monitor) == [True] * NUM_ENVS
    assert ours.get_attr("difficulty", indices=[1, 3]) == [1, 1]
    assert ours.has_attr("difficulty")
    assert not ours.has_attr("no_such_thing")
    with pytest.raises(AttributeError):
        ours.get_attr("no_such_thing")
    ours.set_attr("marked", 5, indices=2)
    assert ours.get_attr("marked", indices=2) == [5]
    np.testing.assert_array_equal(np.stack(ours.env_method("action_masks")), np.ones((NUM_ENVS, 3), bool))
    ours.step(np.zeros(NUM_ENVS, int))
    steps = ours.get_attr("steps")  # 1, or 0 where the first step already ended the episode
    assert 1 in steps
    expected = np.array([[True, count % 2 == 0, True] for count in steps])
    np.testing.assert_array_equal(np.stack(ours.env_method("action_masks")), expected)
    assert [len(row) for row in ours.env_method("action_masks", indices=[0])] == [3]
    assert ours.env_method("get_wrapper_attr", "difficulty", indices=0) == [1]
    assert [image.max() for image in ours.get_images()] == steps
    ours.close()


def make_cartpole() -> gym.Env[Any, Any]:
    return Monitor(gym.make("CartPole-v1"))


def test_an_unmodified_ppo_and_a_maskable_ppo_run() -> None:
    from sb3_contrib import MaskablePPO
    from stable_baselines3 import PPO

    for workers in ({"backend": "inprocess"}, {"backend": "workers", "workers": 2}):
        envs = SharedVecEnv([make_cartpole] * 4, **workers)
        model = PPO("MlpPolicy", envs, n_steps=16, batch_size=32, n_epochs=1, seed=0, device="cpu")
        model.learn(128)
        assert model.num_timesteps == 128
        assert model.ep_info_buffer
        envs.close()
        masked = SharedVecEnv([make] * 4, mask="action_masks", **workers)
        maskable = MaskablePPO(
            "MultiInputPolicy", masked, n_steps=16, batch_size=32, n_epochs=1, device="cpu"
        )
        maskable.learn(128)
        assert maskable.num_timesteps == 128
        masked.close()


@pytest.fixture
def one_torch_thread() -> Any:
    """Small networks are slower with more, and far slower on a busy machine."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.slow
@pytest.mark.usefixtures("one_torch_thread")
def test_ppo_learns_cartpole_to_475() -> None:
    from stable_baselines3 import PPO
    from stable_baselines3.common.callbacks import EvalCallback, StopTrainingOnRewardThreshold

    envs = SharedVecEnv([make_cartpole] * 8, backend="workers", workers=2)
    evaluation = SharedVecEnv([make_cartpole] * 4, backend="inprocess")
    evaluation.seed(100)
    solved = StopTrainingOnRewardThreshold(475.0, verbose=0)
    callback = EvalCallback(
        evaluation, callback_on_new_best=solved, n_eval_episodes=20, eval_freq=512, verbose=0
    )
    model = PPO(
        "MlpPolicy", envs, n_steps=32, batch_size=256, n_epochs=20, gae_lambda=0.8, gamma=0.98,
        learning_rate=1e-3, ent_coef=0.0, clip_range=0.2, seed=1, device="cpu",
    )  # fmt: skip
    model.learn(100_000, callback=callback)
    envs.close()
    evaluation.close()
    assert callback.best_mean_reward >= 475.0
    assert model.num_timesteps < 100_000
