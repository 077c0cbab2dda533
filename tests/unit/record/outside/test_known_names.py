"""Names that a former run has read are taken over only where the files are the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldsplit.model.wire import File
from goldsplit.record.outside.known_names import take_over_names
from goldsplit.record.own_source import load, named_functions

GAME = """
class Game:
    def reset(self):
        return 0
    def step(self, action):
        return 0, 1.0, True, {}

game = Game()
game.reset()
for _ in range(3):
    game.step(0)
"""


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path, Path]:
    script = tmp_path / "train.py"
    script.write_text(GAME)
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    named_functions(str(tmp_path / "first"), script, [str(tmp_path)])
    return script, tmp_path / "first", tmp_path / "second"


def test_the_same_files(runs: tuple[Path, Path, Path]) -> None:
    script, first, second = runs
    assert take_over_names(first, second)
    assert load(str(second)) == load(str(first))
    assert str(script) in load(str(second))


def test_a_changed_a_missing_and_a_torn_one(runs: tuple[Path, Path, Path]) -> None:
    script, first, second = runs
    script.write_text(GAME + "# changed\n")
    assert not take_over_names(first, second)
    script.unlink()
    assert not take_over_names(first, second)
    (first / File.NAMED).write_text('{"torn')
    assert not take_over_names(first, second)
    assert not take_over_names(second, first)
    assert not (second / File.NAMED).exists()
