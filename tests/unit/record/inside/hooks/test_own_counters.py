"""The counters of a script that has its game in its own lines."""

from __future__ import annotations

import sys
import threading

import pytest

from goldsplit.model.named_code import NamedFunction
from goldsplit.record.inside.engine import ENGINE, ThreadState
from goldsplit.record.inside.hooks import own_counters


@pytest.fixture
def main(monkeypatch: pytest.MonkeyPatch, state: ThreadState) -> dict[str, object]:
    """The names of the script, as the recorder reads them."""
    monkeypatch.setattr(ENGINE, "before_snapshot", None)
    monkeypatch.setattr(ENGINE, "events", [])
    monkeypatch.setitem(ENGINE.by_ident, threading.main_thread().ident or 0, state)
    module = type(sys)("__main__")
    monkeypatch.setitem(sys.modules, "__main__", module)
    return vars(module)


def part(counters: tuple[str, ...]) -> NamedFunction:
    return NamedFunction("/p/train.py", "<module>", 10, 20, "env.step", "", own_counters=counters)


def test_the_scripts_own_counters_are_read(main: dict[str, object], state: ThreadState) -> None:
    own_counters.take_over([part(("", "")), part(("steps", "walks"))])
    ENGINE.before_snapshot()
    assert state.counts == {}, "not defined yet"
    main.update(steps=0, walks=0)
    ENGINE.before_snapshot()
    assert ENGINE.first_step_ns == 0
    main.update(steps=40, walks=2)
    ENGINE.before_snapshot()
    assert state.counts == {"own_env_steps": 40, "own_episodes": 2}
    assert 0 < ENGINE.first_step_ns <= ENGINE.last_step_ns


def test_updates_that_the_script_counts_are_its_own_count(
    main: dict[str, object], state: ThreadState
) -> None:
    own_counters.take_over([part(("steps", "", "taught"))])
    main.update(steps=4, taught=52)
    ENGINE.before_snapshot()
    assert state.counts == {"own_env_steps": 4, "user:updates": 52}


def test_what_is_no_count_is_left_alone(main: dict[str, object], state: ThreadState) -> None:
    own_counters.take_over([part(("steps", ""))])
    main.update(steps=7)
    ENGINE.before_snapshot()
    for other in ("many", None, 3.5, 2, True):
        main.update(steps=other)
        ENGINE.before_snapshot()
    assert state.counts == {"own_env_steps": 7}


def test_a_script_that_does_not_count_is_told_how(main: dict[str, object]) -> None:
    own_counters.take_over([part(("", ""))])
    assert ENGINE.before_snapshot is None
    (note,) = ENGINE.events
    assert "lines 10-20 of train.py" in str(note)
    assert "goldsplit.count" in str(note)
    own_counters.take_over([])
    assert len(ENGINE.events) == 1
