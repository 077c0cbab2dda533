"""What only a CUDA device can show: real captures, replays and fallbacks. Skipped where there is none."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from goldsplit.fast.learner import (
    GraphedPolicy,
    GraphedUpdate,
    GraphOptions,
    epsilon_greedy,
    plain_state_dict,
    sample_masked,
)

pytestmark = [
    pytest.mark.cuda,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]


def batches(count: int, rows: int = 32) -> list[tuple[torch.Tensor, torch.Tensor]]:
    generator = torch.Generator().manual_seed(3)
    return [
        (torch.randn(rows, 6, generator=generator).cuda(), torch.randn(rows, 2, generator=generator).cuda())
        for _ in range(count)
    ]


def learner(kind: Any = torch.optim.Adam, **settings: Any) -> tuple[nn.Module, Any, Any]:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 2)).cuda()
    optimizer = kind(net.parameters(), **({"lr": 1e-2} | settings))

    def update(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        loss = (net(x) - y).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        return loss.detach()

    return net, optimizer, update


def weights(net: nn.Module) -> torch.Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in net.parameters()])


@pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.AdamW, torch.optim.RMSprop, torch.optim.SGD])
@pytest.mark.parametrize("fused", [True, False])
def test_graphed_equals_eager_within_rounding(kind: Any, fused: bool) -> None:
    net, _, update = learner(kind)
    twin, optimizer, twin_update = learner(kind)
    graphed = GraphedUpdate(twin_update, optimizers=[optimizer], options=GraphOptions(fused=fused))
    data = batches(20)
    eager_losses = [update(*batch) for batch in data]
    losses = [graphed(*batch) for batch in data]
    assert graphed.mode == "graph", graphed.reason
    torch.testing.assert_close(torch.stack(losses), torch.stack(eager_losses), rtol=2e-3, atol=1e-4)
    torch.testing.assert_close(weights(twin), weights(net), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.SGD])
def test_learning_rates_set_later_are_honoured(kind: Any) -> None:
    net, optimizer, update = learner(kind)
    graphed = GraphedUpdate(update, optimizers=[optimizer])
    data = batches(8)
    for batch in data:
        graphed(*batch)
    before = weights(net).clone()
    for group in optimizer.param_groups:
        group["lr"] = 0.0
    graphed(*data[0])
    assert torch.equal(weights(net), before)
    schedule = (
        torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.1) if kind is torch.optim.Adam else None
    )
    for group in optimizer.param_groups:
        group["lr"] = 0.5
    graphed(*data[0])
    assert not torch.equal(weights(net), before)
    assert schedule is None or graphed.captures == 1


def test_a_loaded_state_is_captured_anew_and_a_shape_of_its_own() -> None:
    net, optimizer, update = learner()
    graphed = GraphedUpdate(update, optimizers=[optimizer])
    for batch in batches(6):
        graphed(*batch)
    state, saved = copy.deepcopy(graphed.state_dict()), copy.deepcopy(net.state_dict())
    after = [graphed(*batch) for batch in batches(6)]
    graphed.load_state_dict(state)
    net.load_state_dict(saved)
    again = [graphed(*batch) for batch in batches(6)]
    torch.testing.assert_close(torch.stack(again), torch.stack(after), rtol=1e-3, atol=1e-5)
    assert graphed.captures == 2
    for batch in batches(6, rows=5):
        graphed(*batch)
    assert graphed.graphs == 2
    plain = plain_state_dict(optimizer)["param_groups"][0]
    assert plain["lr"] == pytest.approx(1e-2)
    assert plain["capturable"] is False
    assert plain["fused"] is None


def test_a_wait_in_the_function_keeps_it_eager_and_names_the_line() -> None:
    _, optimizer, update = learner()

    def waits(x: torch.Tensor, y: torch.Tensor) -> Any:
        loss = update(x, y)
        return loss if loss.item() > 0 else -loss

    graphed = GraphedUpdate(waits, optimizers=[optimizer])
    for batch in batches(6):
        graphed(*batch)
    assert graphed.mode == "eager"
    assert "test_on_cuda.py:" in graphed.reason


def test_a_failed_capture_falls_back_and_leaves_the_generator_usable() -> None:
    net, optimizer, update = learner()

    def fails(x: torch.Tensor, y: torch.Tensor) -> Any:
        if torch.cuda.is_current_stream_capturing():  # not in the warm-up, which would notice
            torch.cuda.synchronize()
        return update(nn.functional.dropout(x, 0.1), y)

    graphed = GraphedUpdate(fails, optimizers=[optimizer])
    before = weights(net).clone()
    for batch in batches(6):
        graphed(*batch)
    assert graphed.mode == "eager"
    assert "the capture failed" in graphed.reason
    assert torch.cuda.current_stream() == torch.cuda.default_stream()
    assert torch.isfinite(torch.randn(3, device="cuda")).all()
    again = GraphedUpdate(update, optimizers=[optimizer])
    for batch in batches(6):
        again(*batch)
    assert again.mode == "graph", again.reason
    assert not torch.equal(weights(net), before)


def test_random_numbers_differ_from_replay_to_replay() -> None:
    seen = GraphedUpdate(lambda x: nn.functional.dropout(x, 0.5), optimizers=[], device="cuda")
    masks = [seen(torch.ones(64, device="cuda")) for _ in range(12)]
    assert seen.mode == "graph", seen.reason
    assert len({tuple(mask.tolist()) for mask in masks}) == 12


@pytest.mark.parametrize("option", ["amp", "compile"])
def test_options_learn_too(option: str) -> None:
    _, optimizer, update = learner()
    graphed = GraphedUpdate(update, optimizers=[optimizer], options=GraphOptions(**{option: True}))
    data = batches(1) * 60
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        losses = [graphed(*batch) for batch in data]
    assert graphed.mode == "graph", graphed.reason
    assert losses[-1] < losses[0]


def test_host_arrays_and_device_tensors_may_be_mixed() -> None:
    def both(x: torch.Tensor, more: Any) -> Any:
        return {"sum": x + more["y"], "kept": more["n"] + 1}

    graphed = GraphedUpdate(both, optimizers=[], device="cuda")
    for i in range(9):
        y, n = np.full((4, 3), i, np.float32), torch.tensor([i])
        result = graphed(torch.ones(4, 3, device="cuda"), {"y": y, "n": n})
        y[:] = -1
        n[:] = -1
        assert (result["sum"] == i + 1).all()
        assert result["kept"].item() == i + 1
    assert graphed.mode == "graph", graphed.reason


def test_a_policy_acts_as_eagerly_and_samples_by_its_probabilities() -> None:
    torch.manual_seed(0)
    net = nn.Linear(6, 4).cuda()
    act = GraphedPolicy(lambda x: (net(x).argmax(1), net(x)), device="cuda")
    for i in range(8):
        x = np.random.default_rng(i).random((5, 6), np.float32)
        actions, values = act(x)
        expected = net(torch.from_numpy(x).cuda()).detach().cpu().numpy()
        np.testing.assert_allclose(values, expected, rtol=1e-3, atol=1e-5)
        assert (actions == expected.argmax(1)).all()
    assert act.mode == "graph", act.reason
    logits = np.log(np.tile(np.array([0.1, 0.2, 0.7, 1.0], np.float32), (4000, 1)))
    mask = np.tile(np.array([True, True, True, False]), (4000, 1))
    draw = GraphedPolicy(lambda logits, mask: sample_masked(logits, mask), device="cuda")
    counts = sum(np.bincount(draw(logits, mask)[0], minlength=4) for _ in range(10)) / 40_000
    np.testing.assert_allclose(counts, [0.1, 0.2, 0.7, 0.0], atol=0.02)
    greedy = GraphedPolicy(epsilon_greedy, device="cuda")
    for epsilon in (0.0, 0.0, 0.0, 0.0, 0.5):
        chosen = greedy(logits, np.float32([epsilon]), mask)
    assert np.mean(chosen == 2) == pytest.approx(0.5 + 0.5 / 3, abs=0.05)
    assert greedy.mode == "graph", greedy.reason


def test_replay_is_part_of_the_graph() -> None:
    from goldsplit.fast.replay import Field
    from goldsplit.fast.replay.device import DevicePrioritizedReplay

    fields = {"x": Field((6,), np.float32), "n": Field((), np.int64)}
    replay = DevicePrioritizedReplay(64, fields, device="cuda", seed=0)

    def step() -> Any:
        batch = replay.draw(32)
        replay.write_priorities(batch.indices, batch.x[:, 0] + 1)
        return batch.n, batch.weights

    graphed = GraphedUpdate(step, optimizers=[], device="cuda", generators=[replay.generator])
    drawn = []
    for i in range(80):
        replay.add(x=np.full(6, i, np.float32), n=i)
        replay.flush()
        numbers, weights = graphed()
        assert (numbers <= i).all()
        assert ((weights > 0) & (weights <= 1)).all()
        drawn.append(tuple(numbers.tolist()))
    assert graphed.mode == "graph", graphed.reason
    assert len(set(drawn[20:])) > 50
    assert torch.isfinite(replay.probabilities()).all()
    assert replay.refused == 0


@pytest.mark.parametrize("name", ["DQN", "PPO", "PPO-kl"])
def test_sb3_learns_by_graphs_and_saves(name: str, tmp_path: Any) -> None:
    from stable_baselines3 import DQN, PPO

    from goldsplit.fast.learner.sb3 import GraphedDQN, GraphedPPO

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name == "DQN":
            model: Any = GraphedDQN(
                "MlpPolicy", "CartPole-v1", device="cuda", learning_starts=10, buffer_size=500, seed=0,
                target_update_interval=10,
            )  # fmt: skip
            model.learn(400)
        else:
            kl = {"target_kl": 0.003} if name == "PPO-kl" else {}
            model = GraphedPPO(
                "MlpPolicy", "CartPole-v1", device="cuda", n_steps=100, n_epochs=3, seed=0, **kl
            )
            model.learn(500)
        states = {part: model.graphs()[part] for part in ("update", "predict" if name == "DQN" else "acting")}
        assert set(states.values()) == {"graph"}, model.graphs()
        model.save(tmp_path / "model.zip")
        for kind in (type(model), DQN if name == "DQN" else PPO):
            for device in ("cuda", "cpu"):
                loaded = kind.load(tmp_path / "model.zip", env=model.get_env(), device=device)
                loaded.learn(250, reset_num_timesteps=False)
