"""Steps of a vector environment in which some of its environments were only reset.

Gymnasium (since 1.0) and EnvPool begin an ended environment's next episode with the *next* step: the action
for it is ignored, no move is made. Those are not environment steps.
"""

from __future__ import annotations

import sys
from typing import Any
from weakref import WeakKeyDictionary

from goldsplit.record.inside.hooks.step_results import ended_places, is_time_step

#: Vector environment → the places of its environments that the next step will only reset; None: it does not
#: do so.
_waiting: WeakKeyDictionary[Any, set[int] | None] = WeakKeyDictionary()


def resets_with_next_step(env: Any) -> bool:
    """Whether a vector environment resets ended ones with the step after."""
    return _open(env) is not None


def only_reset(env: Any, result: Any) -> int:
    """How many environments of one step were only reset in it; remembers which ended now."""
    base = _base(env)
    before = _open(env)
    if before is None or is_time_step(result) or not isinstance(result, tuple) or len(result) < 4:
        return 0
    ended, ids = ended_places(result), _ids(result[-1])
    if ids is None:
        _waiting[base] = set(ended)
        return len(before)
    here = set(ids)
    _waiting[base] = (before - here) | {ids[place] for place in ended}
    return len(before & here)


def was_reset(env: Any, all_only_reset: int = 0) -> None:
    """All environments begin anew; after an asynchronous reset the next result of each is only that. A reset
    of some leaves the others as they were, where the environment says so."""
    base = _base(env)
    if _open(env) is None:
        return
    left = getattr(base, "_autoreset_envs", None)
    _waiting[base] = set(range(all_only_reset)) if left is None else set(left.nonzero()[0].tolist())


def _base(env: Any) -> Any:
    return getattr(env, "unwrapped", env)


def _open(env: Any) -> set[int] | None:
    base = _base(env)
    try:
        return _waiting[base]
    except KeyError:
        found: set[int] | None = set() if _says_next_step(env, base) else None
        _waiting[base] = found
        return found


def _says_next_step(env: Any, base: Any) -> bool:
    if any(cls.__name__ == "EnvPoolMixin" for cls in type(base).__mro__):
        return True
    metadata = getattr(env, "metadata", None)
    mode = metadata.get("autoreset_mode") if isinstance(metadata, dict) else None
    if mode is not None:
        return getattr(mode, "name", mode) in ("NEXT_STEP", "NextStep")
    if not type(base).__module__.startswith("gymnasium.vector"):
        return False
    version = getattr(sys.modules.get("gymnasium"), "__version__", "")
    return str(version).startswith("1.")  # 1.0 had no other way, and no word for it


def _ids(info: Any) -> list[int] | None:
    """EnvPool's answers may be of some of its environments; then their numbers are in the info."""
    ids = info.get("env_id") if isinstance(info, dict) else None
    return None if ids is None else [int(one) for one in ids]
