"""Methods of the user's own networks that serve two purposes: acting in a rollout, learning in an update.

Besides calling its modules, such a method makes a distribution, a sample and its log-probability. With small
modules that costs as much as they do, and it has the same purpose. The purpose is found as for a single
forward pass: by what follows calls from the same place.
"""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any

from goldsplit.record.inside.core import enter_forward, leave_forward
from goldsplit.record.inside.framed_calls import named
from goldsplit.record.inside.span_wrapping import is_staged

TWO_PURPOSES = (
    "act_and_value",
    "action_and_value",
    "get_action_and_log_prob",
    "get_action_and_logprob",
    "get_action_and_value",
    "get_action_and_values",
)


def stage_networks(cls: type) -> None:
    """Stage a class's own methods that act and learn; nothing where the program has no torch."""
    torch = sys.modules.get("torch")
    for name in TWO_PURPOSES if torch is not None else ():
        method = vars(cls).get(name)
        if isinstance(method, FunctionType) and not is_staged(method):
            setattr(cls, name, by_purpose(method, torch.is_grad_enabled))  # type: ignore[union-attr]


def by_purpose(method: FunctionType, wants_gradients: Any) -> Any:
    """`method`, each call a span of `act` or of `learn.forward`."""

    def network(*args: Any, **kwargs: Any) -> Any:
        node = enter_forward(wants_gradients)
        if node is False:  # inside another one
            return method(*args, **kwargs)
        try:
            return method(*args, **kwargs)
        finally:
            leave_forward(node)

    return named(network, method, "forward")
