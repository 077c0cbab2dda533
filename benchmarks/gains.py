"""Do ceilings hold? For every fault of tests/faults: what its finding promises, what the fix really gains.

    python benchmarks/gains.py                           all pairs, one at a time
    python benchmarks/gains.py --only tiny --rounds 5    some of them, by the beginning of their code
    python benchmarks/gains.py --runs kept               keep the recordings; judge again those that are there
    python benchmarks/gains.py --by cpu                  by processor time: for a machine with other load

The gain is measured on both programs by turns, recorded without stacks and without a deep look, so that
both bear the same small cost: env steps per second, and env steps per second of processor time. The ceiling
is what is printed as "at most" for the right finding, in a recording as `fault.toml` asks for. It holds if
the gain is at most 1.1x of it; it is near if it is at most 1.5x of the gain. Prints a table, writes
benchmarks/results/gains.json (pairs that were not run keep their last result), exits with 1 if a ceiling
does not hold or fewer than 80 % are near.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import faults_judge as judge
from goldsplit import pipeline
from goldsplit.model.profile import Profile

RESULTS = Path(__file__).parent / "results" / "gains.json"
ROUNDS = 3
#: A gain may exceed its ceiling by this factor: both are measured.
HOLDS = 1.1
#: A ceiling may exceed the gain by this factor in at least this part of the pairs.
NEAR, LEAST_NEAR = 1.5, 0.8


class NotMeasuredError(Exception):
    """A pair whose speed cannot be told from its recordings."""


@dataclass(frozen=True, slots=True)
class Speed:
    """How fast one program ran."""

    steps_per_second: float
    steps_per_cpu_second: float


@dataclass(frozen=True, slots=True)
class Gain:
    """One pair: what was promised and what was gained. None: no right finding, or no ceiling in it."""

    project: str
    ceiling: float | None
    ceiling_low: float | None
    wall: float
    wall_rounds: list[float]
    cpu: float
    cpu_rounds: list[float]

    def gained(self, by: str) -> float:
        return self.cpu if by == "cpu" else self.wall

    def holds(self, by: str) -> bool:
        return self.ceiling is None or self.gained(by) <= HOLDS * self.ceiling

    def near(self, by: str) -> bool:
        return self.ceiling is not None and self.ceiling <= NEAR * self.gained(by)


def speed_of(profile: Profile) -> Speed:
    """The speed of a recorded program in its steady phase."""
    rate = profile.throughput.env_steps_per_second
    cores = sum(one.cpu_seconds / one.seconds for one in profile.processes if one.seconds > 0)
    if not rate or not cores:
        raise NotMeasuredError("no env steps or no processor time was counted")
    return Speed(rate, rate / cores)


def measure(project: judge.Project, work: Path, rounds: int) -> list[tuple[Speed, Speed]]:
    """Slow and fixed by turns: first one goes first, then the other."""
    plain = dataclasses.replace(project, deep=False, options=("--no-stacks",))
    pairs = []
    for number in range(rounds):
        order = judge.TWINS if number % 2 == 0 else judge.TWINS[::-1]
        found = {
            twin: speed_of(pipeline.profile(judge.record(plain, twin, work / f"round-{number}")))
            for twin in order
        }
        pairs.append((found["slow"], found["fixed"]))
    return pairs


def examine(project: judge.Project, work: Path, rounds: int) -> Gain:
    """One pair, from its recordings."""
    finding = judge.judge_slow(project, judge.record(project, "slow", work)).finding
    pairs = measure(project, work, rounds)
    wall = [fixed.steps_per_second / slow.steps_per_second for slow, fixed in pairs]
    cpu = [fixed.steps_per_cpu_second / slow.steps_per_cpu_second for slow, fixed in pairs]
    return Gain(
        project=project.code,
        ceiling=finding.most_speedup if finding is not None else None,
        ceiling_low=finding.ceiling_low if finding is not None else None,
        wall=statistics.median(wall),
        wall_rounds=wall,
        cpu=statistics.median(cpu),
        cpu_rounds=cpu,
    )


def factor(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}x"


def line(gain: Gain, by: str) -> str:
    spread = f"{min(gain.wall_rounds):.2f}–{max(gain.wall_rounds):.2f}"
    interval = "" if gain.ceiling_low is None else f"from {gain.ceiling_low:.2f}"
    if gain.ceiling is None:
        verdict = "no ceiling"
    else:
        verdict = "EXCEEDED" if not gain.holds(by) else "ok" if gain.near(by) else "far"
    return (
        f"{gain.project:<32}{factor(gain.ceiling):>8} {interval:<14}{factor(gain.wall):>8} {spread:<12}"
        f"{factor(gain.cpu):>8}  {verdict}"
    )


def judged(gains: list[Gain], by: str) -> tuple[int, int, int]:
    """Pairs with a ceiling, those that hold, those that are near."""
    known = [gain for gain in gains if gain.ceiling is not None]
    return len(known), sum(gain.holds(by) for gain in known), sum(gain.near(by) for gain in known)


def write(gains: list[Gain]) -> None:
    """Keep the last result of every pair."""
    old: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    RESULTS.parent.mkdir(exist_ok=True)
    old |= {gain.project: dataclasses.asdict(gain) for gain in gains}
    RESULTS.write_text(json.dumps(dict(sorted(old.items())), indent=1) + "\n")


def run(chosen: list[judge.Project], work: Path, options: argparse.Namespace) -> list[Gain]:
    print(f"{'pair':<32}{'ceiling':>8} {'interval':<14}{'gain':>8} {'rounds':<12}{'by CPU':>8}  verdict")
    gains = []
    for project in chosen:
        try:
            gains.append(examine(project, work, options.rounds))
        except NotMeasuredError as error:
            print(f"{project.code:<32}not measured: {error}", flush=True)
            continue
        print(line(gains[-1], options.by), flush=True)
        write(gains[-1:])
    return gains


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", action="append", default=[], metavar="CODE")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--runs", type=Path, metavar="DIR")
    parser.add_argument("--by", choices=("wall", "cpu"), default="wall")
    options = parser.parse_args()
    chosen = [project for project in judge.chosen(options.only) if (project.folder / "slow").exists()]
    if not chosen:
        raise SystemExit(f"no fault project begins with {options.only}")
    if options.runs is not None:
        gains = run(chosen, options.runs.resolve(), options)
    else:
        with tempfile.TemporaryDirectory(prefix="goldsplit-gains-") as work:
            gains = run(chosen, Path(work), options)
    known, held, near = judged(gains, options.by)
    print(f"\n{held} of {known} ceilings hold; {near} of {known} are near the gain")
    return 0 if held == known and near >= LEAST_NEAR * known else 1


if __name__ == "__main__":
    sys.exit(main())
