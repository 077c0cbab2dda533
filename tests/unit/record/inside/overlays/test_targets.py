"""Functions of the program that an overlay is put around."""

from __future__ import annotations

import builtins
import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from goldsplit.model.fact_wire import FactKind
from goldsplit.model.wire import Variable
from goldsplit.record.inside import after_import
from goldsplit.record.inside.engine import ENGINE
from goldsplit.record.inside.overlays import targets
from goldsplit.record.inside.overlays.changes import Changes
from goldsplit.record.inside.span_wrapping import staged

MODULE = """
import functools

def sight(n):
    return n

def uses():
    return sight(1)

class Game:
    def move(self, n):
        return n
    @staticmethod
    def rule(n):
        return n
    @classmethod
    def made(cls, n):
        return n
    @property
    def score(self):
        return 1
    @functools.lru_cache
    def path(self, n):
        return n
    async def later(self):
        return 1

SIZE = 3
"""


def plus_ten(function: Any) -> Any:
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs) + 10

    return wrapper


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., ModuleType]:
    """load(*targets): import a module with the overlay on these targets."""
    monkeypatch.setattr(builtins, "__build_class__", builtins.__build_class__)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "overlaid_game.py").write_text(MODULE)

    def run(*paths: str) -> ModuleType:
        for path in paths:
            targets.replace(f"overlaid_game:{path}", plus_ten, Changes(f"test:{path}"))
        import overlaid_game  # type: ignore[import-not-found]

        return overlaid_game  # type: ignore[no-any-return]

    yield run
    after_import._FINDER.waiting.pop("overlaid_game", None)
    sys.modules.pop("overlaid_game", None)


def test_functions_methods_and_properties(load: Callable[..., ModuleType]) -> None:
    paths = ("sight", "Game.move", "Game.rule", "Game.made", "Game.score", "Game.path")
    game = load(*paths)
    one = game.Game()
    assert (game.uses(), one.move(1), one.rule(1), one.made(1), one.score, one.path(1)) == (11,) * 6
    assert game.Game.path.cache_info().misses == 1
    assert game.Game.move.__name__ == "move"


def test_what_is_not_there_is_noted(load: Callable[..., ModuleType]) -> None:
    load("nothing", "Game.later", "SIZE")
    texts = [event.get("text", "") for event in ENGINE.events]
    assert any("overlaid_game has no nothing" in text for text in texts)
    assert any("coroutine" in text for text in texts)
    assert any("SIZE is a int" in text for text in texts)


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("overlaid_gam:sight", "module overlaid_gam was never imported; did you mean overlaid_game?"),
        ("overlaid_game:sigth", "overlaid_game has no sigth; did you mean sight?"),
        ("overlaid_game:Game.mov", "overlaid_game has no Game.mov; did you mean Game.move?"),
        ("overlaid_game:Game.move", None),
    ],
)
def test_at_the_end_it_is_told_why_a_target_was_not_there(
    target: str,
    why: str | None,
    load: Callable[..., ModuleType],
    changed: Callable[..., dict[str, float]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at_exit: list[Callable[[], None]] = []
    monkeypatch.setattr(targets.atexit, "register", at_exit.append)
    monkeypatch.setenv(Variable.FIRST_PROCESS, str(os.getpid()))
    targets.replace(target, plus_ten, Changes("test:1"))
    load()
    at_exit[0]()
    assert list(changed(FactKind.OVERLAY_MISSED)) == ([why] if why else [])
    assert list(changed(FactKind.OVERLAY_FOUND)) == ([] if why else ["move"])


def test_once_and_around_a_span() -> None:
    class Game:
        """A game."""

        def move(self, n: int) -> int:
            return n

    code = Game.move.__code__
    Game.move = staged(Game.move, "act")  # type: ignore[method-assign]
    changes = Changes("test:twice")
    for _ in range(2):
        targets.replace_attribute(Game, "move", plus_ten, changes)
    assert Game().move(1) == 11
    assert targets.code_below(Game.move) is code


def test_codes_by_name() -> None:
    found = targets.user_codes(lambda name: name == __name__)
    assert plus_ten.__code__ in found["plus_ten"]
    assert targets.code_below(functools.partial(plus_ten)) is None
