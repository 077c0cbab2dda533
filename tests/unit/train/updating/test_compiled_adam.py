"""Adam's numbers, Adam's state, without Adam's time."""

from __future__ import annotations

import copy

import torch
from torch import nn

from goldsplit.train.updating.compiled_adam import CompiledAdam


def weights(seed: int) -> list[nn.Parameter]:
    torch.manual_seed(seed)
    return [nn.Parameter(torch.randn(size)) for size in ((8, 5), (8,), (3, 8), (3,))]


def both() -> tuple[torch.optim.Adam, list[torch.optim.Optimizer], torch.optim.Adam]:
    """An Adam, what makes its steps beside another Adam, and that one."""
    ours, theirs = torch.optim.Adam(weights(1), lr=3e-3, fused=True), torch.optim.Adam(weights(1), lr=3e-3)
    return ours, [CompiledAdam(ours), theirs], theirs


def step_all(optimizers: list[torch.optim.Optimizer], seed: int) -> None:
    """The same gradients for each of them; new tensors, as after `zero_grad()`."""
    torch.manual_seed(seed)
    sets = [optimizer.param_groups[0]["params"] for optimizer in optimizers]
    for alike in zip(*sets, strict=True):
        gradient = torch.randn_like(alike[0])
        for weight in alike:
            weight.grad = gradient.clone()
    for optimizer in optimizers:
        optimizer.step()


def test_the_numbers_are_those_of_adam() -> None:
    ours, steppers, theirs = both()
    for seed in range(50):
        step_all(steppers, seed)
    mine, others = ours.state_dict(), theirs.state_dict()
    for key, state in others["state"].items():
        for name, value in state.items():
            torch.testing.assert_close(mine["state"][key][name], value)
    for one, other in zip(ours.param_groups[0]["params"], theirs.param_groups[0]["params"], strict=True):
        torch.testing.assert_close(one, other)


def test_it_goes_on_from_a_loaded_state_and_with_another_rate() -> None:
    ours, steppers, theirs = both()
    step_all(steppers, 0)
    step_all([theirs], 1)
    with torch.no_grad():
        for one, other in zip(ours.param_groups[0]["params"], theirs.param_groups[0]["params"], strict=True):
            one.copy_(other)
    ours.load_state_dict(copy.deepcopy(theirs.state_dict()))
    for optimizer in (ours, theirs):
        optimizer.param_groups[0]["lr"] = 1e-2
    step_all(steppers, 2)
    for one, other in zip(ours.param_groups[0]["params"], theirs.param_groups[0]["params"], strict=True):
        torch.testing.assert_close(one, other)
