"""A group of environments that one process steps: the same code in a worker and in the caller's process.

Everything that must not depend on the number of workers is here: autoreset, what is written where, masks,
and which infos are handed on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from goldsplit.fast.vector.errors import FailedHereError
from goldsplit.fast.vector.infos import Info, InfoPolicy, Note
from goldsplit.fast.vector.leaves import map_tree, row_writer, split_rows
from goldsplit.fast.vector.memory import Buffers


@dataclass(frozen=True, slots=True)
class StepRules:
    """How a step is taken and what is told about it."""

    autoreset: AutoresetMode
    infos: InfoPolicy
    mask_name: str | None  # a method of the environment, or a key of its infos


@dataclass(frozen=True, slots=True)
class ResetRequest:
    """One reset: for each environment of a group its seed and options, and whether it takes part."""

    seeds: Sequence[int | None]
    options: Sequence[dict[str, Any] | None]
    chosen: Sequence[bool]

    def of(self, span: range) -> ResetRequest:
        """The part of some neighbouring environments."""
        rows = slice(span.start, span.stop)
        return ResetRequest(self.seeds[rows], self.options[rows], self.chosen[rows])


class EnvGroup:
    """Environments `first`, `first + 1`, … of a vector environment, and their rows of the buffers."""

    def __init__(self, envs: Sequence[Any], first: int, worker: int, buffers: Buffers, rules: StepRules):
        rows = slice(first, first + len(envs))
        self.envs = list(envs)
        self.first = first
        self._mask_key = rules.mask_name or ""
        self._infos = rules.infos
        self._everyone = range(len(envs))
        self._actions = map_tree(lambda array: array[rows], buffers.actions)
        self._write_observation = row_writer(
            map_tree(lambda array: array[rows], buffers.observations), "observation"
        )
        if buffers.finals is not None:
            self._write_final = row_writer(map_tree(lambda array: array[rows], buffers.finals), "observation")
        self._rewards = buffers.rewards[rows]
        self._terminations = buffers.terminations[rows]
        self._truncations = buffers.truncations[rows]
        self._progress = buffers.progress[worker : worker + 1]
        self._needs_reset = [False] * len(envs)
        self._stored = [
            (key, buffers.info_values[key][rows], buffers.info_present[key][rows])
            for key in buffers.info_values
        ]
        self._masks = buffers.masks[rows] if buffers.masks is not None else None
        self._mask_methods = [_mask_method(env, rules.mask_name) for env in envs] if rules.mask_name else []
        self._has_extras = self._masks is not None or bool(self._stored)
        self._tells_steps = rules.infos.mode == "full" or bool(rules.infos.keys)
        same_step = rules.autoreset is AutoresetMode.SAME_STEP
        self._advance = self._advance_and_reset if same_step else self._advance_only
        self._resets_next = rules.autoreset is AutoresetMode.NEXT_STEP

    def reset(self, request: ResetRequest) -> list[Note]:
        """Reset the chosen environments."""
        notes: list[Note] = []
        at = 0
        try:
            for at in self._everyone:
                if not request.chosen[at]:
                    continue
                self._progress[0] = at
                observation, info = self.envs[at].reset(seed=request.seeds[at], options=request.options[at])
                self._begin_episode(at, observation, info)
                told = self._infos.of_reset(info)
                if told:
                    notes.append((self.first + at, None, told))
        except Exception as error:
            raise FailedHereError(self.first + at, "reset") from error
        return notes

    def step(self, chosen: Iterable[int] | None = None) -> list[Note]:
        """Step all environments, or some of them, with the actions in the buffers."""
        notes: list[Note] = []
        actions = split_rows(self._actions)
        advance, progress, over = self._advance, self._progress, self._needs_reset
        resets_next = self._resets_next
        at = 0
        try:
            for at in self._everyone if chosen is None else chosen:
                progress[0] = at
                if resets_next and over[at]:
                    note = self._reset_again(at)
                else:
                    note = advance(at, actions[at])
                if note is not None:
                    notes.append(note)
        except Exception as error:
            raise FailedHereError(self.first + at, "step") from error
        return notes

    def _advance_only(self, at: int, action: Any) -> Note | None:
        """One step; the next one, or the caller, resets."""
        observation, reward, terminated, truncated, info = self.envs[at].step(action)
        self._write_observation(at, observation)
        self._rewards[at] = reward
        self._terminations[at] = terminated
        self._truncations[at] = truncated
        ended = bool(terminated or truncated)
        if self._has_extras:
            self._write_extras(at, info, ended)
        if ended:
            self._needs_reset[at] = True
            told = self._infos.of_end(info)
        elif self._tells_steps:
            told = self._infos.of_step(info)
        else:
            return None
        return (self.first + at, None, told) if told else None

    def _reset_again(self, at: int) -> Note | None:
        """The step after an episode's last one ignores its action and resets instead."""
        observation, info = self.envs[at].reset()
        self._begin_episode(at, observation, info)
        told = self._infos.of_step(info)
        return (self.first + at, None, told) if told else None

    def _begin_episode(self, at: int, observation: Any, info: Info) -> None:
        self._write_observation(at, observation)
        self._rewards[at] = 0.0
        self._terminations[at] = self._truncations[at] = self._needs_reset[at] = False
        self._write_extras(at, info)

    def _advance_and_reset(self, at: int, action: Any) -> Note | None:
        """The step that ends an episode also resets; its last observation is kept beside."""
        observation, reward, terminated, truncated, info = self.envs[at].step(action)
        self._rewards[at] = reward
        self._terminations[at] = terminated
        self._truncations[at] = truncated
        final = None
        if terminated or truncated:
            self._write_final(at, observation)
            final = self._infos.of_end(info)
            observation, info = self.envs[at].reset()
        self._write_observation(at, observation)
        if self._has_extras:
            self._write_extras(at, info)
        told = self._infos.of_step(info) if self._tells_steps else None
        return (self.first + at, final, told) if told or final else None

    def _write_extras(self, at: int, info: Info, ended: bool = False) -> None:
        """The action mask and the infos that live in memory."""
        if self._masks is not None:
            if ended:  # the next action is not used; many games have no legal move here
                self._masks[at] = True
            else:
                method = self._mask_methods[at]
                self._masks[at] = self._mask_in(info) if method is None else method()
        for key, values, present in self._stored:
            present[at] = key in info
            if key in info:
                values[at] = info[key]

    def _mask_in(self, info: Info) -> Any:
        if self._mask_key not in info:
            raise KeyError(
                f"mask={self._mask_key!r} is neither a method of the environment nor a key of this info, "
                f"which has {sorted(info)}"
            )
        return info[self._mask_key]


def _mask_method(env: Any, name: str) -> Callable[[], NDArray[np.bool_]] | None:
    """The environment's own mask method; None when the mask is a key of its infos."""
    if not env.has_wrapper_attr(name):
        return None
    method: Callable[[], NDArray[np.bool_]] = env.get_wrapper_attr(name)
    return method


def call_attribute(env: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """An attribute of an environment, called when it can be."""
    attribute = env.get_wrapper_attr(name)
    return attribute(*args, **kwargs) if callable(attribute) else attribute


def set_attribute(env: Any, name: str, value: Any) -> None:
    """Set an attribute on the wrapper or environment that has it."""
    env.set_wrapper_attr(name, value)


def has_attribute(env: Any, name: str) -> bool:
    """Whether the environment or one of its wrappers has the attribute."""
    return bool(env.has_wrapper_attr(name))
