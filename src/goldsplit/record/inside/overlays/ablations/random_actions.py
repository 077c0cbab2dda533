"""Actions are drawn at random from earlier ones instead of being computed.

## What it changes

The first 100 answers of functions of the stage `act` are kept; later calls are not made and get one of
these, drawn at random. Random numbers of the program are left alone.

## When it helps

To see how fast the training would be if choosing an action cost nothing, with an environment that still
plays.

## When not

Only calls of functions and methods that choose an action are replaced (`select_action`, `predict`,
`_sample_action` of Stable-Baselines3, and the policy of its PPO and A2C while they play); where the network
itself is called in the loop, nothing is changed, and the report says so. With action masks, an earlier action
may be illegal now.
"""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any

from goldsplit.model.overlays.overlay import CALLS_MADE
from goldsplit.model.stage import ACT
from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.overlays.by_stage import instead_of
from goldsplit.record.inside.overlays.changes import Changes
from goldsplit.record.inside.overlays.kept_answers import CannotKeep, copy_of

KEPT_ANSWERS = 100


def install(changes: Changes, argument: str) -> None:
    """Answer in the place of the stage's functions."""
    answers: dict[Any, list[Any]] = {}
    drawn = [1]

    def draw(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return drawn_for(getattr(function, "__qualname__", ""), function, args, kwargs)

    def drawn_for(key: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        kept = answers.setdefault(key, [])
        if len(kept) < KEPT_ANSWERS:
            changes.see(CALLS_MADE)
            result = function(*args, **kwargs)
            try:
                kept.append(copy_of(result))
            except CannotKeep:
                changes.see("answers that could not be kept")
            return result
        drawn[0] = (drawn[0] * 1103515245 + 12345) & 0x7FFFFFFF
        changes.count("actions drawn from earlier ones")
        return copy_of(kept[(drawn[0] >> 8) % KEPT_ANSWERS])

    instead_of(ACT, draw)
    when_imported("stable_baselines3.common.policies", functools.partial(_change_policy, drawn_for))


def _change_policy(drawn_for: Any, module: ModuleType) -> None:
    """Stable-Baselines3's PPO and A2C call the policy itself while they play, and only then; what it answers
    (actions, values, probabilities) belongs together, and to that many games."""
    real = module.ActorCriticPolicy.forward

    @functools.wraps(real)
    def forward(self: Any, obs: Any, *args: Any, **kwargs: Any) -> Any:
        games = getattr(obs, "shape", (None,))[:1]
        return drawn_for((real.__qualname__, *games), real, (self, obs, *args), kwargs)

    module.ActorCriticPolicy.forward = forward
