"""The files of a program are found through its imports; what cannot be read is left out."""

from __future__ import annotations

from pathlib import Path

from goldsplit.naming.program import read_program


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
