"""Chosen functions are wrapped where they are looked up, whatever kind of attribute they are."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from threading import get_ident
from typing import Any

import pytest

from goldsplit.model.wire import CHOSEN
from goldsplit.record.inside.deep.call_watch import Function, Watch
from goldsplit.record.inside.deep.wrapping import Wrapping, leads_to, owner_and_stage, owner_of
from goldsplit.record.inside.engine import ThreadState
from goldsplit.record.inside.span_wrapping import staged


def free(a: int) -> Any:
    return sys._getframe() if a == 0 else a + 1


class Game:
    def plain(self, a: int) -> Any:
        return sys._getframe() if a == 0 else a * 2

    @staticmethod
    def still(a: int) -> Any:
        return sys._getframe() if a == 0 else a * 3

    @classmethod
    def made(cls, a: int) -> Any:
        return sys._getframe() if a == 0 else a * 4

    @property
    def size(self) -> Any:
        return sys._getframe()

    def __hidden(self) -> Any:
        return sys._getframe()

    def open(self) -> Any:
        return self.__hidden()

    def raises(self, a: int) -> Any:
        if a:
            raise ValueError("as it would have")
        return sys._getframe()

    @functools.lru_cache  # noqa: B019
    def cached(self) -> Any:
        return sys._getframe()


def chosen(frame: Any) -> Function:
    function = Function(frame.f_code, "function")
    function.owner = owner_of(frame.f_code, frame)
    return function


@pytest.fixture
def wrapping() -> Iterator[Wrapping]:
    watch = Watch()
    made = Wrapping(watch)
    watch.begin(None, CHOSEN, 1 << 62)
    made.ident = get_ident()
    yield made
    made.restore()


def test_every_kind_of_attribute_is_found_and_wrapped(wrapping: Wrapping) -> None:
    game = Game()
    frames = [free(0), game.plain(0), Game.still(0), Game.made(0), game.size, game.open()]
    functions = [chosen(frame) for frame in frames]
    assert all(function.owner is not None for function in functions)
    wrapping.place(functions)
    assert (free(1), game.plain(1), Game.still(1), Game.made(1)) == (2, 2, 3, 4)
    assert game.size.f_code is frames[4].f_code
    assert game.open().f_code is frames[5].f_code
    assert [function.calls for function in functions] == [1] * 6
    wrapping.restore()
    assert free(1) == 2
    assert game.plain(1) == 2
    assert [function.calls for function in functions] == [1] * 6


def test_other_threads_pass_through(wrapping: Wrapping) -> None:
    function = chosen(Game().plain(0))
    wrapping.place([function])
    wrapping.ident = 0
    assert Game().plain(1) == 2
    assert function.calls == 0


def test_exceptions_pass_and_close_the_call(wrapping: Wrapping) -> None:
    function = chosen(Game().raises(0))
    wrapping.place([function])
    with pytest.raises(ValueError, match="as it would have"):
        Game().raises(1)
    assert (function.calls, function.active, wrapping.watch.stack) == (1, 0, [])


def test_closures_and_cached_functions_are_left_alone() -> None:
    def inside() -> Any:
        return sys._getframe()

    assert owner_of(inside.__code__, inside()) is None
    frame = Game().cached()
    assert owner_of(frame.f_code, frame) is None
    assert not leads_to(len, inside.__code__)


def test_a_function_that_is_a_span_keeps_its_stage(state: ThreadState) -> None:
    class Env:
        def observe(self) -> Any:
            return sys._getframe()

    real = Env.observe
    Env.observe = staged(real, "env.observe")  # type: ignore[method-assign]
    owner, stage = owner_and_stage(real.__code__, Env().observe())
    assert owner == (Env, "observe")
    assert stage == "env.observe"
