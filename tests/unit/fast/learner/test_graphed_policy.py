"""GraphedPolicy: arrays in, arrays out, by recorded graphs and without; choosing actions on the device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.distributions import Categorical, Distribution, Normal

from goldsplit.fast.learner import GraphedPolicy, GraphOptions, epsilon_greedy, sample_masked
from goldsplit.fast.learner.choosing import distributions_for_graphs

PROBABILITIES = np.array([0.1, 0.2, 0.7, 1.0], np.float32)
MASK = np.array([True, True, True, False])


def network() -> nn.Module:
    torch.manual_seed(0)
    return nn.Linear(6, 4)


@pytest.mark.parametrize("envs", [1, 5])
def test_it_acts_as_the_network_does(envs: int, graphs: Any) -> None:
    net = network()
    act = GraphedPolicy(lambda x: {"best": net(x).argmax(1), "values": net(x)}, device="cpu", backend=graphs)
    kept = []
    for i in range(7):
        x = np.random.default_rng(i).random((envs, 6), np.float32)
        found = act(x)
        expected = net(torch.from_numpy(x)).detach().numpy()
        np.testing.assert_allclose(found["values"], expected, rtol=1e-5)
        assert found["best"].tolist() == expected.argmax(1).tolist()
        kept.append((found["values"], expected))
    assert act.mode == "graph", act.reason
    for values, expected in kept:  # results belong to the caller
        np.testing.assert_allclose(values, expected, rtol=1e-5)


def test_without_a_device_it_says_so_and_learns_nothing() -> None:
    net = network()
    act = GraphedPolicy(net, device="cpu")
    values = act(np.ones((2, 6), np.float32))
    assert isinstance(values, np.ndarray)
    assert (act.mode, act.reason) == ("eager", "the device is cpu: only CUDA devices have graphs")


def test_bfloat16_results_come_as_float32(graphs: Any) -> None:
    act = GraphedPolicy(network(), device="cpu", backend=graphs, options=GraphOptions(amp=True))
    for _ in range(5):
        assert act(np.ones((2, 6), np.float32)).dtype == np.float32
    assert act.mode == "graph", act.reason


def test_new_weights_are_used_at_once(graphs: Any) -> None:
    net = network()
    act = GraphedPolicy(net, device="cpu", backend=graphs)
    x = np.ones((2, 6), np.float32)
    for _ in range(5):
        before = act(x)
    with torch.no_grad():
        net.bias += 1.0
    np.testing.assert_allclose(act(x), before + 1.0, rtol=1e-5)


def test_masked_samples_follow_the_probabilities(graphs: Any) -> None:
    torch.manual_seed(0)
    rows = 5000
    act = GraphedPolicy(lambda logits, mask: sample_masked(logits, mask), device="cpu", backend=graphs)
    logits, mask = np.tile(np.log(PROBABILITIES), (rows, 1)), np.tile(MASK, (rows, 1))
    for _ in range(6):
        actions, log_probs = act(logits, mask)
    assert act.mode == "graph", act.reason
    np.testing.assert_allclose(np.bincount(actions, minlength=4) / rows, [0.1, 0.2, 0.7, 0.0], atol=0.03)
    np.testing.assert_allclose(np.exp(log_probs), PROBABILITIES[actions], rtol=1e-4)


@pytest.mark.parametrize(("epsilon", "best"), [(0.0, 1.0), (1.0, 1 / 3), (0.3, 0.8)])
def test_epsilon_greedy_explores_allowed_actions_only(epsilon: float, best: float) -> None:
    torch.manual_seed(0)
    values, mask = torch.tensor(PROBABILITIES).repeat(6000, 1), torch.tensor(MASK).repeat(6000, 1)
    chosen = epsilon_greedy(values, torch.tensor(epsilon), mask)
    assert (chosen == 2).float().mean().item() == pytest.approx(best, abs=0.03)
    assert (chosen != 3).all()
    assert (epsilon_greedy(values, torch.tensor(0.0)) == 3).all()


def test_epsilon_may_change_without_another_graph(graphs: Any) -> None:
    act = GraphedPolicy(epsilon_greedy, device="cpu", backend=graphs)
    values = np.tile(PROBABILITIES, (50, 1))
    for epsilon in np.linspace(1, 0, 9, dtype=np.float32):
        chosen = act(values, np.array([epsilon]))
    assert (chosen == 3).all()
    assert act.captures == 1


def test_distributions_draw_the_same_without_their_waits() -> None:
    probs = torch.tensor(PROBABILITIES).repeat(40, 1)
    torch.manual_seed(3)
    expected = Categorical(probs=probs).sample()
    torch.manual_seed(3)
    with distributions_for_graphs():
        found = Categorical(probs=probs).sample()
        many = Categorical(probs=probs).sample((3,))
        normal = Normal(torch.zeros(4), torch.ones(4)).sample((2,))
        assert not Categorical(probs=probs)._validate_args
    assert torch.equal(found, expected)
    assert many.shape == (3, 40)
    assert normal.shape == (2, 4)
    assert Distribution._validate_args is True
    with pytest.raises(ValueError, match="to satisfy the constraint"):
        Categorical(probs=torch.tensor([-1.0, 2.0]))
