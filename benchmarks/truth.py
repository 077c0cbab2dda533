"""Does goldsplit say what is true? Programs with known stage costs, recorded, compared stage by stage.

    python benchmarks/truth.py [--only NAME] [--seconds S]

Prints one table per program, writes benchmarks/results/truth.json, exits with 1 if any bar is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import truth_compare as compare
from truth_compare import STACKS_ONLY, WITH_SPANS, Limits, Row

HERE = Path(__file__).resolve().parent
GOLDSPLIT = [sys.executable, "-m", "goldsplit"]
BEGIN_TIMEOUT_SECONDS = 60.0
#: With stacks alone, shares differ by chance: with fifty samples a second for twelve seconds by four points,
#: nearly the bar, so that a pass or a miss would mean little. These cases run so many times as long.
STACKS_ONLY_TIMES = 3


@dataclass(frozen=True, slots=True)
class Case:
    """One program, how it is run, and what is compared with its truth."""

    name: str
    program: str
    arguments: tuple[str, ...] = ()
    limits: Limits = WITH_SPANS
    attach: bool = False
    stage_options: tuple[str, ...] = ()
    lanes: bool = False
    slowdown: bool = False


OPPONENT = ("--stage", "battle_game:Battle.enemy_turn=env.opponent")
ASLEEP = ("--asleep", "0.8", "--step-us", "2000")
CASES = [
    Case("one_process", "one_process"),
    Case("pipes-4", "pipes_unequal", lanes=True),
    Case("pipes-4-asleep", "pipes_unequal", ASLEEP, lanes=True),
    Case("pipes-2", "pipes_unequal", ("--workers", "2"), lanes=True),
    Case("sb3_subproc", "sb3_subproc", lanes=True),
    Case("threads-sleep", "threadpool", ("--kind", "sleep")),
    Case("threads-hold", "threadpool", ("--kind", "hold")),
    Case("threads-release", "threadpool", ("--kind", "release")),
    Case("threads-mixed", "threadpool", ("--kind", "mixed")),
    Case("prefetch", "prefetch"),
    Case("nested_stage", "nested_stage", stage_options=OPPONENT),
    Case("asyncio_loop", "asyncio_loop"),
    Case("slowing", "slowing", slowdown=True),
    Case("bare_functions", "bare_functions", limits=STACKS_ONLY),
    Case("attach:one_process", "one_process", limits=STACKS_ONLY, attach=True),
    Case("attach:pipes-4", "pipes_unequal", limits=STACKS_ONLY, attach=True),
    Case("attach:sb3_subproc", "sb3_subproc", limits=STACKS_ONLY, attach=True),
    Case("attach:threads", "threadpool", ("--kind", "mixed"), limits=STACKS_ONLY, attach=True),
    Case("attach:prefetch", "prefetch", limits=STACKS_ONLY, attach=True),
    Case("attach:asyncio", "asyncio_loop", limits=STACKS_ONLY, attach=True),
    Case("attach:functions", "bare_functions", limits=STACKS_ONLY, attach=True),
]


class CaseFailedError(Exception):
    """The program or goldsplit did not run to its end; the message holds what they printed last."""


def program_command(case: Case, seconds: float) -> list[str]:
    script = HERE / "programs" / f"{case.program}.py"
    return [sys.executable, str(script), "--seconds", f"{seconds:g}", *case.arguments]


def run_recorded(case: Case, seconds: float, folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Record the program from its start; return its truth and goldsplit's report."""
    truth_path, runs = folder / "truth.json", folder / "runs"
    record = [*GOLDSPLIT, "record", "--out", str(runs), "--name", "truth", *case.stage_options]
    environment = {**os.environ, "TRUTH_OUT": str(truth_path)}
    done = subprocess.run(
        [*record, "--", *program_command(case, seconds)], env=environment, capture_output=True, text=True
    )
    if done.returncode != 0 or not truth_path.exists():
        raise CaseFailedError(f"record ended with {done.returncode}: {done.stderr[-800:]}")
    return json.loads(truth_path.read_text()), read_report(runs)


def run_attached(case: Case, seconds: float, folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Start the program bare, attach for `seconds` once its loop runs; truth is of that interval."""
    truth_path, runs = folder / "truth.json", folder / "runs"
    environment = {**os.environ, "TRUTH_OUT": str(truth_path)}
    command = program_command(case, seconds + 6.0)
    program = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    try:
        wait_until_begun(Path(f"{truth_path}.begin"), program)
        attach = [*GOLDSPLIT, "attach", str(program.pid), "--out", str(runs), "--name", "truth"]
        start_ns = time.perf_counter_ns()
        done = subprocess.run([*attach, "--duration", f"{seconds:g}"], capture_output=True, text=True)
        end_ns = time.perf_counter_ns()
        if done.returncode != 0:
            raise CaseFailedError(f"attach ended with {done.returncode}: {done.stderr[-800:]}")
        program.wait(timeout=120)
    finally:
        if program.poll() is None:
            program.terminate()
            program.wait()
    truth = json.loads(truth_path.read_text())
    truth["wall_shares"] = compare.shares_between(truth, start_ns, end_ns)
    return truth, read_report(runs)


def wait_until_begun(marker: Path, program: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + BEGIN_TIMEOUT_SECONDS
    while not marker.exists():
        if program.poll() is not None or time.monotonic() > deadline:
            raise CaseFailedError("the program never reached its loop")
        time.sleep(0.02)


def read_report(runs: Path) -> dict[str, Any]:
    """The one run under `runs`, through the same command that a user would type."""
    folders = [entry for entry in runs.iterdir() if entry.is_dir()]
    if len(folders) != 1:
        raise CaseFailedError(f"expected one run in the output folder, found {len(folders)}")
    shown = subprocess.run([*GOLDSPLIT, "show", str(folders[0]), "--json"], capture_output=True, text=True)
    if shown.returncode != 0:
        raise CaseFailedError(f"show ended with {shown.returncode}: {shown.stderr[-800:]}")
    report: dict[str, Any] = json.loads(shown.stdout)
    return report


def judge(case: Case, truth: dict[str, Any], report: dict[str, Any]) -> list[Row]:
    rows = compare.compare_stages(truth["wall_shares"], report, case.limits)
    rows += compare.compare_partition(report, case.limits)
    if not case.attach:  # an attached run sees a part: no start-up, and only its part of the counts
        rows += compare.compare_counts(truth["counts"], report, case.limits)
        if case.limits.counts_required:
            rows += compare.compare_startup(truth, report)
    if case.lanes:
        rows += compare.compare_lanes(truth, report)
    if case.slowdown:
        rows += compare.compare_slowdown(truth, report)
    return rows


def show_value(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    if unit == "share":
        return f"{100 * value:.2f} %"
    return f"{value:.2f}" if unit in ("seconds", "ratio") else f"{value:.0f}"


def show_difference(row: Row) -> str:
    if row.difference is None or row.unit == "pid":
        return "-"
    if row.unit == "share":
        return f"{100 * row.difference:+.2f}"
    return f"{row.difference:+.2f}" if row.unit in ("seconds", "ratio") else f"{row.difference:+.0f}"


def table(name: str, rows: list[Row]) -> str:
    lines = [f"{'stage or check':<28}{'truth':>10}{'goldsplit':>12}{'diff':>9}  {'limit':<13}{'':<5} remark"]
    for row in rows:
        verdict = "ok" if row.passed else "MISS"
        line = (
            f"{row.check:<28.28}{show_value(row.truth, row.unit):>10}{show_value(row.seen, row.unit):>12}"
            f"{show_difference(row):>9}  {row.limit:<13}{verdict:<5} {row.remark}"
        )
        lines.append(line[:110].rstrip())
    missed = sum(not row.passed for row in rows)
    return "\n".join([f"\n== {name}: {len(rows)} checks, {missed} missed", *lines])


def seconds_of(case: Case, seconds: float) -> float:
    return seconds * (STACKS_ONLY_TIMES if case.limits is STACKS_ONLY else 1)


def run_case(case: Case, seconds: float, keep: Path | None) -> dict[str, Any]:
    run = run_attached if case.attach else run_recorded
    with tempfile.TemporaryDirectory(prefix="goldsplit-truth-") as scratch:
        folder = Path(scratch)
        if keep is not None:
            folder = keep / case.name.replace(":", "-") / time.strftime("%H%M%S")
            folder.mkdir(parents=True)
        try:
            truth, report = run(case, seconds, folder)
            rows = judge(case, truth, report)
        except (CaseFailedError, KeyError, TypeError, ValueError) as error:
            print(f"\n== {case.name}: could not be judged: {type(error).__name__}: {error}", flush=True)
            return {"case": case.name, "error": f"{type(error).__name__}: {error}", "passed": False}
        if keep is not None:
            (folder / "report.json").write_text(json.dumps(report, indent=1))
    print(table(case.name, rows), flush=True)
    return {
        "case": case.name,
        "passed": all(row.passed for row in rows),
        "program_unexplained_share": truth["unexplained_share"],
        "rows": [{**asdict(row), "difference": row.difference} for row in rows],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description="compare goldsplit with programs of known stage costs")
    parser.add_argument("--only", action="append", help="case or its beginning; may be given several times")
    parser.add_argument("--seconds", type=float, default=12.0, help="length of loops recorded with hooks")
    parser.add_argument("--keep", type=Path, help="keep truth, runs and reports under this folder")
    args = parser.parse_args()
    chosen = [case for case in CASES if not args.only or any(case.name.startswith(o) for o in args.only)]
    if not chosen:
        parser.error(f"no case begins with {args.only}; there are: {', '.join(c.name for c in CASES)}")
    results = [run_case(case, seconds_of(case, args.seconds), args.keep) for case in chosen]
    missed = [result["case"] for result in results if not result["passed"]]
    within = len(results) - len(missed)
    print(f"\n{within} of {len(results)} programs within all bars; missed: {', '.join(missed) or 'none'}")
    out = HERE / "results" / "truth.json"
    out.parent.mkdir(exist_ok=True)
    out.write_text(json.dumps({"seconds": args.seconds, "cases": results}, indent=1))
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
