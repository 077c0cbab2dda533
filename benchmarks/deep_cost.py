"""What the deep look costs: inside its windows, and over the run.

    python benchmarks/deep_cost.py [--pairs N] [--seconds N] [--python PROGRAM]

Each program is recorded with and without `--deep`, in turns (with, without, without, with). Inside a window:
the slow-down that the recording measured on itself, the same stages inside windows and around them. Over the
run: CPU time per environment step with the deep look over that without, pair by pair. Bars: 1.5 and 5 %.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from goldsplit import pipeline

HERE = Path(__file__).resolve().parent
PROGRAMS = ("deep_game.py", "deep_ppo.py", "deep_dqn.py", "deep_workers.py")
MOST_SLOWDOWN, MOST_SHARE = 1.5, 0.05


def run_once(python: str, program: str, seconds: float, deep: bool) -> dict[str, Any]:
    """CPU seconds per step of one recorded run, and what its deep look says."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-m", "goldsplit", "record", "--quiet", "--no-stacks", "--out", scratch]
        command += ["--deep"] if deep else []
        command += ["--", python, str(HERE / "programs" / program), str(seconds)]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
        said = json.loads(done.stdout.strip().splitlines()[-1])
        run: dict[str, Any] = {"cpu_per_step": said["cpu"] / said["steps"]}
        if deep:
            look = pipeline.report(next(Path(scratch).glob("*/run.json")).parent).profile.deep
            if look is None:
                raise SystemExit(f"{program}: no deep look was taken")
            run |= {"slowdown": look.slowdown, "windows": look.windows, "env_steps": look.env_steps}
        return run


def measure(python: str, program: str, pairs: int, seconds: float) -> dict[str, Any]:
    """Some pairs of runs of one program, in alternating order."""
    ratios, looks = [], []
    for pair in range(pairs):
        both = {deep: run_once(python, program, seconds, deep) for deep in (pair % 2 == 0, pair % 2 == 1)}
        ratios.append(both[True]["cpu_per_step"] / both[False]["cpu_per_step"])
        looks.append(both[True])
        print(f"  {program} pair {pair + 1}: {ratios[-1]:.3f}, in windows {looks[-1]['slowdown']:.2f}")
    logs = [math.log(ratio) for ratio in ratios]
    half = 1.96 * statistics.stdev(logs) / math.sqrt(len(logs)) if len(logs) > 1 else math.nan
    middle = statistics.mean(logs)
    return {
        "program": program,
        "pairs": pairs,
        "run_share": math.exp(middle) - 1.0,
        "run_share_low": math.exp(middle - half) - 1.0,
        "run_share_high": math.exp(middle + half) - 1.0,
        "slowdown": statistics.median(look["slowdown"] for look in looks),
        "windows": statistics.median(look["windows"] for look in looks),
        "env_steps_seen": statistics.median(look["env_steps"] for look in looks),
    }


def verdict(row: dict[str, Any]) -> str:
    """Whether both bars are kept, as far as the pairs can tell."""
    if row["slowdown"] > MOST_SLOWDOWN:
        return "too slow inside windows"
    if row["run_share"] <= MOST_SHARE:
        return "ok" if row["run_share_high"] <= MOST_SHARE else "ok, interval wide"
    return "unsure" if row["run_share_low"] <= MOST_SHARE else "too dear over the run"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=15.0, help="length of each program's loop")
    parser.add_argument("--python", default=sys.executable, help="interpreter to run the programs with")
    parser.add_argument("--only", choices=PROGRAMS, action="append", help="only this program")
    args = parser.parse_args()
    rows = [measure(args.python, name, args.pairs, args.seconds) for name in args.only or PROGRAMS]
    print("\nprogram          in windows (bar 1.5)   over the run (bar 5 %)      steps seen")
    for row in rows:
        run = f"{row['run_share']:+.1%} [{row['run_share_low']:+.1%}, {row['run_share_high']:+.1%}]"
        seen = row["env_steps_seen"]
        print(f"{row['program']:<17}{row['slowdown']:<23.2f}{run:<28}{seen:<11.0f}{verdict(row)}")
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    (results / "deep_cost.json").write_text(json.dumps(rows, indent=1))
    return 0 if all(verdict(row).startswith(("ok", "unsure")) for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
