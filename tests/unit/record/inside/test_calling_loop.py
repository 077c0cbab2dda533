"""The line of user code that decides how often something runs."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable

from goldsplit.record.inside.calling_loop import in_loop, loop_place


def here() -> str:
    return loop_place(sys._getframe(1))


def called_from_a_loop() -> str:
    found = ""
    for _ in range(2):
        found = through_a_function()
    return found


def through_a_function() -> str:
    return here()


def test_the_loop_is_named_not_the_function_inside_it() -> None:
    assert called_from_a_loop().endswith(":called_from_a_loop")


def test_the_innermost_loop_is_named() -> None:
    outer = [called_from_a_loop() for _ in range(2)]
    assert all(place.endswith(":called_from_a_loop") for place in outer)


def test_without_a_loop_the_innermost_line_is_named() -> None:
    code = compile("def ask(find):\n    return find()\nplace = ask(find)", "/home/me/game.py", "exec")
    names = {"find": lambda: loop_place(sys._getframe(1))}
    exec(code, names)
    assert str(names["place"]).startswith("/home/me/game.py:2:") or "test_calling_loop" in str(names["place"])


def test_what_follows_a_loop_is_not_in_it() -> None:
    def loops(items: list[int]) -> int:
        for item in items:
            item += 1
        return len(items)

    last = len(loops.__code__.co_code) - 2
    assert not in_loop(loops.__code__, last)


def test_after_a_with_block_one_is_not_in_a_loop() -> None:
    def learns(find: Callable[[], bool]) -> bool:
        with contextlib.nullcontext():
            find()
        return find()

    assert not learns(lambda: in_loop(learns.__code__, sys._getframe(1).f_lasti))


def test_without_user_code_there_is_no_place() -> None:
    assert loop_place(None) == ""
