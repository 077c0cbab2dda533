"""PPO's update and its loop: the same learning in both surroundings, and a training that can be continued."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import nn

from goldsplit.train.errors import TrainError
from goldsplit.train.networks import ActorCritic
from goldsplit.train.options import PpoOptions
from goldsplit.train.ppo import Learner, Ppo, parts, train
from goldsplit.train.rollout import Experience
from goldsplit.train.vector_world import VectorWorld

CPU = torch.device("cpu")
INPUTS, ACTIONS, ROWS = 6, 4, 64


class DoorsEnv(gymnasium.Env[Any, Any]):
    """Four doors, one of them open; the closed ones of this turn are masked, a locked one gives nothing.

    A game has six turns, then it is cut off.
    """

    def __init__(self) -> None:
        self.observation_space = gymnasium.spaces.Box(0, 1, (4,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(4)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[NDArray[np.float32], Any]:
        super().reset(seed=seed)
        self.turn = 0
        return self._look(), {}

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, Any]:
        assert self.mask[action], "a masked action was played"
        reward = float(action == self.open)
        self.turn += 1
        return self._look(), reward, False, self.turn == 6, {}

    def action_masks(self) -> NDArray[np.bool_]:
        return self.mask

    def _look(self) -> NDArray[np.float32]:
        self.open = int(self.np_random.integers(4))
        self.mask = self.np_random.random(4) < 0.7
        self.mask[self.open] = True
        seen = np.zeros(4, np.float32)
        seen[self.open] = 1.0
        return seen


class Doors(gymnasium.vector.SyncVectorEnv):
    def __init__(self, games: int) -> None:
        super().__init__([DoorsEnv] * games)

    def action_masks(self) -> NDArray[np.bool_]:
        return np.stack([env.unwrapped.action_masks() for env in self.envs])


def doors(**changes: Any) -> Ppo:
    options = PpoOptions(
        **{"envs": 8, "steps": 4_000, "rollout": 32, "hidden": (16,), "learning_rate": 3e-3, **changes}
    )
    return Ppo(options, VectorWorld(Doors(options.envs), "doors"))


def experience(seed: int) -> Experience:
    generator = torch.Generator().manual_seed(seed)
    masks = torch.rand(ROWS, ACTIONS, generator=generator) < 0.7
    masks[:, 0] = True
    numbers = [torch.randn(ROWS, generator=generator) for _ in range(4)]
    return Experience(
        torch.randn(ROWS, INPUTS, generator=generator),
        masks,
        torch.zeros(ROWS, dtype=torch.int64),
        -numbers[0].abs() - 0.5,
        *numbers[1:],
        np.arange(ROWS),
    )


def weights(network: nn.Module) -> torch.Tensor:
    return torch.cat([weight.detach().flatten() for weight in network.parameters()])


def learner(**changes: Any) -> Learner:
    torch.manual_seed(0)
    options = PpoOptions(**{"anneal": False, **changes})
    return Learner(ActorCritic((INPUTS,), ACTIONS, (8,)), options, CPU)


def test_both_surroundings_learn_the_same_from_the_same_rollout() -> None:
    plain, fast = learner(surroundings="plain"), learner(surroundings="fast")
    before = weights(plain.network)
    figures = [one.learn(experience(1), np.random.default_rng(0), 0.0) for one in (plain, fast)]
    assert figures[0] == pytest.approx(figures[1], rel=1e-3, abs=1e-5)
    torch.testing.assert_close(weights(plain.network), weights(fast.network), rtol=1e-3, atol=1e-5)
    assert not torch.allclose(before, weights(fast.network))
    assert plain.updates == fast.updates == 16


def test_an_update_by_hand() -> None:
    """The loss written out with torch's own distribution, and its gradient clipped."""
    one = learner(minibatches=1, epochs=1, max_grad_norm=0.1, entropy=0.05)
    rollout = experience(2)
    logits, values = one.network(rollout.obs)
    policy = torch.distributions.Categorical(logits=logits.masked_fill(~rollout.masks, -1e9))
    ratio = (policy.log_prob(rollout.actions) - rollout.log_probs).exp()
    gain = (rollout.advantages - rollout.advantages.mean()) / (rollout.advantages.std() + 1e-8)
    surrogate = torch.minimum(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean()
    value_loss = 0.5 * ((values - rollout.returns) ** 2).mean()
    entropy = policy.entropy().mean()
    gradients = torch.autograd.grad(
        -surrogate + 0.5 * value_loss - 0.05 * entropy, list(one.network.parameters())
    )
    norm = torch.cat([gradient.flatten() for gradient in gradients]).norm()
    figures = one.learn(rollout, np.random.default_rng(0), 0.0)
    assert figures.policy_loss == pytest.approx(-surrogate.item(), rel=1e-4)
    assert figures.value_loss == pytest.approx(value_loss.item(), rel=1e-4)
    assert figures.entropy == pytest.approx(entropy.item(), rel=1e-4)
    assert norm > 0.1
    for parameter, gradient in zip(one.network.parameters(), gradients, strict=True):
        torch.testing.assert_close(parameter.grad, gradient * 0.1 / norm, rtol=1e-3, atol=1e-6)


def test_the_learning_rate_falls_with_the_progress() -> None:
    falling, steady = learner(anneal=True), learner()
    for one in (falling, steady):
        one.learn(experience(1), np.random.default_rng(0), 0.75)
    assert falling.optimizer.param_groups[0]["lr"] == pytest.approx(0.25 * 3e-4)
    assert steady.optimizer.param_groups[0]["lr"] == 3e-4


def test_rows_that_are_no_transitions_are_not_learned() -> None:
    rollout = experience(3)
    spoiled = rollout._replace(returns=rollout.returns.clone(), rows=np.arange(0, ROWS, 2))
    spoiled.returns[1::2] = float("nan")
    figures = learner().learn(spoiled, np.random.default_rng(0), 0.0)
    assert np.isfinite(figures).all()


def test_parts_have_one_size_and_hold_every_row() -> None:
    rows = np.array([7, 1, 4, 2, 9])
    cut = parts(rows, total=8, count=2)
    assert cut.shape == (2, 4)
    assert set(cut.ravel().tolist()) == set(rows.tolist())
    assert parts(rows, total=1, count=2).shape == (2, 1)


@pytest.mark.parametrize("surroundings", ["plain", "fast"])
def test_it_learns_which_door_is_open(surroundings: str) -> None:
    training = doors(surroundings=surroundings)
    assert training.play()[0].returns.mean() < 4.0
    while training.steps < 4_000:
        training.iterate()
    obs = torch.eye(4)
    assert training.learner.network(obs)[0].argmax(dim=1).tolist() == [0, 1, 2, 3]


def test_only_what_was_played_counts_as_a_step() -> None:
    """A game of six turns and one reset: six of seven rows are transitions."""
    training = doors(rollout=7)
    assert len(training.play()[0].rows) == training.steps == 8 * 6


SNAKE = PpoOptions(
    game="snake size=6", envs=8, steps=2_000, rollout=16, hidden=(32,), learning_rate=3e-3, evaluate_games=0
)


@pytest.mark.parametrize("surroundings", ["plain", "fast"])
def test_a_training_goes_on_bit_for_bit(surroundings: str, tmp_path: Path) -> None:
    options = replace(SNAKE, surroundings=surroundings)
    straight = Ppo(options)
    ended = [straight.iterate() for _ in range(16)]
    first = Ppo(options)
    assert ended[:8] == [first.iterate() for _ in range(8)]
    torch.save(first.state(), tmp_path / "half.pt")
    second = Ppo(replace(options, seed=5))
    assert second.restore(torch.load(tmp_path / "half.pt", weights_only=False))
    assert ended[8:] == [second.iterate() for _ in range(8)]
    assert torch.equal(weights(straight.network), weights(second.network))
    assert (straight.steps, straight.updates) == (second.steps, second.updates)
    assert straight.figures() == second.figures()
    np.testing.assert_array_equal(straight.obs, second.obs)
    assert not torch.equal(weights(first.network), weights(second.network))


def test_games_that_cannot_be_saved_begin_anew() -> None:
    first = Ppo(SNAKE)
    first.iterate()
    second = Ppo(SNAKE)
    assert not second.restore({**first.state(), "world": None})
    assert torch.equal(weights(first.network), weights(second.network))
    assert second.steps == first.steps
    second.iterate()
    assert second.steps > first.steps


def test_every_ended_game_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[dict[str, Any]] = []
    monkeypatch.setattr("goldsplit.api.episode", lambda **known: told.append(known))
    ended = Ppo(replace(SNAKE, rollout=64)).iterate()
    assert len(ended) > 3
    assert [one["reward"] for one in told] == [episode.total for episode in ended]


def test_more_minibatches_than_rows_are_refused() -> None:
    with pytest.raises(TrainError, match="do not fill 500 minibatches\nhint: choose fewer"):
        Ppo(replace(SNAKE, minibatches=500))


@pytest.mark.parametrize("surroundings", ["plain", "fast"])
def test_it_learns_to_play_snake(surroundings: str) -> None:
    options = replace(SNAKE, surroundings=surroundings, envs=16, steps=14_000, rollout=32, evaluate_games=64)
    outcome = train(options, quiet=True)
    assert outcome.evaluation is not None
    # Random play loses about one point: it hits a wall long before it finds food.
    assert outcome.evaluation.mean_return > 1.0


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("changes", [{}, {"graph": False}, {"amp": True}], ids=["graph", "eager", "amp"])
def test_on_cuda(changes: dict[str, Any]) -> None:
    training = Ppo(replace(SNAKE, device="cuda", **changes))
    before = weights(training.network).cpu()
    for _ in range(3):
        training.iterate()
    assert np.isfinite(list(training.figures().values())).all()
    assert not torch.equal(before, weights(training.network).cpu())
    assert training.learner.mode == ("eager" if changes.get("graph") is False else "graph")
    again = Ppo(training.options)
    assert again.restore(training.state())
    again.iterate()
    assert again.updates > training.updates
