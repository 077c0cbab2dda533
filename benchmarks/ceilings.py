"""Do predictions come true? Programs with a knob, recorded at one setting and run bare at another.

    python benchmarks/ceilings.py [--only NAME] [--repeats N] [--seconds S]

For each case the recording's prediction (`goldsplit whatif`) is compared with the speed-up that was really
measured: bare runs at both settings, by turns in short slices of time, the median of several. The last cases
run a training that slows down for longer than was recorded, against `goldsplit horizon`. Prints a table,
writes benchmarks/results/ceilings.json (cases that were not run keep their last result), exits with 1 if a
prediction is off by more than 10 % of the measured value, or a measured time lies outside the interval.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
GOLDSPLIT = [sys.executable, "-m", "goldsplit"]
TOLERANCE = 0.10
SLICE_SECONDS, WARM_UP_SECONDS = 0.4, 0.5


@dataclass(frozen=True, slots=True)
class Case:
    """A program, the setting it is recorded at, another setting, and the question that asks for it."""

    name: str
    program: str
    changed: str
    question: str
    recorded: str = ""


@dataclass(frozen=True, slots=True)
class LongRun:
    """A training recorded for some turns, and really run for more."""

    name: str
    turns: int
    longer: int
    unit: str


BUSY_EQUAL = "--busy 1.0 --slow 1.0"
CASES = [
    Case("alone: step 2x faster", "knobs_alone", "--step-us 200", "--stage env.step --faster 2"),
    Case(
        "alone: a quarter of the updates",
        "knobs_alone",
        "--updates-per-step 0.125",
        "--updates-per-step 0.125",
    ),
    Case("alone: 4 to 16 environments", "knobs_alone", "--envs 16", "--envs 16"),
    Case("dqn: step 3x faster", "knobs_dqn", "--step-us 100", "--stage env.step --faster 3"),
    Case(
        "dqn: a quarter of the updates", "knobs_dqn", "--updates-per-step 0.125", "--updates-per-step 0.125"
    ),
    Case("pipes: step 2x faster", "knobs_pipes", "--step-us 1250", "--stage env.step --faster 2"),
    Case("pipes: 2 to 8 environments", "knobs_pipes", "--envs 8", "--envs 8 --workers 2"),
    Case("pipes: 2 to 4 workers", "knobs_pipes", "--envs 4 --workers 4", "--workers 4"),
    Case("pipes: busy, 2 to 6 workers", "knobs_pipes", "--envs 6 --workers 6", "--workers 6", BUSY_EQUAL),
    Case("pipes: busy, uneven, 2 to 6", "knobs_pipes", "--envs 6 --workers 6", "--workers 6", "--busy 1.0"),
    Case(
        "pipes: busy, step 3x faster",
        "knobs_pipes",
        "--step-us 833",
        "--stage env.step --faster 3",
        "--busy 1.0",
    ),
    Case(
        "prefetch: sample 3x faster", "knobs_prefetch", "--sample-us 2000", "--stage replay.sample --faster 3"
    ),
    Case("prefetch: learn 2x faster", "knobs_prefetch", "--learn-us 1250", "--stage learn.loss --faster 2"),
    Case("threads: step 2x faster", "knobs_threads", "--step-us 2500", "--stage env.step --faster 2"),
    Case("threads: 4 to 12 environments", "knobs_threads", "--envs 12", "--envs 12"),
    Case("sb3: step 2x faster", "knobs_sb3", "--step-us 2000", "--stage env.step --faster 2"),
    Case("sb3: 2 to 4 environments", "knobs_sb3", "--envs 4", "--envs 4"),
    Case("sb3: twice the epochs", "knobs_sb3", "--epochs 8", "--updates-per-step {2x}"),
]
LONG_RUNS = [
    LongRun("horizon: 2.5x the env steps", 1200, 3000, "env_steps"),
    LongRun("horizon: more episodes", 1200, 3000, "episodes"),
    LongRun("horizon: 2x the updates", 1200, 2400, "updates"),
]


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", **more}


def run(command: list[str], **more: str) -> str:
    done = subprocess.run(command, env=environment(**more), capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-600:]}")
    return done.stdout


def program(name: str, options: str, seconds: float) -> list[str]:
    return [
        sys.executable,
        str(HERE / "programs" / f"{name}.py"),
        "--seconds",
        f"{seconds:g}",
        *options.split(),
    ]


class Bare:
    """A program that runs unrecorded, and can be made to stand still with all its workers."""

    def __init__(self, command: list[str], folder: Path, name: str) -> None:
        self.begun, self.out = folder / f"{name}.begun", folder / f"{name}.json"
        more = {"KNOBS_BEGUN": str(self.begun), "KNOBS_OUT": str(self.out)}
        self.process = subprocess.Popen(
            command, env=environment(**more), stdout=subprocess.DEVNULL, start_new_session=True
        )

    def wait_for_loop(self) -> None:
        deadline = time.monotonic() + 60
        while not self.begun.exists():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("a bare program never reached its loop")
            time.sleep(0.02)

    def signal(self, number: int) -> None:
        os.killpg(self.process.pid, number)

    def turns_in(self, slices: list[tuple[float, float]]) -> float:
        """Env steps that were begun in these slices of time."""
        told = json.loads(self.out.read_text())
        inside = sum(1 for t in told["turns"] if any(start <= t < end for start, end in slices))
        return float(inside * told["env_steps_per_turn"])


def measured_ratio(case: Case, seconds: float, folder: Path) -> float:
    """Speed at the other setting over speed at the recorded one. Both run by turns, some tenths of a second
    each, so that other load on the machine slows both alike."""
    pair = []
    try:
        for name, options in (("before", case.recorded), ("after", f"{case.recorded} {case.changed}")):
            pair.append(Bare(program(case.program, options, seconds), folder, name))
            pair[-1].wait_for_loop()
            time.sleep(WARM_UP_SECONDS)
            pair[-1].signal(signal.SIGSTOP)
        slices: list[list[tuple[float, float]]] = [[], []]
        for number in range(2 * int(seconds / SLICE_SECONDS)):
            one = pair[number % 2]
            start = time.perf_counter()
            one.signal(signal.SIGCONT)
            time.sleep(SLICE_SECONDS)
            one.signal(signal.SIGSTOP)
            slices[number % 2].append((start, time.perf_counter()))
        for one in pair:
            one.begun.unlink()
            one.signal(signal.SIGCONT)
        for one in pair:
            one.process.wait(timeout=60)
    finally:
        for one in pair:
            if one.process.poll() is None:
                one.signal(signal.SIGKILL)
                one.process.wait()
    spent = [sum(end - start for start, end in part) for part in slices]
    speeds = [one.turns_in(part) / seconds for one, part, seconds in zip(pair, slices, spent, strict=True)]
    return speeds[1] / speeds[0]


def predicted(case: Case, seconds: float, runs: Path) -> dict[str, Any]:
    """Record at the first setting, then ask."""
    run(
        [
            *GOLDSPLIT,
            "record",
            "--out",
            str(runs),
            "--name",
            "knob",
            "--",
            *program(case.program, case.recorded, seconds),
        ]
    )
    question = case.question
    if "{2x}" in question:
        shown = json.loads(run([*GOLDSPLIT, "show", "--out", str(runs), "last", "--json"]))
        question = question.replace("{2x}", str(2 * shown["throughput"]["updates_per_env_step"]))
    answer = run([*GOLDSPLIT, "whatif", "--out", str(runs), "last", "--json", *question.split()])
    result: dict[str, Any] = json.loads(answer)["prediction"]
    return result


def judge(case: Case, seconds: float, repeats: int) -> dict[str, Any]:
    """Record, run at the first setting, run at the other; again and again."""
    guesses, ratios = [], []
    with tempfile.TemporaryDirectory(prefix="goldsplit-ceilings-") as scratch:
        for _ in range(repeats):
            guesses.append(predicted(case, seconds, Path(scratch)))
            ratios.append(measured_ratio(case, seconds, Path(scratch)))
    guess = statistics.median(one["speedup"] for one in guesses)
    measured = statistics.median(ratios)
    return {
        "case": case.name,
        "question": case.question,
        "basis": guesses[-1]["basis"].partition(":")[0],
        "predicted": guess,
        "low": statistics.median(one["low"] for one in guesses),
        "high": statistics.median(one["high"] for one in guesses),
        "measured": measured,
        "measured_each": ratios,
        "predicted_each": [one["speedup"] for one in guesses],
        "off": guess / measured - 1.0,
        "passed": abs(guess / measured - 1.0) <= TOLERANCE,
    }


def drifting(turns: int, out: Path, *record: str) -> dict[str, Any]:
    """The slowing DQN for some turns, bare or recorded; what its own clocks say."""
    script = str(HERE / "programs" / "drifting_dqn.py")
    options = ["--steps", str(turns), "--startup", "0", "--runners", "128", "--fall-turns", "300"]
    command = [*record, sys.executable, script, *options]
    run(command, TRUTH_OUT=str(out))
    result: dict[str, Any] = json.loads(out.read_text())
    return result


def judge_long(case: LongRun) -> dict[str, Any]:
    """Extrapolate a recording, then run as long as that; times are of the training loop alone."""
    with tempfile.TemporaryDirectory(prefix="goldsplit-ceilings-") as scratch:
        runs, out = Path(scratch) / "runs", Path(scratch) / "truth.json"
        short = drifting(case.turns, out, *GOLDSPLIT, "record", "--out", str(runs), "--name", "short", "--")
        truth = drifting(case.longer, Path(scratch) / "long.json")
        target, seconds = truth["counts"][case.unit], truth["steady_seconds"]
        option = "--" + case.unit.replace("_", "-")
        answer = json.loads(
            run([*GOLDSPLIT, "horizon", "--out", str(runs), "last", "--json", option, str(target)])
        )
    # The same first turns took longer or shorter in the other run: the machine, and the recorder's cost.
    machine = sum(truth["turn_ns"][: case.turns]) / sum(short["turn_ns"])
    told = {
        key: machine * (answer[f"{name}_seconds"] - answer["fixed_seconds"])
        for key, name in (("predicted", "wall"), ("low", "low"), ("high", "high"), ("naive", "naive"))
    }
    return {
        "case": case.name,
        "question": f"{option} {target} (recorded: {short['counts'][case.unit]})",
        "basis": answer["cost_us"]["model"],
        **told,
        "measured": seconds,
        "machine": machine,
        "off": told["predicted"] / seconds - 1.0,
        "passed": told["low"] <= seconds <= told["high"],
    }


def table(rows: list[dict[str, Any]]) -> str:
    head = f"{'case':<34}{'predicted':>10}{'interval':>15}{'measured':>10}{'off':>7}  {'':<5}basis"
    lines = [head]
    for row in rows:
        interval = f"{row['low']:.2f} - {row['high']:.2f}"
        verdict = "ok" if row["passed"] else "MISS"
        lines.append(
            f"{row['case']:<34}{row['predicted']:>10.2f}{interval:>15}{row['measured']:>10.2f}"
            f"{100 * row['off']:>+6.0f}%  {verdict:<5}{row['basis'][:28]}"
        )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description="predicted against measured speed-ups")
    parser.add_argument(
        "--only", action="append", help="beginning of a case's name; may be given several times"
    )
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5.0, help="length of each run's loop")
    args = parser.parse_args()
    chosen = [c for c in [*CASES, *LONG_RUNS] if not args.only or c.name.startswith(tuple(args.only))]
    rows = []
    for case in chosen:
        row = judge(case, args.seconds, args.repeats) if isinstance(case, Case) else judge_long(case)
        rows.append(row)
        print(table([row]).splitlines()[1], flush=True)
    out = HERE / "results" / "ceilings.json"
    kept = {row["case"]: row for row in json.loads(out.read_text())["cases"]} if out.exists() else {}
    kept |= {row["case"]: row for row in rows}
    order = [case.name for case in [*CASES, *LONG_RUNS]]
    cases = sorted(
        (row for row in kept.values() if row["case"] in order), key=lambda row: order.index(row["case"])
    )
    out.parent.mkdir(exist_ok=True)
    out.write_text(json.dumps({"tolerance": TOLERANCE, "cases": cases}, indent=1))
    print("\n" + table(cases))
    missed = [row["case"] for row in cases if not row["passed"]]
    print(
        f"\n{len(cases) - len(missed)} of {len(cases)} within the bars; missed: {', '.join(missed) or 'none'}"
    )
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
