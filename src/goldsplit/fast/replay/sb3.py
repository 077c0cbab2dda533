"""GoldsplitReplayBuffer: the ring buffer behind Stable-Baselines3's off-policy algorithms.

    DQN("MlpPolicy", env, replay_buffer_class=GoldsplitReplayBuffer)
    DQN(..., replay_buffer_class=GoldsplitReplayBuffer, replay_buffer_kwargs={"n_steps": 3, "gamma": 0.99})

It takes the same arguments, gives the same samples and works with several environments, Dict observations,
VecNormalize, and SB3's save and load. One difference: SB3 keeps one row per environment and step, this keeps
one row per transition, so `pos` and `buffer_size` count transitions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.buffers import BaseBuffer, ReplayBuffer
from stable_baselines3.common.type_aliases import DictReplayBufferSamples, ReplayBufferSamples

from goldsplit.fast.replay.nstep import NStep
from goldsplit.fast.replay.ring import UniformReplay
from goldsplit.fast.replay.schema import AnyArray, Field

_BOX = "box"  # the only key of an observation space that is not a Dict


class GoldsplitReplayBuffer(ReplayBuffer):
    """Drops into DQN, SAC, TD3 and their kin with `replay_buffer_class=GoldsplitReplayBuffer`."""

    def __init__(
        self,
        buffer_size: int,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        device: torch.device | str = "auto",
        n_envs: int = 1,
        optimize_memory_usage: bool = False,
        handle_timeout_termination: bool = True,
        n_steps: int = 1,
        gamma: float = 0.99,
        seed: int | None = None,
    ) -> None:
        if optimize_memory_usage:
            hint = "hint: leave optimize_memory_usage out, or use FrameStackReplay in a loop of your own"
            raise ValueError(f"GoldsplitReplayBuffer does not support optimize_memory_usage=True\n{hint}")
        # ReplayBuffer's own constructor would allocate a second set of arrays; only its base is needed.
        BaseBuffer.__init__(self, buffer_size, observation_space, action_space, device, n_envs=n_envs)
        self.optimize_memory_usage = False
        self.handle_timeout_termination = handle_timeout_termination
        self.n_steps, self.gamma = n_steps, gamma
        self._seed = seed
        # SB3 seeds NumPy's global generator from the model's seed before it makes its buffer.
        self._replay = self._new_replay(int(np.random.randint(2**31)) if seed is None else seed)
        self._windows = NStep(self._replay, n_steps, gamma, lanes=n_envs) if n_steps > 1 else None

    def add(
        self, obs: Any, next_obs: Any, action: Any, reward: Any, done: Any, infos: list[dict[str, Any]]
    ) -> None:
        timeouts = np.array([bool(info.get("TimeLimit.truncated", False)) for info in infos], np.bool_)
        if not self.handle_timeout_termination:
            timeouts[:] = False
        done = np.asarray(done, np.bool_)
        step: dict[str, AnyArray] = {
            "action": np.asarray(action).reshape(self.n_envs, self.action_dim),
            "reward": np.asarray(reward, np.float32),
            "terminated": done & ~timeouts,
        }
        for i, (key, shape) in enumerate(self._shapes().items()):
            step[f"obs_{i}"] = _part(obs, key).reshape(self.n_envs, *shape)
            step[f"next_obs_{i}"] = _part(next_obs, key).reshape(self.n_envs, *shape)
        if self._windows is not None:
            self._windows.extend(**self._cast(step), truncated=done & timeouts)
        else:
            self._replay.extend(**self._cast(step), discount=np.ones(self.n_envs, np.float32))
        self.pos = self._replay.next_slot
        self.full = len(self._replay) == self.buffer_size

    def sample(self, batch_size: int, env: Any = None) -> Any:
        batch = self._replay.sample(batch_size)
        obs, next_obs = self._observations(batch, "obs", env), self._observations(batch, "next_obs", env)
        kind = (
            DictReplayBufferSamples
            if isinstance(self.observation_space, spaces.Dict)
            else ReplayBufferSamples
        )
        return kind(
            obs,
            self._tensor(batch.action),
            next_obs,
            self._tensor(batch.terminated.reshape(-1, 1)),
            self._tensor(self._normalize_reward(batch.reward.reshape(-1, 1), env)),
            self._tensor(batch.discount.reshape(-1, 1)) if self._windows is not None else None,
        )

    def size(self) -> int:
        return len(self._replay)

    def reset(self) -> None:
        """Empty the buffer."""
        super().reset()
        self._replay = self._new_replay(int(np.random.randint(2**31)) if self._seed is None else self._seed)
        if self._windows is not None:
            self._windows = NStep(self._replay, self.n_steps, self.gamma, lanes=self.n_envs)

    def _new_replay(self, seed: int) -> UniformReplay:
        fields = {
            "action": Field((self.action_dim,), self._maybe_cast_dtype(self.action_space.dtype)),
            "reward": Field((), np.float32),
            "terminated": Field((), np.float32),
            "discount": Field((), np.float32),
        }
        for i, (key, shape) in enumerate(self._shapes().items()):  # a key need not be an identifier
            fields[f"obs_{i}"] = fields[f"next_obs_{i}"] = Field(shape, self._spaces()[key].dtype)
        return UniformReplay(self.buffer_size, fields, seed=seed)

    def _spaces(self) -> dict[str, Any]:
        if isinstance(self.observation_space, spaces.Dict):
            return dict(self.observation_space.spaces)
        return {_BOX: self.observation_space}

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        return self.obs_shape if isinstance(self.obs_shape, dict) else {_BOX: self.obs_shape}

    def _cast(self, step: dict[str, AnyArray]) -> dict[str, AnyArray]:
        """As SB3 does: whatever the environment returns is cast to the dtypes of its spaces."""
        return {name: np.asarray(value, self._replay.fields[name].dtype) for name, value in step.items()}

    def _observations(self, batch: Any, prefix: str, env: Any) -> Any:
        arrays = {key: getattr(batch, f"{prefix}_{i}") for i, key in enumerate(self._shapes())}
        if isinstance(self.observation_space, spaces.Dict):
            return {key: self._tensor(value) for key, value in self._normalize_obs(arrays, env).items()}
        return self._tensor(self._normalize_obs(arrays[_BOX], env))

    def _tensor(self, array: AnyArray) -> torch.Tensor:
        """Without a copy on the CPU: the buffer leaves these arrays alone for as long as the tensor lives."""
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)


def _part(obs: Any, key: str) -> AnyArray:
    return np.asarray(obs[key] if isinstance(obs, dict) else obs)
