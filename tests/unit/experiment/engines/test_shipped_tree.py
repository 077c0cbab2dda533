"""What is sent to a node, and where a command finds it there."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from goldsplit.errors import CommandError
from goldsplit.experiment.engines import shipped_tree
from goldsplit.experiment.engines.shipped_tree import pack_folder, ship, unpack
from goldsplit.experiment.variants import Prepared
from goldsplit.model.experiment.design import Variant


@pytest.fixture
def project(tmp_path: Path) -> Path:
    place = tmp_path / "game"
    (place / "sub").mkdir(parents=True)
    (place / ".venv" / "bin").mkdir(parents=True)
    (place / ".venv" / "pyvenv.cfg").write_text("home = x\n")
    (place / ".venv" / "bin" / "python").write_text("")
    (place / ".goldsplit").mkdir()
    (place / ".goldsplit" / "old").write_text("x" * 1000)
    (place / "train.py").write_text("print()\n")
    (place / "sub" / "maps.txt").write_text("a\n")
    return place


def test_paths_into_the_project_move_and_interpreters_stay(project: Path, tmp_path: Path) -> None:
    folder = tmp_path / "e"
    copy = folder / "configs" / "long" / "set.toml"
    copy.parent.mkdir(parents=True)
    copy.write_text("turns = 3\n")
    command = (
        str(project / ".venv" / "bin" / "python"),
        str(project / "train.py"),
        f"--settings={copy}",
        "sub/maps.txt",
    )
    shipped = ship(Prepared(Variant("long"), command, {"MAPS": str(project / "sub")}), folder, project)
    node = tmp_path / "node"
    unpack(shipped.archive, node)
    there = shipped.unpacked_in(node)
    assert there.command == (
        command[0],
        str(node / "tree" / "train.py"),
        f"--settings={node / 'configs' / 'set.toml'}",
        "sub/maps.txt",
    )
    assert there.environment == {"MAPS": str(node / "tree" / "sub")}
    assert there.directory == node / "tree"
    assert (node / "configs" / "set.toml").read_text() == "turns = 3\n"
    assert sorted(path.name for path in (node / "tree").iterdir()) == ["sub", "train.py"]


def test_of_a_repository_what_git_ignores_stays_here(project: Path, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    (project / ".gitignore").write_text("*.log\n")
    (project / "big.log").write_text("x")
    shipped = ship(Prepared(Variant("base"), ("python", "maps.txt"), {}), tmp_path / "e", project / "sub")
    unpack(shipped.archive, tmp_path / "node")
    assert shipped.unpacked_in(tmp_path / "node").directory == tmp_path / "node" / "tree" / "sub"
    assert (tmp_path / "node" / "tree" / "train.py").is_file()
    assert not (tmp_path / "node" / "tree" / "big.log").exists()
    assert not (tmp_path / "node" / "tree" / ".goldsplit").exists()


def test_too_large_a_project_is_refused(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipped_tree, "MOST_BYTES", 10)
    with pytest.raises(CommandError, match="too much to send"):
        ship(Prepared(Variant("base"), ("python", "train.py"), {}), tmp_path / "e", project)


def test_what_a_trial_made_comes_back(tmp_path: Path) -> None:
    made = tmp_path / "made" / "runs" / "0-base"
    made.mkdir(parents=True)
    (made / "run.json").write_text("{}")
    unpack(pack_folder(tmp_path / "made"), tmp_path / "here")
    assert (tmp_path / "here" / "runs" / "0-base" / "run.json").read_text() == "{}"
