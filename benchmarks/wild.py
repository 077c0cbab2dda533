"""Is the picture right on code that nobody prepared? Programs of strangers, each with its own clocks.

    python benchmarks/wild.py [--only NAME] [--seconds S] [--programs FOLDER]

The programs in `wild/` were written by authors who had not seen this project, with their own habits. Prints
one table per program, writes benchmarks/results/wild.json, exits with 1 if more than one misses a bar.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import truth_compare as compare
from truth import GOLDSPLIT, HERE, CaseFailedError, read_report, table
from truth_compare import Limits, Row

PROGRAMS = HERE / "wild"
LIMITS = Limits(stage_share=0.03, attributed_share=0.97, counts_required=True)
#: For a stage that is known from stacks alone.
SAMPLED_LIMIT = 0.05
MAY_MISS = 1
#: What the programs' notes call a key, and what is compared with it. `other` is the loop's own lines: the
#: collecting loop, and what goldsplit shows under the user's own function.
OWN_LINES = "category:your code"
#: Parts of learning that are stages of their own; the rest of it is one key, whatever its author calls it.
LEARNING_APART = frozenset({"learn.returns"})
COMMUNICATION = "category:communication"
#: Clocks that draw a border elsewhere than goldsplit does, both with reason: program → keys that are compared
#: as one, on both sides, with the usual bar; and why.
COMPARED_AS_ONE = {
    "bergwerk": (
        ("act", OWN_LINES),
        "its clock for acting runs on while the row is written into arrays, by lines of the loop",
    ),
    "spelunk": (
        (COMMUNICATION, "env.step"),
        "its clock takes the wrappers of one environment (time limit, statistics) for vec.*",
    ),
}
#: Clocks that start in the middle of a run: program → what is not compared, because it runs before too (the
#: rest is compared as shares of itself, and counted as ever); and why.
STARTS_LATE = {
    "schlagwetter": (
        ("env.reset", "env.step", "env.reward", "env.observe", "act", OWN_LINES, "env_steps", "episodes"),
        "it plays 4000 demonstrations first, which are steps and training time as well",
    ),
}


def record(program: Path, seconds: float, scratch: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """One program from its start: what its own clocks say, and the report."""
    truth, runs = scratch / "truth.json", scratch / "runs"
    environment = {**os.environ, "WILD_TRUTH": str(truth), "WILD_SECONDS": f"{seconds:g}"}
    command = [*GOLDSPLIT, "record", "--out", str(runs), "--name", "wild", "--", sys.executable, "train.py"]
    copy = scratch / program.name  # programs write their weights and logs beside themselves
    shutil.copytree(program, copy)
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)
    if done.returncode != 0 or not truth.exists():
        raise CaseFailedError(f"record ended with {done.returncode}: {done.stderr[-800:]}")
    return json.loads(truth.read_text()), read_report(runs)


def shares_of(truth: dict[str, Any]) -> dict[str, float]:
    """The program's own clocks as shares of its loop."""
    wall = truth["wall_seconds"]
    shares: dict[str, float] = defaultdict(float)
    for key, seconds in truth["stages"].items():
        shares[compared_key(key)] += seconds / wall
    return dict(shares)


def compared_key(key: str) -> str:
    """What a key of a program's clocks is compared with."""
    if key.startswith("vec."):
        return COMMUNICATION
    if key == "learn" or (key.startswith("learn.") and key not in LEARNING_APART):
        return "learn.*"
    return OWN_LINES if key == "other" else key


def merged(shares: dict[str, float], program: str) -> dict[str, float]:
    """With the keys as one that this program's clocks do not keep apart as goldsplit does."""
    keys, _ = COMPARED_AS_ONE.get(program, ((), ""))
    known = [key for key in keys if key in shares]
    rest = {key: share for key, share in shares.items() if key not in known}
    return {**rest, "+".join(known): sum(shares[key] for key in known)} if known else rest


def among_themselves(
    shares: dict[str, float], stages: list[dict[str, Any]], left_out: tuple[str, ...]
) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Both sides without some keys, each as shares of what is left."""
    kept = {key: share for key, share in shares.items() if key not in left_out}
    rows = [row for row in stages if any(compare.key_matches(key, row) for key in kept)]
    whole, seen = sum(kept.values()) or 1.0, sum(row["wall_share"] for row in rows) or 1.0
    return (
        {key: share / whole for key, share in kept.items()},
        [{**row, "wall_share": row["wall_share"] / seen} for row in rows],
    )


def judge(truth: dict[str, Any], report: dict[str, Any], program: str = "") -> list[Row]:
    """Stages, what is explained, and the counts that the program has."""
    left_out, _ = STARTS_LATE.get(program, ((), ""))
    counted = {name: truth[name] for name in ("env_steps", "episodes", "updates") if truth.get(name)}
    counted = {name: number for name, number in counted.items() if name not in left_out}
    stages = [
        {**row, "category": "your code"} if row["stage"] == "rollout" else row for row in report["stages"]
    ]
    report = {**report, "stages": stages}
    shares = merged(shares_of(truth), program)
    if left_out:
        shares, stages = among_themselves(shares, stages, left_out)
    compared = {**report, "stages": stages}
    rows = [by_source(row, stages) for row in compare.compare_stages(shares, compared, LIMITS)]
    rows += compare.compare_partition(report, LIMITS)
    counts = {"env_steps": 0, "episodes": 0, "updates": 0, **counted}
    return rows + [row for row in compare.compare_counts(counts, report, LIMITS) if row.check in counted]


def by_source(row: Row, stages: list[dict[str, Any]]) -> Row:
    """The same comparison; with the wider bar where mostly stacks tell the stage."""
    inside = [stage for stage in stages if compare.key_matches(row.check, stage)]
    sampled = sum(stage["wall_share"] for stage in inside if stage["source"] == "sampled")
    if row.difference is None or sampled <= sum(stage["wall_share"] for stage in inside) / 2:
        return row
    passed = abs(row.difference) <= SAMPLED_LIMIT
    return replace(row, limit=f"{100 * SAMPLED_LIMIT:.0f} points", passed=passed)


def run_program(program: Path, seconds: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="goldsplit-wild-") as scratch:
        try:
            rows = judge(*record(program, seconds, Path(scratch)), program.name)
        except (CaseFailedError, KeyError, TypeError, ValueError) as error:
            print(f"\n== {program.name}: could not be judged: {type(error).__name__}: {error}", flush=True)
            return {"program": program.name, "passed": False, "error": str(error)}
    print(table(program.name, rows), flush=True)
    passed = all(row.passed for row in rows)
    return {"program": program.name, "passed": passed, "rows": [asdict(row) for row in rows]}


def main() -> int:
    parser = argparse.ArgumentParser(description="compare goldsplit with the clocks of programs by strangers")
    parser.add_argument("--only", action="append", metavar="NAME", help="only this program; may be repeated")
    parser.add_argument("--seconds", type=float, default=20.0, help="length of each program's loop")
    parser.add_argument("--programs", type=Path, default=PROGRAMS, help="a folder of programs like these")
    args = parser.parse_args()
    programs = sorted(entry for entry in args.programs.iterdir() if (entry / "train.py").is_file())
    unknown = set(args.only or ()) - {program.name for program in programs}
    if unknown:
        parser.error(f"no such program: {', '.join(sorted(unknown))}")
    chosen = [program for program in programs if not args.only or program.name in args.only]
    results = [run_program(program, args.seconds) for program in chosen]
    missed = [result["program"] for result in results if not result["passed"]]
    within = len(results) - len(missed)
    print(f"\n{within} of {len(results)} programs within all bars; missed: {', '.join(missed) or 'none'}")
    out = HERE / "results" / "wild.json"
    out.parent.mkdir(exist_ok=True)
    out.write_text(json.dumps({"seconds": args.seconds, "programs": results}, indent=1))
    return 1 if len(missed) > MAY_MISS else 0


if __name__ == "__main__":
    raise SystemExit(main())
