"""What goes wrong in our own code: swallowed, counted, described once for each kind."""

from __future__ import annotations

import functools
import signal
from typing import Any

import pytest

from goldsplit.record.inside import own_failures
from goldsplit.record.inside.engine import ENGINE, ThreadState
from goldsplit.record.inside.own_failures import MOST_KINDS, MOST_TEXT, count_failure, harmless, safely


def fail(error: BaseException) -> None:
    raise error


def test_a_block_that_fails_is_left_and_counted(state: ThreadState) -> None:
    for number in range(3):
        with harmless("a block"):
            fail(KeyError(number))
    assert ENGINE.failures == {("a block", "KeyError"): ("KeyError: 0", 3)}


def test_kinds_are_told_apart_by_place_and_error(state: ThreadState) -> None:
    for error in (KeyError("a"), ValueError("b"), KeyError("c")):
        count_failure("here", error)
    count_failure(fail, KeyError("d"))
    assert ENGINE.failures == {
        ("here", "KeyError"): ("KeyError: 'a'", 2),
        ("here", "ValueError"): ("ValueError: b", 1),
        ("fail", "KeyError"): ("KeyError: 'd'", 1),
    }


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3), GeneratorExit()])
def test_what_is_no_failure_goes_on(state: ThreadState, error: BaseException) -> None:
    with pytest.raises(type(error)), harmless("a block"):
        fail(error)
    with pytest.raises(type(error)):
        safely(fail)(error)
    assert not ENGINE.failures


@pytest.mark.parametrize("kind", ["function", "method", "object"])
def test_what_the_programs_handler_of_a_signal_raises_goes_on(state: ThreadState, kind: str) -> None:
    class Handler:
        def __call__(self, *given: Any) -> None:
            fail(TimeoutError("of the program"))

        def method(self, *given: Any) -> None:
            fail(TimeoutError("of the program"))

    def function(*given: Any) -> None:
        fail(TimeoutError("of the program"))

    handlers: dict[str, Any] = {"function": function, "method": Handler().method, "object": Handler()}
    before = signal.signal(signal.SIGUSR2, handlers[kind])
    try:
        with pytest.raises(TimeoutError), harmless("a block"):
            signal.raise_signal(signal.SIGUSR2)
    finally:
        signal.signal(signal.SIGUSR2, before)
    assert not ENGINE.failures


class Late(Exception):  # noqa: N818
    """The program's own: it stops its threads with it."""


def raised_in_our_code(error: BaseException) -> BaseException:
    """As if another thread had raised it there."""
    names: dict[str, Any] = {}
    exec(compile("def ours(error):\n    raise error", own_failures.__file__, "exec"), names)
    with pytest.raises(type(error)) as found:
        names["ours"](error)
    return found.value


def test_what_another_thread_raises_in_our_code_goes_on(state: ThreadState) -> None:
    assert not count_failure("here", raised_in_our_code(Late()))
    assert not ENGINE.failures


def test_what_the_programs_code_raises_when_we_call_it_does_not(state: ThreadState) -> None:
    with harmless("a block"):
        fail(Late())
    assert count_failure("here", raised_in_our_code(Late("with a text, from C code of a library")))
    assert count_failure("here", raised_in_our_code(KeyError()))
    assert len(ENGINE.failures) == 3


def test_a_function_that_fails_returns_nothing(state: ThreadState) -> None:
    assert safely(len)([1]) == 1
    assert safely(fail)(ValueError()) is None
    assert safely(fail).__name__ == "fail"
    assert ENGINE.failures == {("fail", "ValueError"): ("ValueError", 1)}


def test_an_error_that_cannot_be_described(state: ThreadState) -> None:
    class Odd(Exception):  # noqa: N818
        def __str__(self) -> str:
            raise RuntimeError

    assert count_failure("here", Odd())
    assert count_failure("here", ValueError("x" * 5000))
    assert ENGINE.failures["here", "Odd"] == ("Odd", 1)
    assert len(ENGINE.failures["here", "ValueError"][0]) == MOST_TEXT


def test_kinds_without_end_are_counted_together(state: ThreadState) -> None:
    for number in range(3 * MOST_KINDS):
        count_failure(f"place {number}", KeyError())
    assert len(ENGINE.failures) == MOST_KINDS + 1
    assert sum(count for _, count in ENGINE.failures.values()) == 3 * MOST_KINDS


def test_any_callable_can_be_made_safe(state: ThreadState) -> None:
    class Odd:
        def __getattribute__(self, name: str) -> Any:
            raise AttributeError(name) if name.startswith("__") else ValueError(name)

        def __call__(self, error: BaseException) -> None:
            raise error

    assert safely(functools.partial(len, [1]))() == 1
    assert safely(functools.partial(fail, KeyError()))() is None
    assert safely(functools.partial(functools.partial(fail), ValueError()))() is None
    assert safely(Odd())(OSError()) is None
    assert {key[0] for key in ENGINE.failures} == {"fail", "Odd"}
