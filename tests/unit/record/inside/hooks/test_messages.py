"""Messages are counted with their sizes and commands; infos are looked at from time to time."""

from __future__ import annotations

import multiprocessing.connection
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from goldsplit.model.fact_wire import FACT_SEPARATOR
from goldsplit.record.inside.core import count_command
from goldsplit.record.inside.core.counting import LOOK_AT_STEP, LOOK_AT_STEP_EVERY
from goldsplit.record.inside.engine import ENGINE
from goldsplit.record.inside.hooks import messages
from goldsplit.record.inside.hooks.messages import SENT, look_at_info


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    ENGINE.forget()
    messages._command_keys.clear()
    messages._looked_at_keys.clear()
    yield
    ENGINE.forget()


def facts(kind: str) -> dict[str, tuple[float, float]]:
    """detail → (count, amount) of one kind, in this thread."""
    counts = ENGINE.state().counts
    found = {}
    for name, number in counts.items():
        if name.startswith(f"fact_n:{kind}{FACT_SEPARATOR}"):
            amount = counts.get("fact_sum:" + name.removeprefix("fact_n:"), 0.0)
            found[name.split(FACT_SEPARATOR)[1]] = (number, amount)
    return found


class Game:
    def step(self, action: int) -> tuple[int, float, bool, dict[str, Any]]:
        return action, 0.0, False, {"units": list(range(400)), "turn": 3}


def steps(number: int, sent: int | None = None) -> None:
    """Tell the engine that so many steps were made, and look."""
    state = ENGINE.state()
    state.counts["own_env_steps"] = number
    state.counts[SENT] = number if sent is None else sent
    game, node = Game(), state.child(state.root, "env.step")
    node.count = number
    look_at_info(state, node, (game, 0), game.step(0))


def test_sizes_are_counted_as_sent() -> None:
    sent = []

    class Connection:
        def _send_bytes(self, buf: bytes) -> None:
            sent.append(len(buf))

    module: Any = SimpleNamespace(Connection=Connection)
    messages.watch_sizes(module)
    for size in (100, 300):
        Connection()._send_bytes(bytes(size))
    assert facts("message") == {"sent": (2, 400)}
    assert sent == [100, 300]


def test_the_real_connection_has_what_is_watched() -> None:
    assert callable(multiprocessing.connection.Connection._send_bytes)  # type: ignore[attr-defined]
    assert isinstance(multiprocessing.connection, ModuleType)


@pytest.mark.parametrize(
    ("message", "command"),
    [
        (("step", 3), "step"),
        (("env_method", ("action_masks", (), {})), "env_method:action_masks"),
        (("get_attr", "score"), "get_attr:score"),
        (("_call", ("legal", (), {})), "_call:legal"),
        (("_call", 7), "_call:?"),
    ],
)
def test_commands_are_known_by_name(message: Any, command: str) -> None:
    count_command(message)
    count_command(message)
    assert facts("command") == {command: (2, 0.0)}


@pytest.mark.parametrize("message", [(), (1, "a"), "step", ["step", 1], None, ("x" * 100, 1)])
def test_other_messages_have_no_command(message: Any) -> None:
    count_command(message)
    assert facts("command") == {}


def test_data_that_looks_like_commands_does_not_pile_up() -> None:
    for number in range(200):
        count_command((f"word {number}", None))
    assert len(facts("command")) == messages.MAX_COMMANDS


def test_an_info_is_looked_at_once_in_so_many_steps() -> None:
    for number in range(1, 2 * LOOK_AT_STEP_EVERY):
        steps(number)
    assert facts("info")[""][0] == 2
    assert facts("info")[""][1] > 1000
    assert facts("info_us")[""][1] > 0
    assert list(facts("info_key")) == ["units", "turn"]


def test_the_place_is_the_environments_step() -> None:
    steps(LOOK_AT_STEP)
    (name,) = [name for name in ENGINE.state().counts if name.startswith("fact_n:info" + FACT_SEPARATOR)]
    assert name.endswith(":Game.step")
    assert __file__ in name


def test_a_process_that_sends_no_answer_per_step_is_left_alone() -> None:
    steps(LOOK_AT_STEP, sent=3)
    assert facts("info") == {}


def test_what_cannot_be_pickled_is_left_alone() -> None:
    state = ENGINE.state()
    state.counts.update({"own_env_steps": LOOK_AT_STEP, SENT: LOOK_AT_STEP})
    node = state.child(state.root, "env.step")
    node.count = LOOK_AT_STEP
    look_at_info(state, node, (Game(), 0), (0, 0.0, False, {"call": lambda: None}))
    look_at_info(state, node, (Game(), 0), (0, 0.0, False, "no dictionary"))
    assert facts("info") == {}
