"""Explain thousands of damaged runs: a clear message or a report, never a traceback, a hang or much memory.

    python -m tests.fuzz.mutated_runs --cases 10000

Cases have numbers; `--first N --cases 1` repeats one. What broke is left in `.goldsplit/fuzz/CASE`.
"""

from __future__ import annotations

import argparse
import json
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.fuzz.attempt import ENDING

KEPT = Path(".goldsplit") / "fuzz"
SAY_EVERY_SECONDS = 30


class Worker:
    """A process that tries cases; it is started again when a case has ended it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process: subprocess.Popen[str] | None = None

    def attempt(self, case: int) -> dict[str, Any] | None:
        if self.process is None or self.process.poll() is not None:
            command = [sys.executable, "-m", "tests.fuzz.attempt", str(self.folder)]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{case}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if answer:
            found: dict[str, Any] | None = json.loads(answer)
            if found is not None and found["kind"] in ENDING:
                self.process.wait()
            return found
        return {"kind": "ended", "text": f"exit code {self.process.wait()}", "case": case}

    def close(self) -> None:
        if self.process is not None:
            self.process.stdin.close() if self.process.stdin else None
            self.process.wait()


def work(cases: queue.SimpleQueue[int], found: list[dict[str, Any]], folder: Path, until: float) -> None:
    worker = Worker(folder)
    while time.monotonic() < until:
        try:
            case = cases.get_nowait()
        except queue.Empty:
            break
        wrong = worker.attempt(case)
        if wrong is not None:
            found.append(wrong)
            keep(folder / "runs", KEPT / str(case))
    worker.close()


def keep(run: Path, place: Path) -> None:
    """What broke, to look at; a FIFO or device cannot be copied."""
    shutil.rmtree(place, ignore_errors=True)
    ignore = shutil.ignore_patterns()
    try:
        shutil.copytree(run, place, symlinks=True, ignore=ignore)
    except (OSError, shutil.Error):
        return


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=3600.0, help="stop after this time")
    arguments = parser.parse_args()
    cases: queue.SimpleQueue[int] = queue.SimpleQueue()
    for case in range(arguments.first, arguments.first + arguments.cases):
        cases.put(case)
    found: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="goldsplit-fuzz-") as folder:
        until = time.monotonic() + arguments.seconds
        threads = [
            threading.Thread(target=work, args=(cases, found, Path(folder) / str(number), until))
            for number in range(arguments.workers)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(SAY_EVERY_SECONDS)
                done = arguments.cases - cases.qsize()
                print(f"{done} of {arguments.cases}, {len(found)} went wrong", file=sys.stderr, flush=True)
    left = cases.qsize()
    report(found)
    print(f"{arguments.cases - left} of {arguments.cases} changed runs explained, {len(found)} went wrong")
    sys.exit(1 if found or left else 0)


def report(found: list[dict[str, Any]]) -> None:
    """Each kind once, the most frequent first."""
    kinds = Counter((wrong["kind"], wrong["text"]) for wrong in found)
    for (kind, text), number in kinds.most_common():
        one = next(wrong for wrong in found if (wrong["kind"], wrong["text"]) == (kind, text))
        where = f"case {one['case']}: {one.get('base')}, {one.get('change')}, {one.get('command')}"
        print(f"{number}x {kind}: {text}\n    {where}")


if __name__ == "__main__":
    main()
