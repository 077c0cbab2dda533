"""Waiting is a span that names who ended it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.record.inside.engine import ENGINE
from goldsplit.record.inside.framed_calls import span_call
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


def test_what_an_evaluation_hands_to_a_pool_of_threads_belongs_to_it() -> None:
    class Pool:
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
            """Do it."""
            return fn(*args, **kwargs)

    def where(number: int) -> tuple[int, list[str]]:
        node, path = ENGINE.state().current, []
        while node is not None:
            path.append(node.stage)
            node = node.parent
        return number, path

    waiting._hand_on_evaluations(Pool)
    assert Pool.submit.__doc__ == "Do it."
    number, path = Pool().submit(where, 3)
    assert (number, "eval" in path) == (3, False)
    told: list[tuple[int, list[str]]] = []

    def exam() -> None:
        worker = threading.Thread(target=lambda work: told.append(work(4)), args=(kept[0],))
        worker.start()
        worker.join()

    class Keeping(Pool):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
            kept.append(fn)

    kept: list[Any] = []
    waiting._hand_on_evaluations(Keeping)
    span_call(lambda: Keeping().submit(where, 4), "eval")()
    exam()
    ((number, path),) = told
    assert (number, "eval" in path) == (4, True)


def test_handing_work_to_a_pool_is_still_a_message() -> None:
    class Pool:
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
            return fn(*args, **kwargs)

    waiting._stage_pools(SimpleNamespace(ThreadPoolExecutor=Pool))  # type: ignore[arg-type]
    assert Pool().submit(max, 3, 4) == 4
    sent = [node.count for node in ENGINE.state().root.children.values() if node.stage == "vec.send"]
    assert sent == [1]
