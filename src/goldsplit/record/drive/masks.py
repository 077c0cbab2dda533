"""Where an environment says which actions are valid, and its answer in one form."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

#: In this order; methods or plain attributes, also of a wrapped environment.
_MASK_NAMES = ("action_masks", "action_mask", "get_action_mask", "get_action_masks", "valid_action_mask")
_LIST_NAMES = ("valid_actions", "legal_actions", "get_valid_actions", "get_legal_actions", "legal_moves")
#: Keys of an info or of a dict observation.
_KEYS = ("action_mask", "action_masks", "valid_actions", "legal_actions")

Read = Callable[[Any, Any], Any]
"""(observation, info) → the mask as the environment gives it."""


@dataclass(frozen=True, slots=True)
class MaskSource:
    """How to ask for a mask."""

    name: str
    read: Read
    lists_actions: bool
    """It lists the valid actions; otherwise it is a mask with a place for every action."""
    calls: bool = True
    """Asking for it calls the environment's code; otherwise it came with the observation or the info."""


def find_mask(env: Any, observation: Any, info: Any, hook: Callable[[Any], Any] | None) -> MaskSource | None:
    """The user's hook, a method of the environment, its info, its observation; None: no mask anywhere."""
    if hook is not None:
        return MaskSource("--mask", lambda _obs, _info: hook(env), lists_actions=False)
    for name in (*_MASK_NAMES, *_LIST_NAMES):
        found = attribute(env, name)
        if callable(found):
            if _needs_nothing(found):
                return MaskSource(f"{name}()", _calling(found), name in _LIST_NAMES)
        elif found is not None and not isinstance(found, str):
            return MaskSource(name, lambda _o, _i, n=name: attribute(env, n), name in _LIST_NAMES)  # type: ignore[misc]
    for place, held in (("info", info), ("observation", observation)):
        for key in _KEYS:
            if isinstance(held, dict) and held.get(key) is not None:
                return MaskSource(f"{key} in the {place}", _from(place, key), key in _LIST_NAMES, calls=False)
    return None


def _calling(method: Callable[[], Any]) -> Read:
    return lambda _observation, _info: method()


def _from(place: str, key: str) -> Read:
    if place == "info":
        return lambda _observation, info: info.get(key)
    return lambda observation, _info: observation[key]


def attribute(env: Any, name: str) -> Any:
    """An attribute of an environment or of what it wraps; None if there is none."""
    found = getattr(env, name, None)
    if found is not None:
        return found
    get_wrapper_attr = getattr(env, "get_wrapper_attr", None)
    try:
        if get_wrapper_attr is not None:
            return get_wrapper_attr(name)
        return getattr(getattr(env, "unwrapped", None), name, None)
    except Exception:  # which error says that there is none differs between versions
        return None


def _needs_nothing(method: Callable[..., Any]) -> bool:
    """Whether a method can be called without arguments."""
    try:
        inspect.signature(method).bind()
    except TypeError:
        return False
    except ValueError:  # a C function that does not tell
        return True
    return True


def valid_places(mask: Any) -> list[int]:
    """The places of a flat mask at which it is true; one of shape (1, n) is flat too."""
    if (getattr(mask, "ndim", 1) == 2 and len(mask) == 1) or (
        isinstance(mask, list | tuple) and len(mask) == 1 and hasattr(mask[0], "__len__")
    ):
        mask = mask[0]
    if hasattr(mask, "nonzero") and getattr(mask, "ndim", 1) == 1:
        found = mask.nonzero()
        return list((found[0] if isinstance(found, tuple) else found.reshape(-1)).tolist())
    return [place for place, valid in enumerate(mask) if valid]


def settle(source: MaskSource, first: Any, size: int | None) -> MaskSource:
    """Decide by the first answer whether a source gives a mask or lists the valid actions."""
    if source.name == "--mask":
        return replace(source, lists_actions=not is_mask(first, size))
    return replace(source, lists_actions=False) if has_only_bools(first) else source


def is_mask(value: Any, size: int | None) -> bool:
    """Whether a value has True or False for each of `size` actions."""
    if has_only_bools(value) or getattr(value, "ndim", 1) > 1:
        return True
    entries = _entries(value)
    return size is not None and len(entries) == size and all(entry in (0, 1) for entry in entries)


def has_only_bools(value: Any) -> bool:
    """Whether a value holds nothing but True and False."""
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    if kind is not None:
        return bool(kind == "b")
    entries = _entries(value)
    return bool(entries) and all(isinstance(entry, bool) for entry in entries)


def valid_actions(given: Any, source: MaskSource) -> list[Any]:
    """The valid actions: places of a mask, or the listed actions in order."""
    return in_order(_entries(given)) if source.lists_actions else valid_places(given)


def _entries(value: Any) -> list[Any]:
    return list(value.tolist()) if hasattr(value, "tolist") else list(value)


def in_order(actions: list[Any]) -> list[Any]:
    """Sorted where possible: sets of strings have another order in every process."""
    try:
        return sorted(actions)
    except TypeError:
        return actions
