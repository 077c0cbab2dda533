"""GoldsplitReplayBuffer: Stable-Baselines3's replay buffer over packed rows, with compiled sampling.

    DQN("MlpPolicy", env, replay_buffer_class=GoldsplitReplayBuffer)
    DQN(..., replay_buffer_class=GoldsplitReplayBuffer, replay_buffer_kwargs={"n_steps": 3, "gamma": 0.99})

It takes the arguments of ReplayBuffer, DictReplayBuffer and NStepReplayBuffer, draws from the same generator
and gives the same batches: a training is the same, number for number. `observations`, `rewards` and the other
arrays are there for subclasses, as views of the rows.
"""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np
import psutil
import torch
from gymnasium import spaces
from stable_baselines3.common.buffers import BaseBuffer, DictReplayBuffer, NStepReplayBuffer, ReplayBuffer
from stable_baselines3.common.type_aliases import DictReplayBufferSamples, ReplayBufferSamples

from goldsplit.fast.replay.batch import OutputPool, Outputs
from goldsplit.fast.replay.sb3_rows import sample_steps, sample_windows
from goldsplit.fast.replay.schema import AnyArray, Field
from goldsplit.fast.replay.storage import RowStorage

_BOX = "box"  # the only key of an observation space that is not a Dict
_TIME_LIMIT = "TimeLimit.truncated"
_COLUMNS = {"actions": "action", "rewards": "reward", "dones": "done", "timeouts": "timeout"}


class GoldsplitReplayBuffer(ReplayBuffer):
    """Drops into DQN, SAC, TD3 and their kin with `replay_buffer_class=GoldsplitReplayBuffer`."""

    pos: int

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
    ) -> None:
        # ReplayBuffer's own constructor would allocate a second set of arrays; only its base is needed.
        BaseBuffer.__init__(self, buffer_size, observation_space, action_space, device, n_envs=n_envs)
        self.buffer_size = max(buffer_size // n_envs, 1)
        self.optimize_memory_usage = optimize_memory_usage
        self.handle_timeout_termination = handle_timeout_termination
        self.n_steps, self.gamma = n_steps, gamma
        self._refuse_what_sb3_refuses()
        self._spaces: dict[str, Any] = (
            dict(observation_space.spaces)
            if isinstance(observation_space, spaces.Dict)
            else {_BOX: observation_space}
        )
        self._make_rows()
        self._warn_if_memory_is_short()

    def add(
        self, obs: Any, next_obs: Any, action: Any, reward: Any, done: Any, infos: list[dict[str, Any]]
    ) -> None:
        """One step of every environment; assigning to the views copies and casts as SB3 does."""
        pos = self.pos
        if self.n_steps > 1:
            self._note_resets(obs)
        if isinstance(obs, dict):
            for key, shape in self._batch_shapes.items():
                self.observations[key][pos] = obs[key].reshape(shape)
                self.next_observations[key][pos] = next_obs[key].reshape(shape)
        else:
            shape = self._batch_shapes[_BOX]
            self.observations[pos] = obs if obs.shape == shape else obs.reshape(shape)
            if next_obs.shape != shape:
                next_obs = next_obs.reshape(shape)
            if self.optimize_memory_usage:
                self.observations[(pos + 1) % self.buffer_size] = next_obs
            else:
                self.next_observations[pos] = next_obs
        self.actions[pos] = action.reshape(self.n_envs, self.action_dim)
        self.rewards[pos] = reward
        self.dones[pos] = done
        if self.handle_timeout_termination:
            if len(infos) == 1:
                self.timeouts[pos, 0] = infos[0].get(_TIME_LIMIT, False)
            else:
                self.timeouts[pos] = [info.get(_TIME_LIMIT, False) for info in infos]
        pos += 1
        if pos == self.buffer_size:
            self.full = True
            pos = 0
        self.pos = pos

    def sample(self, batch_size: int, env: Any = None) -> Any:
        """Draw a batch, with the numbers that SB3's buffer would draw."""
        if not self.full:
            times = np.random.randint(0, self.pos, size=batch_size)
        elif self.optimize_memory_usage:  # the row at `pos` has lost its next observation
            times = (np.random.randint(1, self.buffer_size, size=batch_size) + self.pos) % self.buffer_size
        else:
            times = np.random.randint(0, self.buffer_size, size=batch_size)
        return self._get_samples(times, env=env)

    def _get_samples(self, batch_inds: AnyArray, env: Any = None) -> Any:
        if not all(map(operator.is_, self._arrays_now(self), self._views)):
            return self._samples_of_replaced_arrays(batch_inds, env)
        times = np.ascontiguousarray(batch_inds, np.int64)
        # With one environment SB3's draw takes nothing from the generator.
        envs = np.random.randint(0, self.n_envs, size=len(times)) if self.n_envs > 1 else times
        outputs = self._pool.take(len(times))
        slots = outputs.slots
        last_slots = np.empty_like(slots) if self.n_steps > 1 or self.optimize_memory_usage else slots
        if not self._copy_out(times, envs, last_slots, outputs):
            raise IndexError(f"batch_inds has an index outside of the {self.buffer_size} rows of the buffer")
        if env is None:
            return self._batch(outputs.arrays)
        lengths = (last_slots - slots) // self.n_envs % self.buffer_size + 1
        return self._batch(self._normalized(list(outputs.arrays), times, envs, lengths, env))

    def _copy_out(self, times: AnyArray, envs: AnyArray, last_slots: AnyArray, outputs: Outputs) -> bool:
        row_bytes, arrays = self._rows.layout.row_bytes, outputs.arrays
        first = 2 * len(self._spaces) + 1
        reward, done, timeout = arrays[first : first + 3]
        where = (times, envs, self.buffer_size, self.n_envs)
        copying = (self._address, row_bytes, self._plan, outputs.addresses, done, timeout)
        if self.n_steps == 1:
            return bool(sample_steps(where, self.optimize_memory_usage, outputs.slots, last_slots, copying))
        newest = (self.pos - 1) % self.buffer_size
        columns = (self.rewards, self.dones, self.timeouts, self._resets)
        window = (*columns, self._powers, reward, arrays[-1])
        return bool(sample_windows(where, newest, outputs.slots, last_slots, copying, window))

    def _batch(self, arrays: list[AnyArray]) -> Any:
        """Without a copy on the CPU: these arrays are used again only when nobody refers to them any more."""
        tensors = [torch.from_numpy(array) for array in arrays]
        if self.device.type != "cpu":
            tensors = [tensor.to(self.device) for tensor in tensors]
        keys = len(self._spaces)
        action, reward, done, _timeout, *discount = tensors[2 * keys :]
        if not isinstance(self.observation_space, spaces.Dict):
            return ReplayBufferSamples(tensors[0], action, tensors[1], done, reward, *discount)
        obs = dict(zip(self._spaces, tensors[:keys], strict=True))
        next_obs = dict(zip(self._spaces, tensors[keys : 2 * keys], strict=True))
        return DictReplayBufferSamples(obs, action, next_obs, done, reward, *discount)

    def _normalized(
        self, arrays: list[AnyArray], times: AnyArray, envs: AnyArray, lengths: AnyArray, env: Any
    ) -> list[AnyArray]:
        """VecNormalize applied; each reward of a window is normalised before they are summed."""
        keys = len(self._spaces)
        for part in (slice(0, keys), slice(keys, 2 * keys)):
            values: Any = dict(zip(self._spaces, arrays[part], strict=True))
            if isinstance(self.observation_space, spaces.Dict):
                arrays[part] = self._normalize_obs(values, env).values()
            else:
                arrays[part] = [self._normalize_obs(values[_BOX], env)]
        rewards = arrays[2 * keys + 1]
        if self.n_steps > 1:
            steps = np.arange(self.n_steps)
            lanes = envs[:, None] if self.n_envs > 1 else 0
            series = self.rewards[(times[:, None] + steps) % self.buffer_size, lanes]
            discounted = self._normalize_reward(series, env) * self._powers[:-1]
            arrays[2 * keys + 1] = (discounted * (steps < lengths[:, None])).sum(1, keepdims=True)
        else:
            arrays[2 * keys + 1] = self._normalize_reward(rewards, env)
        return [np.ascontiguousarray(array) for array in arrays]

    def _samples_of_replaced_arrays(self, batch_inds: AnyArray, env: Any) -> Any:
        """A subclass put arrays of its own in place of the views: SB3's way works with any."""
        sb3: Any = NStepReplayBuffer if self.n_steps > 1 else ReplayBuffer
        if isinstance(self.observation_space, spaces.Dict):
            if self.n_steps > 1:
                raise NotImplementedError(
                    "n_steps above 1 with Dict observations needs the buffer's own arrays"
                )
            sb3 = DictReplayBuffer
        return sb3._get_samples(self, batch_inds, env=env)

    def _note_resets(self, obs: Any) -> None:
        """Between two calls of `learn` environments are reset within an episode, and nothing says so.

        What gives it away: the step does not begin with the observation that the last one led to.
        """
        pos = self.pos
        self._resets[pos] = False
        if pos == 0 and not self.full:
            return
        nexts = self.next_observations
        pairs = [(nexts[key], obs[key]) for key in nexts] if isinstance(nexts, dict) else ((nexts, obs),)
        for view, now in pairs:
            before = view[pos - 1]
            if before.tobytes() == now.tobytes():  # by far the most steps, at a third of the cost
                continue
            before = before.reshape(self.n_envs, -1)
            now = np.asarray(now, before.dtype).reshape(self.n_envs, -1)
            both_nan = (before != before) & (now != now)
            self._resets[pos] |= ((before != now) & ~both_nan).any(1)

    def _make_rows(self) -> None:
        shapes = self.obs_shape if isinstance(self.obs_shape, dict) else {_BOX: self.obs_shape}
        fields: dict[str, Field] = {}
        for prefix in ("obs", "next") if not self.optimize_memory_usage else ("obs",):
            for i, (key, shape) in enumerate(shapes.items()):  # a key need not be an identifier
                fields[f"{prefix}_{i}"] = Field(shape, self._spaces[key].dtype)
        fields["action"] = Field((self.action_dim,), self._maybe_cast_dtype(self.action_space.dtype))
        fields |= dict.fromkeys(("reward", "done", "timeout"), Field((), np.float32))
        self._rows = RowStorage(self.buffer_size * self.n_envs, fields)
        self._address = self._rows.rows.ctypes.data
        self._batch_shapes = {key: (self.n_envs, *shape) for key, shape in shapes.items()}
        self._resets = np.zeros((self.buffer_size, self.n_envs), np.bool_)
        self._powers = self.gamma ** np.arange(self.n_steps + 1, dtype=np.float32)
        self._make_views(fields)
        self._plan_copies(fields)

    def _make_views(self, fields: dict[str, Field]) -> None:
        """SB3's arrays, (buffer_size, n_envs, ...), over the rows."""

        def view(name: str) -> AnyArray:
            return self._rows.column(name).reshape(self.buffer_size, self.n_envs, *fields[name].shape)

        def of_keys(prefix: str) -> Any:
            views = {key: view(f"{prefix}_{i}") for i, key in enumerate(self._spaces)}
            return views if isinstance(self.observation_space, spaces.Dict) else views[_BOX]

        views = {"observations": of_keys("obs")}
        if not self.optimize_memory_usage:
            views["next_observations"] = of_keys("next")
        views |= {name: view(field) for name, field in _COLUMNS.items()}
        self.__dict__.update(views)
        self._view_names, self._views = tuple(views), tuple(views.values())
        self._arrays_now = operator.attrgetter(*views)

    def _plan_copies(self, fields: dict[str, Field]) -> None:
        """Which bytes of which row become which array of a batch; see `sb3_rows.py`."""
        layout, names, keys = self._rows.layout, list(fields), range(len(self._spaces))
        nexts = [f"next_{i}" if not self.optimize_memory_usage else f"obs_{i}" for i in keys]
        wanted = [*(f"obs_{i}" for i in keys), *nexts, "action", "reward", "done", "timeout"]
        at = [names.index(name) for name in wanted]
        plan = [[layout.offsets[i], layout.bytes[i], 0] for i in at]
        last = len(keys)
        for line in plan[last : 2 * last]:
            line[2] = 1
        outputs = {f"array_{i}": _as_batch_column(fields[name]) for i, name in enumerate(wanted)}
        if self.n_steps > 1:
            plan[-3][1] = 0  # rewards are summed, not copied
            plan[-2][2] = plan[-1][2] = 1
            outputs["discount"] = Field((1,), np.float32)
        self._plan = np.array(plan, np.int64)
        self._pool = OutputPool(outputs)

    def __getstate__(self) -> dict[str, Any]:
        kept = self.size() if self.full else min(self.pos + 1, self.buffer_size)
        views = dict(zip(self._view_names, self._views, strict=True))
        left_out = {"_rows", "_address", "_views", "_view_names", "_arrays_now", "_plan", "_pool"}
        left_out |= {name for name, view in views.items() if getattr(self, name) is view}
        state = {name: value for name, value in self.__dict__.items() if name not in left_out}
        return state | {"stored_rows": self._rows.rows[: kept * self.n_envs]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        stored = self.__dict__.pop("stored_rows")
        self._make_rows()
        self._rows.rows[: len(stored)] = stored
        self.__dict__.update({name: value for name, value in state.items() if name != "stored_rows"})

    def _refuse_what_sb3_refuses(self) -> None:
        if not self.optimize_memory_usage:
            return
        if self.n_steps > 1:
            raise NotImplementedError("n_steps above 1 does not go with optimize_memory_usage=True")
        if isinstance(self.observation_space, spaces.Dict):
            raise AssertionError("Dict observations do not go with optimize_memory_usage=True")
        if self.handle_timeout_termination:
            hint = 'hint: replay_buffer_kwargs={"handle_timeout_termination": False}'
            what = "optimize_memory_usage=True and handle_timeout_termination=True do not go together"
            raise ValueError(f"{what}\n{hint}")

    def _warn_if_memory_is_short(self) -> None:
        available = psutil.virtual_memory().available
        if self._rows.rows.nbytes > available:
            sizes = f"{self._rows.rows.nbytes / 1e9:.2f} GB, {available / 1e9:.2f} GB are free"
            warnings.warn(
                f"the full replay buffer will not fit into the memory: it takes {sizes}", stacklevel=3
            )


def _as_batch_column(field: Field) -> Field:
    """SB3's batches have rewards and ends as columns (n, 1)."""
    return field if field.shape else Field((1,), field.dtype)
