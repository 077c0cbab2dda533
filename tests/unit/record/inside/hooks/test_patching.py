"""A staged attribute binds as it did before."""

from __future__ import annotations

import functools
import inspect
import os
import pickle
from typing import Any

import pytest

from goldsplit.record.inside.framed_calls import as_builtin
from goldsplit.record.inside.hooks.patching import stage_attribute


class Called:
    """A callable object: nobody binds it."""

    def __call__(self, *given: Any) -> Any:
        return given


class Bound:
    """A decorator that says itself what it is bound to."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, *given: Any) -> Any:
        raise TypeError("not bound")

    def __get__(self, one: Any, owner: Any) -> Any:
        return functools.partial(self.function, one, "bound")


def game() -> Any:
    class Game:
        reset = Called()
        render = len
        copy = dict.copy

        @Bound
        def action_masks(self, how: str, more: int) -> Any:
            return how, more

        @functools.lru_cache  # noqa: B019
        def step(self, action: int) -> Any:
            return type(self).__name__, action

    return Game


@pytest.mark.parametrize("name", ["reset", "render", "step", "action_masks"])
def test_it_binds_as_before(name: str) -> None:
    given = {"reset": (1,), "render": ("abc",), "step": (3,), "action_masks": (4,)}[name]
    kind = game()
    plain = getattr(kind(), name)(*given)
    staged = stage_attribute(kind, name, "env.step")
    assert getattr(kind(), name)(*given) == plain
    assert staged is (name != "action_masks")


def test_what_stands_for_a_builtin_is_like_one() -> None:
    seen: list[Any] = []
    call: Any = as_builtin(lambda *given: seen.append(given), print)

    class Trainer:
        log = call

    Trainer().log("x")
    assert seen == [("x",)]
    assert inspect.isbuiltin(call)
    assert (call.__name__, call.__module__, repr(call)) == ("print", "builtins", repr(print))
    assert inspect.signature(call) == inspect.signature(print)
    assert call.__reduce__() == "print"
    assert pickle.loads(pickle.dumps(print)) is print
    assert as_builtin(os._exit, os._exit).__wrapped__ is os._exit
