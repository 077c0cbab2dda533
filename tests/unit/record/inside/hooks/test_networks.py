"""Methods that act in a rollout and learn in an update."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.record.inside.core import settle_forward
from goldsplit.record.inside.engine import ThreadState
from goldsplit.record.inside.hooks import networks
from goldsplit.record.inside.hooks.networks import stage_networks
from goldsplit.record.inside.span_wrapping import is_staged


@pytest.fixture
def gradients(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """A torch whose gradients are on as long as the list is not empty."""
    wanted: list[bool] = []
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(is_grad_enabled=lambda: bool(wanted)))
    return wanted


def agent() -> Any:
    class Agent:
        def get_action_and_value(self, x: int, action: int | None = None) -> tuple[int, int | None]:
            return x, action

        def other(self) -> None:
            return None

    stage_networks(Agent)
    return Agent


def totals(state: ThreadState) -> dict[str, int]:
    return {stage: node.count for stage, node in state.root.children.items()}


def test_gradients_show_the_purpose(gradients: list[bool], state: ThreadState) -> None:
    one = agent()()
    assert one.get_action_and_value(3) == (3, None)
    assert totals(state) == {"act": 1}
    gradients.append(True)
    assert one.get_action_and_value(3, action=4) == (3, 4)
    assert totals(state) == {"act": 1, "learn.forward": 1}
    assert state.forward_ns > 0, "a loss may follow"


def test_what_follows_corrects_the_place(gradients: list[bool], state: ThreadState) -> None:
    gradients.append(True)  # the program acts without no_grad
    one = agent()()
    for _ in range(3):
        one.get_action_and_value(3)
        settle_forward(False)  # an environment step
    assert totals(state) == {"learn.forward": 1, "act": 2}


def test_only_methods_of_these_names_and_only_with_torch(
    gradients: list[bool], monkeypatch: pytest.MonkeyPatch, state: ThreadState
) -> None:
    made: Callable[[], Any] = agent
    assert is_staged(made().get_action_and_value)
    assert not is_staged(made().other)
    monkeypatch.delitem(sys.modules, "torch")
    assert not is_staged(made().get_action_and_value)
    assert "get_action_and_value" in networks.TWO_PURPOSES
