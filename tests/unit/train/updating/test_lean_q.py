"""The update without autograd gives what autograd gives, for every kind of network that it takes."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from goldsplit.train.memories import Batch
from goldsplit.train.networks import QNetwork
from goldsplit.train.updating.lean_q import LeanUpdate, Rule, fits

ROWS, INPUTS, ACTIONS = 48, 7, 4


def batch(seed: int) -> Batch:
    rng = np.random.default_rng(seed)
    masks = rng.random((ROWS, ACTIONS)) < 0.5
    masks[:, 2] = True
    return Batch(
        rng.standard_normal((ROWS, INPUTS)).astype(np.float32),
        rng.integers(0, ACTIONS, ROWS),
        (2 * rng.standard_normal(ROWS)).astype(np.float32),
        np.full(ROWS, 0.9, np.float32),
        rng.random(ROWS) < 0.3,
        rng.standard_normal((ROWS, INPUTS)).astype(np.float32),
        masks,
        np.arange(ROWS),
        rng.random(ROWS).astype(np.float32),
    )


def reference(online: nn.Module, target: nn.Module, optimizer: Any, rows: Batch, rule: Rule) -> Any:
    """The same update with autograd."""
    parts = {name: torch.from_numpy(np.asarray(value)) for name, value in rows._asdict().items()}
    with torch.no_grad():
        worth = target(parts["next_obs"])
        scores = online(parts["next_obs"]) if rule.double else worth
        best = scores.masked_fill(~parts["next_mask"], -torch.inf).argmax(1, keepdim=True)
        future = worth.gather(1, best).squeeze(1)
        wanted = parts["reward"] + parts["discount"] * ~parts["terminated"] * future
    errors = online(parts["obs"]).gather(1, parts["action"].unsqueeze(1)).squeeze(1) - wanted
    huber = nn.functional.huber_loss(errors, torch.zeros_like(errors), reduction="none")
    loss = (parts["weights"] * huber).mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(online.parameters(), rule.max_grad_norm)
    optimizer.step()
    return loss.item(), errors.detach().abs().numpy() + rule.smallest_priority


@pytest.mark.parametrize("hidden", [(16,), (32, 16), (8, 8, 8)])
@pytest.mark.parametrize("double", [True, False])
@pytest.mark.parametrize("max_grad_norm", [0.02, 100.0])
def test_many_updates_are_those_of_autograd(
    hidden: tuple[int, ...], double: bool, max_grad_norm: float
) -> None:
    torch.manual_seed(1)
    rule = Rule(ROWS, double, max_grad_norm, 1e-6)
    online, target = QNetwork((INPUTS,), ACTIONS, hidden), QNetwork((INPUTS,), ACTIONS, hidden)
    twin = copy.deepcopy(online)
    optimizers = [torch.optim.Adam(net.parameters(), lr=1e-3, eps=1e-4, fused=True) for net in (online, twin)]
    lean = LeanUpdate(online, target, optimizers[0], rule)
    for step in range(30):
        rows = batch(step)
        loss, priorities = lean(rows)
        expected, expected_priorities = reference(twin, target, optimizers[1], rows, rule)
        assert loss == pytest.approx(expected, rel=1e-4)
        np.testing.assert_allclose(priorities, expected_priorities, rtol=1e-3, atol=1e-4)
    for one, other in zip(online.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-4)


def test_a_state_loaded_meanwhile_is_used() -> None:
    """Weights are read where the network keeps them, and loading writes there."""
    rule = Rule(ROWS, True, 10.0, 1e-6)
    online, target = QNetwork((INPUTS,), ACTIONS, (16,)), QNetwork((INPUTS,), ACTIONS, (16,))
    lean = LeanUpdate(online, target, torch.optim.Adam(online.parameters(), lr=0.0), rule)
    first, _ = lean(batch(0))
    other = QNetwork((INPUTS,), ACTIONS, (16,))
    online.load_state_dict(other.state_dict())
    second, _ = lean(batch(0))
    expected, _ = reference(other, target, torch.optim.Adam(other.parameters(), lr=0.0), batch(0), rule)
    assert second == pytest.approx(expected, rel=1e-4)
    assert first != pytest.approx(second, rel=1e-4)


def test_gradients_that_were_taken_away_are_put_back() -> None:
    rule = Rule(ROWS, True, 10.0, 1e-6)
    online, target = QNetwork((INPUTS,), ACTIONS, (16,)), QNetwork((INPUTS,), ACTIONS, (16,))
    optimizer = torch.optim.Adam(online.parameters(), lr=1e-2)
    lean = LeanUpdate(online, target, optimizer, rule)
    for _ in range(2):
        before = online.head.weight.detach().clone()
        lean(batch(0))
        assert not torch.equal(before, online.head.weight)
        optimizer.zero_grad(set_to_none=True)


def test_it_fits_linear_layers_alone() -> None:
    assert fits(QNetwork((INPUTS,), ACTIONS, (16, 16)))
    assert not fits(QNetwork((INPUTS,), ACTIONS, (16,), dueling=True))
    assert not fits(QNetwork((3, 84, 84), ACTIONS, (16,)))
    assert not fits(QNetwork((5, 2), ACTIONS, (16,)))
    assert not fits(nn.Linear(3, 2))
