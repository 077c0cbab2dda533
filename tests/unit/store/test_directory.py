"""Finding runs by id, name, path or `last`; and what is said when there is none."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from goldsplit.errors import DamagedRunError, FormatError, OutputError, RunNotFoundError
from goldsplit.model.recording import FORMAT_VERSION, READABLE_FORMATS
from goldsplit.store import directory
from goldsplit.store.directory import clean_name, create_run, find_run, list_runs, read_header, write_header


def make(root: Path, run_id: str, **header: Any) -> Path:
    path = create_run(root, run_id)
    write_header(path, {"id": run_id, **header})
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make(tmp_path / "runs", "a-1", name="baseline", started=10.0)
    make(tmp_path / "runs", "b-2", name="faster", started=30.0)
    make(tmp_path / "runs", "c-3", name="baseline", started=20.0)
    return tmp_path / "runs"


def test_by_id_name_path_and_last(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_run("a-1", root).id == "a-1"
    assert find_run("faster", root).id == "b-2"
    assert find_run("baseline", root).id == "c-3", "the newest of that name"
    assert find_run(str(root / "a-1"), Path("elsewhere")).id == "a-1"
    assert find_run("last", root).id == "b-2", "by when it began, not by its name"
    monkeypatch.chdir(root)
    assert find_run("./c-3", Path("elsewhere")).id == "c-3"


def test_runs_are_listed_oldest_first_and_damaged_ones_left_out(root: Path) -> None:
    (root / "b-2" / "run.json").write_text("{")
    (root / "not-a-run").mkdir()
    assert [entry.id for entry in list_runs(root)] == ["a-1", "c-3"]
    assert list_runs(root / "nowhere") == []


@pytest.mark.parametrize(("wanted", "close"), [("basline", "baseline"), ("fster", "faster"), ("b-22", "b-2")])
def test_a_wrong_name_answers_with_the_closest(root: Path, wanted: str, close: str) -> None:
    with pytest.raises(RunNotFoundError, match=wanted) as error:
        find_run(wanted, root)
    assert f"did you mean {close}?" in error.value.hint


def test_nothing_alike_points_to_the_list(root: Path) -> None:
    with pytest.raises(RunNotFoundError) as error:
        find_run("zzzzzz", root)
    assert "did you mean" not in error.value.hint
    assert "goldsplit runs" in error.value.hint


def test_no_runs_and_wrong_paths(tmp_path: Path) -> None:
    with pytest.raises(RunNotFoundError, match="no runs"):
        find_run("last", tmp_path / "none")
    (tmp_path / "folder").mkdir()
    with pytest.raises(RunNotFoundError, match="holds no run"):
        find_run(str(tmp_path / "folder"), tmp_path)


@pytest.mark.parametrize(
    "text", ["", "{", "[1]", "null", '"x"', "{}", '{"format_version": null}', "\x80\x81"]
)
def test_damaged_headers(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(DamagedRunError, match=r"run\.json") as error:
        read_header(tmp_path)
    assert error.value.hint


@pytest.mark.parametrize(
    ("version", "hint"),
    [
        (FORMAT_VERSION + 1, "pip install --upgrade goldsplit"),
        (READABLE_FORMATS[0] - 1, "record the run again"),
    ],
)
def test_another_format_names_both_versions_and_what_to_do(tmp_path: Path, version: int, hint: str) -> None:
    (tmp_path / "run.json").write_text(json.dumps({"format_version": version}))
    with pytest.raises(FormatError, match=f"format {version}.*formats .* to {FORMAT_VERSION}") as error:
        read_header(tmp_path)
    assert hint in error.value.hint


def test_an_unreadable_directory_entry_in_place_of_the_header(tmp_path: Path) -> None:
    (tmp_path / "run.json").mkdir()
    with pytest.raises(DamagedRunError):
        read_header(tmp_path)


def test_a_place_below_a_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="Not a directory") as error:
        create_run(tmp_path / "file" / "runs", "x")
    assert "--out" in error.value.hint


def test_a_header_is_replaced_in_one_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_header(tmp_path, {"status": "running"})

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(directory.os, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        write_header(tmp_path, {"status": "complete"})
    assert read_header(tmp_path)["status"] == "running"


def test_a_new_run_directory_is_absolute_and_ignored_by_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = create_run(directory.DEFAULT_ROOT, "x")
    assert path.is_absolute()
    assert list(path.iterdir()) == []
    assert (tmp_path / ".goldsplit" / ".gitignore").read_text() == "*\n"
    again = create_run(Path("elsewhere"), "x")
    assert not (again.parent.parent / ".gitignore").exists()


@pytest.mark.parametrize(
    ("name", "cleaned"),
    [
        ("train", "train"),
        ("my run/../x", "my-run-..-x"),
        ("..", ""),
        ("é è", ""),
        ("a" * 99, "a" * 40),
        ("-x-", "x"),
    ],
)
def test_names_become_harmless_parts_of_file_names(name: str, cleaned: str) -> None:
    assert clean_name(name) == cleaned
    assert os.sep not in clean_name(name)


def test_runs_that_cannot_be_read_are_told_with_the_reason_and_do_not_disturb_others(root: Path) -> None:
    make(root, "d-4", started=40.0)
    (root / "d-4" / "run.json").write_text('{"format_version": 1, "id": "d-4"}')
    (root / "e-5").mkdir()
    (root / "e-5" / "run.json").write_text("[" * 100_000)
    (root / "f-6").mkdir()
    os.mkfifo(root / "f-6" / "run.json")
    make(root, "g-7", started=[1], recorder="x", status=7)
    entries, unreadable = directory.scan_runs(root)
    assert [entry.path.name for entry in entries] == ["g-7", "a-1", "c-3", "b-2"]
    assert {one.path.name: one.why.partition("format")[2][:2] for one in unreadable} == {
        "d-4": " 1",
        "e-5": "",
        "f-6": "",
    }
    assert all(one.why and one.hint for one in unreadable)
    assert find_run("last", root).id == "b-2"


def test_only_unreadable_runs_point_to_the_list(tmp_path: Path) -> None:
    make(tmp_path, "a-1")
    (tmp_path / "a-1" / "run.json").write_text("{")
    with pytest.raises(RunNotFoundError, match="none of the 1 runs") as error:
        find_run("last", tmp_path)
    assert "goldsplit runs" in error.value.hint


@pytest.mark.parametrize(
    ("last", "status"),
    [
        ('{"k":"end","t":9,"code":null}\n', "complete"),
        ('{"k":"end","t":"x","code":null}\n', "killed"),
        ('{"k":"end"}\n', "killed"),
        ('{"k":"w","t":9}\n', "killed"),
        ('{"k":"en', "killed"),
    ],
)
def test_a_killed_recorder_does_not_mean_a_killed_program(tmp_path: Path, last: str, status: str) -> None:
    path = make(tmp_path, "a-1", status="running", recorder=[1 << 30, 5])
    (path / "proc-9-200.jsonl").write_text('{"k":"start"}\n{"k":"end"}\n')
    (path / "proc-10-99.jsonl").write_text('{"k":"start"}\n' + last)
    header = read_header(path)
    assert header["status"] == status
    assert ("ended by itself" in str(header.get("notes"))) is (status == "complete")
    assert header.get("end_ns") == (9 if status == "complete" else None)


def test_the_end_of_a_run_fits_into_its_header_on_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path, "a-1", status="running")

    def full(self: Path, text: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    write_header(path, {"id": "a-1", "status": "complete", "notes": ["one"]})
    header = read_header(path)
    assert header["status"] == "complete"
    assert header["notes"][0] == "one"
    assert "No space left" in header["notes"][1]
    with pytest.raises(OutputError, match="No space left"):
        write_header(path, {"id": "a-1", "status": "complete", "name": "x" * 20_000})
