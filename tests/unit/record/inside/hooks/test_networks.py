"""Methods that act in a rollout and learn in an update."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.record.inside.core import settle_forward
from goldsplit.record.inside.engine import ThreadState
from goldsplit.record.inside.hooks import learning_functions, networks
from goldsplit.record.inside.hooks.networks import outside_learning, stage_networks
from goldsplit.record.inside.span_wrapping import is_staged, staged


@pytest.fixture
def gradients(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """A torch whose gradients are on as long as the list is not empty."""
    learning_functions.forget_all()
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


def network() -> Any:
    """A module by its parents' names."""
    module = type("Module", (), {"__module__": "torch.nn.modules.module"})

    class Network(module):  # type: ignore[misc,valid-type]
        def __init__(self) -> None:
            self.body = self.head = abs
            self.size = 3

        def q_values(self, x: int) -> int:
            return self.head(self.body(x))

        def select_action(self, x: int) -> int:
            return self.q_values(x)

        def get_value(self, x: int) -> int:
            return self.body(x)

        def width(self, x: int) -> int:
            return self.size * x

        def everything(self, x: Any) -> Any:
            loss = self.body(x)
            self.improve(loss)

        def improve(self, loss: Any) -> None:
            loss.backward()

        def forward(self, x: int) -> int:
            return self.body(x)

    stage_networks(Network)
    return Network


def test_methods_that_call_layers_are_networks_and_those_that_train_are_not(
    gradients: list[bool], state: ThreadState
) -> None:
    cls = network()
    staged = {name for name, value in vars(cls).items() if is_staged(value)}
    assert staged == {"q_values", "select_action", "get_value"}


def test_what_acts_by_its_name_acts_with_gradients_too(gradients: list[bool], state: ThreadState) -> None:
    gradients.append(True)
    one = network()()
    assert (one.select_action(-3), one.get_value(-4), one.q_values(-5)) == (3, 4, 5)
    assert totals(state) == {"act": 1, "act.value": 1, "learn.forward": 1}


def test_inside_the_environment_a_policy_is_the_environments(
    gradients: list[bool], state: ThreadState
) -> None:
    step = state.enter("env.step")
    network()().select_action(-3)
    state.leave(step)
    assert totals(state) == {"env.step": 1}
    assert step.children == {}


def test_without_a_framework_what_acts_inside_a_learner_belongs_to_it(state: ThreadState) -> None:
    def probs(x: int) -> int:
        return x + 1

    acting = outside_learning(probs)
    learner = staged(lambda x: acting(x), "learn.loss")
    assert (acting(1), learner(2)) == (2, 3)
    assert totals(state) == {"act": 1, "learn.loss": 1}
    assert not state.root.children["learn.loss"].children
