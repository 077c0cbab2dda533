"""The command that records again, and under which name a file of the program is imported."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from goldsplit.model.launched import import_folder, module_of, record_again, script_of, start_folder
from goldsplit.model.profile import Profile

HOME = "/home/me/game/"


def started_by(command: str) -> Profile:
    """A run of which two files named train.py were hot."""
    spots = [SimpleNamespace(file=HOME + name) for name in ("scripts/train.py", "train.py")]
    run = SimpleNamespace(command=command.split(), folder="")
    trust = SimpleNamespace(notes=[])
    return cast(Profile, SimpleNamespace(run=run, hotspots=spots, user_lines=[], deep=None, trust=trust))


@pytest.mark.parametrize(
    ("command", "file", "module"),
    [
        ("python train.py", "train.py", "train"),
        ("python train.py", "core/hex.py", "core.hex"),
        ("python train.py", "core/__init__.py", "core"),
        ("python scripts/train.py", "scripts/hex.py", "hex"),
        ("python scripts/train.py", "core/hex.py", "hex"),
        ("python -m scripts.train", "scripts/hex.py", "scripts.hex"),
        ("./start.sh", "core/hex.py", "hex"),
    ],
)
def test_as_the_program_imports_it(command: str, file: str, module: str) -> None:
    profile = started_by(command)
    assert module_of(profile, HOME + file) == module
    assert import_folder(profile).startswith(start_folder(profile))


def test_a_package_that_is_run_as_a_program_shows_where_it_is_imported_from() -> None:
    spots = [SimpleNamespace(file="/opt/src/game/train/__main__.py")]
    run = SimpleNamespace(command=["python", "-m", "game.train"], folder="")
    profile = cast(Profile, SimpleNamespace(run=run, hotspots=spots, user_lines=[], deep=None))
    assert module_of(profile, "/opt/src/game/rules/hex.py") == "game.rules.hex"
    run.command = ["python", "game/train.py"]
    assert module_of(profile, "/opt/src/game/rules/hex.py") == "hex"


def test_recording_again() -> None:
    training = started_by("python train.py --seed 1")
    assert record_again(training) == "goldsplit record -- python train.py --seed 1"
    assert record_again(training, deep=True) == "goldsplit record --deep -- python train.py --seed 1"
    alone = started_by("python -m goldsplit.record.drive game:Hex --hash --steps 500")
    assert record_again(alone, deep=True) == "goldsplit env game:Hex --steps 500 --hash"


def test_the_script_of_a_command() -> None:
    assert script_of(["python", "./a/train.py", "--map", "x.py"]) == "a/train.py"
    assert script_of(["python", "-m", "a.train"]) == "a/train.py"
    assert script_of(["python", "/opt/train.py"]) == ""
    assert script_of(["make"]) == ""
