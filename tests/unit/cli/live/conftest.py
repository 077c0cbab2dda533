"""A run directory that grows second by second."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from goldsplit.model.recording import FORMAT_VERSION

SECOND = 1_000_000_000


class GrowingRun:
    """A trainer that waits, and a worker below it that steps; both count the same steps, 100 a second."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.driver, self.worker = path / "proc-1-0.jsonl", path / "proc-2-0.jsonl"

    def write_header(self) -> None:
        header = {"format_version": FORMAT_VERSION, "id": "r", "status": "running", "start_ns": 0}
        (self.path / "run.json").write_text(json.dumps(header))

    def write_second(self, second: int) -> None:
        now = second * SECOND
        new = not self.driver.exists()
        if new:
            append(self.driver, start_line(1, 0))
            append(self.worker, start_line(2, 1))
        waiting = {2: ("act", now // 10), 3: ("vec.wait", now * 8 // 10)}
        append(self.driver, snapshot(1, now, waiting, {"0:vec_env_steps": 100 * second}, new))
        append(self.worker, {"k": "raw", "t": now, "end": now + 1, "spans": []})
        working = {2: ("env.step", now * 7 // 10)}
        append(self.worker, snapshot(2, now, working, {"0:own_env_steps": 100 * second}, new))

    def write_counts(self, second: int, counts: dict[str, float]) -> None:
        """A snapshot of the driver in which only counters have changed."""
        append(self.driver, snapshot(1, second * SECOND, {}, counts, new=False))


def append(file: Path, *lines: dict[str, Any]) -> None:
    with file.open("a") as opened:
        for line in lines:
            opened.write(json.dumps(line, separators=(",", ":")) + "\n")


def start_line(pid: int, ppid: int) -> dict[str, Any]:
    return {"k": "start", "t": 0, "pid": pid, "ppid": ppid, "python": "3.11", "argv": ["python", "train.py"]}


def snapshot(
    pid: int, t_ns: int, nodes: dict[int, tuple[str, int]], counts: dict[str, float], new: bool
) -> dict[str, Any]:
    """The main thread, all nodes below the root; `nodes`: id → stage and total ns."""
    line: dict[str, Any] = {
        "k": "w",
        "t": t_ns,
        "n": [[0, node, 1, total, 0, 0, 0] for node, (_, total) in nodes.items()],
        "c": counts,
        "th": [[0, t_ns // 2, 0, *([pid, "MainThread", 0] if new else [])]],
        "steps": [1, t_ns],
    }
    if new:
        line["d"] = [
            [0, 0, -1, "", ""],
            [0, 1, -1, "async", ""],
            *([0, node, 0, stage, ""] for node, (stage, _) in nodes.items()),
        ]
    return line


@pytest.fixture
def empty_run(tmp_path: Path) -> GrowingRun:
    """No process has begun yet, and there is no header."""
    return GrowingRun(tmp_path)


@pytest.fixture
def run(empty_run: GrowingRun) -> GrowingRun:
    """One second of a run."""
    empty_run.write_header()
    empty_run.write_second(1)
    return empty_run
