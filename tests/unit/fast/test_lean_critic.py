"""skip_unused_gradients: the same training, number for number, with fewer gradients computed."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from sb3_contrib import TQC
from stable_baselines3 import DQN, SAC

from goldsplit.fast.lean_critic import skip_unused_gradients


def small(kind: Any, **options: Any) -> Any:
    net = {"policy_kwargs": {"net_arch": [16]}}
    return kind(
        "MlpPolicy", "Pendulum-v1", learning_starts=20, batch_size=16, seed=0, device="cpu", **net | options
    )


@pytest.mark.parametrize("kind", [SAC, TQC])
def test_the_training_is_the_same_number_for_number(kind: Any, tmp_path: Any) -> None:
    usual, lean = small(kind).learn(60), skip_unused_gradients(skip_unused_gradients(small(kind))).learn(60)
    expected, found = usual.policy.state_dict(), lean.policy.state_dict()
    assert all(torch.equal(expected[key], found[key]) for key in expected)
    lean.save(tmp_path / "model")
    again = kind.load(tmp_path / "model")
    assert torch.equal(again.policy.state_dict()["actor.mu.weight"], found["actor.mu.weight"])


def test_the_critics_get_no_gradient_from_the_actors_loss_and_all_from_their_own() -> None:
    model = skip_unused_gradients(small(SAC))
    obs = torch.zeros(4, 3)
    actions, _ = model.actor.action_log_prob(obs)
    torch.cat(model.critic(obs, actions), 1).mean().backward()
    assert all(weight.grad is None for weight in model.critic.parameters())
    assert any(weight.grad is not None for weight in model.actor.parameters())
    torch.cat(model.critic(obs, actions.detach()), 1).mean().backward()
    assert all(weight.grad is not None for weight in model.critic.parameters())


def test_a_failed_pass_leaves_the_weights_trainable() -> None:
    model = skip_unused_gradients(small(SAC))
    actions, _ = model.actor.action_log_prob(torch.zeros(4, 3))
    with pytest.raises(RuntimeError):
        model.critic(torch.zeros(5, 3), actions)
    assert all(weight.requires_grad for weight in model.critic.parameters())


def test_what_has_no_critic_is_refused() -> None:
    with pytest.raises(TypeError, match=r"DQN has no actor and critic.*\nhint: this is for SAC and TQC"):
        skip_unused_gradients(DQN("MlpPolicy", "CartPole-v1", device="cpu"))
