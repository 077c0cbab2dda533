"""A report shows source of the run's own project, never of any path that a run names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from goldsplit.model.recording import Frame, Recording
from goldsplit.store.project_source import NotShownError, ProjectSource, digest, project_folders

SECRET = "def step():\n    password = 'hunter2'\n"


def run_of(
    file: Path, folder: Path | str = "", function: str = "Game.step", known: bool = False
) -> Recording:
    recording = Recording({}, [], [Frame(function, str(file), 2)], [], [])
    recording.folder = str(folder)
    if known:
        recording.digests[str(file)] = digest(file.read_bytes())
    return recording


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project" / ".goldsplit" / "runs" / "r").mkdir(parents=True)
    return tmp_path / "project"


def written(path: Path, text: str = SECRET) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def refused(recording: Recording, file: Path, current: Path) -> str:
    with pytest.raises(OSError, match=r".") as error:
        ProjectSource(recording, current).read(str(file))
    return str(error.value)


def test_a_file_that_a_run_merely_names_is_not_shown(project: Path, tmp_path: Path) -> None:
    secret = written(tmp_path / "other" / "settings.py")
    stranger = run_of(secret, project / ".goldsplit" / "runs" / "r")
    assert "does not belong" in refused(stranger, secret, project)


def test_a_file_whose_content_the_run_knew_is_shown_wherever_it_is(project: Path, tmp_path: Path) -> None:
    shared = written(tmp_path / "shared" / "game.py")
    recording = run_of(shared, known=True)
    assert ProjectSource(recording, project).read(str(shared)) == (SECRET.splitlines(), 0.0)
    shared.write_text(SECRET + "# changed\n")
    assert "does not belong" in refused(recording, shared, project)


def test_files_of_the_folder_that_holds_the_run_and_of_the_current_one_are_shown(
    project: Path, tmp_path: Path
) -> None:
    own = written(project / "game" / "rules.py")
    lines, changed = ProjectSource(run_of(own, project / ".goldsplit" / "runs" / "r"), tmp_path / "x").read(
        str(own)
    )
    assert lines == SECRET.splitlines()
    assert changed == own.stat().st_mtime, "it may have been changed since"
    assert ProjectSource(run_of(own), project).read(str(own))[0] == lines


def test_a_relative_name_is_looked_for_in_the_project(project: Path) -> None:
    written(project / "train.py")
    assert ProjectSource(run_of(Path("train.py")), project).read("train.py")[0] == SECRET.splitlines()


def test_hidden_folders_links_out_and_other_kinds_of_files_are_not_shown(
    project: Path, tmp_path: Path
) -> None:
    hidden = written(project / ".git" / "hook.py")
    assert "does not belong" in refused(run_of(hidden), hidden, project)
    outside = written(tmp_path / "other" / "keys.py")
    (project / "link.py").symlink_to(outside)
    assert "does not belong" in refused(run_of(project / "link.py"), project / "link.py", project)
    text = written(project / "passwords.txt")
    assert "not a Python source" in refused(run_of(text), text, project)
    os.mkfifo(project / "pipe.py")
    assert "regular" in refused(run_of(project / "pipe.py"), project / "pipe.py", project)


def test_a_file_without_any_sampled_function_is_not_shown(project: Path) -> None:
    settings = written(project / "settings.py", "PASSWORD = 'hunter2'\n")
    for function in ("<module>", "step", "Game.step"):
        assert "none of the functions" in refused(run_of(settings, function=function), settings, project)


@pytest.mark.parametrize("name", ["", "a\0b", "/" * 5000, "/proc/kmsg", "/dev/zero"])
def test_names_that_are_no_files(name: str, project: Path) -> None:
    recording = Recording({}, [], [Frame("step", name, 2)], [], [])
    with pytest.raises(OSError, match=r"."):
        ProjectSource(recording, project).read(name)


def test_the_root_and_a_home_directory_are_no_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert project_folders("", Path("/")) == []
    assert project_folders("", tmp_path) == []
    assert project_folders(str(tmp_path / ".goldsplit" / "runs" / "r"), Path("/")) == []
    assert project_folders("", tmp_path / "game") == [tmp_path / "game"]


def test_the_refusal_is_an_oserror_that_says_why() -> None:
    assert issubclass(NotShownError, OSError)
