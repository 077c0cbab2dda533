"""Make one environment, and say at once if it is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

NEEDED = ("observation_space", "action_space", "reset", "step", "close")


def make_environment(env_fn: Callable[[], Any]) -> Any:
    """What `env_fn` makes, which must have what Gymnasium's environments have."""
    env = env_fn()
    missing = [name for name in NEEDED if not hasattr(env, name)]
    if missing:
        raise TypeError(
            f"{type(env).__name__} is not a Gymnasium environment: it has no {', '.join(missing)}\n"
            "hint: derive the class from gymnasium.Env and give it its spaces; docs/fast/vector.md shows how"
        )
    return env
