"""DQN's update and its loop: by hand, in both surroundings, captured as a graph, continued bit for bit."""

from __future__ import annotations

import copy
import importlib
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from tests.unit.fast.learner.recorded_graphs import RecordedGraphs
from torch import nn

from goldsplit.fast.learner import GraphedUpdate
from goldsplit.train.dqn import SMALLEST_PRIORITY, Dqn, Learner, train
from goldsplit.train.errors import TrainError
from goldsplit.train.memories import FastMemory
from goldsplit.train.options import DqnOptions
from goldsplit.train.surroundings import make_world
from goldsplit.train.worlds import Turn

CPU = torch.device("cpu")
SMALL = DqnOptions(
    game="snake size=6",
    steps=2_000,
    envs=8,
    batch=32,
    warmup=200,
    hidden=(32,),
    capacity=500,
    epsilon_steps=1_000,
    target_every=20,
    evaluate_games=0,
)


def weights(network: nn.Module) -> torch.Tensor:
    return torch.cat([weight.detach().flatten() for weight in network.parameters()])


def learner(**changes: Any) -> Learner:
    options = replace(SMALL, **{"max_grad_norm": 0.05, **changes})
    torch.manual_seed(0)
    one = Learner(options, make_world(options), CPU)
    with torch.no_grad():  # a target network that differs, with other favourites
        for weight in one.target.parameters():
            weight.add_(0.3 * torch.randn_like(weight))
    return one


def rows(count: int = 32, seed: int = 0) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    mask = torch.rand(count, 3, generator=generator) < 0.6
    mask[:, 1] = True
    return [
        torch.randn(count, 18, generator=generator),
        torch.randint(0, 3, (count,), generator=generator),
        2.0 * torch.randn(count, generator=generator),
        torch.full((count,), 0.97),
        torch.rand(count, generator=generator) < 0.3,
        torch.randn(count, 18, generator=generator),
        mask,
        torch.rand(count, generator=generator),
    ]


def by_hand(one: Learner, batch: list[torch.Tensor], double: bool) -> tuple[float, list[float], list[Any]]:
    """Loss, priorities and clipped gradients, row by row."""
    obs, action, reward, discount, terminated, next_obs, mask, weight = batch
    losses, priorities = [], []
    for i in range(len(reward)):
        wanted = reward[i].item()
        if not terminated[i]:
            worth = one.target(next_obs[i : i + 1])[0].tolist()
            scores = one.online(next_obs[i : i + 1])[0].tolist() if double else worth
            allowed = [a for a in range(3) if mask[i, a]]
            wanted += discount[i].item() * worth[max(allowed, key=lambda a: scores[a])]
        error = one.online(obs[i : i + 1])[0, action[i]] - wanted
        priorities.append(abs(error.item()) + SMALLEST_PRIORITY)
        huber = 0.5 * error**2 if abs(error.item()) < 1 else error.abs() - 0.5
        losses.append(weight[i] * huber)
    loss = torch.stack(losses).mean()
    gradients = torch.autograd.grad(loss, list(one.online.parameters()))
    norm = torch.cat([gradient.flatten() for gradient in gradients]).norm()
    shorter = min(1.0, 0.05 / norm.item())
    return loss.item(), priorities, [gradient * shorter for gradient in gradients]


@pytest.mark.parametrize("double", [True, False])
def test_an_update_by_hand(double: bool) -> None:
    one, batch = learner(double=double), rows()
    loss, priorities, gradients = by_hand(one, batch, double)
    before = weights(one.online)
    found, new_priorities = one.update(*batch)
    assert found.item() == pytest.approx(loss, rel=1e-4)
    np.testing.assert_allclose(new_priorities, priorities, rtol=1e-4, atol=1e-5)
    for parameter, gradient in zip(one.online.parameters(), gradients, strict=True):
        torch.testing.assert_close(parameter.grad, gradient, rtol=1e-3, atol=1e-6)
    assert not torch.equal(before, weights(one.online))


def test_the_online_network_chooses_and_the_target_network_values() -> None:
    one = learner()
    next_obs, mask = rows()[5:7]
    worth = one.worth(next_obs, mask)
    with torch.no_grad():
        values, scores = one.target(next_obs), one.online(next_obs)
    chosen = np.where(mask, scores, -np.inf).argmax(axis=1)
    assert worth.tolist() == pytest.approx(values.numpy()[np.arange(32), chosen].tolist())
    assert not torch.allclose(worth, values.where(mask, torch.tensor(-torch.inf)).amax(1))


def test_a_masked_action_is_never_the_best_afterwards() -> None:
    one = learner()
    mask = torch.zeros(4, 3, dtype=torch.bool)
    mask[:, 2] = True
    next_obs = torch.randn(4, 18)
    with torch.no_grad():
        torch.testing.assert_close(one.worth(next_obs, mask), one.target(next_obs)[:, 2])


@pytest.mark.parametrize("surroundings", ["plain", "fast"])
def test_the_target_network_is_copied_every_so_many_updates(surroundings: str) -> None:
    training = Dqn(replace(SMALL, surroundings=surroundings, target_every=5))
    seen = []
    while training.updates < 12:
        training.iterate()
        seen.append(torch.equal(weights(training.learner.online), weights(training.learner.target)))
    assert [at for at, same in enumerate(seen[-12:], 1) if same] == [5, 10]


def test_with_tau_the_target_network_follows_slowly() -> None:
    one = learner(tau=0.25)
    before = weights(one.target)
    one.update(*rows())
    torch.testing.assert_close(weights(one.target), before + 0.25 * (weights(one.online) - before))


def filled(surroundings: str, **changes: Any) -> Dqn:
    training = Dqn(replace(SMALL, surroundings=surroundings, warmup=10**9, **changes))
    while training.steps < 400:
        training.iterate()
    return training


def test_both_surroundings_learn_the_same_from_the_same_batch() -> None:
    plain, fast = filled("plain"), filled("fast")
    batch = fast.learner.memory.sample(32)
    for one in (plain, fast):
        one.learner.memory.sample = lambda count: batch
        one.learner.memory.update_priorities = lambda indices, priorities: None
        one.learner.learn()
    torch.testing.assert_close(weights(plain.network), weights(fast.network), rtol=1e-4, atol=1e-5)
    assert plain.learner.loss == pytest.approx(float(fast.learner.loss), rel=1e-4)


def test_a_prefetched_training_learns_too() -> None:
    training = Dqn(replace(SMALL, prefetch=True))
    before = weights(training.network)
    while training.updates < 5:
        training.iterate()
    assert not torch.equal(before, weights(training.network))
    assert np.isfinite(training.figures()["loss"])
    training.learner.close()


@pytest.fixture
def on_device() -> Dqn:
    """A training whose memory is the one for devices, here on the CPU."""
    training = filled("fast")
    memory = FastMemory(training.options, training.world, "cpu")
    obs = training.obs
    for _ in range(20):
        actions = training.world.sample_actions()
        turn: Turn = training.world.step(actions)
        memory.push(obs, actions, turn)
        obs = turn.obs
    training.learner.use(memory)
    return training


def test_a_memory_on_the_device_is_drawn_from_and_updated_there(on_device: Dqn) -> None:
    memory = on_device.learner.memory
    before = memory.store.probabilities().clone()
    on_device.learner.learn()
    assert not torch.equal(before, memory.store.probabilities())
    assert np.isfinite(on_device.figures()["loss"])


def test_the_update_of_a_device_can_be_captured(on_device: Dqn, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten updates, captured after three, against ten eager ones: the same weights."""
    adam = importlib.import_module("torch.optim.adam")
    monkeypatch.setattr(adam, "_get_capturable_supported_devices", lambda *a, **k: ["cpu"])
    first = on_device.learner
    again = Learner(first.options, on_device.world, CPU)
    again.restore(first.state())
    dice = again.memory.store.generator

    class Backend(RecordedGraphs):
        def capture(self, run: Any, generators: Any) -> Any:
            before = dice.get_state()  # on CUDA the graph takes care of it
            graph = super().capture(run, generators)
            dice.set_state(before)
            return graph

    graphed = GraphedUpdate(again.drawn_update, optimizers=[again.optimizer], backend=Backend())
    for _ in range(10):
        eager, captured = first.drawn_update(), graphed()
    assert graphed.mode == "graph", graphed.reason
    assert captured.item() == pytest.approx(eager.item(), rel=1e-3)
    torch.testing.assert_close(weights(first.online), weights(again.online), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("ratio", "updates"), [(1.0, 10), (0.5, 5), (2.0, 20), (0.0, 0)], ids=["1", "half", "2", "none"]
)
def test_the_update_ratio_counts_steps_of_all_games(ratio: float, updates: int) -> None:
    training = Dqn(replace(SMALL, warmup=0, n_steps=1, updates_per_step=ratio))
    for _ in range(10):
        training.iterate()
    assert training.updates == updates


def test_nothing_is_learned_before_the_warm_up() -> None:
    training = Dqn(replace(SMALL, warmup=100))
    while training.steps < 90:
        training.iterate()
    assert training.updates == 0
    while training.steps < 120:
        training.iterate()
    assert training.updates > 0


def test_the_schedules_are_lines() -> None:
    training = Dqn(replace(SMALL, epsilon_start=1.0, epsilon_end=0.2, beta_start=0.4, beta_steps=2_000))
    training.steps = 500
    assert (training.epsilon, training.beta) == (pytest.approx(0.6), pytest.approx(0.55))
    training.steps = 5_000
    assert (training.epsilon, training.beta) == (pytest.approx(0.2), 1.0)


@pytest.mark.parametrize("surroundings", ["plain", "fast"])
def test_a_training_goes_on_bit_for_bit(surroundings: str) -> None:
    options = replace(SMALL, surroundings=surroundings)
    straight, first = Dqn(options), Dqn(options)
    while first.steps < 1_000:
        straight.iterate()
        first.iterate()
    saved = pickle.dumps(first.state())
    second = Dqn(replace(options, seed=5))
    assert second.restore(pickle.loads(saved))
    while straight.steps < 2_000:
        assert straight.iterate() == second.iterate()
    assert torch.equal(weights(straight.network), weights(second.network))
    assert torch.equal(weights(straight.learner.target), weights(second.learner.target))
    assert (straight.steps, straight.updates) == (second.steps, second.updates)
    assert straight.figures() == second.figures()
    assert not torch.equal(weights(first.network), weights(second.network))


@pytest.mark.parametrize("surroundings", ["plain", "fast"])
def test_a_state_is_a_copy(surroundings: str) -> None:
    training = Dqn(replace(SMALL, surroundings=surroundings, warmup=0))
    for _ in range(20):
        training.iterate()
    state = training.state()
    kept = copy.deepcopy(state)
    for _ in range(20):
        training.iterate()
    again = Dqn(training.options)
    again.restore(state)
    assert again.steps == kept["steps"]
    assert torch.equal(state["learner"]["online"]["head.weight"], kept["learner"]["online"]["head.weight"])
    np.testing.assert_array_equal(state["obs"], kept["obs"])


@pytest.mark.parametrize("surroundings", ["plain", "fast"])
def test_games_that_cannot_be_saved_begin_anew_without_old_windows(surroundings: str) -> None:
    first = filled(surroundings)
    second = Dqn(first.options)
    assert not second.restore({**first.state(), "world": None})
    before = len(second.learner.memory)
    second.iterate()
    assert len(second.learner.memory) == before  # three steps make a window, and one was made
    second.iterate()
    second.iterate()
    assert len(second.learner.memory) > before or before == SMALL.capacity


def test_a_memory_that_cannot_hold_one_step_is_refused() -> None:
    with pytest.raises(TrainError, match="does not hold one step of 8 games\nhint: choose a capacity of 24"):
        Dqn(replace(SMALL, capacity=10))


def test_every_ended_game_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[dict[str, Any]] = []
    monkeypatch.setattr("goldsplit.api.episode", lambda **known: told.append(known))
    training = Dqn(SMALL)
    ended = [episode for _ in range(60) for episode in training.iterate()]
    assert len(ended) > 3
    assert [one["reward"] for one in told] == [episode.total for episode in ended]
    assert {one["win"] for one in told} == {None}


def random_return(options: DqnOptions) -> float:
    world = make_world(options)
    world.reset(1)
    totals: list[float] = []
    while len(totals) < 200:
        totals += [episode.total for episode in world.step(world.sample_actions()).ended]
    return float(np.mean(totals))


@pytest.mark.parametrize("surroundings", ["plain", "fast"])
def test_it_learns_to_play_snake(surroundings: str) -> None:
    options = replace(
        SMALL,
        surroundings=surroundings,
        steps=10_000,
        envs=16,
        batch=64,
        hidden=(64,),
        capacity=20_000,
        epsilon_steps=4_000,
        learning_rate=1e-3,
        target_every=100,
        evaluate_games=64,
    )
    outcome = train(options, quiet=True)
    assert outcome.evaluation is not None
    assert outcome.evaluation.mean_return > random_return(options) + 1.0


def test_self_play_needs_a_game_with_another_side() -> None:
    playing = replace(SMALL, game="skirmish", steps=400, warmup=100, self_play=200)
    outcome = train(playing, quiet=True)
    assert outcome.steps >= 400
    with pytest.raises(TrainError, match="the opponent of goldsplit/Snake-batch-v0 is fixed"):
        train(replace(SMALL, self_play=200), quiet=True)


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"device_replay": False},
        {"graph": False},
        {"device_replay": False, "prefetch": True},
        {"amp": True},
    ],
    ids=["graph", "host replay", "eager", "prefetch", "amp"],
)
def test_on_cuda(changes: dict[str, Any]) -> None:
    training = Dqn(replace(SMALL, device="cuda", warmup=0, **changes))
    before = weights(training.network).cpu()
    while training.updates < 20:
        training.iterate()
    assert np.isfinite(training.figures()["loss"])
    assert not torch.equal(before, weights(training.network).cpu())
    assert training.learner.mode == ("eager" if changes.get("graph") is False else "graph")
    again = Dqn(training.options)
    assert again.restore(training.state())
    again.iterate()
    assert again.updates == training.updates + 1
