"""Fair timing for the `fast_*` benchmarks: variants interleaved in one process, CPU and wall time, ratios.

A shared machine changes its speed, so single timings decide nothing. Every round runs every variant once, in
a shuffled order, and a ratio is taken round by round: both of its sides saw the same machine. What a table
prints is the median and the range that most rounds lie in. Runs are kept in the JSON file, and their
medians are printed as a range: the figure for a page is that range, over several days or machines.

    timings = interleave({"ours": ours, "peer": peer}, rounds=40, inner=20)
    print_table("sample", timings, baseline="ours")
    write_json("fast_replay", {"sample": summary(timings, baseline="ours")})
"""

from __future__ import annotations

import gc
import json
import math
import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "results"
KEPT_RUNS = 20
PACKAGES = (
    "numpy",
    "numba",
    "torch",
    "gymnasium",
    "stable-baselines3",
    "sb3-contrib",
    "cpprb",
    "tianshou",
    "scipy",
)


@dataclass(frozen=True, slots=True)
class Timing:
    """Time per call of one variant, one sample per round."""

    name: str
    cpu_us: tuple[float, ...]
    wall_us: tuple[float, ...]

    @property
    def median(self) -> float:
        """Median CPU time per call, in microseconds."""
        return statistics.median(self.cpu_us)

    @property
    def median_wall(self) -> float:
        return statistics.median(self.wall_us)

    @property
    def spread(self) -> float:
        """Interquartile range of the CPU time as a share of its median."""
        return _spread_share(self.cpu_us)

    @property
    def spread_wall(self) -> float:
        return _spread_share(self.wall_us)


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times the cost of `under` the variant `over` costs: paired by round, median and low-high.

    Low and high are the borders of the middle 80 % of the rounds.
    """

    over: str
    under: str
    cpu: float
    cpu_low: float
    cpu_high: float
    wall: float
    wall_low: float
    wall_high: float


def interleave(
    variants: Mapping[str, Callable[[], object]],
    rounds: int,
    inner: int,
    *,
    cpu_clock_ns: Callable[[], int] = time.thread_time_ns,
    seed: int = 0,
) -> dict[str, Timing]:
    """Run every variant `inner` times in each of `rounds` rounds, in an order shuffled per round.

    Each variant is called once before, so that compilation and first-touch costs stay out. For variants that
    work in other threads pass `cpu_clock_ns=time.process_time_ns`; for those that work in other processes
    read the wall times.
    """
    order = list(variants)
    cpu: dict[str, list[float]] = {name: [] for name in order}
    wall: dict[str, list[float]] = {name: [] for name in order}
    shuffle = random.Random(seed).shuffle
    for name in order:
        variants[name]()
    collecting = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            shuffle(order)
            for name in order:
                cpu_ns, wall_ns = _time_calls(variants[name], inner, cpu_clock_ns)
                cpu[name].append(cpu_ns / inner / 1e3)
                wall[name].append(wall_ns / inner / 1e3)
    finally:
        if collecting:
            gc.enable()
    return {name: Timing(name, tuple(cpu[name]), tuple(wall[name])) for name in variants}


def ratio(a: Timing, b: Timing) -> Ratio:
    """The cost of `a` over the cost of `b`: above 1 when `b` is the faster one."""
    cpu = _paired(a.cpu_us, b.cpu_us)
    wall = _paired(a.wall_us, b.wall_us)
    return Ratio(a.name, b.name, *cpu, *wall)


def print_table(title: str, timings: Mapping[str, Timing], baseline: str) -> None:
    """One line per variant, as multiples of the baseline's cost (above 1: slower than the baseline)."""
    print(f"\n{title}  (cost as a multiple of {baseline}; median [low-high] over {_rounds(timings)} rounds)")
    print(f"  {'variant':<28}{'cpu':>26}{'wall':>26}{'spread cpu/wall':>20}")
    for name, timing in timings.items():
        r = ratio(timing, timings[baseline])
        cpu = f"{r.cpu:.2f}x [{r.cpu_low:.2f}-{r.cpu_high:.2f}]"
        wall = f"{r.wall:.2f}x [{r.wall_low:.2f}-{r.wall_high:.2f}]"
        spread = f"{timing.spread:.0%}/{timing.spread_wall:.0%}"
        print(f"  {name:<28}{cpu:>26}{wall:>26}{spread:>20}", flush=True)


def summary(timings: Mapping[str, Timing], baseline: str) -> dict[str, Any]:
    """The figures of `print_table` as plain data for `write_json`, with the raw samples."""
    rows = {}
    for name, timing in timings.items():
        r = ratio(timing, timings[baseline])
        rows[name] = {
            "cpu_ratio": [r.cpu, r.cpu_low, r.cpu_high],
            "wall_ratio": [r.wall, r.wall_low, r.wall_high],
            "cpu_us": list(timing.cpu_us),
            "wall_us": list(timing.wall_us),
        }
    return {"baseline": baseline, "variants": rows}


def write_json(name: str, payload: Mapping[str, Any]) -> Path:
    """Add this run to `benchmarks/results/<name>.json`, with command and versions; print ranges of all."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{name}.json"
    runs = json.loads(path.read_text(encoding="utf-8")).get("runs", []) if path.exists() else []
    runs = [*runs, {"command": _command(), "environment": environment(), **payload}][-KEPT_RUNS:]
    path.write_text(json.dumps({"runs": runs}, indent=1) + "\n", encoding="utf-8")
    print_ranges(runs)
    print(f"\nwrote {path.relative_to(RESULTS.parent.parent)}")
    return path


def print_ranges(runs: Sequence[Mapping[str, Any]]) -> None:
    """The medians of all runs of one command, low-high; one day's figure alone is a good or a bad day's."""
    alike = [run for run in runs if run["command"] == runs[-1]["command"]]
    if len(alike) < 2:
        print("\none run: run it again, on another day or machine, for ranges over runs")
        return
    print(f"\nmedians over {len(alike)} runs of this command, low-high")
    seen: dict[str, list[float]] = {}
    for run in alike:
        for where, median in _medians(run, ""):
            seen.setdefault(where, []).append(median)
    for where, medians in seen.items():
        print(f"  {where:<70}{min(medians):>8.2f}x -{max(medians):>7.2f}x")


def _medians(node: Any, where: str) -> Iterator[tuple[str, float]]:
    for key, value in node.items() if isinstance(node, Mapping) else ():
        if key in ("cpu_ratio", "wall_ratio") and isinstance(value, list):
            yield f"{where} {key.removesuffix('_ratio')}".strip(), value[0]
        else:
            named = where if key in ("variants", "operations", "turn") else f"{where} {key}"
            yield from _medians(value, named)


def environment() -> dict[str, Any]:
    """What a reader needs to judge the figures; nothing that names the machine."""
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = "not installed"
    return {
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load_1m": os.getloadavg()[0],
        "packages": versions,
    }


def _command() -> str:
    return " ".join(["python", f"benchmarks/fast/{Path(sys.argv[0]).name}", *sys.argv[1:]])


def _time_calls(call: Callable[[], object], inner: int, cpu_clock_ns: Callable[[], int]) -> tuple[int, int]:
    repeats = range(inner)
    cpu_start, wall_start = cpu_clock_ns(), time.perf_counter_ns()
    for _ in repeats:
        call()
    wall_end, cpu_end = time.perf_counter_ns(), cpu_clock_ns()
    return cpu_end - cpu_start, wall_end - wall_start


def _paired(over: tuple[float, ...], under: tuple[float, ...]) -> tuple[float, float, float]:
    if len(over) != len(under):
        raise ValueError(f"ratio needs timings of the same rounds, got {len(over)} and {len(under)}")
    ratios = [a / max(b, 1e-9) for a, b in zip(over, under, strict=True)]
    return statistics.median(ratios), *low_high(ratios)


def median_interval(samples: Sequence[float]) -> tuple[float, float, float]:
    """The median and its interval of at least 95 %, by order alone (all samples where there are few)."""
    ordered = sorted(samples)
    left_out, tail = 0, 0.5 ** len(ordered)
    while tail + math.comb(len(ordered), left_out + 1) * 0.5 ** len(ordered) <= 0.025:
        left_out += 1
        tail += math.comb(len(ordered), left_out) * 0.5 ** len(ordered)
    return statistics.median(ordered), ordered[left_out], ordered[-1 - left_out]


def low_high(samples: Sequence[float]) -> tuple[float, float]:
    """Between which most of them lie: the middle 80 %."""
    if len(samples) < 2:
        return samples[0], samples[0]
    tenths = statistics.quantiles(samples, n=10, method="inclusive")
    return tenths[0], tenths[-1]


def _quartiles(samples: list[float]) -> tuple[float, float]:
    if len(samples) < 2:
        return samples[0], samples[0]
    quartiles = statistics.quantiles(samples, n=4, method="inclusive")
    return quartiles[0], quartiles[2]


def _spread_share(samples: tuple[float, ...]) -> float:
    low, high = _quartiles(list(samples))
    return (high - low) / max(statistics.median(samples), 1e-9)


def _rounds(timings: Mapping[str, Timing]) -> int:
    return len(next(iter(timings.values())).cpu_us)
