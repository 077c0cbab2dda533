"""Appending lines where the disk may refuse: nothing lost that fits, nothing mixed up, bounded memory."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from goldsplit.record import writer as writer_module
from goldsplit.record.writer import LineWriter


class Flaky(LineWriter):
    """Follows a plan: how many bytes of each append are taken (None: all, -1: refused)."""

    def __init__(self, path: str, plan: list[int | None]) -> None:
        super().__init__(path)
        self.plan = plan

    def _append(self, data: bytes) -> int:
        allowed = self.plan.pop(0) if self.plan else None
        if allowed == -1:
            raise OSError(28, "No space left on device")
        return super()._append(data if allowed is None else data[:allowed])


def read(path: Path) -> tuple[list[dict[str, Any]], int]:
    """Whole lines, and how many were torn."""
    whole, torn = [], 0
    for line in path.read_bytes().split(b"\n"):
        if line:
            try:
                whole.append(json.loads(line))
            except ValueError:
                torn += 1
    return whole, torn


def test_lines_are_appended_in_order(tmp_path: Path) -> None:
    writer = LineWriter(str(tmp_path / "a.jsonl"))
    for n in range(5):
        writer.write({"n": n})
    assert [line["n"] for line in read(tmp_path / "a.jsonl")[0]] == [0, 1, 2, 3, 4]
    assert (writer.failed_writes, writer.dropped_lines, writer.pending) == (0, 0, [])


def test_refused_lines_are_kept_and_written_later(tmp_path: Path) -> None:
    writer = Flaky(str(tmp_path / "a.jsonl"), [None, -1, -1, None])
    for n in range(4):
        writer.write({"n": n})
    assert [line["n"] for line in read(tmp_path / "a.jsonl")[0]] == [0, 1, 2, 3]
    assert writer.failed_writes == 2
    assert writer.dropped_lines == 0


@pytest.mark.parametrize("taken", [1, 4, 8])
def test_a_torn_line_stays_alone(tmp_path: Path, taken: int) -> None:
    writer = Flaky(str(tmp_path / "a.jsonl"), [None, taken, -1, None])
    for n in range(4):
        writer.write({"n": n})
    whole, torn = read(tmp_path / "a.jsonl")
    assert [line["n"] for line in whole if line] == sorted(line["n"] for line in whole)
    assert {line["n"] for line in whole} == {0, 1, 2, 3}
    assert torn <= 1


def test_lines_taken_whole_before_the_tear_are_not_written_twice(tmp_path: Path) -> None:
    """A second copy of a raw window would count twice."""
    writer = Flaky(str(tmp_path / "a.jsonl"), [-1, -1, 20, None])
    for n in range(4):
        writer.write({"n": n})  # 8 bytes each: the third append takes two lines and a half
    assert [line["n"] for line in read(tmp_path / "a.jsonl")[0]] == [0, 1, 2, 3]


def test_memory_is_bounded_and_the_loss_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer_module, "MAX_PENDING_BYTES", 1000)
    writer = Flaky(str(tmp_path / "a.jsonl"), [-1] * 100)
    for n in range(100):
        writer.write({"n": n, "x": "y" * 40})
    kept = sum(map(len, writer.pending))
    assert kept <= 1000
    assert writer.dropped_lines == 100 - len(writer.pending)
    assert writer.failed_writes == 100
    writer.write({"n": 100})
    assert read(tmp_path / "a.jsonl")[0][-1] == {"n": 100}, "the newest are the ones kept"


def test_a_place_that_is_gone_is_no_exception(tmp_path: Path) -> None:
    writer = LineWriter(str(tmp_path / "none" / "a.jsonl"))
    writer.write({"n": 1})
    assert writer.failed_writes == 1


def test_a_full_device(tmp_path: Path) -> None:
    if not os.path.exists("/dev/full"):  # noqa: PTH110
        pytest.skip("no /dev/full here")
    writer = LineWriter("/dev/full")
    writer.write({"n": 1})
    assert (writer.failed_writes, len(writer.pending)) == (1, 1)


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    before = set(os.listdir("/proc/self/fd"))  # noqa: PTH208
    writer = LineWriter(str(tmp_path / "a.jsonl"))
    writer.write({"n": 1})
    assert len(set(os.listdir("/proc/self/fd")) - before) <= 1  # noqa: PTH208 - listdir's own


def test_values_that_json_does_not_know_are_written_as_text(tmp_path: Path) -> None:
    writer = LineWriter(str(tmp_path / "a.jsonl"))
    writer.write({"n": object})
    assert "object" in read(tmp_path / "a.jsonl")[0][0]["n"]
