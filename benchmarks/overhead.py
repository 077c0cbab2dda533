"""What does recording cost? Bare, goldsplit, py-spy, cProfile, viztracer and pyinstrument, lap by lap.

    python benchmarks/overhead.py [--relays N] [--only PROGRAM] [--tools goldsplit,py-spy] [--no-minutes]
    python benchmarks/overhead.py --merge ONE.json OTHER.json ...

The programs are those of truth.py, and one with long steps. In a relay a program runs under several tools at
once, but only one of them works at a time: every tenth of a second the baton goes to another, in random order
(see relay.py). The sum of a tool's laps divided by that of the bare program in the same relay is one ratio.
The same program is a few per cent faster or slower from one launch to the next, so there are several relays,
with two launches each of bare and goldsplit; comparing the two bare ones shows the noise. py-spy has its own
relay, because its process goes on during the others' laps. Prints one table per
program, writes benchmarks/results/overhead.json, exits with 1 if a bar is missed. Where there are many cores,
several can run at once, each on its own (taskset) and with its own --results; --merge judges them together.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from statistics import median

from overhead_stats import FEWEST_PAIRS, Row, Spread, added_us_per_step, judge, merge, ratios, spread
from overhead_tools import Minute, Program, calibrate_spin_per_us, record_a_minute
from relay import Lap, relay

HERE = Path(__file__).resolve().parent
MEDIAN_LIMIT, WORST_LIMIT = 1.02, 1.05
ADDED_US_LIMIT = 20.0
WIDEST_TO_AGREE_WITH = 0.10
DISK_LIMIT_BYTES_PER_MINUTE = 1_000_000
BARE = "bare"
AGAIN = " again"
"""A second launch of the same tool in the same relay."""
#: Each relay is these tools and the bare program.
RELAYS = (
    ("bare again", "goldsplit", "goldsplit again"),
    ("py-spy",),
    ("cProfile", "viztracer", "pyinstrument"),
)
#: Laps of about a tenth of a second: shorter ones mostly measure that the other launches have emptied the
#: caches, longer ones that the machine changes its speed.
PROGRAMS = [
    Program("one_process", "one_process", turns_per_lap=40),
    # Almost only the step: the bar of 20 us per step is for this loop.
    Program("step_1400us", "one_process", 64, arguments=("--step-us", "1400", "--learn-every", "32")),
    Program("pipes_unequal", "pipes_unequal", turns_per_lap=10, steps_per_turn=4, has_workers=True),
    Program("sb3_subproc", "sb3_subproc", turns_per_lap=8, steps_per_turn=4, has_workers=True),
    *(
        Program(f"threads-{kind}", "threadpool", 8, 8, arguments=("--kind", kind), has_workers=True)
        for kind in ("sleep", "hold", "release")
    ),
    Program("prefetch", "prefetch", turns_per_lap=24, has_workers=True),
    Program("nested_stage", "nested_stage", turns_per_lap=40),
    Program("asyncio_loop", "asyncio_loop", turns_per_lap=16, has_workers=True),
]
Laps = dict[str, list[Lap]]


def total_ns(laps: Laps, tool: str, field: Callable[[Lap], int]) -> float:
    """What a tool's laps of one relay took, on average over its launches."""
    launches = [found for name, found in laps.items() if name in (tool, tool + AGAIN)]
    return sum(field(lap) for found in launches for lap in found) / len(launches)


def summarise(program: Program, relays: list[Laps], tool: str) -> Row:
    """What was measured of one tool on one program, relay by relay."""

    def both(field: Callable[[Lap], int]) -> tuple[list[float], list[float]]:
        if tool == BARE + AGAIN:  # one launch against the other
            firsts = [sum(field(lap) for lap in laps[BARE]) for laps in relays]
            return [float(sum(field(lap) for lap in laps[tool])) for laps in relays], list(map(float, firsts))
        return [total_ns(laps, tool, field) for laps in relays], [
            total_ns(laps, BARE, field) for laps in relays
        ]

    steps = len(relays[0][tool]) * program.turns_per_lap * program.steps_per_turn
    walls, cpus = both(lambda lap: lap.wall_ns), both(lambda lap: lap.tree_cpu_ns)
    drivers = both(lambda lap: lap.driver_cpu_ns)
    return {
        "program": program.name,
        "tool": tool,
        "wall_ratio": ratios(*walls),
        "cpu_ratio": ratios(*cpus),
        "added_wall_us_per_step": added_us_per_step(*walls, steps),
        "added_driver_cpu_us_per_step": added_us_per_step(*drivers, steps),
    }


def show_spread(found: Spread, digits: int) -> str:
    return (
        f"{found.median:.{digits}f} [{found.low95:.{digits}f},{found.high95:.{digits}f}]"
        f" {found.lowest:.{digits}f}..{found.highest:.{digits}f}"
    )


def table(program: str, rows: list[Row]) -> str:
    head = (
        f"{'tool':<13}{'wall x bare: median [95 %] min..max':<36}{'tree CPU x bare, likewise':<34}"
        f"{'us/step: wall':>15}{'driver CPU':>12}"
    )
    lines = [f"\n== {program}: {len(rows[0]['wall_ratio'])} relays", head]
    for row in rows:
        added = (median(row[f"added_{what}_us_per_step"]) for what in ("wall", "driver_cpu"))
        both = (show_spread(spread(row[f"{what}_ratio"]), 3) for what in ("wall", "cpu"))
        lines.append("{:<13}{:<36}{:<34}{:>15.1f}{:>12.1f}".format(row["tool"], *both, *added))
    return "\n".join(lines)


def program_bars(row: Row) -> list[tuple[str, str]]:
    """The bars of goldsplit's cost on one program: (what was compared, verdict)."""
    judged = []
    for name in ("wall_ratio", "cpu_ratio"):
        found = spread(row[name])
        text = f"{name} {show_spread(found, 3)}, at most {WORST_LIMIT} on any program"
        judged.append((text, judge(found, WORST_LIMIT)))
    if row["program"] == "step_1400us":
        for name in ("added_wall_us_per_step", "added_driver_cpu_us_per_step"):
            found = spread(row[name])
            text = f"{name} {show_spread(found, 1)}, at most {ADDED_US_LIMIT:.0f}"
            judged.append((text, judge(found, ADDED_US_LIMIT)))
    if row.get("minute") is None:
        return judged
    minute = Minute(**row["minute"])
    disk = f"disk {minute.disk_bytes / 1e6:.2f} MB after one minute, at most 1"
    judged.append((disk, "ok" if minute.disk_bytes <= DISK_LIMIT_BYTES_PER_MINUTE else "MISS"))
    return [*judged, claimed_bar(spread(row["wall_ratio"]), minute)]


def overall_bars(rows: list[Row]) -> list[tuple[str, str]]:
    """The median over all relays of all programs."""
    judged = []
    for name in ("wall_ratio", "cpu_ratio"):
        pooled = spread([ratio for row in rows for ratio in row[name]])
        text = f"{name} of all programs {show_spread(pooled, 3)}, median at most {MEDIAN_LIMIT}"
        judged.append((text, judge(pooled, MEDIAN_LIMIT)))
    return judged


def claimed_bar(wall: Spread, minute: Minute) -> tuple[str, str]:
    """Does the cost that goldsplit printed for a run of a minute overlap with what the relay measured?"""
    low, high = minute.claimed_low, minute.claimed_high
    if low is None or high is None:
        return "goldsplit's own figure: none printed", "MISS"
    overlaps = low <= wall.high95 - 1 and wall.low95 - 1 <= high
    verdict = "ok" if overlaps else "MISS"
    if wall.pairs < FEWEST_PAIRS or (overlaps and wall.high95 - wall.low95 > WIDEST_TO_AGREE_WITH):
        verdict = "unsure"  # an interval that agrees with everything confirms nothing
    claimed = f"{100 * low:.1f}..{100 * high:.1f} %"
    measured = f"{100 * (wall.low95 - 1):.1f}..{100 * (wall.high95 - 1):.1f} %"
    return f"goldsplit's own figure {claimed}, measured {measured}", verdict


def arguments() -> argparse.Namespace:
    every = [tool for tools in RELAYS for tool in tools]
    parser = argparse.ArgumentParser(description="the cost of recording, lap by lap")
    parser.add_argument("--relays", type=int, default=8, help="relays with goldsplit, each launched again")
    parser.add_argument("--peer-relays", type=int, default=1, help="relays of the other tools")
    parser.add_argument("--rounds", type=int, default=60, help="laps of each launch in a relay")
    parser.add_argument("--only", action="append", choices=[program.name for program in PROGRAMS])
    parser.add_argument("--no-minutes", action="store_true", help="leave out disk and goldsplit's own figure")
    parser.add_argument("--tools", default=",".join(every))
    parser.add_argument("--seed", type=int, default=11, help="of the order of the laps")
    parser.add_argument("--results", type=Path, default=HERE / "results" / "overhead.json")
    parser.add_argument("--merge", type=Path, nargs="+", help="measure nothing; judge these results together")
    return parser.parse_args()


def measure(program: Program, args: argparse.Namespace, spin_per_us: float) -> list[Row]:
    """All relays of one program; one row per tool."""
    dice = random.Random(args.seed)
    rows = []
    for tools in RELAYS:
        wanted = [tool for tool in tools if tool.removesuffix(AGAIN) in (*args.tools.split(","), BARE)]
        if not set(wanted) - {BARE + AGAIN}:
            continue
        relays = []
        for number in range(args.relays if "goldsplit" in wanted else args.peer_relays):
            print(f"  {program.name}: {', '.join(wanted)}, relay {number + 1}", file=sys.stderr, flush=True)
            try:
                relays.append(relay(program, [BARE, *wanted], args.rounds, spin_per_us, dice))
            except RuntimeError as error:
                print(f"  could not measure: {error}", flush=True)
        if relays:
            tools_seen = [tool for tool in wanted if tool != "goldsplit" + AGAIN]
            rows += [summarise(program, relays, tool) for tool in tools_seen]
    for row in rows:
        if row["tool"] == "goldsplit" and not args.no_minutes:
            row["minute"] = asdict(record_a_minute(program))
    return rows


def main() -> int:
    args = arguments()
    rows: list[Row] = []
    verdicts: list[str] = []
    for program, found in read_results(args.merge) if args.merge else measure_all(args):
        rows += found
        print(table(program, found) if found else f"\n== {program}: nothing measured", flush=True)
        for row in found:
            if row["tool"] == "goldsplit":
                verdicts += show_bars(program_bars(row))
        if not args.merge:
            args.results.parent.mkdir(exist_ok=True)
            args.results.write_text(json.dumps({"rounds": args.rounds, "results": rows}, indent=1))
    ours = [row for row in rows if row["tool"] == "goldsplit"]
    if ours:
        print("\n== all programs")
        verdicts += show_bars(overall_bars(ours))
    print(f"\n{verdicts.count('MISS')} bars missed, {verdicts.count('unsure')} not decided by these relays.")
    print("CPU is the whole tree's, the tool's own processes included, while its laps were run.")
    return 1 if "MISS" in verdicts else 0


def measure_all(args: argparse.Namespace) -> Iterator[tuple[str, list[Row]]]:
    """Program after program."""
    spin_per_us = calibrate_spin_per_us()
    for program in PROGRAMS:
        if not args.only or program.name in args.only:
            yield program.name, measure(program, args, spin_per_us)


def read_results(files: list[Path]) -> Iterator[tuple[str, list[Row]]]:
    """What several runs of this benchmark have measured, program after program."""
    rows = merge([row for file in files for row in json.loads(file.read_text())["results"]])
    for program in PROGRAMS:
        found = [row for row in rows if row["program"] == program.name]
        if found:
            yield program.name, found


def show_bars(judged: list[tuple[str, str]]) -> list[str]:
    for text, verdict in judged:
        print(f"  {verdict:<7}{text}", flush=True)
    return [verdict for _, verdict in judged]


if __name__ == "__main__":
    raise SystemExit(main())
