"""The files of a program are found through its imports; what cannot be read is left out."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

import goldsplit
from goldsplit.model.stage import ENV_STEP
from goldsplit.naming import calls, roles
from goldsplit.naming.reading.program import read_program
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide_in_time


def names(files: object) -> list[str]:
    return sorted(Path(one.file).name for one in files)  # type: ignore[attr-defined]


def test_imports_are_followed_and_libraries_left_out(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import game\nfrom parts import brain\nimport numpy\nimport missing\n")
    (tmp_path / "game.py").write_text("x = 1\n")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "__init__.py").write_text("")
    (tmp_path / "parts" / "brain.py").write_text("from . import head\n")
    (tmp_path / "parts" / "head.py").write_text("import train\n")
    found = read_program(tmp_path / "train.py", [str(tmp_path)])
    assert names(found) == ["__init__.py", "brain.py", "game.py", "head.py", "train.py"]


def test_an_environment_that_is_registered_by_its_name_is_found(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text('register(id="x-v0", entry_point="world:World")\n')
    (tmp_path / "world.py").write_text("class World: pass\n")
    assert names(read_program(tmp_path / "train.py", [])) == ["train.py", "world.py"]


def test_what_is_no_python_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import broken\nimport huge\n")
    (tmp_path / "broken.py").write_text("def (:\n")
    (tmp_path / "huge.py").write_text("x = 1\n" * 100_000)
    assert names(read_program(tmp_path / "train.py", [])) == ["train.py"]
    assert read_program(tmp_path / "none.py", []) == []


def test_deep_nesting_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("x = " + "(" * 150 + "1" + ")" * 150 + "\ny = " + "-" * 3000 + "1\n")
    assert len(read_program(tmp_path / "train.py", [])) in (0, 1)


def test_a_program_that_takes_too_long_is_decided_by_the_files_nearest_to_its_script(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = itertools.count()
    monkeypatch.setattr(calls, "_ASK_CLOCK_EVERY", 1)
    monkeypatch.setattr(calls.time, "thread_time", lambda: float(next(clock)))
    monkeypatch.setattr(roles, "MOST_SECONDS", 400.0)
    game = "def step(w, a):\n    return w\nw = 0\nfor _ in range(9):\n    w = step(w, 1)\n"
    files = [read(game, f"/program/part{n}.py") for n in range(40)]
    with pytest.raises(calls.TooLongError):
        roles.decide(files, 40.0)
    found = roles.decide_in_time(files)
    assert list(found) == [f"/program/part{n}.py" for n in range(len(found))]
    assert 0 < len(found) < len(files)
    assert [one.stage for one in found["/program/part0.py"]] == [ENV_STEP]


def test_goldsplit_itself_is_not_the_users_code(tmp_path: Path) -> None:
    """Also where it is installed from a checkout, as a folder on the path."""
    script = tmp_path / "train.py"
    script.write_text("import goldsplit\ngoldsplit.episode(reward=1.0)\n")
    root = str(Path(goldsplit.__file__).parents[1])
    assert [one.file for one in read_program(script, [str(tmp_path), root])] == [str(script)]


def test_a_function_that_returns_nothing_between_brackets(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("def none():\n    return ()\n\nleft = none()\nfor one in left:\n    one.step(0)\n")
    assert decide_in_time(read_program(script, [str(tmp_path)])) == {str(script): []}
