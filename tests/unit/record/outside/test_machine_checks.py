"""The machine checks, each with good and bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from goldsplit.record.outside import machine_checks


def test_python_version() -> None:
    assert machine_checks.check_python((3, 11, 0)).ok
    old = machine_checks.check_python((3, 10, 9))
    assert not old.ok
    assert old.needed
    assert "3.11" in old.hint


@pytest.mark.parametrize(
    ("scope", "user_id", "ok"), [("0", 1000, True), ("1", 1000, False), ("1", 0, True), ("3", 0, False)]
)
def test_ptrace_scope(tmp_path: Path, scope: str, user_id: int, ok: bool) -> None:
    file = tmp_path / "ptrace_scope"
    file.write_text(scope + "\n")
    check = machine_checks.check_ptrace(file, user_id)
    assert check.ok is ok
    assert bool(check.hint) is not ok
    assert not check.needed


def test_a_kernel_without_yama_restricts_nothing(tmp_path: Path) -> None:
    assert machine_checks.check_ptrace(tmp_path / "none", 1000).ok


def test_threads() -> None:
    unset = machine_checks.check_threads({}, 8)
    assert unset.ok
    assert "8 threads on 8 cores" in unset.detail
    assert "OMP_NUM_THREADS=1" in unset.hint
    assert machine_checks.check_threads({"OMP_NUM_THREADS": "1"}, 8).hint == ""
    assert not machine_checks.check_threads({"OMP_NUM_THREADS": "16"}, 8).ok
    assert machine_checks.check_threads({}, 1).hint == ""


def test_versions() -> None:
    assert (
        machine_checks.check_versions({"torch": "2.13.0", "gymnasium": "1.0"}).detail
        == "gymnasium 1.0, torch 2.13.0"
    )
    assert "none" in machine_checks.check_versions({}).detail


def test_run_directory(tmp_path: Path) -> None:
    assert machine_checks.check_run_directory(tmp_path / "not" / "yet" / "there").ok
    file = tmp_path / "file"
    file.touch()
    bad = machine_checks.check_run_directory(file / "runs")
    assert not bad.ok
    assert bad.needed
    assert "--out" in bad.hint


def test_samples_are_counted_and_a_missing_file_is_none(tmp_path: Path) -> None:
    file = tmp_path / "stacks.json"
    assert machine_checks.count_samples(file) == 0
    file.write_text(json.dumps({"profiles": [{"samples": [[0], [1]]}, {"samples": [[2]]}]}))
    assert machine_checks.count_samples(file) == 3


def test_a_py_spy_that_fails_is_told(tmp_path: Path) -> None:
    fake = tmp_path / "py-spy"
    fake.write_text(
        "#!/bin/sh\necho 'Error: Permission Denied: Try running again with elevated permissions'\nexit 1\n"
    )
    fake.chmod(0o755)
    check = machine_checks.check_sampling(str(fake))
    assert not check.ok
    assert "Permission Denied" in check.detail
    assert "hot spots" in check.hint
    assert not machine_checks.check_sampling(str(tmp_path / "no-such-program")).ok


def test_a_script_and_its_spawned_worker_record_themselves() -> None:
    check = machine_checks.check_following()
    assert check.ok, check.detail


def test_following_fails_where_the_autostart_is_shut_out() -> None:
    check = machine_checks.check_following({"PYTHONPATH": ""})
    assert not check.ok
    assert check.needed
    assert "neither process" in check.detail


def test_a_core_that_is_not_compiled_works_and_its_cost_is_told() -> None:
    assert machine_checks.check_core(is_compiled=True) == machine_checks.Check("spans", True, "compiled")
    in_python = machine_checks.check_core(is_compiled=False)
    assert in_python.ok
    assert "C compiler" in in_python.hint
