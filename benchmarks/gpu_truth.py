"""Does goldsplit say what is true of a training on a GPU? Programs with known shares, recorded and compared.

    python benchmarks/gpu_truth.py [--only NAME] [--seconds S] [--pairs N] [--quick] [--keep FOLDER]

Each program runs bare and recorded with `--gpu`, in turns. Shares of wall time are compared with the
program's own clocks in the recorded run itself; the device's with its time in a round, measured bare, at the
recorded run's speed. Prints a table, one program after the other; writes benchmarks/results/gpu_truth.json;
exits with 1 where a bar is missed, and with 2 where there is no GPU.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PROGRAM = HERE / "programs" / "gpu_loops.py"
GOLDSPLIT = [sys.executable, "-m", "goldsplit"]
#: Points of a share between truth and report; a recorded run's length over a bare one's.
MOST_POINTS, MOST_COST = 3.0, 1.02
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


def recorded(kind: str, seconds: float, keep: Path | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a recorded run told of itself, and its report; `keep`: where the recording stays."""
    with tempfile.TemporaryDirectory() as folder:
        record = [*GOLDSPLIT, "record", "--gpu", "--quiet", "--out", folder, "--name", "gpu", "--"]
        told = run([*record, *program(kind, seconds)])
        (directory,) = (path for path in Path(folder).iterdir() if (path / "run.json").exists())
        shown = subprocess.run([*GOLDSPLIT, "show", str(directory), "--json"], capture_output=True, text=True)
        if keep is not None:
            shutil.copytree(directory, keep / kind, dirs_exist_ok=True)
    if shown.returncode != 0:
        raise ProgramFailedError(f"show ended with {shown.returncode}: {shown.stderr[-800:]}")
    return told, json.loads(shown.stdout)


def program(kind: str, seconds: float, *more: str) -> list[str]:
    return [sys.executable, str(PROGRAM), kind, "--seconds", f"{seconds:g}", *more]


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


def measure(kind: str, seconds: float, pairs: int, keep: Path | None) -> list[Row]:
    """One program, bare and recorded in turns."""
    ratios: list[float] = []
    work: dict[str, float] = {}
    for pair in range(pairs):
        bare = run(program(kind, seconds, *(["--device"] if pair == 0 else [])))
        work = work or bare["device"]
        told, report = recorded(kind, seconds, keep)
        ratios.append(bare["rounds_per_second"] / told["rounds_per_second"])
    cost = statistics.median(ratios)
    rows = compare(kind, told, work, report)
    return [*rows, Row(kind, "cost", 1.0, cost, f"at most {MOST_COST:g}x", cost <= MOST_COST)]


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
    parser.add_argument("--keep", type=Path, help="keep the recordings in this folder")
    parser.add_argument("--quick", action="store_true", help="three programs, short runs: under two minutes")
    given = parser.parse_args()
    if not has_gpu():
        print("gpu_truth: torch sees no GPU here, so there is nothing to compare", file=sys.stderr)
        return NO_GPU
    seconds = given.seconds or (5.0 if given.quick else 20.0)
    rows: list[Row] = []
    results = HERE / "results" / "gpu_truth.json"
    results.parent.mkdir(exist_ok=True)
    print(HEADER, flush=True)
    for kind in given.only or (QUICK if given.quick else ALL):
        try:
            found = measure(kind, seconds, 1 if given.quick else given.pairs, given.keep)
        except (ProgramFailedError, json.JSONDecodeError, subprocess.TimeoutExpired, KeyError) as error:
            print(f"{kind}: {type(error).__name__}: {error}", file=sys.stderr)
            found = [Row(kind, "ran", 1.0, None, "ends well", False)]
        print(table(found), flush=True)
        rows += found
        results.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    return 0 if all(row.held for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
