"""Stand-ins see the user's lines, change nothing, and go away."""

from __future__ import annotations

import builtins
import copy
import json
import random
import re
import sys
import types
from collections.abc import Iterator
from threading import get_ident
from typing import Any

import numpy as np
import pytest

from goldsplit.model.wire import STEP
from goldsplit.record.inside.deep.call_watch import Watch
from goldsplit.record.inside.deep.site_table import replace_all
from goldsplit.record.inside.deep.sites import SiteRow, Sites

REAL = {"eval": builtins.eval, "zeros": np.zeros, "deepcopy": copy.deepcopy, "compile": re.compile}


@pytest.fixture
def sites() -> Iterator[Sites]:
    made = Sites(Watch())
    replace_all(made)
    made.watch.ident = get_ident()
    yield made
    made.restore()


def rows(sites: Sites, kind: str) -> dict[str, SiteRow]:
    return {row.callee: row for row in sites.rows.values() if row.kind == kind}


def test_text_that_is_parsed_again_is_one_text(sites: Sites) -> None:
    for _ in range(3):
        json.loads('{"a": 1}')
        re.compile("a+")
    for number in range(2):
        eval(f"{number} + 1")
    found = rows(sites, "text")
    assert (found["json.loads"].compared, len(found["json.loads"].keys)) == (3, 1)
    assert (found["eval"].compared, len(found["eval"].keys)) == (2, 2)
    assert found["re.compile"].detail == "'a+'"


def test_eval_and_exec_see_the_callers_variables(sites: Sites) -> None:
    local = 41  # noqa: F841
    assert eval("local + 1") == 42
    assert eval("local + other", {"other": 1, "local": 2}) == 3
    space: dict[str, Any] = {}
    exec("made = 7", space)
    assert space["made"] == 7


def test_code_that_is_compiled_already_is_not_counted(sites: Sites) -> None:
    code = compile("1 + 1", "x", "eval")
    sites.rows.clear()
    assert eval(code) == 2
    assert "eval" not in rows(sites, "text")


def test_arrays_copies_and_draws(sites: Sites) -> None:
    np.zeros((4, 4), dtype=np.uint8)
    copy.deepcopy({"a": [1]})
    random.sample(range(50), 3)
    assert rows(sites, "allocation")["numpy.zeros"].amount == 16
    assert rows(sites, "deepcopy")["copy.deepcopy"].calls == 1
    assert rows(sites, "sampling")["random.sample"].amount == 50


def test_calls_of_libraries_and_of_other_threads_are_not_the_users(sites: Sites) -> None:
    decoded = json.JSONDecoder().decode('{"a": 1}')
    assert decoded == {"a": 1}
    sites.watch.ident = get_ident() + 1
    np.zeros(3)
    assert not rows(sites, "allocation")


def test_the_line_is_the_callers(sites: Sites) -> None:
    line = sys._getframe().f_lineno + 1
    np.ones(2)
    (row,) = rows(sites, "allocation").values()
    assert row.line == line
    assert row.code is sys._getframe().f_code


def test_names_that_the_users_modules_imported_are_replaced_too(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("users_game")
    module.__file__ = "/home/someone/users_game.py"
    module.fresh = np.zeros  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "users_game", module)
    made = Sites(Watch())
    replace_all(made)
    assert module.fresh is np.zeros is not REAL["zeros"]
    made.restore()
    assert module.fresh is np.zeros is REAL["zeros"]


def test_everything_comes_back() -> None:
    made = Sites(Watch())
    for _ in range(2):
        replace_all(made)
        assert builtins.eval is not REAL["eval"]
        made.restore()
        assert builtins.eval is REAL["eval"]
        assert (np.zeros, copy.deepcopy, re.compile) == (REAL["zeros"], REAL["deepcopy"], REAL["compile"])


def test_what_the_program_put_there_meanwhile_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(np, "ones", np.ones)
    made = Sites(Watch())
    replace_all(made)
    np.ones = len  # type: ignore[assignment]
    made.restore()
    assert np.ones is len


def test_an_error_of_the_real_function_passes_through(sites: Sites) -> None:
    with pytest.raises(json.JSONDecodeError):
        json.loads("{")
    with pytest.raises(NameError):
        eval("nowhere_to_be_found")


def test_a_segment_of_weight_zero_is_forgotten(sites: Sites) -> None:
    np.zeros(2)
    (row,) = rows(sites, "allocation").values()
    row.end_segment(STEP, 0.0)
    assert row.figures[STEP] == [0, 0, 0]
    assert row.calls == 0
