"""Networks: shapes, dueling, images, and how PPO's begin."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from goldsplit.train.networks import ActorCritic, QNetwork


@pytest.mark.parametrize("shape", [(7,), (5, 3), (3, 84, 84)])
@pytest.mark.parametrize("dueling", [False, True])
def test_values_for_every_kind_of_observation(shape: tuple[int, ...], dueling: bool) -> None:
    obs = torch.zeros((2, *shape), dtype=torch.uint8 if len(shape) == 3 else torch.float32)
    values = QNetwork(shape, 4, (16, 8), dueling)(obs)
    assert values.shape == (2, 4)
    assert torch.equal(values[0], values[1])


def test_dueling_adds_a_value_to_advantages_of_mean_zero() -> None:
    network = QNetwork((3,), 4, (8,), dueling=True)
    obs = torch.randn(5, 3)
    assert network.value is not None
    expected = network.value(network.trunk(obs)).squeeze(1)
    torch.testing.assert_close(network(obs).mean(dim=1), expected)


def test_bytes_are_seen_as_shares_of_white() -> None:
    network = QNetwork((1, 40, 40), 2, (8,))
    picture = torch.full((1, 1, 40, 40), 255, dtype=torch.uint8)
    torch.testing.assert_close(network(picture), network(torch.full((1, 1, 40, 40), 255.0)))
    with torch.no_grad():
        first = network.trunk[0]
        assert float(first[0](picture).max()) == 1.0  # type: ignore[index, operator]


def test_actor_and_critic_have_trunks_of_their_own_but_for_images() -> None:
    flat, pictures = ActorCritic((6,), 3, (16,)), ActorCritic((1, 40, 40), 3, (16,))
    assert flat.actor_trunk is not flat.critic_trunk
    assert pictures.actor_trunk is pictures.critic_trunk
    obs = torch.randn(4, 6)
    logits, values = flat(obs)
    torch.testing.assert_close(logits, flat.logits(obs))
    torch.testing.assert_close(values, flat.values(obs))
    assert values.shape == (4,)


def test_a_new_policy_prefers_no_action() -> None:
    torch.manual_seed(0)
    with torch.no_grad():
        chances = torch.softmax(ActorCritic((6,), 3, (64, 64)).logits(torch.randn(200, 6)), dim=1)
    np.testing.assert_allclose(chances.numpy(), 1 / 3, atol=0.03)
