"""A masked categorical distribution for the update: differentiable, on any device, without validation.

``torch.distributions.Categorical`` checks its arguments on every construction and normalises again for each
question; sb3-contrib's masked one builds its parent twice. This one normalises once and answers from that.

    policy = MaskedCategorical(logits, mask)
    loss = -(policy.log_prob(actions) * advantages).mean() - 0.01 * policy.entropy().mean()
"""

from __future__ import annotations

from typing import TypeAlias

import torch

__all__ = ["MaskedCategorical"]

Tensor: TypeAlias = torch.Tensor


class MaskedCategorical:
    """Distribution over the last axis of ``logits``; ``mask`` is True where an action is allowed.

    ``check=True`` refuses rows without an allowed action. It is on by default on the CPU and off on other
    devices, where it would wait for the device in every forward pass.
    """

    __slots__ = ("log_probs", "probs")

    def __init__(self, logits: Tensor, mask: Tensor | None = None, *, check: bool | None = None) -> None:
        if mask is not None:
            allowed = mask if mask.dtype == torch.bool else mask != 0
            if allowed.shape != logits.shape and allowed.shape != logits.shape[-1:]:
                raise ValueError(
                    f"mask must have shape {tuple(logits.shape)} to go with logits, got {tuple(mask.shape)}"
                )
            if logits.device.type == "cpu" if check is None else check:
                _refuse_empty_rows(allowed)
            # Half of the lowest number: -inf would make 0 * -inf = NaN in the entropy, the lowest itself can
            # overflow to it when the row is normalised in half precision.
            logits = logits.masked_fill(~allowed, torch.finfo(logits.dtype).min / 2)
        self.log_probs = torch.log_softmax(logits, dim=-1)
        self.probs = self.log_probs.exp()

    def sample(self, generator: torch.Generator | None = None) -> Tensor:
        """One action per row, without gradient."""
        with torch.no_grad():
            # The smallest of independent exponential waiting times falls on an action with its probability;
            # one argmax instead of the checks and copies of multinomial.
            waits = torch.empty_like(self.probs).exponential_(generator=generator)
            return (self.probs / waits).argmax(dim=-1)

    def log_prob(self, actions: Tensor) -> Tensor:
        """Log-probability of the given actions (any integer dtype)."""
        return self.log_probs.gather(-1, actions.long().unsqueeze(-1)).squeeze(-1)

    def entropy(self) -> Tensor:
        """Entropy over the allowed actions, in nats."""
        return -(self.probs * self.log_probs).sum(dim=-1)

    def mode(self) -> Tensor:
        """The likeliest action of each row."""
        return self.log_probs.argmax(dim=-1)


def _refuse_empty_rows(allowed: Tensor) -> None:
    rows = allowed.any(dim=-1)
    if not bool(rows.all()):
        first = int((~rows.reshape(-1)).nonzero()[0])
        raise ValueError(
            f"no action can be chosen in row {first} of {rows.numel()}: all {allowed.shape[-1]} are masked\n"
            "hint: an environment must allow at least one action, for example passing, until its episode ends"
        )
