"""What does recording cost? Bare, goldsplit, py-spy, cProfile, viztracer and pyinstrument, interleaved.

    python benchmarks/overhead.py [--pairs N] [--peer-pairs N] [--only PROGRAM] [--tools goldsplit,py-spy]

Each round runs every tool once on the same fixed work, in random order; a tool is compared with the mean
of the two bare runs of its own round. The two bare runs against each other show the noise of the machine.
Prints one table per program, writes benchmarks/results/overhead.json, exits with 1 if a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from overhead_run import Measured, Program, calibrate_spin_per_us, disk_bytes_of_a_minute, measure
from overhead_stats import (
    FEWEST_PAIRS,
    Spread,
    added_us_per_step,
    judge,
    quiet_turn_seconds,
    ratios,
    spread,
)

HERE = Path(__file__).resolve().parent
MEDIAN_LIMIT, WORST_LIMIT = 1.02, 1.05
ADDED_US_LIMIT = 20.0
WIDEST_TO_AGREE_WITH = 0.10
DISK_LIMIT_BYTES_PER_MINUTE = 1_000_000
SECOND_BARE = "bare again"
PAIRED_TOOLS = ("bare", SECOND_BARE, "goldsplit", "py-spy")
PEER_TOOLS = ("cProfile", "viztracer", "pyinstrument")
PROGRAMS = [
    Program("one_process", "one_process", turns=1500, disk_minute=True),
    # Little but the step, which is the loop of which the bar of 20 us per step speaks.
    Program("step_1400us", "one_process", turns=3000, arguments=("--step-us", "1400", "--learn-every", "32")),
    Program("pipes_unequal", "pipes_unequal", turns=700, disk_minute=True),
    Program("sb3_subproc", "sb3_subproc", turns=400),
]
Rounds = dict[str, list[Measured | None]]
Column = list[float | None]


def run_rounds(program: Program, tools: list[str], args: argparse.Namespace, spin_per_us: float) -> Rounds:
    """`pairs` rounds; peers that only compete on cost join the first `peer_pairs` of them."""
    rounds: Rounds = {tool: [] for tool in tools}
    dice = random.Random(args.seed)
    for index in range(args.pairs):
        present = [tool for tool in tools if tool in PAIRED_TOOLS or index < args.peer_pairs]
        dice.shuffle(present)
        for tool in tools:
            rounds[tool].append(None)
        for tool in present:
            started = time.monotonic()
            try:
                rounds[tool][index] = measure(program, tool, args.turns or program.turns, spin_per_us)
            except RuntimeError as error:
                print(f"  could not measure: {error}", flush=True)
                continue
            took = time.monotonic() - started
            print(f"  {program.name} round {index + 1}: {tool}, {took:.0f} s", file=sys.stderr, flush=True)
    return rounds


def column(rounds: Rounds, tool: str, field: Callable[[Measured], float]) -> Column:
    return [None if run is None else field(run) for run in rounds[tool]]


def pairs_of(rounds: Rounds, tool: str, field: Callable[[Measured], float]) -> tuple[Column, Column]:
    """A tool's figures and what they are held against: the mean of its round's bare runs."""
    bare = column(rounds, "bare", field)
    if tool != SECOND_BARE and SECOND_BARE in rounds:
        both = zip(bare, column(rounds, SECOND_BARE, field), strict=True)
        bare = [first if second is None or first is None else (first + second) / 2 for first, second in both]
    return column(rounds, tool, field), bare


def summarise(program: Program, rounds: Rounds, tool: str) -> dict[str, Any] | None:
    """Everything that is said about one tool on one program; None where it never ran beside a bare run."""
    loop_pairs = pairs_of(rounds, tool, lambda run: run.loop_seconds)
    wall = ratios(*loop_pairs)
    if not wall or tool == "bare":
        return None
    cpu = ratios(*pairs_of(rounds, tool, lambda run: run.tree_cpu_seconds))
    runs = [run for run in rounds[tool] if run is not None]
    steps = runs[0].env_steps
    driver_pairs = pairs_of(rounds, tool, lambda run: run.driver_cpu_seconds)
    minutes = sum(run.loop_seconds for run in runs) / 60
    return {
        "program": program.name,
        "tool": tool,
        "wall_ratio": spread(wall),
        "wall_ratios": wall,
        "cpu_ratio": spread(cpu),
        "cpu_ratios": cpu,
        "added_wall_us_per_step": spread(added_us_per_step(*loop_pairs, steps)),
        "added_driver_cpu_us_per_step": spread(added_us_per_step(*driver_pairs, steps)),
        "quiet_us_per_step": quiet_us_per_step(rounds, tool, steps),
        "cpu_after_loop_seconds": spread([run.cpu_after_loop_seconds for run in runs]),
        "disk_bytes_per_minute": sum(run.disk_bytes for run in runs) / minutes,
        "claimed_overhead": [
            [run.claimed_low, run.claimed_high] for run in runs if run.claimed_low is not None
        ],
    }


def quiet_us_per_step(rounds: Rounds, tool: str, steps: int) -> float | None:
    """Added time per env step in undisturbed turns; from rounds that have the tool and the bare run."""
    both = [
        (run.turn_ns, bare.turn_ns)
        for run, bare in zip(rounds[tool], rounds["bare"], strict=True)
        if run is not None and bare is not None
    ]
    if len(both) < FEWEST_PAIRS:
        return None
    added = quiet_turn_seconds([t for t, _ in both]) - quiet_turn_seconds([b for _, b in both])
    return 1e6 * added / steps


def show_spread(found: Spread, digits: int) -> str:
    return (
        f"{found.median:.{digits}f} [{found.low95:.{digits}f},{found.high95:.{digits}f}]"
        f" {found.lowest:.{digits}f}..{found.highest:.{digits}f}"
    )


def show_number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def table(program: Program, summaries: list[dict[str, Any]]) -> str:
    head = (
        f"{'tool':<13}{'wall x bare: median [95 %] min..max':<36}{'tree CPU x bare, likewise':<34}"
        f"{'us/step':>9}{'quiet us':>9}{'MB/min':>8}"
    )
    lines = [f"\n== {program.name}: {summaries[0]['wall_ratio'].pairs if summaries else 0} rounds", head]
    lines += [
        f"{row['tool']:<13}{show_spread(row['wall_ratio'], 3):<36}{show_spread(row['cpu_ratio'], 3):<34}"
        f"{row['added_wall_us_per_step'].median:>9.1f}{show_number(row['quiet_us_per_step']):>9}"
        f"{row['disk_bytes_per_minute'] / 1e6:>8.2f}"
        for row in summaries
    ]
    return "\n".join(lines)


def quiet_bar(quiet_us: float | None, noise_us: float | None) -> tuple[str, str]:
    """Decided only where two bare runs differ by less than half the limit in the same figure."""
    text = f"quiet_us_per_step {show_number(quiet_us)}, at most {ADDED_US_LIMIT:.0f}"
    if quiet_us is None or noise_us is None or abs(noise_us) > ADDED_US_LIMIT / 2:
        return f"{text} (two bare runs differ by {show_number(noise_us)})", "unsure"
    return text, "ok" if quiet_us <= ADDED_US_LIMIT else "MISS"


def program_bars(row: dict[str, Any], noise_us: float | None) -> list[tuple[str, str]]:
    """The bars of goldsplit's cost on one program: (what was compared, verdict)."""
    judged = []
    for name in ("wall_ratio", "cpu_ratio"):
        text = f"{name} {show_spread(row[name], 3)}, at most {WORST_LIMIT} on any program"
        judged.append((text, judge(row[name], WORST_LIMIT)))
    if row["program"] == "step_1400us":
        for name in ("added_wall_us_per_step", "added_driver_cpu_us_per_step"):
            text = f"{name} {show_spread(row[name], 1)}, at most {ADDED_US_LIMIT:.0f}"
            judged.append((text, judge(row[name], ADDED_US_LIMIT)))
        judged.append(quiet_bar(row["quiet_us_per_step"], noise_us))
    return [*judged, claimed_bar(row)]


def disk_bar(program: Program) -> tuple[str, str]:
    disk_bytes = disk_bytes_of_a_minute(program)
    verdict = "ok" if disk_bytes <= DISK_LIMIT_BYTES_PER_MINUTE else "MISS"
    return f"disk {disk_bytes / 1e6:.2f} MB after one minute, at most 1", verdict


def overall_bars(rows: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """The median over all pairs of all programs."""
    judged = []
    for name in ("wall_ratios", "cpu_ratios"):
        pooled = spread([ratio for row in rows for ratio in row[name]])
        text = f"{name} of all programs {show_spread(pooled, 3)}, median at most {MEDIAN_LIMIT}"
        judged.append((text, judge(pooled, MEDIAN_LIMIT)))
    return judged


def claimed_bar(row: dict[str, Any]) -> tuple[str, str]:
    """Does the cost that goldsplit printed for its runs overlap with the cost measured from outside?"""
    if not row["claimed_overhead"]:
        return "goldsplit's own figure: none printed", "MISS"
    low = sum(claim[0] for claim in row["claimed_overhead"]) / len(row["claimed_overhead"])
    high = sum(claim[1] for claim in row["claimed_overhead"]) / len(row["claimed_overhead"])
    wall = row["wall_ratio"]
    overlaps = low <= wall.high95 - 1 and wall.low95 - 1 <= high
    verdict = "ok" if overlaps else "MISS"
    if wall.pairs < FEWEST_PAIRS or (overlaps and wall.high95 - wall.low95 > WIDEST_TO_AGREE_WITH):
        verdict = "unsure"  # an interval that agrees with everything confirms nothing
    claimed = f"{100 * low:.1f}..{100 * high:.1f} %"
    measured = f"{100 * (wall.low95 - 1):.1f}..{100 * (wall.high95 - 1):.1f} %"
    return f"goldsplit's own figure {claimed}, measured {measured}", verdict


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="the cost of recording, paired and interleaved")
    parser.add_argument("--pairs", type=int, default=6, help="rounds of bare, goldsplit and py-spy")
    parser.add_argument("--peer-pairs", type=int, default=1, help="rounds that the slow tracers join")
    parser.add_argument("--only", action="append", choices=[program.name for program in PROGRAMS])
    parser.add_argument("--tools", default=",".join((*PAIRED_TOOLS, *PEER_TOOLS)))
    parser.add_argument("--turns", type=int, help="turns of the loop, instead of each program's default")
    parser.add_argument("--seed", type=int, default=11, help="of the order of the runs")
    return parser.parse_args()


def main() -> int:
    args = arguments()
    tools = ["bare", *(tool for tool in args.tools.split(",") if tool != "bare")]
    spin_per_us = calibrate_spin_per_us()
    rows: list[dict[str, Any]] = []
    verdicts: list[str] = []
    for program in PROGRAMS:
        if args.only and program.name not in args.only:
            continue
        rounds = run_rounds(program, tools, args, spin_per_us)
        summaries = [row for tool in tools if (row := summarise(program, rounds, tool)) is not None]
        print(table(program, summaries), flush=True)
        for row in summaries:
            if row["tool"] == "goldsplit":
                noise_us = next((r["quiet_us_per_step"] for r in summaries if r["tool"] == SECOND_BARE), None)
                verdicts += show_bars(program_bars(row, noise_us))
        if program.disk_minute and "goldsplit" in tools:
            verdicts += show_bars([disk_bar(program)])
        rows += summaries
    ours = [row for row in rows if row["tool"] == "goldsplit"]
    if ours:
        print("\n== all programs")
        verdicts += show_bars(overall_bars(ours))
    write_results(args, rows)
    print(f"\n{verdicts.count('MISS')} bars missed, {verdicts.count('unsure')} not decided by these pairs.")
    print(
        "CPU is the whole tree's, the tool included, until the loop's end; what follows is apart in the JSON."
    )
    return 1 if "MISS" in verdicts else 0


def show_bars(judged: list[tuple[str, str]]) -> list[str]:
    for text, verdict in judged:
        print(f"  {verdict:<7}{text}", flush=True)
    return [verdict for _, verdict in judged]


def write_results(args: argparse.Namespace, rows: list[dict[str, Any]]) -> None:
    plain = [{key: asdict(v) if isinstance(v, Spread) else v for key, v in row.items()} for row in rows]
    out = HERE / "results" / "overhead.json"
    out.parent.mkdir(exist_ok=True)
    out.write_text(json.dumps({"pairs": args.pairs, "results": plain}, indent=1))


if __name__ == "__main__":
    raise SystemExit(main())
