"""Infos: which of them travel, and how they are merged into Gymnasium's dict of arrays.

A *note* is what an environment has to say beside its arrays: (index, info of the step that ended an episode
when the same step also reset, info of this step or reset). Most steps have none, and then nothing is sent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from goldsplit.fast.vector.leaves import Tree, row_of
from goldsplit.fast.vector.memory import Buffers

Info = dict[str, Any]
Note = tuple[int, Info | None, Info | None]
InfoMode = Literal["final", "lean", "full"]
PLAIN_NUMBERS = (int, float, bool)
MODES: tuple[InfoMode, ...] = ("final", "lean", "full")


@dataclass(frozen=True, slots=True)
class InfoPolicy:
    """Which infos leave the environment's process.

    full: all. final: those of steps that end an episode and of resets by the caller. lean: none.
    `keys` are taken from every other info as well; `stored_keys` of them have a place in shared memory.
    """

    mode: InfoMode
    keys: tuple[str, ...]
    stored_keys: tuple[str, ...]

    def of_step(self, info: Info) -> Info | None:
        """What to send of the info of a step that does not end its episode, or of an automatic reset."""
        if self.mode == "full":
            return info or None
        return self._picked(info, stored_too=False) if self.keys else None

    def of_end(self, info: Info) -> Info | None:
        """What to send of the info of a step that ends its episode."""
        if self.mode != "lean":
            return info or None
        return self._picked(info, stored_too=True) if self.keys else None

    def of_reset(self, info: Info) -> Info | None:
        """What to send of the info of a reset that the caller asked for."""
        return self.of_end(info)

    def _picked(self, info: Info, stored_too: bool) -> Info | None:
        keys = self.keys
        return {
            key: info[key] for key in keys if key in info and (stored_too or key not in self.stored_keys)
        } or None


def make_policy(info: str, info_keys: Sequence[str] | Mapping[str, Any]) -> InfoPolicy:
    """Check the user's choice."""
    if info not in MODES:
        raise ValueError(f"info={info!r} is not a mode\nhint: one of {', '.join(map(repr, MODES))}")
    if isinstance(info_keys, str):
        raise TypeError(f"info_keys={info_keys!r} is one string\nhint: info_keys=({info_keys!r},)")
    mode: InfoMode = "full" if info == "full" else "lean" if info == "lean" else "final"
    stored = tuple(info_keys) if isinstance(info_keys, Mapping) and mode != "full" else ()
    return InfoPolicy(mode, tuple(info_keys), stored)


def merge_infos(entries: Sequence[tuple[int, Info]], num_envs: int) -> Info:
    """Infos of single environments as one dict of arrays with `_key` masks, as Gymnasium merges them."""
    if not entries:
        return {}
    keys = entries[0][1].keys()
    if len(entries) == num_envs > 1 and all(info.keys() == keys for _, info in entries):
        return _merge_columns([info for _, info in entries], num_envs)
    merged: Info = {}
    for index, info in entries:
        for key, value in info.items():
            _add_value(merged, key, value, index, num_envs)
    return merged


def _merge_columns(infos: list[Info], num_envs: int) -> Info:
    """Every environment has the same keys, in index order: numbers of one type become one matrix at once."""
    first = infos[0]
    numbers: dict[type, list[str]] = {}
    others = []
    for key, value in first.items():
        kind = type(value)
        if kind in PLAIN_NUMBERS or issubclass(kind, np.number):
            numbers.setdefault(kind, []).append(key)
        else:
            others.append(key)
    merged: Info = {}
    for kind, keys in numbers.items():
        if not _add_matrix(merged, infos, keys, kind):
            others += keys
    for key in others:
        for index, info in enumerate(infos):
            _add_value(merged, key, info[key], index, num_envs)
    return merged


def _add_matrix(merged: Info, infos: list[Info], keys: list[str], kind: type) -> bool:
    """One row per key, one column per environment; False when some value is no number after all."""
    pick = itemgetter(*keys)
    rows = [pick(info) for info in infos] if len(keys) > 1 else [(pick(info),) for info in infos]
    try:
        values: NDArray[Any] = np.ascontiguousarray(np.array(rows, dtype=kind).T)
    except (TypeError, ValueError):
        return False
    if values.shape != (len(keys), len(infos)):
        return False
    masks = np.ones(values.shape, np.bool_)
    for key, row, mask in zip(keys, values, masks, strict=True):
        merged[key] = row
        merged[f"_{key}"] = mask
    return True


def _is_number(kind: type) -> bool:
    return kind in PLAIN_NUMBERS or issubclass(kind, np.number)


def _add_value(merged: Info, key: str, value: Any, index: int, num_envs: int) -> None:
    """Put one value of one environment in its place; the first value of a key decides the array's type."""
    if isinstance(value, dict) and key != "final_obs":
        inner = merged.setdefault(key, {})
        for inner_key, inner_value in value.items():
            _add_value(inner, inner_key, inner_value, index, num_envs)
    else:
        if key not in merged:
            merged[key] = _empty_column(key, value, num_envs)
        merged[key][index] = value
    mask = f"_{key}"
    if mask not in merged:
        merged[mask] = np.zeros(num_envs, np.bool_)
    merged[mask][index] = True


def _empty_column(key: str, value: Any, num_envs: int) -> NDArray[Any]:
    if key != "final_obs":
        if _is_number(type(value)):
            return np.zeros(num_envs, dtype=type(value))
        if isinstance(value, np.ndarray):
            return np.zeros((num_envs, *value.shape), dtype=value.dtype)
    return np.full(num_envs, None, dtype=object)


def gather_infos(
    buffers: Buffers,
    notes: Sequence[Note],
    policy: InfoPolicy,
    among: NDArray[np.bool_] | None = None,
    at_reset: bool = False,
) -> Info:
    """All infos of a step or reset in Gymnasium's form; `among` limits them to some environments."""
    num_envs = len(buffers.rewards)
    merged = _stored_infos(buffers, among) if buffers.info_values else {}
    if buffers.finals is not None and not at_reset:
        ended = buffers.terminations | buffers.truncations
        if among is not None:
            ended &= among
        if ended.any():
            merged.update(_final_infos(buffers.finals, ended, notes, policy))
    if notes:
        stored = policy.stored_keys
        entries = [(index, _without(info, stored)) for index, _, info in notes if info]
        merged.update(merge_infos(entries, num_envs))
    return merged


def _without(info: Info, keys: tuple[str, ...]) -> Info:
    return {key: value for key, value in info.items() if key not in keys} if keys else info


def _final_infos(finals: Tree, ended: NDArray[np.bool_], notes: Sequence[Note], policy: InfoPolicy) -> Info:
    """Last observations and infos of episodes, where the same step already began the next."""
    num_envs = len(ended)
    observations = np.full(num_envs, None, dtype=object)
    for index in np.flatnonzero(ended).tolist():
        observations[index] = row_of(finals, index)
    merged: Info = {"final_obs": observations, "_final_obs": ended}
    entries = [(index, info) for index, info, _ in notes if info]
    if entries or policy.mode != "lean":
        merged |= {"final_info": merge_infos(entries, num_envs), "_final_info": ended.copy()}
    return merged


def _stored_infos(buffers: Buffers, among: NDArray[np.bool_] | None) -> Info:
    """The infos that live in shared memory; what is missing reads as zero."""
    merged: Info = {}
    for key, column in buffers.info_values.items():
        present = buffers.info_present[key]
        has = present.copy() if among is None else present & among
        if not has.any():
            continue
        merged[key] = column.copy()
        if not has.all():
            merged[key][~has] = 0
        merged[f"_{key}"] = has
    return merged
