"""TARGET: what is found, and what is said about what is not found."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from goldsplit.record.drive.policy import load_function
from goldsplit.record.drive.problem import DriveError
from goldsplit.record.drive.target import find, make

GAME = """
class Game:
    def __init__(self, size=3): self.size = size
    def reset(self): return 0
    def step(self, action): return 0, 0.0, True, {}
class Board: pass
class Nested:
    class Inner(Game): pass
READY = Game(9)
def make_env(size=5): return lambda: Game(size)
def needs(size): return Game(size)
def fails(): raise RuntimeError("no ROM")
def leaves(): raise SystemExit(4)
NUMBER = 3
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a game, first on the path, and no trace of it afterwards."""
    (tmp_path / "mygame.py").write_text(GAME)
    (tmp_path / "broken.py").write_text("x = 1\nprint(undefined_name)\n")
    (tmp_path / "typo.py").write_text("def f(:\n")
    (tmp_path / "missing.py").write_text("import no_such_package_at_all\n")
    (tmp_path / "relative.py").write_text("from . import mygame\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def made(target: str, **arguments: object) -> object:
    return make(find(target, arguments), target)


@pytest.mark.parametrize(
    ("target", "size"),
    [
        ("mygame:Game", 3),
        ("mygame.py:Game", 3),
        ("./mygame.py:Game", 3),
        ("mygame:Nested.Inner", 3),
        ("mygame:READY", 9),
        ("mygame:make_env", 5),
    ],
)
def test_a_factory_of_any_kind(target: str, size: int) -> None:
    assert getattr(made(target), "size") == size  # noqa: B009


def test_arguments_go_to_the_factory() -> None:
    assert getattr(made("mygame:make_env", size=12), "size") == 12  # noqa: B009


def test_a_gymnasium_id_with_arguments() -> None:
    env = made("CartPole-v1", max_episode_steps=7)
    assert env.spec.max_episode_steps == 7  # type: ignore[attr-defined]
    assert type(made("gymnasium:CartPole-v1")) is type(env)


@pytest.mark.parametrize(
    ("target", "message", "hint"),
    [
        ("Cartpole-v1", "no Gymnasium environment 'Cartpole-v1'", "did you mean CartPole-v1?"),
        ("CartPole-v77", "no Gymnasium environment", "did you mean CartPole-v1?"),
        ("mygame.Game", "no Gymnasium environment", "write mygame:Game"),
        ("ALE/Nothing-v5", "no Gymnasium environment", "ale_py:ALE/Nothing-v5"),
        ("mygame:Gmae", "mygame has no 'Gmae'", "did you mean Game?"),
        ("mygame:xyz", "mygame has no 'xyz'", "it has mygame:Game"),
        ("mygame:NUMBER", "is a int, not a class or function", "mygame:Game"),
        ("mygame.py", "names a file", "it has mygame.py:Game"),
        ("mygame:Board", "makes a Board, which has no reset and no step", "reset() and step(action)"),
        ("mygame:needs", "missing 1 required positional argument: 'size'", "--kwargs"),
        ("mygame:fails", "making mygame:fails failed: RuntimeError: no ROM (mygame.py:12)", "--kwargs"),
        ("mygame:leaves", "SystemExit: 4", "--kwargs"),
        ("nowhere.env:Game", "there is no module 'nowhere'", "project's folder"),
        ("nowhere.py:Game", "there is no file nowhere.py", "relative to"),
        (
            "broken:Game",
            "cannot import broken: NameError: name 'undefined_name' is not defined (broken.py:2)",
            "fix",
        ),
        ("broken.py:Game", "cannot import broken.py: NameError", "fix"),
        ("typo:Game", "(typo.py:1)", "fix"),
        (
            "missing:Game",
            "No module named 'no_such_package_at_all' (missing.py:1)",
            "install no_such_package_at_all",
        ),
        ("relative.py:Game", "relative import", "package.module:Factory"),
    ],
)
def test_what_cannot_be_made_is_explained(target: str, message: str, hint: str) -> None:
    with pytest.raises(DriveError) as told:
        made(target)
    assert message in told.value.message
    assert hint in told.value.hint


def test_the_traceback_is_of_the_users_code_only() -> None:
    with pytest.raises(DriveError) as told:
        made("mygame:fails")
    assert 'mygame.py", line 12, in fails' in told.value.trace
    assert "goldsplit" not in told.value.trace
    assert "importlib" not in told.value.trace


def test_functions_for_policies_and_masks() -> None:
    assert load_function("mygame:make_env", "--policy").__name__ == "make_env"
    for text, option, hint in (
        ("greedy", "--policy", "use random, first, zero, or package.module:function"),
        ("mygame", "--mask", "use package.module:function"),
        ("mygame:no_such_function", "--policy", "write it as package.module:function"),
    ):
        with pytest.raises(DriveError) as told:
            load_function(text, option)
        assert option in told.value.message
        assert hint in told.value.hint
