"""A recording of eight hours, made from a real one of a minute, and what it takes to show it.

    python benchmarks/eight_hours.py                       # records a minute, makes the run, measures
    python benchmarks/eight_hours.py --minute RUN --keep FOLDER --hours 8
    python benchmarks/eight_hours.py --minute RUN --only report

The minute is Stable-Baselines3's PPO on four workers (`programs/sb3_subproc.py`). Its later part is repeated:
what a process had counted and timed from one snapshot to the next is added again and again, single spans and
stacks come again at later times, all at the instants at which the recorder writes at that age of a run.
Measured are the commands as users call them: wall time, CPU time and the largest resident memory. On a busy
machine the CPU time is what a quiet one would need.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

from goldsplit.model.wire import File, Header, Key, Line, Stacks, System
from goldsplit.record.inside.snapshot_schedule import next_snapshot_ns, raw_window

HERE = Path(__file__).parent
SECOND = 1_000_000_000
LATER_NS = 20 * SECOND  # of the minute: what comes before is start-up and dense writing
STACK_SECONDS, SYSTEM_SECONDS = 20, 4
RUNS = 1_000
# Command, seconds of wall time, MiB of memory.
BARS: dict[str, tuple[float, float]] = {
    "show": (5.0, 1024.0),
    "report": (15.0, 1024.0),
    "perfetto": (60.0, 1024.0),
    "runs": (1.0, 1024.0),
}
PERFETTO_BYTES = 100_000_000
Row = dict[str, Any]


def stretch(minute: Path, made: Path, hours: float) -> None:
    """Write a run of that length beside the minute that it is made from."""
    made.mkdir(parents=True)
    header = json.loads((minute / File.HEADER).read_text())
    start_ns, minute_end_ns = header[Header.START_NS], header[Header.END_NS]
    end_ns = start_ns + round(hours * 3600 * SECOND)
    for file in minute.iterdir():
        if file.match(File.PROCESSES):
            rows = stretched_process(read(file), start_ns, minute_end_ns, end_ns)
        elif file.name == File.STACKS:
            rows = stretched_stacks(read(file), start_ns, end_ns)
        elif file.name == File.SYSTEM:
            rows = stretched_system(read(file), end_ns)
        else:
            shutil.copy(file, made / file.name)
            continue
        with (made / file.name).open("w") as out:
            out.writelines(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
    header |= {Header.ID: made.name, Header.NAME: made.name, Header.END_NS: end_ns}
    (made / File.HEADER).write_text(json.dumps(header))


def read(file: Path) -> list[Row]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def stretched_process(rows: list[Row], start_ns: int, minute_end_ns: int, end_ns: int) -> Iterator[Row]:
    kept = [row for row in rows if row[Key.KIND] != Line.END]
    last = [row for row in rows if row[Key.KIND] == Line.END]
    yield from kept
    snapshots = [row for row in kept if row[Key.KIND] == Line.SNAPSHOT]
    lives_on = bool(snapshots) and snapshots[-1][Key.TIME] > minute_end_ns - 10 * SECOND
    if not lives_on:
        yield from last
        return
    later = [row for row in snapshots if row[Key.TIME] > start_ns + LATER_NS]
    totals, growth = sums(snapshots), increments(later)
    raws = cycle(
        [row for row in kept if row[Key.KIND] == Line.RAW and row[Key.TIME] > start_ns + LATER_NS] or [{}]
    )
    stacks = cycle([row for row in kept if row[Key.KIND] == Line.STACKS][-20:] or [{}])
    at_ns = before_ns = snapshots[-1][Key.TIME]
    raw_end_ns = 0
    while (at_ns := next_snapshot_ns(at_ns, start_ns)) < end_ns:
        yield grown(snapshots[-1], totals, growth, before_ns, at_ns)
        if stack := next(stacks):
            yield stack | {Stacks.START: before_ns, Stacks.END: at_ns}
        raw_start_ns, _ = raw_window(at_ns, start_ns)
        if raw_start_ns > raw_end_ns and (raw := next(raws)):
            yield moved_raw(raw, raw_start_ns)
            raw_end_ns = raw_start_ns + raw[Key.END] - raw[Key.TIME]
        before_ns = at_ns
    yield from (row | {Key.TIME: end_ns} for row in last)


def sums(snapshots: list[Row]) -> dict[Any, list[float]]:
    """What every node and counter had reached; values in snapshots are cumulative."""
    totals: dict[Any, list[float]] = {}
    for row in snapshots:
        totals |= {("n", *node[:2]): node[2:] for node in row[Key.NODES]}
        totals |= {("c", name): [value] for name, value in row[Key.COUNTERS].items()}
        totals |= {("th", thread[0]): list(thread[1:3]) for thread in row[Key.THREADS]}
    return totals


def increments(later: list[Row]) -> dict[Any, list[float]]:
    """How fast each of them grows, per nanosecond; what stood still is left out."""
    first, last = sums(later[:1]), sums(later)
    seconds = max(1, later[-1][Key.TIME] - later[0][Key.TIME])
    return {
        key: [(b - a) / seconds for a, b in zip(first[key], values, strict=True)]
        for key, values in last.items()
        if key in first and any(b > a for a, b in zip(first[key], values, strict=True))
    }


def grown(
    model: Row, totals: dict[Any, list[float]], growth: dict[Any, list[float]], then_ns: int, at_ns: int
) -> Row:
    """The next snapshot; a little faster and slower in turn, as real ones are."""
    step = (at_ns - then_ns) * (1.0 + 0.05 * (at_ns // SECOND % 7 - 3) / 3)
    for key, rates in growth.items():
        whole = key[0] != "c"
        totals[key] = [
            round(value + rate * step) if whole else value + rate * step
            for value, rate in zip(totals[key], rates, strict=True)
        ]
    return {
        Key.KIND: Line.SNAPSHOT,
        Key.TIME: at_ns,
        Key.NODES: [[*key[1:], *totals[key]] for key in growth if key[0] == "n"],
        Key.COUNTERS: {key[1]: totals[key][0] for key in growth if key[0] == "c"},
        Key.THREADS: [[key[1], *totals[key]] for key in growth if key[0] == "th"],
        Key.STEPS: [model[Key.STEPS][0], at_ns if model[Key.STEPS][1] else 0],
    }


def moved_raw(row: Row, start_ns: int) -> Row:
    by = start_ns - row[Key.TIME]
    spans = [[thread, end + by, packed] for thread, end, packed in row[Key.RAW_SPANS]]
    return row | {Key.TIME: start_ns, Key.END: row[Key.END] + by, Key.RAW_SPANS: spans}


def stretched_stacks(rows: list[Row], start_ns: int, end_ns: int) -> Iterator[Row]:
    """Stacks come again under the numbers that they have."""
    yield from rows
    numbers = [sum(len(row[key]) for row in rows) for key in (Stacks.FILES, Stacks.FRAMES, Stacks.BRANCHES)]
    later = [row for row in rows if row[Stacks.START] > start_ns + LATER_NS] or rows[-1:]
    at_ns = rows[-1][Stacks.END]
    for row in cycle(later):
        if at_ns + STACK_SECONDS * SECOND > end_ns:
            return
        nothing_new: Row = {Stacks.FILES: [], Stacks.FRAMES: [], Stacks.BRANCHES: [], Stacks.BASE: numbers}
        yield row | nothing_new | {Stacks.START: at_ns, Stacks.END: at_ns + STACK_SECONDS * SECOND}
        at_ns += STACK_SECONDS * SECOND


def stretched_system(rows: list[Row], end_ns: int) -> Iterator[Row]:
    yield from rows
    cpu = {pid: row[System.CPU] for pid, row in rows[-2][System.PROCESSES].items()}
    rates = {
        pid: (cpu[pid] - before[System.CPU]) / SYSTEM_SECONDS
        for pid, before in rows[-3][System.PROCESSES].items()
        if pid in cpu
    }
    at_ns = rows[-1][System.TIME]
    while (at_ns := at_ns + SYSTEM_SECONDS * SECOND) < end_ns:
        for pid, rate in rates.items():
            cpu[pid] += rate * SYSTEM_SECONDS
        processes = {
            pid: row | {System.CPU: cpu[pid]}
            for pid, row in rows[-2][System.PROCESSES].items()
            if pid in rates
        }
        yield rows[-2] | {System.TIME: at_ns, System.PROCESSES: processes}


def many_runs(made: Path, folder: Path) -> None:
    """A thousand runs: each has a header and the files of the minute, linked."""
    folder.mkdir(parents=True)
    header = json.loads((made / File.HEADER).read_text())
    for number in range(RUNS):
        run = folder / f"20260101-{number:06}-run-{number % 1000:03}"
        run.mkdir()
        for file in made.iterdir():
            if file.name != File.HEADER:
                os.link(file, run / file.name)
        (run / File.HEADER).write_text(
            json.dumps(header | {Header.ID: run.name, Header.STARTED: 1.7e9 + number})
        )


def measured(arguments: list[str]) -> tuple[float, float, float]:
    """Wall seconds, CPU seconds and MiB of a command."""
    command = [sys.executable, "-m", "goldsplit", *arguments]
    with tempfile.TemporaryFile("w+") as said:
        start = time.perf_counter()
        child = subprocess.Popen(command, stdout=said, stderr=said)
        _, status, used = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            said.seek(0)
            raise SystemExit(f"{' '.join(command)} ended with {child.returncode}\n{said.read()[-2000:]}")
    return wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def measure(run: Path, folder: Path, only: list[str]) -> bool:
    """Every command once, in a fresh process; True if all bars are met."""
    trace = folder / "trace.json"
    commands = {
        "show": ["show", str(run)],
        "report": ["report", str(run), "--output", str(folder / "report.html")],
        "perfetto": ["export", str(run), "--format", "perfetto", "--output", str(trace)],
        "runs": ["runs", "--out", str(folder / "many")],
    }
    met = True
    for name, arguments in commands.items():
        if only and name not in only:
            continue
        if name == "runs":
            many_runs(run, folder / "many")
        wall, cpu, mebibytes = measured(arguments)
        seconds, most = BARS[name]
        good = wall <= seconds and mebibytes <= most
        if name == "perfetto":
            size = trace.stat().st_size
            good = good and size <= PERFETTO_BYTES
            print(f"  {'perfetto file':<14}{size / 1e6:8.1f} MB (bar {PERFETTO_BYTES / 1e6:.0f})")
        used = f"{wall:8.2f} s wall (bar {seconds:.0f}), {cpu:.2f} s CPU, {mebibytes:.0f} MiB"
        print(f"  {name:<14}{used}: {'met' if good else 'SHORT'}", flush=True)
        met = met and good
    return met


def record_minute(folder: Path) -> Path:
    program = [sys.executable, str(HERE / "programs" / "sb3_subproc.py"), "--seconds", "60"]
    command = [
        sys.executable,
        "-m",
        "goldsplit",
        "record",
        "--name",
        "minute",
        "--out",
        str(folder),
        "--",
        *program,
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"})
    return next(folder.iterdir())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minute", type=Path, help="a run of a minute, instead of recording one")
    parser.add_argument("--hours", type=float, default=8.0)
    parser.add_argument("--keep", type=Path, help="a folder for what is made; it must not exist")
    parser.add_argument("--only", action="append", default=[], choices=list(BARS))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary) / "made"
        folder.mkdir(parents=True)
        minute = options.minute or record_minute(folder / "minutes")
        run = folder / "long" / "20260101-000000-eight-hours-000"
        stretch(minute, run, options.hours)
        size = sum(file.stat().st_size for file in run.iterdir())
        print(f"{options.hours:g} hours: {size / 1e6:.0f} MB on disk", flush=True)
        return 0 if measure(run, folder, options.only) else 1


if __name__ == "__main__":
    sys.exit(main())
