"""Is the picture right with the libraries that people train with? Small trainings with their own clocks.

    python benchmarks/libraries.py [--only NAME] [--seconds S]

The programs in `libraries/` use CleanRL's way of writing, tianshou, RLlib and Ray, PettingZoo, dm_env,
EnvPool, asyncio. One whose library is not installed is passed over, and named. Prints one table per program,
writes benchmarks/results/libraries.json, exits with 1 if one misses a bar.
"""

from __future__ import annotations

import argparse
import importlib.util
import json

from truth import HERE
from wild import run_program

PROGRAMS = HERE / "libraries"
#: Beginning of a program's name → what has to be installed for it.
NEEDS = {
    "cleanrl": ("gymnasium", "stable_baselines3", "torch"),
    "envpool": ("envpool", "torch"),
    "tianshou": ("tianshou",),
    "rllib": ("ray.rllib", "torch"),
    "ray": ("ray", "torch"),
    "pettingzoo": ("pettingzoo", "torch"),
    "dm_env": ("dm_env", "torch"),
    "asyncio": ("gymnasium", "torch"),
}


def missing(program: str) -> list[str]:
    """What a program needs and is not installed here."""
    needs = NEEDS[next(start for start in NEEDS if program.startswith(start))]
    return [name for name in needs if not _is_installed(name)]


def _is_installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # the package around it is not there
        return False


def main() -> int:
    names = sorted(entry.name for entry in PROGRAMS.iterdir() if (entry / "train.py").is_file())
    parser = argparse.ArgumentParser(description="compare goldsplit with the clocks of library trainings")
    parser.add_argument("--only", action="append", choices=names)
    parser.add_argument("--seconds", type=float, default=15.0, help="length of each program's loop")
    args = parser.parse_args()
    results, passed_over = [], {}
    for name in args.only or names:
        if lacking := missing(name):
            passed_over[name] = lacking
            print(f"\n== {name}: passed over, not installed: {', '.join(lacking)}", flush=True)
        else:
            results.append(run_program(PROGRAMS / name, args.seconds))
    missed = [result["program"] for result in results if not result["passed"]]
    within = len(results) - len(missed)
    print(f"\n{within} of {len(results)} within all bars; missed: {', '.join(missed) or 'none'}")
    out = HERE / "results" / "libraries.json"
    out.parent.mkdir(exist_ok=True)
    record = {"seconds": args.seconds, "programs": results, "passed_over": passed_over}
    out.write_text(json.dumps(record, indent=1))
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
