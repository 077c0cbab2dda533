"""compiled-text: equal text is compiled once, and means what it meant."""

import builtins
import re
from collections.abc import Callable

import pytest

from goldsplit.record.inside.overlays import compiled_text
from goldsplit.record.inside.overlays.changes import Changes
from goldsplit.record.inside.overlays.compiled_text import SPARED

Changed = Callable[..., dict[str, float]]
OUTSIDE = 5


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("eval", "exec", "compile"):
        monkeypatch.setattr(builtins, name, getattr(builtins, name))
    monkeypatch.setattr(re, "_compile", re._compile)  # type: ignore[attr-defined]
    compiled_text.install(Changes("compiled-text"), "verify=1000000")


def test_names_are_looked_up_in_the_caller(kept: None, changed: Changed) -> None:
    for inside in range(30):
        assert eval("inside + OUTSIDE") == inside + 5
        assert eval(" inside * 2") == inside * 2
        assert eval("x + 1", {"x": inside}) == inside + 1
    assert changed()[SPARED] >= 60


def test_exec_and_compile(kept: None, changed: Changed) -> None:
    space: dict[str, int] = {"total": 0}
    for _ in range(30):
        exec("total += 2", space)
        code = compile("1 + 1", "<here>", "eval")
        assert code.co_filename == "<here>"
        assert eval(code) == 2
    assert space["total"] == 60
    assert changed()[SPARED] >= 30


def test_wrong_text_raises_as_always(kept: None) -> None:
    for _ in range(3):
        with pytest.raises(SyntaxError):
            eval("1 +")
        with pytest.raises(TypeError):
            compile("1")  # type: ignore[call-overload]
        with pytest.raises(NameError):
            eval("unknown_name")
    assert eval(b"1 + 1") == 2


def test_trees_are_made_each_time(kept: None) -> None:
    import ast

    assert ast.parse("a = 1") is not ast.parse("a = 1")


def test_patterns_that_re_has_forgotten_stay(kept: None, changed: Changed) -> None:
    first = re.compile("goldsplit-[0-9]+")
    re.purge()
    assert re.compile("goldsplit-[0-9]+") is first
    assert changed() == {"patterns not compiled again": 1}


def test_code_that_differs_stops_the_run(stopped: type[BaseException]) -> None:
    found = compiled_text.KeptCode(Changes("compiled-text"), 1, compile)
    found.code("1 + 1", "<string>", "eval")
    found.codes = {key: compile("3", "<string>", "eval") for key in found.codes}
    with pytest.raises(stopped, match="1 \\+ 1"):
        found.code("1 + 1", "<string>", "eval")
