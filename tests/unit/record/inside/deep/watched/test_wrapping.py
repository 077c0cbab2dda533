"""Watched functions are wrapped where they are looked up, whatever kind of attribute they are."""

from __future__ import annotations

import functools
import pickle
import sys
from collections.abc import Iterator
from types import CodeType
from typing import Any

import pytest

from goldsplit.record.inside.deep.watched.watched_function import WatchedFunction
from goldsplit.record.inside.deep.watched.wrapping import Wrapping, is_watched, leads_to
from goldsplit.record.inside.engine import ThreadState
from goldsplit.record.inside.span_wrapping import staged

HERE = sys.modules[__name__]


def free(a: int) -> int:
    return a + 1


class Game:
    def plain(self, a: int) -> int:
        return a * 2

    @staticmethod
    def still(a: int) -> int:
        return a * 3

    @classmethod
    def made(cls, a: int) -> int:
        return a * 4

    @property
    def size(self) -> int:
        return 5

    def raises(self, a: int) -> Any:
        raise ValueError(f"as it would have with {a}")

    @functools.lru_cache  # noqa: B019
    def cached(self) -> int:
        return 6


def watched(code: CodeType, owner: Any, name: str) -> WatchedFunction:
    function = WatchedFunction(code, "function", 0)
    function.owner = (owner, name)
    return function


@pytest.fixture
def wrapping() -> Iterator[Wrapping]:
    made = Wrapping()
    yield made
    made.close()


def of_all_kinds() -> list[WatchedFunction]:
    size: Any = vars(Game)["size"]
    rows = [(free.__code__, HERE, "free"), (size.fget.__code__, Game, "size")]
    rows += [(getattr(Game, name).__code__, Game, name) for name in ("plain", "still", "made")]
    return [watched(*row) for row in rows]


def test_every_kind_of_attribute_is_wrapped_and_put_back(wrapping: Wrapping) -> None:
    before, in_module = dict(vars(Game)), free
    functions = of_all_kinds()
    assert [wrapping.place(function) for function in functions] == [True] * 5
    game = Game()
    assert (free(1), game.size, game.plain(1), Game.still(1), Game.made(1)) == (2, 5, 2, 3, 4)
    assert [function.core.calls for function in functions] == [1] * 5
    wrapping.close()
    assert dict(vars(Game)) == before
    assert free is in_module
    assert (free(1), game.plain(1)) == (2, 2)
    assert [function.core.calls for function in functions] == [1] * 5


def test_it_is_pickled_and_described_as_the_function_itself(wrapping: Wrapping) -> None:
    wrapping.place(watched(free.__code__, HERE, "free"))
    assert pickle.loads(pickle.dumps(free)) is free
    assert (free.__name__, free.__module__) == ("free", __name__)


def test_exceptions_pass(wrapping: Wrapping) -> None:
    function = watched(Game.raises.__code__, Game, "raises")
    wrapping.place(function)
    with pytest.raises(ValueError, match="as it would have with 1"):
        Game().raises(1)
    assert (function.core.calls, function.core.timed_calls) == (1, 1)


def test_what_the_program_has_put_there_meanwhile_stays(wrapping: Wrapping) -> None:
    function = watched(Game.plain.__code__, Game, "plain")
    real = Game.plain
    wrapping.place(function)
    try:
        Game.plain = lambda self, a: 7  # type: ignore[method-assign,assignment]
        wrapping.remove(function)
        assert Game().plain(1) == 7
        assert not wrapping.place(function)
    finally:
        Game.plain = real  # type: ignore[method-assign]


def test_closures_and_cached_functions_are_left_alone(wrapping: Wrapping) -> None:
    def inside() -> None: ...

    code: Any = vars(Game)["cached"].__wrapped__.__code__
    assert not wrapping.place(watched(code, Game, "cached"))
    assert not leads_to(len, inside.__code__)


def test_a_function_that_is_a_span_keeps_its_stage(state: ThreadState, wrapping: Wrapping) -> None:
    class Env:
        def observe(self) -> int:
            return 1

    real = Env.observe
    Env.observe = staged(real, "env.observe")  # type: ignore[method-assign]
    function = watched(real.__code__, Env, "observe")
    assert wrapping.place(function)
    assert (Env().observe(), function.span_stage, function.core.calls) == (1, "env.observe", 1)


def test_a_function_that_calls_itself_too_deep_is_let_go(wrapping: Wrapping) -> None:
    function = watched(Game.plain.__code__, Game, "plain")
    wrapping.place(function)
    found = vars(Game)["plain"]
    if not is_watched(found):
        pytest.skip("the core in Python uses no stack of the process")
    wrapping.step_aside(found)
    assert vars(Game)["plain"] is found.__wrapped__
    assert function.rests_until_ns > 1 << 60
