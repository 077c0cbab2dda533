"""GoldsplitReplayBuffer beside SB3's own buffers: equal batches from equal seeds, equal trainings."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from gymnasium import spaces
from stable_baselines3 import DQN, SAC
from stable_baselines3.common.buffers import DictReplayBuffer, NStepReplayBuffer, ReplayBuffer
from stable_baselines3.common.callbacks import EvalCallback, StopTrainingOnRewardThreshold
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

from goldsplit.fast.replay.sb3 import GoldsplitReplayBuffer

BOX = spaces.Box(-1.0, 1.0, (3,), np.float32)
IMAGE = spaces.Box(0, 255, (2, 40, 40), np.uint8)
DICT = spaces.Dict(
    {"view": spaces.Box(0, 255, (2, 4), np.uint8), "own-state": BOX, "card": spaces.Discrete(4)}
)
ACTIONS = spaces.Discrete(5)
CONTINUOUS = spaces.Box(-1, 1, (2, 3), np.float64)


class Stream:
    """Steps of several environments, each beginning where the last one led to, with random ends."""

    def __init__(self, space: Any, actions: Any, n_envs: int, seed: int) -> None:
        self.space, self.actions, self.n_envs = space, actions, n_envs
        self.rng = np.random.default_rng(seed)
        space.seed(seed)
        actions.seed(seed)
        self.obs = self.draw(space)

    def draw(self, space: Any) -> Any:
        if isinstance(space, spaces.Dict):
            return {key: self.draw(part) for key, part in space.spaces.items()}
        return np.stack([np.asarray(space.sample()) for _ in range(self.n_envs)])

    def step(self) -> dict[str, Any]:
        obs, next_obs = self.obs, self.draw(self.space)
        done = self.rng.random(self.n_envs) < 0.2
        self.obs = self.draw(self.space) if done.any() else next_obs
        if done.any() and not isinstance(next_obs, dict):
            self.obs[~done] = next_obs[~done]
        if isinstance(next_obs, dict):
            for key in next_obs if done.any() else ():
                self.obs[key][~done] = next_obs[key][~done]
        timed = done & (self.rng.random(self.n_envs) < 0.5)
        return {
            "obs": obs,
            "next_obs": next_obs,
            "action": self.draw(self.actions),
            "reward": self.rng.normal(size=self.n_envs),
            "done": done,
            "infos": [{"TimeLimit.truncated": True} if each else {} for each in timed],
        }


def pair(theirs: Any, *arguments: Any, ours: dict[str, Any] | None = None, **options: Any) -> tuple[Any, Any]:
    kinds = ((theirs, {}), (GoldsplitReplayBuffer, ours or {}))
    left, right = (kind(*arguments, device="cpu", **options, **extra) for kind, extra in kinds)
    return left, right


def copied(step: dict[str, Any]) -> dict[str, Any]:
    return pickle.loads(pickle.dumps(step))


def sampled(buffer: Any, seed: int, rows: int = 64, **options: Any) -> Any:
    np.random.seed(seed)
    samples = buffer.sample(rows, **options)
    return samples, np.random.get_state()[1:3]


def assert_equal_batches(theirs: Any, ours: Any, **options: Any) -> None:
    for seed in range(3):
        (expected, state), (got, our_state) = (sampled(b, seed, **options) for b in (theirs, ours))
        assert np.array_equal(state[0], our_state[0])
        assert state[1] == our_state[1]
        assert type(got) is type(expected)
        for left, right in zip(expected, got, strict=True):
            parts = [(left[k], right[k]) for k in left] if isinstance(left, dict) else [(left, right)]
            for a, b in parts:
                assert (a is None) == (b is None)
                if a is not None:
                    assert (a.shape, a.dtype) == (b.shape, b.dtype)
                    assert torch.equal(a, b)


CASES = [
    (BOX, ACTIONS, ReplayBuffer, {}),
    (BOX, CONTINUOUS, ReplayBuffer, {"handle_timeout_termination": False}),
    (IMAGE, ACTIONS, ReplayBuffer, {}),
    (spaces.Discrete(7), ACTIONS, ReplayBuffer, {}),
    (BOX, ACTIONS, ReplayBuffer, {"optimize_memory_usage": True, "handle_timeout_termination": False}),
    (DICT, ACTIONS, DictReplayBuffer, {}),
    (BOX, ACTIONS, NStepReplayBuffer, {"n_steps": 3, "gamma": 0.9}),
    (IMAGE, CONTINUOUS, NStepReplayBuffer, {"n_steps": 5, "gamma": 1.0}),
    (BOX, ACTIONS, NStepReplayBuffer, {"n_steps": 2, "handle_timeout_termination": False}),
]


@pytest.mark.parametrize("n_envs", [1, 3])
@pytest.mark.parametrize(("space", "actions", "theirs", "options"), CASES)
def test_equal_seeds_give_sb3s_batches(
    space: Any, actions: Any, theirs: Any, options: Any, n_envs: int
) -> None:
    sb3, ours = pair(theirs, 25 * n_envs + 1, space, actions, n_envs=n_envs, **options)
    stream = Stream(space, actions, n_envs, seed=n_envs)
    for number in range(60):
        step = stream.step()
        sb3.add(**copied(step))
        ours.add(**step)
        assert (sb3.pos, sb3.full, sb3.size()) == (ours.pos, ours.full, ours.size())
        if number in (0, 7, 24, 25, 59):
            assert_equal_batches(sb3, ours)
    for name in ("actions", "rewards", "dones", "timeouts"):
        assert np.array_equal(getattr(sb3, name), getattr(ours, name))
        assert getattr(sb3, name).dtype == getattr(ours, name).dtype
    assert_equal_batches(sb3, pickle.loads(pickle.dumps(ours)))


@pytest.mark.parametrize(
    ("theirs", "ours"), [(ReplayBuffer, {}), (NStepReplayBuffer, {"n_steps": 3, "gamma": 0.99})]
)
def test_vecnormalize_is_applied_at_sampling(theirs: Any, ours: Any) -> None:
    env = VecNormalize(DummyVecEnv([lambda: gym.make("CartPole-v1")] * 2))
    env.reset()
    for _ in range(50):
        env.step([env.action_space.sample()] * 2)
    space = env.observation_space
    sb3, fast = pair(theirs, 40, space, ACTIONS, n_envs=2, ours=ours)
    stream = Stream(spaces.Box(-1, 1, space.shape, np.float32), ACTIONS, 2, seed=0)
    for _ in range(30):
        step = stream.step()
        sb3.add(**copied(step))
        fast.add(**step)
    assert_equal_batches(sb3, fast, env=env)


def test_dict_observations_have_windows_too() -> None:
    plain = GoldsplitReplayBuffer(30, BOX, ACTIONS, device="cpu", n_steps=3)
    keyed = GoldsplitReplayBuffer(30, spaces.Dict({"a": BOX, "b": BOX}), ACTIONS, device="cpu", n_steps=3)
    stream = Stream(BOX, ACTIONS, 1, seed=0)
    for _ in range(40):
        step = stream.step()
        plain.add(**step)
        keyed.add(**step | {name: {"b": step[name], "a": step[name]} for name in ("obs", "next_obs")})
    (left, _), (right, _) = sampled(plain, 0), sampled(keyed, 0)
    assert torch.equal(left.next_observations, right.next_observations["b"])
    assert torch.equal(left.rewards, right.rewards)
    assert torch.equal(left.discounts, right.discounts)


def test_no_window_goes_over_a_reset_that_nothing_announced() -> None:
    model = small_dqn(replay_buffer_kwargs={"n_steps": 3}, learning_starts=1000)
    model.learn(8)
    model.learn(8)  # resets the environment in the middle of an episode
    buffer: Any = model.replay_buffer
    cut = 7
    assert not buffer.dones[cut].any()
    assert not np.array_equal(buffer.next_observations[cut], buffer.observations[cut + 1])
    samples = buffer._get_samples(np.array([cut - 1, cut, cut + 1]))
    assert np.array_equal(samples.next_observations[:2].numpy(), buffer.next_observations[[cut, cut], 0])
    assert samples.discounts.flatten().tolist() == pytest.approx([0.99**2, 0.99, 0.99**3])


def test_a_sample_in_use_is_not_written_over() -> None:
    buffer = GoldsplitReplayBuffer(50, BOX, ACTIONS, device="cpu")
    stream = Stream(BOX, ACTIONS, 1, seed=0)
    for _ in range(10):
        buffer.add(**stream.step())
    kept = buffer.sample(16).observations
    copy = kept.clone()
    for _ in range(20):
        buffer.sample(16)
    assert torch.equal(kept, copy)


def test_what_sb3_refuses_is_refused() -> None:
    make = GoldsplitReplayBuffer
    with pytest.raises(ValueError, match="do not go together\nhint: replay_buffer_kwargs"):
        make(50, BOX, ACTIONS, optimize_memory_usage=True)
    saving = {"optimize_memory_usage": True, "handle_timeout_termination": False}
    with pytest.raises(NotImplementedError):
        make(50, BOX, ACTIONS, n_steps=2, **saving)
    with pytest.raises(AssertionError):
        make(50, DICT, ACTIONS, **saving)
    buffer = make(10, BOX, ACTIONS, device="cpu")
    with pytest.raises(IndexError, match="outside of the 10 rows"):
        buffer._get_samples(np.array([3, 10]))
    buffer.add(**Stream(BOX, ACTIONS, 1, seed=0).step())
    buffer.reset()
    assert (buffer.size(), buffer.pos, buffer.full) == (0, 0, False)


def subclass_of(kind: Any) -> Any:
    class Relabelled(kind):  # type: ignore[misc]
        """As users write them: doubles rewards in place, and draws only even rows."""

        def add(self, *args: Any, **kwargs: Any) -> None:
            at = self.pos
            super().add(*args, **kwargs)
            self.rewards[at] *= 2

        def _get_samples(self, batch_inds: Any, env: Any = None) -> Any:
            return super()._get_samples(batch_inds // 2 * 2, env)

    class OwnRewards(kind):  # type: ignore[misc]
        """Puts an array of its own in the place of the buffer's."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.rewards = np.zeros((self.buffer_size, self.n_envs), np.float64)

    return Relabelled, OwnRewards


@pytest.mark.parametrize("which", [0, 1])
def test_subclasses_see_and_change_the_same_arrays(which: int) -> None:
    kinds = [subclass_of(kind)[which] for kind in (ReplayBuffer, GoldsplitReplayBuffer)]
    sb3, ours = (kind(20, BOX, ACTIONS, device="cpu") for kind in kinds)
    stream = Stream(BOX, ACTIONS, 1, seed=0)
    for _ in range(30):
        step = stream.step()
        sb3.add(**copied(step))
        ours.add(**step)
    assert_equal_batches(sb3, ours)


def small_dqn(seed: int = 0, **options: Any) -> DQN:
    usual: dict[str, Any] = {"buffer_size": 500, "learning_starts": 50, "batch_size": 16, "device": "cpu"}
    usual |= {"seed": seed, "replay_buffer_class": GoldsplitReplayBuffer}
    return DQN("MlpPolicy", "CartPole-v1", **usual | options)


@pytest.mark.parametrize("options", [{}, {"batch_size": 256}, {"n_steps": 3}, {"seed": 1}])
def test_a_training_is_the_same_number_for_number(options: dict[str, Any]) -> None:
    windows = {name: options[name] for name in options if name == "n_steps"}
    rest = {name: options[name] for name in options if name != "n_steps"}
    ours = small_dqn(**rest, replay_buffer_kwargs=windows).learn(300).policy.state_dict()
    sb3 = small_dqn(**options, replay_buffer_class=None).learn(300).policy.state_dict()
    assert all(torch.equal(ours[key], sb3[key]) for key in sb3)


def test_sb3_saves_and_loads_it(tmp_path: Any) -> None:
    model = small_dqn(replay_buffer_kwargs={"n_steps": 3}).learn(200)
    model.save_replay_buffer(tmp_path / "buffer")
    other = small_dqn(seed=1)
    other.load_replay_buffer(tmp_path / "buffer")
    assert_equal_batches(model.replay_buffer, other.replay_buffer)
    other.learn(100, reset_num_timesteps=False)
    assert other.replay_buffer.size() > model.replay_buffer.size()


def test_sac_with_continuous_actions_and_several_environments_runs() -> None:
    env = DummyVecEnv([lambda: gym.make("Pendulum-v1")] * 2)
    model = SAC(
        "MlpPolicy", env, replay_buffer_class=GoldsplitReplayBuffer, buffer_size=300, learning_starts=20,
        batch_size=8, device="cpu", seed=0,
    )  # fmt: skip
    model.learn(60)
    assert model.replay_buffer.size() == 30  # one row for both environments, as SB3 counts


@pytest.fixture
def one_torch_thread() -> Iterator[None]:
    """Small networks lose time on several threads, and so do other tests beside them."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.thousand
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
