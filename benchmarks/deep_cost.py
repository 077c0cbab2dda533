"""What the deep look costs: inside its windows, and over the run.

    python benchmarks/deep_cost.py [--relays N] [--rounds N] [--only PROGRAM]

Functions are watched for the whole run, and windows see lines: both are in the figure over the run.

Over the run: a relay (see relay.py) of four recordings of one program, two with the deep look and two
without, from the first lap on, so that the frequent first windows are included. The sum of the deep laps
divided by that of the others is one ratio; comparing the two launches without a deep look shows the noise.
Windows are placed by the clock: while a program waits for the baton its window goes by too, so a lap falls
into a window as often as in a normal run. That wait is declared as one, so that the deep look budgets for the
time worked. At the default number of rounds a relay's laps take 15 to 25 s on an idle machine: the figure is
for runs of that length. In longer ones the windows are further apart.

Inside a window: the slow-down that a recording measured on itself, the same stages inside windows and around
them. Bars: 5 % over the run, 1.5 inside. Exits with 1 if one is missed.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from goldsplit import pipeline
from overhead import AGAIN, Laps, show_spread, total_ns
from overhead_stats import Spread, judge, ratios, spread
from overhead_tools import Program, calibrate_spin_per_us, tool_command
from relay import Lap, relay

HERE = Path(__file__).resolve().parent
MOST_SLOWDOWN, MOST_RATIO = 1.5, 1.05
PLAIN = "goldsplit --no-stacks --stage baton:Baton.hand_over=wait"
DEEP = f"{PLAIN} --deep"
FIELDS = {"wall": lambda lap: lap.wall_ns, "CPU": lambda lap: lap.tree_cpu_ns}
PROGRAMS = [
    Program("deep_game", "deep_game", turns_per_lap=80),
    Program("deep_ppo", "deep_ppo", turns_per_lap=6, steps_per_turn=4),
    Program("deep_dqn", "deep_dqn", turns_per_lap=5),
    Program("deep_workers", "deep_workers", turns_per_lap=1, steps_per_turn=2, has_workers=True),
]


def run_ratios(relays: list[Laps]) -> dict[str, Spread]:
    """How much slower the deep look makes the run (wall and CPU), and how much two equal launches differ."""
    found = {}
    for name, field in FIELDS.items():
        deep, plain = ([total_ns(laps, tool, field) for laps in relays] for tool in (DEEP, PLAIN))
        first, second = ([sum_ns(laps[tool], field) for laps in relays] for tool in (PLAIN, PLAIN + AGAIN))
        found[name] = spread(ratios(deep, plain))
        found[f"{name}, noise"] = spread(ratios(second, first))
    return found


def sum_ns(laps: list[Lap], field: Any) -> float:
    return float(sum(map(field, laps)))


def look_inside(program: Program, seconds: float) -> dict[str, float]:
    """One recorded run with the deep look: what it says about itself."""
    with tempfile.TemporaryDirectory() as scratch:
        script = [
            str(HERE / "programs" / f"{program.script}.py"),
            "--startup",
            "0",
            "--seconds",
            str(seconds),
        ]
        out = Path(scratch) / "out"
        subprocess.run(tool_command(DEEP, script, out), check=True, capture_output=True)
        look = pipeline.report(next(out.glob("*/run.json")).parent).profile.deep
        if look is None or look.slowdown is None:
            raise SystemExit(f"{program.name}: no deep look was taken")
        return {"slowdown": look.slowdown, "windows": look.windows, "env_steps_seen": look.env_steps}


def measure(program: Program, args: argparse.Namespace, spin_per_us: float) -> dict[str, Any]:
    dice = random.Random(args.seed)
    tools = [PLAIN, PLAIN + AGAIN, DEEP, DEEP + AGAIN]
    relays = []
    for number in range(args.relays):
        print(f"  {program.name}: relay {number + 1}", file=sys.stderr, flush=True)
        relays.append(relay(program, tools, args.rounds, spin_per_us, dice, warm_up=0))
    inside = look_inside(program, args.seconds)
    return {"program": program.name, "run": run_ratios(relays), **inside}


def show(row: dict[str, Any]) -> list[str]:
    """Print what was found on one program; the verdicts on its bars."""
    print(f"\n== {row['program']}: {row['run']['wall'].pairs} relays")
    for name in FIELDS:
        found, noise = row["run"][name], row["run"][f"{name}, noise"]
        print(f"  {name:<5}{show_spread(found, 3)}   two without: {show_spread(noise, 3)}")
    verdicts = [judge(row["run"][name], MOST_RATIO) for name in FIELDS]
    for name, verdict in zip(FIELDS, verdicts, strict=True):
        print(f"  {verdict:<7}{name} over the run, at most {MOST_RATIO}")
    inside = "ok" if row["slowdown"] <= MOST_SLOWDOWN else "MISS"
    seen = f"{row['windows']:.0f} windows, {row['env_steps_seen']:.0f} steps seen"
    print(
        f"  {inside:<7}x {row['slowdown']:.2f} inside windows, at most {MOST_SLOWDOWN} ({seen})", flush=True
    )
    return [*verdicts, inside]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--relays", type=int, default=6, help="relays of each program, each launched again")
    parser.add_argument("--rounds", type=int, default=400, help="laps of each launch in a relay")
    parser.add_argument("--seconds", type=float, default=15.0, help="length of the run that measures itself")
    parser.add_argument("--only", action="append", choices=[program.name for program in PROGRAMS])
    parser.add_argument("--seed", type=int, default=11, help="of the order of the laps")
    args = parser.parse_args()
    spin_per_us = calibrate_spin_per_us()
    rows = [
        measure(program, args, spin_per_us)
        for program in PROGRAMS
        if not args.only or program.name in args.only
    ]
    verdicts = [verdict for row in rows for verdict in show(row)]
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    plain = [row | {"run": {name: asdict(found) for name, found in row["run"].items()}} for row in rows]
    (results / "deep_cost.json").write_text(json.dumps({"rounds": args.rounds, "results": plain}, indent=1))
    print(f"\n{verdicts.count('MISS')} bars missed, {verdicts.count('unsure')} not decided by these relays.")
    return 1 if "MISS" in verdicts else 0


if __name__ == "__main__":
    raise SystemExit(main())
