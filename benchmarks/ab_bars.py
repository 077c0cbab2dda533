"""Does `goldsplit ab` decide fairly? Nothing, planted gains, planted losses, and what a trial costs.

    python benchmarks/ab_bars.py [simulated | nothing | planted | gates | runner] … [--experiments N] [--cpu]

- simulated: 200 experiments each with nothing to find, with 1.3x and with 1.03x, at several noises
  (heavy-tailed, lasting over trials); no process runs
- nothing: real experiments whose variant is the base, at least 30 pairs
- planted: real experiments of 8 pairs with 1.3x and with 1.03x, while another process loads one core
- gates: a real experiment whose variant loses 10 points of win rate, one that loses none, one with few
  episodes
- runner: what a trial takes beyond the command; and beyond the unrecorded command, in CPU seconds

The real parts want a machine that does nothing else. `--cpu` judges by CPU seconds instead of env steps/s,
for one that is not. Prints a table, writes benchmarks/results/ab_bars.json (parts that were not run keep
their last result), exits with 1 if a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from goldsplit.experiment.blocks import block_order
from goldsplit.experiment.carry_out import carry_out
from goldsplit.experiment.comparison import compare
from goldsplit.experiment.metrics import CPU_METRIC
from goldsplit.experiment.trials import Experiment
from goldsplit.model.experiment.conclusion import Comparison, Verdict
from goldsplit.model.experiment.design import (
    DEFAULT_METRIC,
    Gate,
    GateKind,
    Plan,
    Source,
    SourceKind,
    Variant,
)
from goldsplit.model.experiment.trial import Point, Trial, TrialStatus

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "ab_bars.json"
CALLED = (Verdict.FASTER, Verdict.UNPROVEN, Verdict.SLOWER)
FOUND = (Verdict.FASTER, Verdict.UNPROVEN)
#: Simulated experiments of each kind; how noisy trials are (standard deviation of log seconds); how much of
#: what lasts is left in the next trial.
SIMULATED, NOISES, LASTING = 200, (0.02, 0.05, 0.1, 0.2, 0.3), 0.6
WORK = 1300
#: A loop of some seconds: in a tenth of that, the comparison would be about where the scheduler put it.
STEPS, FEW_STEPS = 100_000, 10_000
WIN_RATE = Gate("win_rate", GateKind.RATE, Source(SourceKind.RECORDED, "", "win"), 0.03)

Row = dict[str, Any]
"""name, figure, bar, held."""


def row(name: str, figure: str, bar: str, held: bool) -> Row:
    print(f"{'ok  ' if held else 'MISS'}  {name:<52} {figure:<34} bar: {bar}", flush=True)
    return {"name": name, "figure": figure, "bar": bar, "held": held}


# --- simulated -------------------------------------------------------------------------------------------


class Machine:
    """How much longer a trial takes than it should. Half of the noise lasts over some trials; the other half
    is waits for a core, short mostly and long at times (Student's t with 3 degrees of freedom). A third as
    much is felt by CPU time, too."""

    def __init__(self, noise: float, seed: str) -> None:
        self.noise = noise / math.sqrt(2)
        self.draw = random.Random(seed)
        self.lasting = self.draw.gauss(0, self.noise)

    def next_trial(self) -> tuple[float, float]:
        """Factors of wall time and of CPU time."""
        new = self.draw.gauss(0, self.noise)
        self.lasting = LASTING * self.lasting + math.sqrt(1 - LASTING**2) * new
        heavy = self.draw.gauss(0, 1) / math.sqrt(self.draw.gammavariate(1.5, 2))  # its variance is 1
        caches = self.draw.gauss(0, self.noise / 3)
        return math.exp(self.lasting + self.noise * heavy + caches), math.exp(caches)


def made_up(plan: Plan, gain: float, noise: float, seed: int, waits: bool) -> list[Trial]:
    """Trials of an experiment that nobody ran, in the order in which they would run. `waits`: what becomes
    cheaper is waiting, which costs no CPU time."""
    machine = Machine(noise, f"{gain}:{noise}:{seed}:{waits}")
    trials = []
    for block in range(plan.pairs):
        state = math.exp(machine.draw.gauss(0, 0.3))  # what the machine does to the whole block
        for position, name in enumerate(block_order(plan, block)):
            faster = 1.0 if name == plan.base.name else gain
            wall, cpu = machine.next_trial()
            end = Point(10 * state * wall / faster, 1000.0, None, None, 5 * cpu / (1.0 if waits else faster))
            curve = (Point(0.0, 0.0, None, None, 0.0), end)
            trials.append(Trial(block, name, position, 1, TrialStatus.COMPLETE, "", curve=curve))
    return trials


def verdicts(gain: float, noise: float, times: int, waits: bool = False) -> Counter[str]:
    found = []
    for seed in range(times):
        plan = Plan("simulated", ("true",), (Variant("base"), Variant("other")), seed=seed)
        found.append(compare(plan, made_up(plan, gain, noise, seed, waits)).judged[0].verdict)
    return Counter(found)


def simulated(times: int) -> list[Row]:
    rows = []
    for noise in NOISES:
        found = verdicts(1.0, noise, SIMULATED)
        called = sum(found[verdict] for verdict in CALLED)
        figure = f"{called} of {SIMULATED} called"
        rows.append(
            row(f"simulated, nothing, noise {noise:g}", figure, "at most 5 %", called <= SIMULATED / 20)
        )
    for noise in NOISES:
        hits = [sum(verdicts(1.3, noise, SIMULATED, waits)[one] for one in FOUND) for waits in (False, True)]
        least = 0.9 * SIMULATED if noise <= 0.1 else 0.0
        figure = f"{hits[0]} (by waiting less: {hits[1]}) of {SIMULATED} found"
        bar = "at least 90 %" if least else "none"
        rows.append(row(f"simulated, 1.3x, noise {noise:g}", figure, bar, hits[0] >= least))
    for noise in NOISES:
        hits = [sum(verdicts(1.03, noise, SIMULATED, waits)[one] for one in FOUND) for waits in (False, True)]
        figure = f"{hits[0]} (by waiting less: {hits[1]}) of {SIMULATED} called faster"
        rows.append(row(f"simulated, 1.03x, noise {noise:g}", figure, "never", not any(hits)))
    return rows


# --- real ------------------------------------------------------------------------------------------------


def carried(plan: Plan, folder: Path) -> Comparison:
    with Experiment(plan, folder / plan.name, here=HERE) as experiment:
        done = carry_out(experiment, lambda _: None, lambda _: None)
    if done.interrupted:
        raise KeyboardInterrupt
    return done.comparison


metric = DEFAULT_METRIC


def plan_of(name: str, other: dict[str, str], steps: int, pairs: int, **changes: Any) -> Plan:
    command = (sys.executable, str(HERE / "programs" / "ab_loop.py"), str(steps), "{seed}")
    variants = (Variant("base", {"WORK": str(WORK)}), Variant("other", {"WORK": str(WORK)} | other))
    return Plan(name, command, variants, pairs=pairs, **{"metric": metric} | changes)


def faster_by(gain: float) -> dict[str, str]:
    return {"WORK": str(round(WORK / gain))}


def told(name: str, number: int, comparison: Comparison) -> str:
    one = comparison.judged[0]
    effect, cpu = one.effect, one.cpu
    gain, low, high = effect.gain or math.nan, effect.low or math.nan, effect.high or math.nan
    by_cpu = "" if cpu is None or cpu.gain is None else f", by CPU {cpu.gain:.3f}x"
    print(
        f"      {name} {number}: {one.verdict}, {gain:.3f}x ({low:.3f} to {high:.3f}){by_cpu}",
        flush=True,
    )
    return one.verdict


def nothing(times: int) -> list[Row]:
    """The variant is the base."""
    experiments = max(4, times)
    with tempfile.TemporaryDirectory() as folder:
        plans = [plan_of(f"same-{n}", {}, STEPS, 8, seed=100 * n) for n in range(experiments)]
        found = [told("nothing", n, carried(plan, Path(folder))) for n, plan in enumerate(plans)]
    called = sum(verdict in CALLED for verdict in found)
    name = f"nothing by {metric}, {8 * experiments} real pairs in {experiments} experiments"
    return [row(name, f"{called} called", "at most 5 %", called <= 0.05 * experiments)]


def planted(times: int) -> list[Row]:
    """Gains of a known size, beside a process that loads one core."""
    rows = []
    with tempfile.TemporaryDirectory() as folder, loaded_core():
        for gain, wanted in ((1.3, True), (1.03, False)):
            plans = [
                plan_of(f"{gain}-{n}", faster_by(gain), STEPS, 8, seed=1000 + 100 * n) for n in range(times)
            ]
            found = [told(f"{gain}x", n, carried(plan, Path(folder))) for n, plan in enumerate(plans)]
            hits = sum(verdict in FOUND for verdict in found)
            held = hits >= 0.9 * times if wanted else hits == 0
            bar = "at least 9 of 10" if wanted else "none"
            rows.append(
                row(
                    f"{metric}: planted {gain}x beside a loaded core, 8 pairs",
                    f"{hits} of {times} found",
                    bar,
                    held,
                )
            )
    return rows


class loaded_core:  # noqa: N801 - used as a `with` word
    """A process that computes all the time."""

    def __enter__(self) -> None:
        self.process = subprocess.Popen([sys.executable, "-c", "while True: pass"])

    def __exit__(self, *exc: object) -> None:
        self.process.kill()
        self.process.wait()


def gates(times: int) -> list[Row]:
    """Twice as fast, and worse, not worse, or not known to be."""
    cases = (
        ("loses 10 points of win rate", "0.4", 8000, Verdict.WORSE),
        ("loses nothing", "0.5", 12000, Verdict.FASTER),
        ("loses nothing, few episodes", "0.5", 1000, Verdict.UNPROVEN),
    )
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, rate, steps, wanted) in enumerate(cases):
            other = {"WIN_RATE": rate} | {"WORK": str(WORK // 8)}
            changes = {"gates": (WIN_RATE,), "metric": CPU_METRIC}
            plan = plan_of(f"gate-{number}", other, steps, 8, **changes)
            one = carried(plan, Path(folder)).judged[0]
            gate = one.gates[0]
            figure = f"{one.verdict}; {gate.episodes} episodes"
            rows.append(row(f"a variant that {name}", figure, wanted, one.verdict == wanted))
    return rows


def runner(times: int) -> list[Row]:
    """What a trial adds: to the recorded command, and the recorder inside it to the bare one."""
    with tempfile.TemporaryDirectory() as folder:
        plan = plan_of("runner", {}, FEW_STEPS, 6)
        with Experiment(plan, Path(folder) / "runner", here=HERE) as experiment:
            bare, whole = [], []
            for block in range(plan.pairs):
                for position, name in enumerate(("base", "other")):
                    begun = used_seconds()
                    experiment.run_trial(block, position, name)
                    whole.append(used_seconds() - begun)
                command = [part.replace("{seed}", "1") for part in plan.command]
                begun = used_seconds()
                subprocess.run(command, check=True)
                bare.append(used_seconds() - begun)
            added = [trial.runner_seconds for trial in experiment.trials]
    beyond = statistics.median(added)
    against = statistics.median(whole) - statistics.median(bare)
    return [
        row(
            "a trial, beyond its command",
            f"{beyond:.2f} s (most {max(added):.2f} s)",
            "under 1 s",
            beyond < 1,
        ),
        row("a trial, beyond the bare command, in CPU seconds", f"{against:.2f} s", "under 1 s", against < 1),
    ]


def used_seconds() -> float:
    """CPU seconds of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


PARTS: dict[str, Callable[[int], list[Row]]] = {
    "simulated": simulated,
    "nothing": nothing,
    "planted": planted,
    "gates": gates,
    "runner": runner,
}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="all, if none is named")
    parser.add_argument("--experiments", type=int, default=10, help="real experiments of each kind")
    parser.add_argument("--cpu", action="store_true", help="judge real experiments by CPU seconds")
    options = parser.parse_args()
    global metric
    metric = CPU_METRIC if options.cpu else DEFAULT_METRIC
    results = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    ran = options.parts or list(PARTS)
    for part in ran:
        results[part] = PARTS[part](options.experiments)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    return 0 if all(one["held"] for part in ran for one in results[part]) else 1


if __name__ == "__main__":
    sys.exit(main())
