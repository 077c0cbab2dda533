"""`SharedVecEnv`: the same vector environment for Stable-Baselines3, in the place of SubprocVecEnv."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from stable_baselines3.common.env_util import is_wrapped
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

from goldsplit.fast.vector.group import ResetRequest, call_attribute, has_attribute
from goldsplit.fast.vector.leaves import copy_tree, row_of
from goldsplit.fast.vector.shared_env import SharedVectorEnv

Indices = int | Iterable[int] | None


class SharedVecEnv(VecEnv):
    """A Stable-Baselines3 `VecEnv` over shared memory.

        model = PPO("MlpPolicy", SharedVecEnv([make_env] * 16))

    Options are those of `SharedVectorEnv` (workers=, backend=, info=, info_keys=, mask=, context=, …).
    `TimeLimit.truncated` is in every info, `terminal_observation` in that of a step that ends an episode,
    and what `Monitor` adds there survives info="final" (the default). Wrap with `VecMonitor`, or each
    environment with `Monitor`, as usual.
    """

    def __init__(self, env_fns: Sequence[Callable[[], Any]], **options: Any) -> None:
        self.envs = SharedVectorEnv(env_fns, autoreset_mode=AutoresetMode.SAME_STEP, **options)
        try:
            super().__init__(len(env_fns), self.envs.single_observation_space, self.envs.single_action_space)
        except BaseException:
            self.envs.close()
            raise

    def reset(self) -> Any:
        """Reset all environments with the seeds and options set before."""
        options = [each or None for each in self._options]
        notes = self.envs.reset_each(ResetRequest(self._seeds, options, [True] * self.num_envs))
        self._reset_seeds()
        self._reset_options()
        self.reset_infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for index, _, info in notes:
            self.reset_infos[index] = info or {}
        return copy_tree(self.envs.buffers.observations)

    def step_async(self, actions: NDArray[Any]) -> None:
        """Let the workers start."""
        self.envs.begin(actions)

    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Wait for all of them."""
        notes = self.envs.complete()
        buffers = self.envs.buffers
        dones = buffers.terminations | buffers.truncations
        infos: list[dict[str, Any]] = [{"TimeLimit.truncated": False} for _ in range(self.num_envs)]
        ended = np.flatnonzero(dones).tolist() if dones.any() else ()
        for key, values in buffers.info_values.items():
            for index in np.flatnonzero(buffers.info_present[key]).tolist():
                infos[index][key] = values[index].copy()
        for index, final, info in notes:
            if dones[index]:
                self.reset_infos[index] = info or {}
                infos[index] = {**(final or {}), **infos[index]}
            elif info:
                infos[index].update(info)
        for index in ended:
            infos[index]["terminal_observation"] = row_of(buffers.finals, index)
            timed_out = bool(buffers.truncations[index] and not buffers.terminations[index])
            infos[index]["TimeLimit.truncated"] = timed_out
        rewards = buffers.rewards.astype(np.float32)
        return copy_tree(buffers.observations), rewards, dones, infos

    def close(self) -> None:
        """End the workers."""
        self.envs.close()

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute of the chosen environments."""
        return self._read(_attribute, indices, attr_name)

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set an attribute on the outermost wrapper of the chosen environments, as SubprocVecEnv does."""
        self._apply(setattr, indices, attr_name, value)

    def has_attr(self, attr_name: str) -> bool:
        """Whether every environment has it; nothing needs to be pickled to know."""
        return all(self._read(has_attribute, None, attr_name))

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of the chosen environments; masks are read from shared memory."""
        masks = self.envs.buffers.masks
        if masks is not None and method_name == self.envs.mask and not method_args and not method_kwargs:
            return [masks[index].copy() for index in self._get_indices(indices)]
        return self._apply(call_attribute, indices, method_name, method_args, method_kwargs)

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        """Whether the chosen environments are wrapped in a class."""
        return self._read(is_wrapped, indices, wrapper_class)

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """A frame of every environment."""
        if self.render_mode != "rgb_array":
            return [None] * self.num_envs
        return list(self.envs.render())

    def _read(self, function: Callable[..., Any], indices: Indices, *arguments: Any) -> list[Any]:
        chosen = dict.fromkeys(self._get_indices(indices), arguments)
        return self.envs.apply(function, chosen, only_reads=True)

    def _apply(self, function: Callable[..., Any], indices: Indices, *arguments: Any) -> list[Any]:
        return self.envs.apply(function, dict.fromkeys(self._get_indices(indices), arguments))


def _attribute(env: Any, name: str) -> Any:
    return env.get_wrapper_attr(name)
