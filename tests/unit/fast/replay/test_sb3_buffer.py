"""GoldsplitReplayBuffer beside SB3's own buffers: the same samples, an unmodified DQN, CartPole learnt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from gymnasium import spaces
from stable_baselines3 import DQN, SAC
from stable_baselines3.common.buffers import DictReplayBuffer, ReplayBuffer
from stable_baselines3.common.callbacks import EvalCallback, StopTrainingOnRewardThreshold
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

from goldsplit.fast.replay.sb3 import GoldsplitReplayBuffer

BOX = spaces.Box(-1.0, 1.0, (3,), np.float32)
DICT = spaces.Dict({"view": spaces.Box(0, 255, (2, 4), np.uint8), "own-state": BOX})
ACTIONS = spaces.Discrete(5)


def step(space: spaces.Space[Any], number: int, n_envs: int) -> dict[str, Any]:
    """A step in which every environment's entries tell its number; every 5th ends, every 10th by time."""
    numbers = number * n_envs + np.arange(n_envs)

    def obs(offset: float) -> Any:
        def of(part: Any) -> np.ndarray:
            return np.stack([np.full(part.shape, n + offset, part.dtype) for n in numbers])

        return (
            {key: of(part) for key, part in space.spaces.items()}
            if isinstance(space, spaces.Dict)
            else of(space)
        )

    return {
        "obs": obs(0),
        "next_obs": obs(1),
        "action": numbers % 5,
        "reward": numbers * 0.5,
        "done": numbers % 5 == 0,
        "infos": [{"TimeLimit.truncated": True} if n % 10 == 0 else {} for n in numbers],
    }


def flat(samples: Any) -> list[tuple[float, ...]]:
    """The rows of a sample as sortable tuples."""
    parts = [part for value in samples for part in (value.values() if isinstance(value, dict) else [value])]
    columns = [part.numpy().reshape(len(part), -1).astype(np.float64) for part in parts if part is not None]
    return sorted(map(tuple, np.concatenate(columns, axis=1).tolist()))


@pytest.mark.parametrize("n_envs", [1, 3])
@pytest.mark.parametrize("timeouts", [True, False])
@pytest.mark.parametrize(("space", "theirs"), [(BOX, ReplayBuffer), (DICT, DictReplayBuffer)])
def test_it_holds_and_gives_what_sb3s_buffer_does(
    space: Any, theirs: Any, timeouts: bool, n_envs: int
) -> None:
    options = {"device": "cpu", "n_envs": n_envs, "handle_timeout_termination": timeouts}
    buffers = [kind(24, space, ACTIONS, **options) for kind in (theirs, GoldsplitReplayBuffer)]
    for number in range(20):
        for buffer in buffers:
            buffer.add(**step(space, number, n_envs))
    expected, ours = (buffer.sample(3000) for buffer in buffers)
    assert type(ours) is type(expected)
    assert set(flat(ours)) == set(flat(expected))
    for name in ("actions", "dones", "rewards"):
        left, right = getattr(ours, name), getattr(expected, name)
        assert (left.shape, left.dtype) == (right.shape, right.dtype)
    assert ours.discounts is None
    assert buffers[1].size() == min(24, 20 * n_envs)
    assert buffers[1].full == (n_envs == 3)


def test_vecnormalize_is_applied_at_sampling() -> None:
    env = VecNormalize(DummyVecEnv([lambda: gym.make("CartPole-v1")]))
    env.reset()
    for _ in range(50):
        env.step([env.action_space.sample()])
    space = env.observation_space
    buffers = [kind(10, space, ACTIONS, device="cpu") for kind in (ReplayBuffer, GoldsplitReplayBuffer)]
    for buffer in buffers:
        for number in range(4):
            buffer.add(**step(space, number, 1))
    expected, ours = (buffer.sample(500, env=env) for buffer in buffers)
    assert set(flat(ours)) == set(flat(expected))


def test_n_step_targets_come_with_discounts() -> None:
    buffer = GoldsplitReplayBuffer(50, BOX, ACTIONS, device="cpu", n_envs=2, n_steps=3, gamma=0.5, seed=0)
    for number in range(10):
        buffer.add(**step(BOX, number, 2))
    samples = buffer.sample(500)
    first, last = samples.observations[:, 0], samples.next_observations[:, 0] - 1
    length = ((last - first) / 2 + 1).reshape(-1, 1)  # two environments: numbers are two apart
    assert torch.allclose(samples.discounts, 0.5**length)
    assert set(length.flatten().tolist()) == {1.0, 2.0, 3.0}
    rewards = sum(0.5 * (first + 2 * i) * 0.5**i * (length.flatten() > i) for i in range(3))
    assert torch.allclose(samples.rewards.flatten(), rewards)


def test_a_sample_in_use_is_not_written_over() -> None:
    buffer = GoldsplitReplayBuffer(50, BOX, ACTIONS, device="cpu", seed=0)
    for number in range(10):
        buffer.add(**step(BOX, number, 1))
    kept = buffer.sample(16).observations
    copy = kept.clone()
    for _ in range(20):
        buffer.sample(16)
    assert torch.equal(kept, copy)


def test_reset_empties_it_and_memory_optimisation_is_refused() -> None:
    buffer = GoldsplitReplayBuffer(50, BOX, ACTIONS, device="cpu", n_steps=2, n_envs=1)
    for number in range(4):
        buffer.add(**step(BOX, number, 1))
    assert buffer.size() > 0
    buffer.reset()
    assert (buffer.size(), buffer.pos, buffer.full) == (0, 0, False)
    with pytest.raises(ValueError, match="does not support optimize_memory_usage=True\nhint"):
        GoldsplitReplayBuffer(50, BOX, ACTIONS, optimize_memory_usage=True)


def small_dqn(seed: int = 0, **options: Any) -> DQN:
    return DQN(
        "MlpPolicy",
        "CartPole-v1",
        replay_buffer_class=GoldsplitReplayBuffer,
        buffer_size=500,
        learning_starts=50,
        batch_size=16,
        seed=seed,
        device="cpu",
        **options,
    )


def test_the_models_seed_decides_the_whole_run() -> None:
    runs = [small_dqn(seed).learn(200).policy.state_dict() for seed in (0, 0, 1)]
    equal = [all(torch.equal(runs[0][key], other[key]) for key in runs[0]) for other in runs[1:]]
    assert equal == [True, False]


def test_sb3_saves_and_loads_it(tmp_path: Any) -> None:
    model = small_dqn(replay_buffer_kwargs={"n_steps": 3}).learn(200)
    model.save_replay_buffer(tmp_path / "buffer")
    other = small_dqn(seed=1)
    other.load_replay_buffer(tmp_path / "buffer")
    left, right = model.replay_buffer.sample(64), other.replay_buffer.sample(64)
    for a, b in zip(left, right, strict=True):
        assert torch.equal(a, b)
    other.learn(100, reset_num_timesteps=False)
    assert other.replay_buffer.size() > model.replay_buffer.size()


def test_sac_with_continuous_actions_and_several_environments_runs() -> None:
    env = DummyVecEnv([lambda: gym.make("Pendulum-v1")] * 2)
    model = SAC(
        "MlpPolicy", env, replay_buffer_class=GoldsplitReplayBuffer, buffer_size=300, learning_starts=20,
        batch_size=8, device="cpu", seed=0,
    )  # fmt: skip
    model.learn(60)
    assert model.replay_buffer.size() == 60


@pytest.fixture
def one_torch_thread() -> Iterator[None]:
    """Small networks lose time on several threads, and so do other tests beside them."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.slow
@pytest.mark.usefixtures("one_torch_thread")
def test_an_unmodified_dqn_learns_cartpole_to_475() -> None:
    # The published hyperparameters of SB3's zoo for DQN on CartPole-v1, with our buffer.
    model = DQN(
        "MlpPolicy",
        "CartPole-v1",
        replay_buffer_class=GoldsplitReplayBuffer,
        learning_rate=2.3e-3,
        batch_size=64,
        buffer_size=100_000,
        learning_starts=1000,
        gamma=0.99,
        target_update_interval=10,
        train_freq=256,
        gradient_steps=128,
        exploration_fraction=0.16,
        exploration_final_eps=0.04,
        policy_kwargs={"net_arch": [256, 256]},
        seed=0,
        device="cpu",
    )
    reached = StopTrainingOnRewardThreshold(475)
    judge = EvalCallback(
        Monitor(gym.make("CartPole-v1")),
        callback_on_new_best=reached,
        eval_freq=1000,
        n_eval_episodes=20,
        verbose=0,
    )
    model.learn(60_000, callback=judge)
    assert judge.best_mean_reward >= 475
    assert (
        model.replay_buffer.size() >= model.num_timesteps - 1
    )  # the callback stops before the last is stored
