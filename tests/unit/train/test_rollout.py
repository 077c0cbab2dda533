"""The plain and the fast surroundings of PPO give the same numbers for the same actions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from goldsplit.train.rollout import (
    Choice,
    Discount,
    Experience,
    FastActor,
    FastRollout,
    Moment,
    PlainActor,
    PlainRollout,
    checked_categorical,
)

CPU = torch.device("cpu")
STEPS, ENVS, INPUTS, ACTIONS = 9, 4, 5, 3
DISCOUNT = Discount(0.9, 0.8)


class Judge(nn.Module):
    """A network of one layer: logits and the value of each observation."""

    def __init__(self) -> None:
        super().__init__()
        self.policy, self.value = nn.Linear(INPUTS, ACTIONS), nn.Linear(INPUTS, 1)

    def forward(self, obs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.policy(obs), self.value(obs).squeeze(-1)


@pytest.fixture
def network() -> Judge:
    torch.manual_seed(3)
    return Judge()


def moments(rng: np.random.Generator, *, cut: bool) -> Iterator[Moment]:
    """Made-up steps in which one in four ends an episode, half of these by a cut."""
    for _ in range(STEPS):
        masks = rng.random((ENVS, ACTIONS)) < 0.6
        masks[:, 1] = True
        ends = rng.random(ENVS) < 0.25
        choice = Choice(
            np.ones(ENVS, np.int64), *(rng.standard_normal(ENVS).astype(np.float32) for _ in range(2))
        )
        yield Moment(
            obs=rng.standard_normal((ENVS, INPUTS)).astype(np.float32),
            masks=masks,
            choice=choice,
            rewards=rng.standard_normal(ENVS),
            ends=ends,
            truncated=ends & (rng.random(ENVS) < 0.5) & cut,
            final_obs=rng.standard_normal((ENVS, INPUTS)).astype(np.float32),
            real=rng.random(ENVS) < 0.8,
        )


def both(network: Judge, seed: int, *, cut: bool = True) -> tuple[Experience, Experience]:
    plain = PlainRollout(PlainActor(network, CPU), CPU)
    fast = FastRollout(FastActor(network, CPU, np.random.default_rng(0)), CPU, STEPS)
    rng = np.random.default_rng(seed)
    last = rng.standard_normal((ENVS, INPUTS)).astype(np.float32)
    for moment in moments(rng, cut=cut):
        plain.add(moment)
        fast.add(moment)
    return plain.finish(last, DISCOUNT), fast.finish(last, DISCOUNT)


@pytest.mark.parametrize("seed", range(5))
def test_both_rollouts_give_the_same_experience(network: Judge, seed: int) -> None:
    plain, fast = both(network, seed)
    for name, one, other in zip(Experience._fields, plain, fast, strict=True):
        if name == "rows":
            assert one.tolist() == other.tolist()
        else:
            assert one.dtype == other.dtype
            torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-6)


def test_a_cut_episode_counts_what_it_was_still_worth(network: Judge) -> None:
    with_cuts, _ = both(network, 1, cut=True)
    without, _ = both(network, 1, cut=False)
    rng = np.random.default_rng(1)
    rng.standard_normal((ENVS, INPUTS))
    steps = list(moments(rng, cut=True))
    truncated = np.stack([moment.truncated for moment in steps])
    final = np.stack([moment.final_obs for moment in steps])
    assert truncated.any()
    with torch.no_grad():
        worth = network(torch.from_numpy(final))[1].numpy()
    gained = (with_cuts.returns - without.returns).numpy().reshape(STEPS, ENVS)
    np.testing.assert_allclose(gained[truncated], 0.9 * worth[truncated], rtol=1e-4, atol=1e-5)


def test_advantages_of_one_episode_by_hand(network: Judge) -> None:
    """Two steps, values 1 and 2, rewards 3 and 4, then the end: written out."""
    rollout = FastRollout(FastActor(network, CPU, np.random.default_rng(0)), CPU, 2)
    one = np.zeros((1, INPUTS), np.float32)
    for value, reward, end in ((1.0, 3.0, False), (2.0, 4.0, True)):
        choice = Choice(np.zeros(1, np.int64), np.zeros(1, np.float32), np.full(1, value, np.float32))
        ends = np.array([end])
        rollout.add(
            Moment(
                one, np.ones((1, 3), bool), choice, np.array([reward]), ends, ~ends & ends, one, ends | ~ends
            )
        )
    experience = rollout.finish(one, DISCOUNT)
    last = 4.0 - 2.0
    first = 3.0 + 0.9 * 2.0 - 1.0 + 0.9 * 0.8 * last
    assert experience.advantages.tolist() == pytest.approx([first, last])
    assert experience.returns.tolist() == pytest.approx([first + 1.0, last + 2.0])


def test_the_fast_rollout_is_used_again_without_traces(network: Judge) -> None:
    fast = FastRollout(FastActor(network, CPU, np.random.default_rng(0)), CPU, STEPS)
    last = np.zeros((ENVS, INPUTS), np.float32)
    seen: list[Any] = []
    for seed in (4, 5, 4):
        for moment in moments(np.random.default_rng(seed), cut=True):
            fast.add(moment)
        seen.append([np.asarray(part).copy() for part in fast.finish(last, DISCOUNT)])
    for first, third in zip(seen[0], seen[2], strict=True):
        np.testing.assert_array_equal(first, third)
    assert not np.array_equal(seen[0][0], seen[1][0])


def test_both_actors_agree_on_probabilities_and_values(network: Judge) -> None:
    rng = np.random.default_rng(0)
    obs = rng.standard_normal((200, INPUTS)).astype(np.float32)
    masks = rng.random((200, ACTIONS)) < 0.5
    masks[:, 0] = True
    torch.manual_seed(0)
    actors = (PlainActor(network, CPU), FastActor(network, CPU, rng))
    with torch.no_grad():
        policy = checked_categorical(network(torch.from_numpy(obs))[0], torch.from_numpy(masks))
    for actor in actors:
        choice = actor.act(obs, masks)
        assert masks[np.arange(200), choice.actions].all()
        expected = policy.log_prob(torch.from_numpy(choice.actions)).numpy()
        np.testing.assert_allclose(choice.log_probs, expected, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(choice.values, actor.values(obs), rtol=1e-5, atol=1e-6)
        assert len(set(choice.actions.tolist())) == ACTIONS


def test_the_fast_actor_draws_from_its_generator_alone(network: Judge) -> None:
    obs, masks = np.ones((50, INPUTS), np.float32), np.ones((50, ACTIONS), bool)
    drawn = [
        FastActor(network, CPU, np.random.default_rng(seed)).act(obs, masks).actions for seed in (1, 1, 2)
    ]
    assert drawn[0].tolist() == drawn[1].tolist() != drawn[2].tolist()
