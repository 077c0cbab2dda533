"""The autostart imports nothing of goldsplit before it knows that it can; so it spells names itself."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from goldsplit.model.wire import File, Variable
from goldsplit.record.outside.launch import AUTOSTART


def test_the_autostart_spells_variables_and_files_as_the_run_format_does() -> None:
    tree = ast.parse((AUTOSTART / "sitecustomize.py").read_text())
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    spelled = {text for text in texts if str(text).startswith("GOLDSPLIT_") or str(text).endswith(".txt")}
    assert spelled == {Variable.RUN_DIR, Variable.DEBUG, File.TOO_OLD}


def test_the_autostart_imports_only_the_standard_library_at_the_top() -> None:
    tree = ast.parse((AUTOSTART / "sitecustomize.py").read_text())
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert {alias.name for node in imports for alias in node.names} == {"os", "sys"}


@pytest.mark.parametrize("command", [("game/play.py",), ("game",), ("-m", "json"), ("-c", "import json")])
def test_a_program_gets_its_own_module_of_a_name_that_the_recorder_uses(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    for place in (tmp_path, tmp_path / "game"):
        place.mkdir(exist_ok=True)
        (place / "json.py").write_text("print('mine')\n")
    for name in ("play", "__main__"):
        (tmp_path / "game" / f"{name}.py").write_text("import json\n")
    (tmp_path / "run").mkdir()
    given = {Variable.RUN_DIR: str(tmp_path / "run"), Variable.RUN_START_NS: "0"}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=tmp_path,
        env={**os.environ, **given, "PYTHONPATH": str(AUTOSTART)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("mine\n", "")
    assert list((tmp_path / "run").glob("proc-*")), "it was not recorded"


def test_a_folder_of_data_hides_no_module(tmp_path: Path) -> None:
    """What it has the name of is imported once, for the program and the recorder."""
    (tmp_path / "json").mkdir()
    (tmp_path / "json.csv").touch()
    (tmp_path / "play.py").write_text(
        "import gc, json\n"
        "print(sum(type(one) is type(gc) and one.__name__ == 'json' for one in gc.get_objects()))\n"
    )
    (tmp_path / "run").mkdir()
    given = {Variable.RUN_DIR: str(tmp_path / "run"), Variable.RUN_START_NS: "0"}
    done = subprocess.run(
        [sys.executable, "play.py"],
        cwd=tmp_path,
        env={**os.environ, **given, "PYTHONPATH": str(AUTOSTART)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "1\n"
