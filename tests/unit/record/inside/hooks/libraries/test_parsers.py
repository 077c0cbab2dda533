"""What was read or parsed before, unchanged, is counted at the user's line."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from goldsplit.model.fact_wire import FACT_SEPARATOR
from goldsplit.record.inside.core import IS_COMPILED
from goldsplit.record.inside.engine import ENGINE
from goldsplit.record.inside.hooks.libraries import parsers

#: Before the recorder of this test run, if there is one, puts anything there.
Open = Callable[..., Any]


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    ENGINE.forget()
    yield
    ENGINE.forget()


@pytest.fixture
def watched_open() -> Open:
    return parsers._around(io.open, parsers.Contents("file", parsers._opened))  # type: ignore[no-any-return]


def again() -> dict[str, float]:
    """Detail → how often."""
    names = {name: count for name, count in ENGINE.state().counts.items() if name.startswith("fact_n:parsed")}
    return {name.split(FACT_SEPARATOR)[1]: count for name, count in names.items()}


def test_an_unchanged_file_is_counted_from_the_second_time_on(watched_open: Open, tmp_path: Path) -> None:
    path = tmp_path / "level.map"
    path.write_text("#..#")
    for _ in range(4):
        with watched_open(path) as file:
            assert file.read() == "#..#"
    assert again() == {"file level.map": 3}
    (name,) = [name for name in ENGINE.state().counts if name.startswith("fact_n:parsed")]
    assert f"{__file__}:" in name


def test_a_changed_file_is_new(watched_open: Open, tmp_path: Path) -> None:
    path = tmp_path / "level.map"
    for number in range(4):
        path.write_text("#" * (number + 1))
        watched_open(path).close()
    assert again() == {}


def test_what_is_written_or_no_data_is_not_looked_at(watched_open: Open, tmp_path: Path) -> None:
    path, source = tmp_path / "log.txt", tmp_path / "agent.py"
    source.write_text("x = 1")
    for _ in range(3):
        watched_open(path, "a").close()
        watched_open(path, mode="w").close()
        watched_open(source).close()
        watched_open(os.devnull).close()
        watched_open("/proc/self/stat").close()
        watched_open(path, "rb").close()  # empty
    assert again() == {}


def test_errors_are_the_programs_own(watched_open: Open, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        watched_open(tmp_path / "missing")
    if IS_COMPILED:
        assert caught.traceback[-1].path == Path(__file__)  # no frame of ours


def test_in_a_class_it_gets_no_self(watched_open: Open, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("text")

    class Reader:
        opener = watched_open

    with Reader().opener(tmp_path / "a") as file:
        assert file.read() == "text"


def test_equal_texts_are_counted_and_different_ones_are_not() -> None:
    module = ModuleType("json")
    module.loads = json.loads  # type: ignore[attr-defined]
    parsers._watch(module, "loads", "json")
    for _ in range(3):
        assert module.loads('{"a": 1}') == {"a": 1}
    for number in range(5):
        module.loads(str(number))
    assert again() == {"json": 2}


def test_long_runs_are_looked_at_now_and_then() -> None:
    module = ModuleType("json")
    module.loads = json.loads  # type: ignore[attr-defined]
    parsers._watch(module, "loads", "json")
    calls = parsers.LOOK_AT_ALL + 70 * parsers.LOOK_EVERY
    for _ in range(calls):
        module.loads("[1]")
    assert again()["json"] == pytest.approx(calls, rel=0.05)
