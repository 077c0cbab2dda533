"""Facts about forward passes and updates, beside their time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.model.fact_wire import FACT_SEPARATOR
from goldsplit.record.inside.core.counting import LOOK_EVERY
from goldsplit.record.inside.engine import ThreadState
from goldsplit.record.inside.hooks import torch, waiting


def counted(state: ThreadState, prefix: str) -> dict[str, float]:
    """Facts of a kind: their detail → number."""
    found = {}
    for name, value in state.counts.items():
        if name.startswith(prefix):
            kind, detail, _ = name.split(FACT_SEPARATOR)
            found[f"{kind.removeprefix(prefix.split(':')[0] + ':')} {detail}".strip()] = value
    return found


def batch(*shape: int, is_float: bool = True) -> Any:
    return SimpleNamespace(shape=shape, is_floating_point=lambda: is_float)


def test_rows_of_passes_that_learn(state: ThreadState) -> None:
    for rows in (batch(32, 4), batch(4), batch(64, is_float=False)):
        torch._look_at_forward("learn.forward", rows, pool_size=2)
    torch._look_at_forward("act", batch(8, 4), pool_size=2)
    assert counted(state, "fact_sum:forward_rows") == {"forward_rows": 97.0}, "one row, or 64 integers"
    assert counted(state, "fact_n:torch_pool") == {"torch_pool 2": 4}
    (name,) = [name for name in state.counts if name.startswith("fact_sum:forward_rows")]
    assert __file__ in name


class Nested:
    @property
    def shape(self) -> Any:
        raise RuntimeError("a nested tensor has no shape")


@pytest.mark.parametrize("argument", [{"obs": 1}, Nested(), 3.0, SimpleNamespace(shape=(64,))])
def test_what_has_no_rows_is_not_counted(state: ThreadState, argument: Any) -> None:
    torch._look_at_forward("learn.forward", argument, pool_size=1)
    torch._look_at_forward("learn.forward", None, pool_size=1)
    assert counted(state, "fact_sum:forward_rows") == {}


def test_updates_are_counted_at_the_loop_that_makes_them(state: ThreadState) -> None:
    node = state.child(state.root, "learn.optimizer")
    optimizer = Optimizer()
    for node.count in range(1, LOOK_EVERY + 1):
        torch.unusual_update(state, node, (optimizer,), None)
    assert counted(state, "fact_n:update") == {"update": 1}


class Optimizer:
    """Can be referred to weakly, as torch's."""


def keys(state: ThreadState, prefix: str) -> list[float]:
    return sorted(value for name, value in state.counts.items() if name.startswith(prefix))


def test_optimizers_that_step_at_one_place_count_as_one_others_apart(state: ThreadState) -> None:
    node = state.child(state.root, "learn.optimizer")
    torch._ended.clear()
    rounds, actor, critic = [Optimizer() for _ in range(3)], Optimizer(), Optimizer()
    for optimizer in rounds:
        for _ in range(3):
            torch.unusual_update(state, node, (optimizer,), None)
    for _ in range(2):
        torch.unusual_update(state, node, (actor,), None)
        torch.unusual_update(state, node, (critic,), None)
    assert keys(state, "updates:") == [2, 2, 9]


def test_optimizers_of_a_list_step_in_turn(state: ThreadState) -> None:
    torch._ended.clear()
    node = state.child(state.root, "learn.optimizer")
    for _ in range(2):
        critics = [Optimizer() for _ in range(3)]
        for _ in range(4):
            for critic in critics:
                torch.unusual_update(state, node, (critic,), None)
    assert keys(state, "updates:") == [8, 8, 8]


def test_an_optimizer_goes_on_where_one_has_ended(state: ThreadState) -> None:
    torch._ended.clear()
    node = state.child(state.root, "learn.optimizer")
    one = Optimizer()
    torch.unusual_update(state, node, (one,), None)
    one = Optimizer()
    torch.unusual_update(state, node, (one,), None)
    assert keys(state, "updates:") == [2]


def test_backward_passes_are_counted_by_their_places(state: ThreadState) -> None:
    for _ in range(3):
        torch._before_backward(state)
        torch._before_backward(state)
    torch._before_gradients(state)
    inside = state.enter("learn.backward")
    torch._before_gradients(state)
    state.leave(inside)
    assert (keys(state, "backward:"), keys(state, "gradients:")) == ([3, 3], [1])


class ThreadPoolExecutor:
    """Named like the real one."""


def test_a_pools_work_is_counted_by_its_kind(state: ThreadState) -> None:
    waiting._after_submit(state, state.root, (ThreadPoolExecutor(),), None)
    assert counted(state, "fact_n:pool_submit") == {"pool_submit thread": 1}
