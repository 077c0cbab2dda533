"""Imports lead to the file that is meant, also where several have one name."""

from __future__ import annotations

from goldsplit.naming.modules import Modules
from goldsplit.naming.reading.source import read

TEXTS = {
    "/p/train.py": "from game import Board\nimport agent.core as brain\nfrom game.core import Rules\n",
    "/p/game/__init__.py": "from .board import Board\n",
    "/p/game/board.py": "class Board: pass\n",
    "/p/game/core.py": "from . import board\nclass Rules: pass\n",
    "/p/agent/core.py": "class Rules: pass\n",
}
MODULES = Modules([read(text, file) for file, text in TEXTS.items()])


def test_a_module_is_found_by_its_whole_name() -> None:
    assert MODULES.file("game.core", "/p/train.py") == "/p/game/core.py"
    assert MODULES.module_named("/p/train.py", "brain") == "/p/agent/core.py"
    assert MODULES.file("missing", "/p/train.py") is None


def test_of_two_files_of_one_name_the_nearer_one_is_meant() -> None:
    assert MODULES.file("core", "/p/agent/other.py") == "/p/agent/core.py"
    assert MODULES.file("core", "/p/game/board.py") == "/p/game/core.py"


def test_relative_imports() -> None:
    assert MODULES.file(".board", "/p/game/core.py") == "/p/game/board.py"
    assert MODULES.module_named("/p/game/core.py", "board") == "/p/game/board.py"
    assert MODULES.file("...game", "/p/game/core.py") is None


def test_a_name_is_followed_through_a_package() -> None:
    assert MODULES.origin("/p/train.py", "Board") == ("/p/game/board.py", "Board")
    assert MODULES.origin("/p/train.py", "Rules") == ("/p/game/core.py", "Rules")
    assert MODULES.origin("/p/train.py", "print") is None
