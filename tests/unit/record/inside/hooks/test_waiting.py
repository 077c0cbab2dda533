"""Waiting is a span that names who ended it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.record.inside.engine import ENGINE
from goldsplit.record.inside.hooks import waiting


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    ENGINE.forget()
    yield
    ENGINE.forget()


class Future:
    """As much of a future as the hook looks at: a condition, and a result that may fail."""

    def __init__(self, waker: str, error: Exception | None = None) -> None:
        self._condition: Any = SimpleNamespace(_goldsplit_waker=waker)
        self.error = error

    def result(self, timeout: float | None = None) -> str:
        """The answer."""
        if self.error is not None:
            raise self.error
        return f"answer within {timeout}"


@pytest.fixture
def watched() -> type[Future]:
    watched = type("Watched", (Future,), {"result": Future.result})
    module: Any = SimpleNamespace(Future=watched, FINISHED="FINISHED")
    waiting._watch_futures(module)
    return watched


def waits() -> dict[str, int]:
    """Who ended this thread's waits → how many."""
    return {node.detail: node.count for node in ENGINE.state().root.children.values() if node.stage == "wait"}


def test_a_futures_result_is_a_wait_for_the_thread_that_set_it(watched: type[Future]) -> None:
    waker = f"t:{threading.get_native_id()}"
    assert watched(waker).result(timeout=3) == "answer within 3"
    assert watched(waker).result() == "answer within None"
    assert {who: number for who, number in waits().items() if number} == {waker: 2}
    assert watched.result.__doc__ == "The answer."


def test_a_future_that_failed_was_waited_for_as_well(watched: type[Future]) -> None:
    with pytest.raises(ValueError, match="no game"):
        watched("t:5", ValueError("no game")).result()
    assert {who: number for who, number in waits().items() if number} == {"t:5": 1}
    assert ENGINE.state().current is ENGINE.state().root


def test_a_result_inside_a_wait_is_part_of_it(watched: type[Future]) -> None:
    state = ENGINE.state()
    node = state.enter("wait", "t:9")
    watched("t:5").result()
    state.leave(node)
    assert {who: number for who, number in waits().items() if number} == {"t:9": 1}


def test_a_message_queue_unpacks_what_it_takes_and_hands_over_what_it_sends() -> None:
    """Between its wait and its return lies `loads`, which is part of the message; so is what `put` does."""

    class Queue:
        def get(self) -> str:
            return "game"

        def put(self, one: str) -> None: ...

    class JoinableQueue(Queue):
        def put(self, one: str) -> None: ...

    class SimpleQueue(Queue):
        def get(self) -> str:
            return "result"

        def put(self, one: str) -> None: ...

    queues = SimpleNamespace(Queue=Queue, JoinableQueue=JoinableQueue, SimpleQueue=SimpleQueue)
    waiting._stage_message_queues(queues)  # type: ignore[arg-type]
    assert (Queue().get(), SimpleQueue().get()) == ("game", "result")
    for one in (Queue(), JoinableQueue(), SimpleQueue()):
        one.put("action")
    found = {node.stage: node.count for node in ENGINE.state().nodes if node.stage.startswith("vec.")}
    assert found == {"vec.recv": 2, "vec.send": 3}
