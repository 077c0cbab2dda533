"""Optimizers inside a graph: their step counts and learning rates must be tensors on the device.

A graph repeats device work with the same numbers. A learning rate or a step count that Python keeps would be
the one of the capture for ever. So Adam and its kin are switched to their capturable form (fused where torch
has it), and each learning rate becomes a tensor that is refilled whenever a schedule sets another number.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any

import torch

_FUSED = (torch.optim.Adam, torch.optim.AdamW, torch.optim.SGD)
_STATELESS_STEP = (torch.optim.SGD,)  # no step count; not fused, its learning rate is part of the graph's key
_SWITCHED = ("capturable", "fused", "foreach")
# What the groups of an optimizer said before they were switched.
_BEFORE: weakref.WeakKeyDictionary[Any, list[dict[str, Any]]] = weakref.WeakKeyDictionary()


def refusal(optimizers: Iterable[Any]) -> str:
    """Why one of the optimizers cannot be part of a graph; empty if all can."""
    for optimizer in optimizers:
        if "capturable" not in optimizer.defaults and not isinstance(optimizer, _STATELESS_STEP):
            return f"{type(optimizer).__name__} has no capturable form: it counts its steps in Python"
    return ""


class GraphedOptimizer:
    """One optimizer, switched to its capturable form, with learning rates that follow the user's."""

    def __init__(self, optimizer: Any, fused: bool) -> None:
        self.optimizer = optimizer
        if optimizer not in _BEFORE:
            _BEFORE[optimizer] = [
                {key: group[key] for key in _SWITCHED if key in group} for group in optimizer.param_groups
            ]
        self._state, self._groups = optimizer.state, optimizer.param_groups
        self._rates = [self._switch(group, fused) for group in optimizer.param_groups]
        first = [group["params"][0] for group in optimizer.param_groups]
        self._places = [(parameter, parameter.data_ptr()) for parameter in first]

    def _switch(self, group: dict[str, Any], fused: bool) -> list[Any] | None:
        """Make a group capturable; its rate as a tensor and a number, or None if it stays a number."""
        fused = fused and isinstance(self.optimizer, _FUSED) and not group.get("differentiable")
        if fused and all(parameter.is_floating_point() for parameter in group["params"]):
            group["fused"], group["foreach"] = True, False
        elif "capturable" in group and not group.get("differentiable"):
            group["foreach"] = True  # the form parameter by parameter reads learning rates back
        if "capturable" in group:
            group["capturable"] = True
        elif not group.get("fused"):
            return None
        device = group["params"][0].device
        for parameter in group["params"]:
            state = self.optimizer.state.get(parameter, {})
            if isinstance(state.get("step"), torch.Tensor):
                state["step"] = state["step"].to(device, torch.float32)
        rate = float(group["lr"])
        group["lr"] = torch.tensor(rate, dtype=torch.float32, device=device)
        return [group["lr"], rate]

    def stale(self) -> bool:
        """The state was loaded anew, or the weights were moved: captured addresses are wrong."""
        optimizer = self.optimizer
        if optimizer.state is not self._state or optimizer.param_groups is not self._groups:
            return True
        if len(self._groups) != len(self._rates):
            return True
        return any(parameter.data_ptr() != place for parameter, place in self._places)

    def follow_rates(self) -> tuple[float, ...]:
        """Take over learning rates that were set since; those that a graph has as numbers are returned."""
        fixed = []
        for group, known in zip(self.optimizer.param_groups, self._rates, strict=True):
            rate = group["lr"]
            if known is None:
                fixed.append(float(rate))
            elif rate is not known[0]:
                known[1] = float(rate)
                known[0].fill_(known[1])
                group["lr"] = known[0]
        return tuple(fixed)


def plain_state_dict(optimizer: Any) -> dict[str, Any]:
    """The state dict as before the switch: it loads into any optimizer of the class, on any device."""
    state: dict[str, Any] = optimizer.state_dict()
    groups = state["param_groups"]
    for group, before in zip(groups, _BEFORE.get(optimizer, [{}] * len(groups)), strict=False):
        group.update(before)
        group["lr"] = float(group["lr"])
    return state
