"""Which function a place is in."""

from __future__ import annotations

from types import SimpleNamespace

from goldsplit.diagnose.deep_places import bare_name, enclosing_function, function_at


def test_comprehensions_belong_to_the_function_around_them() -> None:
    assert enclosing_function("Game.observe.<listcomp>") == "Game.observe"
    assert enclosing_function("Game.observe") == "Game.observe"
    assert bare_name("Game.observe.<listcomp>") == "observe"
    assert bare_name("copy.deepcopy") == "deepcopy"
    assert bare_name("<module>") == "<module>"


def test_functions_are_found_by_file_and_name(make: SimpleNamespace) -> None:
    observe = make.deep_function("Game.observe")
    deep = make.deep_look(functions=[make.deep_function("Game.step"), observe])
    assert function_at(deep, make.place(40, "Game.observe.<listcomp>")) is observe
    assert function_at(deep, make.place(40, "Game.observe", "/other.py")) is None
