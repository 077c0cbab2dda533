"""Infos of steps keep only what libraries need.

## What it changes

The info that an environment's `step` returns is reduced to `episode`, `terminal_observation`,
`final_info`, `final_obs`, `final_observation`, `TimeLimit.truncated`, `is_success`, `action_mask` and
`action_masks`.

## When it helps

Where workers send large infos in each step: pickling and sending them costs more than the observation.
The rule [fat-info](../rules/fat-info.md) says how much, and which keys.

## For good

Build the info only where an episode ends, or behind a flag.

## When not

Where the training reads other keys of the info: it then fails with a KeyError, or misses them in silence.
"""

from __future__ import annotations

from typing import Any

from goldsplit.model.stage import ENV_STEP
from goldsplit.record.inside.overlays.by_stage import instead_of
from goldsplit.record.inside.overlays.changes import Changes

NEEDED = frozenset(
    {
        "TimeLimit.truncated",
        "action_mask",
        "action_masks",
        "episode",
        "final_info",
        "final_obs",
        "final_observation",
        "is_success",
        "terminal_observation",
    }
)


def install(changes: Changes, argument: str) -> None:
    """Reduce the infos of all steps."""

    def lean(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        result = function(*args, **kwargs)
        if type(result) is not tuple or len(result) < 4 or type(result[-1]) is not dict:
            return result
        info = result[-1]
        if NEEDED.issuperset(info):
            return result
        changes.count("infos made smaller")
        return (*result[:-1], {key: value for key, value in info.items() if key in NEEDED})

    instead_of(ENV_STEP, lean)
