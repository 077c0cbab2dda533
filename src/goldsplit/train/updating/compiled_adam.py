"""Adam for small networks on the CPU as one compiled pass over all weights: the same numbers, up to rounding.

For some ten thousand weights `torch.optim.Adam` spends most of a step on getting at them: lists of tensors by
device and type, counters one by one, checks. Here the arrays behind weights, gradients and moments are found
once, and looked for again only when one of them was replaced.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import torch
from numba import njit


class CompiledAdam(torch.optim.Adam):
    """Makes the steps of another Adam: without weight decay, over contiguous 32-bit weights on the CPU that
    all have a gradient. Options and state stay with that one, so that its checkpoints are the training's."""

    def __init__(self, adam: torch.optim.Adam) -> None:
        super().__init__(adam.param_groups[0]["params"])
        self._adam = adam
        self._found_in: Any = None
        self._gradients: list[Any] = []
        self._arrays: tuple[Any, ...] = ()

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:
        """One step along the gradients that are there."""
        (group,) = self._adam.param_groups
        gradients = [weight.grad for weight in group["params"]]
        same = all(map(operator.is_, gradients, self._gradients))  # a loaded state is another dictionary
        if not same or len(gradients) != len(self._gradients) or self._adam.state is not self._found_in:
            self._find(group["params"], gradients)
        beta1, beta2 = group["betas"]
        adam_step(*self._arrays, float(group["lr"]), beta1, beta2, group["eps"])

    def _find(self, weights: list[torch.Tensor], gradients: list[torch.Tensor | None]) -> None:
        """The arrays behind the weights, their gradients, moments and counters."""
        parts = []
        for weight in weights:
            state = self._adam.state[weight]
            if not state:
                state["step"] = torch.zeros(())
                state["exp_avg"], state["exp_avg_sq"] = torch.zeros_like(weight), torch.zeros_like(weight)
            assert weight.grad is not None, "a weight without a gradient"
            own = (weight, weight.grad, state["exp_avg"], state["exp_avg_sq"], state["step"])
            parts.append([part.detach().view(-1).numpy() for part in own])
        self._arrays = tuple(zip(*parts, strict=True))
        self._found_in, self._gradients = self._adam.state, gradients


@njit(cache=True, error_model="numpy")
def adam_step(
    weights: Any,
    gradients: Any,
    means: Any,
    squares: Any,
    steps: Any,
    rate: float,
    beta1: float,
    beta2: float,
    small: float,
) -> None:
    """Move all weights; every argument but the numbers is a tuple of flat arrays, one for each weight."""
    for k in range(len(weights)):
        weight, gradient, mean, square = weights[k], gradients[k], means[k], squares[k]
        steps[k][0] += np.float32(1.0)
        count = np.float64(steps[k][0])
        size = np.float32(rate / (1.0 - beta1**count))
        root = np.float32(1.0 / np.sqrt(1.0 - beta2**count))
        new1, old2, new2 = np.float32(1.0 - beta1), np.float32(beta2), np.float32(1.0 - beta2)
        least = np.float32(small)
        for i in range(weight.size):
            one = gradient[i]
            mean[i] += new1 * (one - mean[i])
            square[i] = old2 * square[i] + new2 * one * one
            weight[i] -= size * mean[i] / (np.sqrt(square[i]) * root + least)
