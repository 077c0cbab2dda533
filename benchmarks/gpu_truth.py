"""Does goldsplit say what is true of a training on a GPU? Programs with known shares, recorded and compared.

    python benchmarks/gpu_truth.py [--only NAME] [--seconds S] [--pairs N] [--quick] [--keep FOLDER]

Each program runs bare and recorded with `--gpu`, in turns. Shares of wall time are compared with the
program's own clocks in the recorded run itself; the device's with its time in a round, measured bare, at the
recorded run's speed. What recording costs is read from the program's rounds: those outside of the profiler's
windows against the bare run's, those inside against those outside. Two runs of one program differ by some per
cent here, so outside of windows the bar is for all programs together.

Programs start side by side (`--at-once`), because starting takes longer than the loop; the loops run one at
a time. Prints a table, one program after the other; writes benchmarks/results/gpu_truth.json; exits with 1
where a bar is missed, and with 2 where there is no GPU.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from goldsplit.store.reader import read_run

HERE = Path(__file__).resolve().parent
PROGRAM = HERE / "programs" / "gpu_loops.py"
GOLDSPLIT = [sys.executable, "-m", "goldsplit"]
#: Points of a share between truth and report; a recorded run's length over a bare one's.
MOST_POINTS, MOST_COST, MOST_COST_INSIDE = 3.0, 1.02, 1.2
#: Around a window: opening it, and reading what it saw.
BEFORE_NS, AFTER_NS = 150_000_000, 500_000_000
#: Rounds inside of windows that say something; long rounds are not short enough for them.
FEWEST_INSIDE = 60
QUICK = ("chains-item", "dqn-large", "dqn-small")
SB3 = ("sb3-dqn", "sb3-ppo", "sb3-dqn-graphed", "sb3-ppo-graphed")
ALL = (*QUICK, "chains-env", "chains-async", "ppo", "ppo-large", *SB3)
NO_GPU = 2


@dataclass(frozen=True, slots=True)
class Row:
    """One figure of one program."""

    program: str
    figure: str
    true: float
    said: float | None
    bar: str
    held: bool


class ProgramFailedError(Exception):
    """A program or its recording ended badly."""


def has_gpu() -> bool:
    """Asked in a process of its own: this one must not touch the device."""
    code = "import torch, sys; sys.exit(0 if torch.cuda.is_available() else 1)"
    return subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


def run(command: list[str]) -> dict[str, Any]:
    """The last line of a program's output, which is JSON."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines:
        raise ProgramFailedError(
            f"{' '.join(command[-5:])} ended with {done.returncode}: {done.stderr[-800:]}"
        )
    answer: dict[str, Any] = json.loads(lines[-1])
    return answer


@dataclass(frozen=True, slots=True)
class Place:
    """Where one program's files go, and the file that gives it its turn on the device."""

    folder: Path
    turn: Path
    keep: Path | None


Windows = list[tuple[int, int]]


def bare_run(kind: str, seconds: float, place: Place, *more: str) -> tuple[dict[str, Any], list[int]]:
    """What a bare run told of itself, and when its rounds ended."""
    rounds = place.folder / "bare.json"
    told = run(program(kind, seconds, place, rounds, *more))
    return told, json.loads(rounds.read_text())


def recorded(
    kind: str, seconds: float, place: Place
) -> tuple[dict[str, Any], list[int], dict[str, Any], Windows]:
    """What a recorded run told of itself, when its rounds ended, its report, and the profiler's windows."""
    rounds = place.folder / "recorded.json"
    with tempfile.TemporaryDirectory(dir=place.folder) as folder:
        record = [*GOLDSPLIT, "record", "--gpu", "--quiet", "--out", folder, "--name", "gpu", "--"]
        told = run([*record, *program(kind, seconds, place, rounds)])
        (directory,) = (path for path in Path(folder).iterdir() if (path / "run.json").exists())
        shown = subprocess.run([*GOLDSPLIT, "show", str(directory), "--json"], capture_output=True, text=True)
        if place.keep is not None:
            shutil.copytree(directory, place.keep / kind, dirs_exist_ok=True)
        kernels = [window for one in read_run(directory).processes for window in one.device.kernels]
    if shown.returncode != 0:
        raise ProgramFailedError(f"show ended with {shown.returncode}: {shown.stderr[-800:]}")
    windows = [(window.start_ns, window.end_ns) for window in kernels]
    return told, json.loads(rounds.read_text()), json.loads(shown.stdout), windows


def program(kind: str, seconds: float, place: Place, rounds: Path, *more: str) -> list[str]:
    options = ["--seconds", f"{seconds:g}", "--turn", str(place.turn), "--rounds", str(rounds), *more]
    return [sys.executable, str(PROGRAM), kind, *options]


def rate(ended: list[int], parts: Windows) -> tuple[float, int]:
    """Rounds per second within some parts of a run, and how many rounds that rests on."""
    rounds = sum(low <= at < high for at in ended for low, high in parts)
    return rounds / (sum(high - low for low, high in parts) / 1e9 or math.nan), rounds


def costs(bare: list[int], ended: list[int], windows: Windows) -> tuple[float, float | None]:
    """Outside of windows against the bare run; inside against outside, where there are rounds enough."""
    begun, end = ended[0], ended[-1]
    borders = [begun]
    for low, high in sorted(windows):
        borders += [max(begun, low - BEFORE_NS), min(end, high + AFTER_NS)]
    borders.append(end)
    outside = [(low, high) for low, high in zip(borders[::2], borders[1::2], strict=True) if low < high]
    alone, _ = rate(bare, [(bare[0], bare[-1])])
    slower, _ = rate(ended, outside)
    inside, rounds = rate(ended, windows)
    return alone / slower, slower / inside if rounds >= FEWEST_INSIDE else None


def compare(kind: str, told: dict[str, Any], work: dict[str, float], report: dict[str, Any]) -> list[Row]:
    """Shares of wall time and of the device, by category; `work`: the device's seconds in a round."""
    rows = []
    said_wall = {row["category"]: row["wall_share"] for row in report["categories"]}
    for category, true in told["wall"].items():
        rows.append(judge(kind, f"wall {category}", true, said_wall.get(category, 0.0)))
    device = next(iter(report.get("devices", [])), None)
    for category, seconds in work.items():
        said = said_of_device(device, report, category)
        rows.append(judge(kind, f"device {category or 'busy'}", seconds * told["rounds_per_second"], said))
    return rows


def said_of_device(device: dict[str, Any] | None, report: dict[str, Any], category: str) -> float | None:
    """The device's share for one category of stages, or all of it; None: not measured."""
    if device is None or device["busy_share"] is None:
        return None
    if not category:
        return float(device["busy_share"])
    stages = {row["stage"]: row["category"] for row in report["stages"]}
    return sum(row["busy_share"] for row in device["stages"] if stages.get(row["stage"]) == category)


def judge(kind: str, figure: str, true: float, said: float | None) -> Row:
    held = said is not None and abs(said - true) <= MOST_POINTS / 100
    return Row(kind, figure, true, said, f"within {MOST_POINTS:g} points", held)


def measure(kind: str, seconds: float, pairs: int, place: Place) -> tuple[list[Row], list[float]]:
    """One program, bare and recorded in turns; what its rounds outside of windows cost, pair by pair."""
    outside: list[float] = []
    inside: list[float] = []
    work: dict[str, float] = {}
    for pair in range(pairs):
        bare, bare_rounds = bare_run(kind, seconds, place, *(["--device"] if pair == 0 else []))
        work = work or bare["device"]
        told, rounds, report, windows = recorded(kind, seconds, place)
        beside, within = costs(bare_rounds, rounds, windows)
        outside.append(beside)
        inside += [within] if within is not None else []
    rows = compare(kind, told, work, report)
    cost = statistics.median(outside)
    rows.append(Row(kind, "cost outside", 1.0, cost, "see all programs", True))
    if inside:
        cost = statistics.median(inside)
        held = cost <= MOST_COST_INSIDE
        rows.append(Row(kind, "cost inside", 1.0, cost, f"at most {MOST_COST_INSIDE:g}x", held))
    return rows, outside


def all_outside(costs: list[float]) -> Row:
    """The geometric mean over all pairs of all programs."""
    logs = [math.log(cost) for cost in costs]
    mean = math.exp(statistics.fmean(logs))
    error = statistics.stdev(logs) / math.sqrt(len(logs)) if len(logs) > 1 else math.nan
    print(f"cost outside of windows over {len(logs)} pairs: {mean:.3f}x, standard error {error:.3f}")
    return Row("all", "cost outside", 1.0, mean, f"at most {MOST_COST:g}x", mean <= MOST_COST)


def attempt(
    kind: str, seconds: float, pairs: int, turn: Path, keep: Path | None
) -> tuple[list[Row], list[float]]:
    """`measure` in a folder of its own; what fails is a row."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            return measure(kind, seconds, pairs, Place(Path(folder), turn, keep))
        except (ProgramFailedError, json.JSONDecodeError, subprocess.TimeoutExpired, KeyError) as error:
            print(f"{kind}: {type(error).__name__}: {error}", file=sys.stderr)
            return [Row(kind, "ran", 1.0, None, "ends well", False)], []


HEADER = f"{'program':14} {'figure':20} {'true':>7} {'said':>7}  bar"


def table(rows: list[Row]) -> str:
    lines = []
    for row in rows:
        said = "-" if row.said is None else f"{row.said:.3f}"
        verdict = "held" if row.held else "MISSED"
        lines.append(f"{row.program:14} {row.figure:20} {row.true:7.3f} {said:>7}  {row.bar}: {verdict}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", choices=ALL, action="append", help="may be given several times")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--at-once", type=int, default=4, help="programs that start side by side")
    parser.add_argument("--keep", type=Path, help="keep the recordings in this folder")
    parser.add_argument("--quick", action="store_true", help="three programs, short runs: under two minutes")
    given = parser.parse_args()
    if not has_gpu():
        print("gpu_truth: torch sees no GPU here, so there is nothing to compare", file=sys.stderr)
        return NO_GPU
    seconds = given.seconds or (5.0 if given.quick else 20.0)
    rows: list[Row] = []
    outside: list[float] = []
    results = HERE / "results" / "gpu_truth.json"
    results.parent.mkdir(exist_ok=True)
    print(HEADER, flush=True)
    kinds = given.only or (QUICK if given.quick else ALL)
    pairs = 1 if given.quick else given.pairs
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(given.at_once) as pool:
        one = partial(attempt, seconds=seconds, pairs=pairs, turn=Path(folder) / "turn", keep=given.keep)
        for found, beside in pool.map(one, kinds):
            print(table(found), flush=True)
            rows += found
            outside += beside
            results.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    if outside:
        rows.append(all_outside(outside))
        print(table(rows[-1:]))
        results.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    return 0 if all(row.held for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
