"""The user's own mapping, and hooks that wait for a module's import."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from goldsplit.record.inside.after_import import _FINDER, when_imported
from goldsplit.record.inside.engine import ENGINE, ThreadState
from goldsplit.record.inside.hooks import mapping


@pytest.fixture
def write_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], None]]:
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)

    def write(name: str, text: str) -> None:
        (tmp_path / f"{name}.py").write_text(text)

    yield write
    for name in set(sys.modules) - before:
        del sys.modules[name]
    _FINDER.waiting.clear()
    if _FINDER in sys.meta_path:
        sys.meta_path.remove(_FINDER)


@pytest.fixture
def game(state: ThreadState) -> ModuleType:
    module = ModuleType("game")
    exec(
        "class Base:\n"
        " def turn(self): return 'turn'\n"
        "class Battle(Base):\n"
        " def step(self, action): return 0, 0.0, True, False, {}\n"
        " @staticmethod\n"
        " def luck(n): return n\n"
        " @classmethod\n"
        " def make(cls): return cls.__name__\n"
        " size = 3\n"
        "def think(): return 'thought'\n",
        vars(module),
    )
    return module


def calls(state: ThreadState, stage: str) -> int:
    return sum(node.count for node in state.nodes if node.stage == stage)


def test_functions_methods_static_and_class_methods(game: Any, state: ThreadState) -> None:
    for path in ("think", "Battle.step", "Battle.luck", "Battle.make"):
        assert mapping.apply(game, path, "game.x"), path
    battle = game.Battle()
    assert (game.think(), battle.luck(3), game.Battle.luck(4), battle.make(), game.Battle.make()) == (
        "thought",
        3,
        4,
        "Battle",
        "Battle",
    )
    assert calls(state, "game.x") == 5


def test_mapping_twice_is_harmless(game: Any, state: ThreadState) -> None:
    for _ in range(3):
        assert mapping.apply(game, "Battle.luck", "game.x")
        assert mapping.apply(game, "Battle.make", "game.x")
        assert mapping.apply(game, "think", "game.x")
    assert (game.Battle().luck(3), game.Battle.make(), game.think()) == (3, "Battle", "thought")
    assert calls(state, "game.x") == 3


def test_an_inherited_method_can_be_named_on_the_subclass(game: Any, state: ThreadState) -> None:
    assert mapping.apply(game, "Battle.turn", "env.opponent")
    assert game.Battle().turn() == "turn"
    assert calls(state, "env.opponent") == 1
    game.Base().turn()
    assert calls(state, "env.opponent") == 1, "only the class that was named"


def test_what_is_not_there_is_said(game: Any) -> None:
    for path in ("nothing", "Battle.nothing", "Nobody.step", "Battle.size", "think.inner"):
        assert not mapping.apply(game, path, "act"), path


def test_the_users_mapping_replaces_ours(game: Any, state: ThreadState) -> None:
    mapping.apply(game, "Battle.step", "env.step")
    mapping.apply(game, "Battle.step", "env.opponent")
    game.Battle().step(0)
    assert calls(state, "env.opponent") == 1
    assert calls(state, "env.step") == 0


def test_the_users_mapping_takes_a_stage_away(game: Any, state: ThreadState) -> None:
    mapping.stage_attribute(game.Battle, "step", "env.step")
    assert mapping.apply(game, "Battle.step", "none")
    assert mapping.is_left_alone(game.Battle.step)
    assert not mapping.is_left_alone(game.think)
    game.Battle().step(1)
    assert calls(state, "env.step") == 0
    assert not mapping.apply(game, "Battle.missing", "none")


def test_a_users_decorator_is_never_removed(game: Any, state: ThreadState) -> None:
    runs: list[int] = []

    def watched(fn: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(fn)
        def inner(*args: Any) -> Any:
            runs.append(1)
            return fn(*args)

        return inner

    mapping.apply(game, "think", "act")
    game.think = watched(game.think)
    mapping.apply(game, "think", "game.x")
    assert game.think() == "thought"
    assert runs == [1]


def test_a_mapped_step_counts_and_a_counter_counts_calls(game: Any, state: ThreadState) -> None:
    mapping.apply(game, "Battle.step", "env.step")
    mapping.apply(game, "think", "count:thoughts")
    game.Battle().step(0)
    game.think()
    game.think()
    assert state.counts == {"own_env_steps": 1, "own_episodes": 1, "user:thoughts": 2}


def test_progress_counts_calls_and_keeps_the_stage(game: Any, state: ThreadState) -> None:
    mapping.stage_attribute(game.Battle, "luck", "env.opponent")
    assert mapping.apply(game, "Battle.luck", "progress")
    assert mapping.apply(game, "think", "progress")
    game.Battle.luck(3)
    game.think()
    assert state.counts == {"user:env_steps": 2}
    assert calls(state, "env.opponent") == 1


def test_what_is_counted_as_progress_may_get_its_stage_later(game: Any, state: ThreadState) -> None:
    mapping.apply(game, "think", "progress")
    mapping.apply(game, "Battle.step", "count:turns")
    assert mapping.restage(game, "think", "act")
    assert not mapping.restage(game.Battle, "step", "env.step"), "only calls that are the run's steps"
    game.think()
    assert state.counts == {"user:env_steps": 1}
    assert calls(state, "act") == 1


def test_install_stages_a_module_right_after_its_import(
    state: ThreadState, write_module: Callable[[str, str], None]
) -> None:
    write_module("mapped_game", "def turn(): return 5\nFIRST = turn()\n")
    mapping.install({"mapped_game:turn": "env.opponent", "mapped_game:tunr": "act"})
    module = importlib.import_module("mapped_game")
    assert module.turn() == 5
    assert calls(state, "env.opponent") == 1
    kinds = {event["k"]: event for event in ENGINE.events}
    assert kinds["mapped"]["target"] == "mapped_game:turn"
    assert kinds["unmapped"]["target"] == "mapped_game:tunr"


def test_a_hook_runs_once_after_the_import(write_module: Callable[[str, str], None]) -> None:
    write_module("hooked_one", "x = 1\n")
    seen: list[ModuleType] = []
    when_imported("hooked_one", seen.append)
    assert seen == []
    module = importlib.import_module("hooked_one")
    assert seen == [module]
    assert module.__spec__ is not None
    assert type(module.__loader__).__name__ == "SourceFileLoader"
    assert module.__spec__.loader is module.__loader__
    when_imported("hooked_one", seen.append)
    assert len(seen) == 2, "already there: at once"


def test_looking_for_a_module_does_not_use_up_its_hooks(write_module: Callable[[str, str], None]) -> None:
    write_module("hooked_two", "x = 1\n")
    seen: list[ModuleType] = []
    when_imported("hooked_two", seen.append)
    assert importlib.util.find_spec("hooked_two") is not None
    assert importlib.util.find_spec("hooked_two") is not None
    assert seen == []
    importlib.import_module("hooked_two")
    assert len(seen) == 1


def test_the_loader_answers_as_the_real_one(write_module: Callable[[str, str], None]) -> None:
    """runpy (python -m), pkgutil and importlib.resources ask the loader for code, source and data."""
    write_module("hooked_three", "x = 1\n")
    when_imported("hooked_three", lambda module: None)
    spec = importlib.util.find_spec("hooked_three")
    assert spec is not None
    loader: Any = spec.loader
    assert loader.get_code("hooked_three") is not None
    assert loader.get_source("hooked_three") == "x = 1\n"
    assert loader.get_filename("hooked_three").endswith("hooked_three.py")
    assert not hasattr(loader, "no_such_thing")


def test_a_module_that_fails_the_first_time_is_hooked_the_second(
    write_module: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_module(
        "hooked_four", "import sys\nif not hasattr(sys, 'hooked_four_ok'): raise ImportError('not yet')\n"
    )
    seen: list[ModuleType] = []
    when_imported("hooked_four", seen.append)
    with pytest.raises(ImportError, match="not yet"):
        importlib.import_module("hooked_four")
    monkeypatch.setattr(sys, "hooked_four_ok", True, raising=False)
    importlib.import_module("hooked_four")
    assert len(seen) == 1


def test_a_hook_that_fails_leaves_a_note(
    state: ThreadState, write_module: Callable[[str, str], None]
) -> None:
    def fails(module: ModuleType) -> None:
        raise RuntimeError("new version")

    write_module("hooked_five", "x = 1\n")
    when_imported("hooked_five", fails)
    assert importlib.import_module("hooked_five").x == 1
    (text, count), *others = ENGINE.failures.values()
    assert (text, count, others) == ("RuntimeError: new version", 1, [])


def test_a_module_that_does_not_exist_stays_an_import_error() -> None:
    when_imported("no_such_module_at_all", lambda module: None)
    try:
        with pytest.raises(ModuleNotFoundError, match="no_such_module_at_all"):
            importlib.import_module("no_such_module_at_all")
    finally:
        _FINDER.waiting.clear()


def test_names_of_the_script(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "orig_argv", ["python", "-u", "dir/train.py", "-m", "x"])
    assert mapping.main_names() == {"__main__", "train"}
    monkeypatch.setattr(sys, "orig_argv", ["python", "-m", "pkg.train", "a.py"])
    assert mapping.main_names() == {"__main__", "pkg.train", "pkg.train.__main__"}
