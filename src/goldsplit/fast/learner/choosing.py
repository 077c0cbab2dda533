"""Choosing actions on the device, without a wait: parts for a graphed forward pass."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from torch.distributions import Categorical, Distribution, Normal

from goldsplit.fast.categorical_torch import MaskedCategorical


def sample_masked(
    logits: torch.Tensor, mask: torch.Tensor | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """One action per row by its probability, never a masked one, and its log-probability.

    A row that allows nothing is not noticed on the device (that would be a wait): check masks on the host.
    """
    policy = MaskedCategorical(logits, mask, check=False)
    actions = policy.sample()
    return actions, policy.log_prob(actions)


def epsilon_greedy(
    values: torch.Tensor, epsilon: torch.Tensor, mask: torch.Tensor | None = None
) -> torch.Tensor:
    """The best allowed action of each row, or with the probability `epsilon` (a tensor) any allowed one."""
    lowest = torch.finfo(values.dtype).min
    lots = torch.rand_like(values)
    if mask is not None:
        values = values.masked_fill(~mask, lowest)
        lots = lots.masked_fill(~mask, -1.0)
    explores = torch.rand(values.shape[:-1], device=values.device) < epsilon
    return torch.where(explores, lots.argmax(dim=-1), values.argmax(dim=-1))


@contextlib.contextmanager
def distributions_for_graphs() -> Iterator[None]:
    """`torch.distributions` without its waits: no argument checks, and samples drawn on the device alone.

    The draws are those that torch makes after its checks: the same law, from the same generator.
    """
    checked = Distribution._validate_args
    samplers = {kind: kind.sample for kind in (Categorical, Normal)}
    Distribution.set_default_validate_args(False)
    Categorical.sample, Normal.sample = _sample_categorical, _sample_normal
    try:
        yield
    finally:
        Distribution.set_default_validate_args(checked)
        for kind, sampler in samplers.items():
            kind.sample = sampler


def _sample_categorical(self: Any, sample_shape: Any = ()) -> torch.Tensor:
    with torch.no_grad():
        probs = self.probs.expand(*sample_shape, *self.probs.shape)
        waits = torch.empty_like(probs, memory_format=torch.contiguous_format).exponential_()
        return (probs / waits).argmax(dim=-1)


def _sample_normal(self: Any, sample_shape: Any = ()) -> Any:
    with torch.no_grad():
        return self.rsample(torch.Size(sample_shape))
