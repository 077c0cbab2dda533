"""Does a second recording say the same? Records the same programs several times.

    python benchmarks/again.py [--only NAME] [--times N] [--seconds S]

Compares the first finding (its rule and its place: file and function) and the largest category. Each must be
the same in at least four of five recordings. Prints one table per program, writes
benchmarks/results/again.json, exits with 1 below the bar.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from truth import GOLDSPLIT, HERE, CaseFailedError, read_report

#: In how many of the recordings the same must be said.
BAR_SHARE = 4 / 5
#: Steps of the demo that take about a second on the machine that the bars were set on.
DEMO_STEPS_PER_SECOND = 300


@dataclass(frozen=True, slots=True)
class Said:
    """What one recording says first."""

    finding: str
    """Rule and place; "none" where nothing was found."""
    category: str
    confidence: str
    samples: int | None
    """That the first finding's place rests on."""
    loop_samples: int


def commands(seconds: float) -> dict[str, tuple[Path, list[str]]]:
    """Name → folder and command of each program."""
    demo = ["examples/train_hexfight.py", "--steps", str(int(seconds * DEMO_STEPS_PER_SECOND))]
    return {
        "demo": (HERE.parent, demo),
        "pipes_unequal": (HERE / "programs", ["pipes_unequal.py", "--seconds", f"{seconds:g}"]),
        "palisade": (HERE / "wild" / "palisade", ["train.py"]),
    }


def first_said(report: dict[str, Any]) -> Said:
    """The first finding and the largest category of a report."""
    shares: dict[str, float] = defaultdict(float)
    for row in report["stages"]:
        shares[row["category"]] += row["wall_share"]
    category = max(shares, key=lambda name: shares[name], default="none")
    samples = report["trust"]["samples"]
    if not report["findings"]:
        return Said("none", category, "", None, samples)
    first = report["findings"][0]
    evidence, where = first["evidence"], first["where"]
    place = f"{Path(where['file']).name} {where['function']}" if where else "no place"
    rests_on = evidence.get("samples_at_place", evidence.get("samples"))
    return Said(f"{first['code']} at {place}", category, first["confidence"], rests_on, samples)


def most_common(said: Sequence[str]) -> int:
    """How many of them are the same."""
    return max(Counter(said).values(), default=0)


def is_steady(recordings: Sequence[Said]) -> bool:
    """Whether enough of the recordings say the same first finding, and the same category."""
    wanted = math.ceil(BAR_SHARE * len(recordings) - 1e-9)
    findings, categories = [one.finding for one in recordings], [one.category for one in recordings]
    return bool(recordings) and min(most_common(findings), most_common(categories)) >= wanted


def record(folder: Path, command: list[str], seconds: float) -> Said:
    """One recording of one program."""
    with tempfile.TemporaryDirectory(prefix="goldsplit-again-") as scratch:
        runs, truth = Path(scratch) / "runs", str(Path(scratch) / "truth.json")
        environment = {**os.environ, "WILD_TRUTH": truth, "TRUTH_OUT": truth, "WILD_SECONDS": f"{seconds:g}"}
        recorded = [*GOLDSPLIT, "record", "--quiet", "--out", str(runs), "--", sys.executable, *command]
        done = subprocess.run(recorded, cwd=folder, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise CaseFailedError(f"record ended with {done.returncode}: {done.stderr[-800:]}")
        return first_said(read_report(runs))


def table(name: str, recordings: Sequence[Said]) -> str:
    """All recordings of one program."""
    times, verdict = len(recordings), "ok" if is_steady(recordings) else "MISS"
    findings, categories = [one.finding for one in recordings], [one.category for one in recordings]
    lines = [
        f"\n== {name}: {verdict}; same first finding {most_common(findings)} of {times}, "
        f"same category {most_common(categories)} of {times}",
        f"{'samples':>8}  {'category':<14}{'first finding':<62}{'at place':>9}  confidence",
    ]
    for one in recordings:
        rests_on = "" if one.samples is None else str(one.samples)
        lines.append(
            f"{one.loop_samples:>8}  {one.category:<14.13}{one.finding:<62.61}{rests_on:>9}  {one.confidence}"
        )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description="record the same programs several times and compare")
    parser.add_argument("--only", action="append", choices=list(commands(1.0)))
    parser.add_argument("--times", type=int, default=5, help="recordings of each program")
    parser.add_argument("--seconds", type=float, default=30.0, help="length of each program's loop")
    args = parser.parse_args()
    results: dict[str, list[Said]] = {}
    for name, (folder, command) in commands(args.seconds).items():
        if args.only and name not in args.only:
            continue
        try:
            results[name] = [record(folder, command, args.seconds) for _ in range(args.times)]
        except (CaseFailedError, KeyError, TypeError) as error:
            print(f"\n== {name}: could not be judged: {type(error).__name__}: {error}", flush=True)
            results[name] = []
            continue
        print(table(name, results[name]), flush=True)
    missed = [name for name, recordings in results.items() if not is_steady(recordings)]
    print(f"\n{len(results) - len(missed)} of {len(results)} programs say the same again")
    out = HERE / "results" / "again.json"
    out.parent.mkdir(exist_ok=True)
    rows = {name: [asdict(one) for one in recordings] for name, recordings in results.items()}
    out.write_text(json.dumps({"seconds": args.seconds, "programs": rows}, indent=1))
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
