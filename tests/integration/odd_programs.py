"""Programs that do odd things: hostile objects, what only looks like an environment, odd endings (files in
`odd/`), and odd ways to be started (below). Each runs bare and recorded, and must write and end the same."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Odd:
    """One program; `command` follows the interpreter."""

    text: str = ""
    command: tuple[str, ...] = ("program.py",)
    files: dict[str, str] = field(default_factory=dict)
    stdin: str = ""


#: These look at what a wrapper with a frame has of its own, as documented: `__code__`, `__defaults__`.
LOOK_AT_CODE = frozenset({"inspect"})

IN_FILES = {file.stem: Odd(file.read_text()) for file in sorted(Path(__file__).with_name("odd").glob("*.py"))}

GAME = """
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
"""
SAYS = GAME + "import sys\nprint(Game().step(len(sys.argv)), __name__, sys.argv[1:], __debug__)\n"
ZIPPED = """
import runpy, sys, zipapp
zipapp.create_archive('app', 'app.pyz')
sys.argv = ['app.pyz']
runpy.run_path('app.pyz', run_name='__main__')
"""
ASKS = "print(input('name? ')[::-1], [line for line in __import__('sys').stdin])\n"

STARTED = {
    "optimised": Odd(SAYS + "assert False\n", ("-O", "program.py", "a b")),
    "isolated": Odd(SAYS, ("-I", "program.py")),
    "without site": Odd(SAYS, ("-S", "program.py")),
    "development mode": Odd(SAYS, ("-X", "dev", "-W", "error", "program.py")),
    "from stdin": Odd("", ("-", "x"), stdin=SAYS),
    "from the command line": Odd("", ("-c", SAYS, "x")),
    "a package": Odd(
        "",
        ("-m", "pkg", "y"),
        {"pkg/__init__.py": "", "pkg/__main__.py": "from . import game\n" + SAYS, "pkg/game.py": GAME},
    ),
    "a directory": Odd("", ("folder", "y"), {"folder/__main__.py": SAYS}),
    "a zip file": Odd("", ("-c", ZIPPED), {"app/__main__.py": SAYS, "app/other.py": GAME}),
    "a path with a space": Odd("", ("a b/the game.py",), {"a b/the game.py": SAYS}),
    "a path with other letters": Odd("", ("spiel ü☃/größe.py",), {"spiel ü☃/größe.py": SAYS}),
    "an import": Odd(
        "import logging.handlers, mine\nprint(mine.made)\n",
        files={"mine.py": GAME + "made = Game().step(1)\n"},
    ),
    "modules named as Python's": Odd(
        "import array, difflib, json, token\n"
        + SAYS
        + "print(array.mine, difflib.mine, json.mine, token.mine)\n",
        files={"array/__init__.py": "mine = 1\n"}
        | {f"{name}.py": "mine = 2\n" for name in ("difflib", "json", "token")},
    ),
    "syntax error": Odd("def broken(:\n"),
    "no such file": Odd("", ("nowhere.py",)),
    "questions": Odd(ASKS, stdin="abc\nd\n"),
}

PROGRAMS = {**IN_FILES, **STARTED}
