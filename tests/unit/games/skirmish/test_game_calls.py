"""The code that is kept on disk belongs to the rules as they are now."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldsplit.games.skirmish import game_calls


def test_every_compiled_module_is_part_of_the_key() -> None:
    folder = Path(game_calls.__file__).parent
    compiled = {file.stem for file in folder.glob("*.py") if "@kernel\n" in file.read_text()}
    assert len(compiled) >= 5
    assert compiled | {"game_terms", "board_tables", "kernel_options", "../dice"} == set(game_calls._SOURCES)


def test_the_key_changes_with_the_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rules.py").write_text("LEAD = 1")
    monkeypatch.setattr(game_calls, "__file__", str(tmp_path / "game_calls.py"))
    monkeypatch.setattr(game_calls, "_SOURCES", ("rules",))
    before = game_calls._digest()
    assert before == game_calls._digest()
    (tmp_path / "rules.py").write_text("LEAD = 2")
    assert before != game_calls._digest()


def test_the_compiled_call_carries_the_key() -> None:
    cells = game_calls.play.py_func.__closure__
    assert game_calls._digest() in [
        cell.cell_contents for cell in cells if isinstance(cell.cell_contents, int)
    ]
