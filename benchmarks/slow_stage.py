"""Does a slower stage cost what was predicted? Programs with known stages, one stage slowed from outside.

    python benchmarks/slow_stage.py [--only NAME] [--pairs N] [--seconds S] [--minutes M]

Each case records its program as it is and with the overlay `slow:STAGE:PERCENT`, by turns. The recordings of
the unchanged program predict the slow-down (`goldsplit whatif` with a stage that costs more), the speeds of
both measure it: the median of pairs. Prints a table, writes benchmarks/results/slow_stage.json, exits with 1
if a prediction is off by more than 10 %. `--minutes` is the time for everything: cases get fewer pairs (three
at least) where it is short, and those that do not fit are left out and said. A single case: `--only act`.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from goldsplit import pipeline
from goldsplit.model.whatif import Scenario

HERE = Path(__file__).resolve().parent
TOLERANCE = 0.10
FEWEST_PAIRS, BESIDE_SECONDS = 3, 3.0


@dataclass(frozen=True, slots=True)
class Case:
    """A program of `truth.py`, and the stage that becomes slower."""

    name: str
    program: str
    stage: str
    percent: int
    arguments: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


OPPONENT = ("--stage", "battle_game:Battle.enemy_turn=env.opponent")
CASES = [
    Case("one process: env.step", "one_process", "env.step", 60),
    Case("one process: act", "one_process", "act", 100),
    Case("one process: replay.sample", "one_process", "replay.sample", 200),
    Case("opponent in a step", "nested_stage", "env.opponent", 50, options=OPPONENT),
    Case("2 workers: env.step", "pipes_unequal", "env.step", 60, ("--workers", "2")),
    Case("SB3 with workers: env.step", "sb3_subproc", "env.step", 60),
    Case("SB3 with workers: learn.loss", "sb3_subproc", "learn.loss", 200),
]


@dataclass(frozen=True, slots=True)
class Result:
    """Slow-downs: 1.3 means that the run takes 1.3 times as long."""

    name: str
    predicted: float
    measured: float
    pairs: int
    slowed_calls: int

    @property
    def error(self) -> float:
        return abs(self.predicted / self.measured - 1.0)


def record(case: Case, seconds: float, folder: Path, overlay: str) -> Path:
    """One recording; its run directory."""
    with tempfile.TemporaryDirectory(dir=folder) as truth:
        command = [
            sys.executable,
            "-m",
            "goldsplit",
            "record",
            "--quiet",
            "--no-stacks",
            "--out",
            str(folder),
        ]
        command += [*case.options, *(("--with", overlay) if overlay else ()), "--", sys.executable]
        command += [
            str(HERE / "programs" / f"{case.program}.py"),
            "--seconds",
            f"{seconds:g}",
            *case.arguments,
        ]
        before = set(folder.glob("*/run.json"))
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "TRUTH_OUT": str(Path(truth) / "truth.json")}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{case.name}: ended with {done.returncode}: {done.stderr[-800:]}")
        (made,) = set(folder.glob("*/run.json")) - before
    return made.parent


def measure(case: Case, pairs: int, seconds: float) -> Result:
    """Both variants by turns."""
    predicted, measured, calls = [], [], 0
    overlay = f"slow:{case.stage}:{case.percent}"
    scenario = Scenario({case.stage: 1.0 + case.percent / 100})
    with tempfile.TemporaryDirectory() as name:
        for number in range(pairs):
            order = ("", overlay) if number % 2 == 0 else (overlay, "")
            runs = {which: record(case, seconds, Path(name), which) for which in order}
            speeds = {}
            for which, run in runs.items():
                profile = pipeline.profile(run)
                speeds[which] = profile.throughput.env_steps_per_second or 0.0
                if which:
                    calls += sum(profile.run.overlays[0].changed.values())
            answer = pipeline.what_if(runs[""], scenario).prediction
            assert answer is not None
            predicted.append(1.0 / answer.speedup)
            measured.append(speeds[""] / speeds[overlay])
    return Result(case.name, statistics.median(predicted), statistics.median(measured), pairs, calls)


def pairs_in(seconds_left: float, cases_left: int, seconds: float, most: int) -> int:
    """How many pairs of a case fit; starting and reading a recording takes about as long as three seconds."""
    return min(most, int(seconds_left / cases_left / (2 * (seconds + BESIDE_SECONDS))))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", help="cases whose name has this in it")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--minutes", type=float, default=20.0, help="for all cases together")
    args = parser.parse_args()
    results = []
    deadline = time.monotonic() + 60 * args.minutes
    wanted = [case for case in CASES if args.only in case.name]
    print(f"{'case':<32} {'predicted':>9} {'measured':>9} {'off by':>7}  calls slowed")
    for number, case in enumerate(wanted):
        pairs = pairs_in(deadline - time.monotonic(), len(wanted) - number, args.seconds, args.pairs)
        if pairs < FEWEST_PAIRS:
            print(f"{case.name:<32} left out: no time (--minutes)", flush=True)
        else:
            result = measure(case, pairs, args.seconds)
            results.append(result)
            mark = "" if result.error <= TOLERANCE else "  MISSED"
            print(
                f"{result.name:<32} {result.predicted:>8.3f}x {result.measured:>8.3f}x {result.error:>6.1%}  "
                f"{result.slowed_calls}{mark}",
                flush=True,
            )
    folder = HERE / "results"
    folder.mkdir(exist_ok=True)
    rows = [asdict(result) | {"error": result.error} for result in results]
    (folder / "slow_stage.json").write_text(json.dumps(rows, indent=1) + "\n")
    return (
        0 if len(results) == len(wanted) > 0 and all(result.error <= TOLERANCE for result in results) else 1
    )


if __name__ == "__main__":
    sys.exit(main())
