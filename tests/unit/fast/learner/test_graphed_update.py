"""GraphedUpdate on the CPU: eager where there is no device, and all of its logic by recorded graphs."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from torch import nn

from goldsplit.fast.learner import GraphedUpdate, GraphOptions, plain_state_dict

ADAPTIVE = [torch.optim.Adam, torch.optim.AdamW, torch.optim.RMSprop, torch.optim.Adamax, torch.optim.NAdam]


class Learner:
    """A small network, its optimizer and its update, which counts how often Python runs it."""

    def __init__(self, kind: Any = torch.optim.Adam, **settings: Any) -> None:
        torch.manual_seed(0)
        self.net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
        self.optimizer = kind(self.net.parameters(), **({"lr": 1e-2} | settings))
        self.runs = 0

    def update(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        self.runs += 1
        loss = (self.net(x) - y).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
        self.optimizer.step()
        return loss.detach()

    def weights(self) -> torch.Tensor:
        return torch.cat([parameter.detach().flatten() for parameter in self.net.parameters()])


def batches(count: int, rows: int = 8) -> list[tuple[torch.Tensor, torch.Tensor]]:
    generator = torch.Generator().manual_seed(3)
    return [
        (torch.randn(rows, 6, generator=generator), torch.randn(rows, 2, generator=generator))
        for _ in range(count)
    ]


def graphed(learner: Learner, graphs: Any, **options: Any) -> GraphedUpdate:
    return GraphedUpdate(
        learner.update,
        optimizers=[learner.optimizer],
        backend=graphs,
        options=GraphOptions(**options),
    )


def test_without_a_device_it_runs_as_it_is_and_says_so() -> None:
    plain, learner = Learner(), Learner()
    update = GraphedUpdate(learner.update, optimizers=[learner.optimizer])
    losses = [(plain.update(*batch), update(*batch)) for batch in batches(6)]
    assert all(torch.equal(left, right) for left, right in losses)
    assert torch.equal(learner.weights(), plain.weights())
    assert (update.mode, update.graphs) == ("eager", 0)
    assert update.reason == "the device is cpu: only CUDA devices have graphs"
    assert isinstance(learner.optimizer.param_groups[0]["lr"], float)  # nothing was switched


@pytest.mark.parametrize("kind", [*ADAPTIVE, torch.optim.SGD])
@pytest.mark.parametrize("fused", [True, False])
def test_replays_equal_eager_updates_within_rounding(kind: Any, fused: bool, graphs: Any) -> None:
    plain, learner = Learner(kind), Learner(kind)
    update = graphed(learner, graphs, fused=fused)
    data = batches(15)
    expected = torch.stack([plain.update(*batch) for batch in data])
    losses = [update(*batch) for batch in data]
    assert update.mode == "graph", update.reason
    torch.testing.assert_close(torch.stack(losses), expected, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(learner.weights(), plain.weights(), rtol=1e-4, atol=1e-5)
    assert learner.runs == 4  # three warm-ups, one capture


def test_momentum_and_weight_decay_and_amsgrad_are_kept(graphs: Any) -> None:
    for kind, settings in (
        (torch.optim.SGD, {"momentum": 0.9, "dampening": 0.5, "weight_decay": 0.01}),
        (torch.optim.Adam, {"amsgrad": True, "weight_decay": 0.01}),
    ):
        plain, learner = Learner(kind, **settings), Learner(kind, **settings)
        update = graphed(learner, graphs)
        for batch in batches(10):
            plain.update(*batch)
            update(*batch)
        torch.testing.assert_close(learner.weights(), plain.weights(), rtol=1e-4, atol=1e-5)


def test_a_capture_changes_neither_weights_nor_optimizer_nor_random_numbers(graphs: Any) -> None:
    learner = Learner()
    update = graphed(learner, graphs)
    for batch in batches(3):
        update(*batch)
    before = (learner.weights(), copy.deepcopy(learner.optimizer.state_dict()["state"]))
    seen: list[Any] = []
    capture = graphs.capture

    def looked_at(run: Any, generators: Any) -> Any:
        graph = capture(run, generators)
        seen.append((learner.weights(), copy.deepcopy(learner.optimizer.state_dict()["state"])))
        return graph

    graphs.capture = looked_at
    update(*batches(1)[0])
    assert torch.equal(seen[0][0], before[0])
    for old, new in zip(before[1].values(), seen[0][1].values(), strict=True):
        assert all(torch.equal(old[name], new[name]) for name in old)


def test_another_shape_gets_its_own_graph_and_too_many_run_eagerly(graphs: Any) -> None:
    plain, learner = Learner(), Learner()
    update = graphed(learner, graphs, warmup=1, max_graphs=2)
    for rows in (8, 5, 3):
        for batch in batches(4, rows):
            plain.update(*batch)
            update(*batch)
    assert update.graphs == 2
    assert update.reason == "more than 2 shapes or settings: the others run eagerly"
    torch.testing.assert_close(learner.weights(), plain.weights(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.SGD])
@pytest.mark.parametrize("fused", [True, False])
def test_learning_rates_may_change_at_any_time(kind: Any, fused: bool, graphs: Any) -> None:
    plain, learner = Learner(kind), Learner(kind)
    update = graphed(learner, graphs, fused=fused)
    for i, batch in enumerate(batches(24)):
        for side in (plain, learner):
            for group in side.optimizer.param_groups:
                group["lr"] = 0.01 if i < 12 else 0.05  # as SB3 does before each training
        plain.update(*batch)
        update(*batch)
    assert update.mode == "graph", update.reason
    assert update.captures == (1 if fused or kind is torch.optim.Adam else 2)
    torch.testing.assert_close(learner.weights(), plain.weights(), rtol=1e-4, atol=1e-5)


def test_schedulers_of_torch_are_followed(graphs: Any) -> None:
    plain, learner = Learner(), Learner()
    update = graphed(learner, graphs)
    schedules = [
        torch.optim.lr_scheduler.ExponentialLR(side.optimizer, gamma=0.8) for side in (plain, learner)
    ]
    for batch in batches(12):
        plain.update(*batch)
        update(*batch)
        for schedule in schedules:
            schedule.step()
    assert update.captures == 1
    rates = [float(side.optimizer.param_groups[0]["lr"]) for side in (plain, learner)]
    assert rates[0] == pytest.approx(rates[1], rel=1e-5)
    torch.testing.assert_close(learner.weights(), plain.weights(), rtol=1e-4, atol=1e-5)


def test_a_state_goes_round_and_is_captured_anew(graphs: Any) -> None:
    learner = Learner()
    update = graphed(learner, graphs)
    for batch in batches(6):
        update(*batch)
    saved = copy.deepcopy((learner.net.state_dict(), update.state_dict()))
    after = [update(*batch) for batch in batches(6)]
    learner.net.load_state_dict(saved[0])
    update.load_state_dict(saved[1])
    again = [update(*batch) for batch in batches(6)]
    torch.testing.assert_close(torch.stack(again), torch.stack(after), rtol=1e-4, atol=1e-6)
    assert update.captures == 2
    fresh = Learner()
    fresh.net.load_state_dict(saved[0])
    fresh.optimizer.load_state_dict(saved[1]["optimizers"][0])  # into plain torch, without a graph
    plain = [fresh.update(*batch) for batch in batches(6)]
    torch.testing.assert_close(torch.stack(plain), torch.stack(after), rtol=1e-4, atol=1e-6)


def test_the_plain_state_has_numbers_and_the_settings_of_before(graphs: Any) -> None:
    learner = Learner()
    update = graphed(learner, graphs)
    update(*batches(1)[0])
    switched, plain = (
        learner.optimizer.param_groups[0],
        plain_state_dict(learner.optimizer)["param_groups"][0],
    )
    assert switched["capturable"] is True
    assert isinstance(switched["lr"], torch.Tensor)
    assert (plain["capturable"], plain["fused"], plain["foreach"]) == (False, None, None)
    assert plain["lr"] == pytest.approx(0.01)
    assert type(plain["lr"]) is float


def test_moved_weights_are_noticed(graphs: Any) -> None:
    learner = Learner()
    update = graphed(learner, graphs)
    for batch in batches(5):
        update(*batch)
    for parameter in learner.net.parameters():
        parameter.data = parameter.data.clone()
    before = learner.weights()
    update(*batches(1)[0])
    assert not torch.equal(learner.weights(), before)
    assert update.mode == "warming up"


def test_a_wait_keeps_the_function_eager_and_is_named(graphs: Any) -> None:
    plain, learner = Learner(), Learner()

    def waits(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        loss = learner.update(x, y)
        return loss if loss.item() > 0 else -loss

    update = GraphedUpdate(waits, optimizers=[learner.optimizer], backend=graphs)
    for batch in batches(8):
        plain.update(*batch)
        update(*batch)
    assert update.mode == "eager"
    assert update.reason.startswith("the function waits for the device at ")
    assert "test_graphed_update.py:" in update.reason
    assert graphs.captures == 0
    torch.testing.assert_close(learner.weights(), plain.weights(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("step", ["capture", "replay"])
def test_what_fails_falls_back_without_losing_an_update(step: str, graphs: Any) -> None:
    plain, learner = Learner(), Learner()

    class Broken:
        def replay(self) -> None:
            raise RuntimeError("no graph today\nand more")

    def broken(run: Any, generators: Any) -> Any:
        if step == "capture":
            raise RuntimeError("no graph today\nand more")
        return Broken()

    graphs.capture = broken
    update = graphed(learner, graphs)
    for batch in batches(8):
        plain.update(*batch)
        update(*batch)
    assert (update.mode, update.reason) == ("eager", f"the {step} failed: RuntimeError: no graph today")
    torch.testing.assert_close(learner.weights(), plain.weights(), rtol=1e-4, atol=1e-5)


def test_optimizers_that_count_in_python_are_refused(graphs: Any) -> None:
    learner = Learner(torch.optim.Adagrad)
    update = graphed(learner, graphs)
    update(*batches(1)[0])
    assert update.mode == "eager"
    assert update.reason == "Adagrad has no capturable form: it counts its steps in Python"


class Batch(NamedTuple):
    x: Any
    more: dict[str, Any]
    nothing: None = None


def test_arguments_may_be_nested_and_from_the_host_and_results_are_kept(graphs: Any) -> None:
    def use(batch: Batch, factor: float) -> dict[str, Any]:
        assert batch.nothing is None
        return {"sum": batch.x * factor + batch.more["y"], "pair": (batch.more["n"] + 1, batch.more["n"] > 2)}

    call = GraphedUpdate(use, optimizers=[], device="cpu", backend=graphs)
    kept = []
    for i in range(9):
        y, n = np.full((4, 3), i, np.float32), np.array([i], np.int64)
        kept.append(call(Batch(torch.ones(4, 3), {"y": y, "n": n}), 2.0))
        y[:], n[:] = -1, -1  # the caller's arrays are free again at once
    assert call.mode == "graph", call.reason
    assert [result["sum"][0, 0].item() for result in kept] == [i + 2.0 for i in range(9)]
    assert [result["pair"][0].item() for result in kept] == [i + 1 for i in range(9)]
    assert [result["pair"][1].item() for result in kept] == [i > 2 for i in range(9)]
    call(Batch(torch.ones(4, 3), {"y": y, "n": n}), 3.0)  # another number is another graph
    assert len(call._known) == 2
    with pytest.raises(TypeError, match="neither a tensor nor part of the graph's key\nhint"):
        call(Batch(torch.ones(4, 3), {"y": y, "n": {1, 2}}), 3.0)


def test_random_numbers_go_on_from_call_to_call(graphs: Any) -> None:
    def drop(x: torch.Tensor) -> torch.Tensor:
        return nn.functional.dropout(x, 0.5)

    x = torch.ones(64)
    torch.manual_seed(5)
    expected = [drop(x) for _ in range(10)]
    torch.manual_seed(5)
    call = GraphedUpdate(drop, optimizers=[], device="cpu", backend=graphs)
    found = [call(x) for _ in range(10)]
    assert call.mode == "graph", call.reason
    assert all(torch.equal(left, right) for left, right in zip(found, expected, strict=True))


def test_bfloat16_learns_and_a_failed_compilation_is_no_failure(
    graphs: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner = Learner()
    update = graphed(learner, graphs, amp=True)
    losses = [update(*batches(1)[0]) for _ in range(40)]
    assert update.mode == "graph", update.reason
    assert losses[-1] < losses[0]

    def refused(function: Any, dynamic: bool) -> Any:
        def fails(*args: Any) -> Any:
            raise RuntimeError("no compiler")

        return fails

    monkeypatch.setattr(torch, "compile", refused)
    plain, learner = Learner(), Learner()
    update = graphed(learner, graphs, compile=True)
    for batch in batches(6):
        plain.update(*batch)
        update(*batch)
    assert (update.mode, update.reason) == ("graph", "not compiled: RuntimeError")
    torch.testing.assert_close(learner.weights(), plain.weights(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("wrong", [{"warmup": 0}, {"max_graphs": 0}])
def test_options_are_checked(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        GraphOptions(**wrong)


def test_without_parameters_a_device_is_asked_for() -> None:
    with pytest.raises(ValueError, match="no parameters\nhint: pass device="):
        GraphedUpdate(lambda: None, optimizers=[])
