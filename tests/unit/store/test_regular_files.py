"""Files that are none: refused at once, whoever put them there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from goldsplit.store.checked.json_lines import lines_of, read_object
from goldsplit.store.checked.regular_files import LONGEST_LINE, raw_lines, read_regular


def fifo(path: Path) -> None:
    os.mkfifo(path)


def endless_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def link_to_itself(path: Path) -> None:
    path.symlink_to(path.name)


def directory(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("make", [fifo, endless_device, link_to_itself, directory])
def test_special_files_are_refused_and_not_waited_for(tmp_path: Path, make: object) -> None:
    path = tmp_path / "file.json"
    make(path)  # type: ignore[operator]
    with pytest.raises(OSError, match=r"."):
        read_regular(path, 1000)
    with pytest.raises(OSError, match=r"."):
        read_object(path)
    assert list(lines_of(path)) == [None], "counted as damage"


def test_what_is_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 11)
    assert read_regular(path, 11) == b"x" * 11
    with pytest.raises(OSError, match="MiB"):
        read_regular(path, 10)
    with path.open("wb") as file:
        file.truncate(1 << 42)  # without blocks on disk
    assert list(lines_of(path)) == [None]


def test_a_line_that_never_ends_is_one_damaged_line(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b'{"a": 1}\n' + b"x" * (2 * LONGEST_LINE + 5) + b"\n" + b'{"b": 2}\n')
    assert list(raw_lines(path))[1] is None
    assert list(lines_of(path)) == [{"a": 1}, None, {"b": 2}]


def test_no_such_file_has_no_lines(tmp_path: Path) -> None:
    assert list(lines_of(tmp_path / "nowhere")) == []
