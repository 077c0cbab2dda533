"""Compare a goldsplit report with what the program's own clocks and counters say. Pure functions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SMALL_SHARE = 0.005
SUM_TOLERANCE = 1e-6
STARTUP_TOLERANCE_SECONDS = 0.5
LANE_TOLERANCE_SHARE = 0.05
SLOWDOWN_TOLERANCE = 0.10
CLEARLY_SLOWER = 1.5
OTHER = "other small"


@dataclass(frozen=True, slots=True)
class Limits:
    """The bars: 3 points and 98 % with spans, 5 points and 90 % with stacks alone."""

    stage_share: float
    attributed_share: float
    counts_required: bool


WITH_SPANS = Limits(stage_share=0.03, attributed_share=0.98, counts_required=True)
STACKS_ONLY = Limits(stage_share=0.05, attributed_share=0.90, counts_required=False)


@dataclass(frozen=True, slots=True)
class Row:
    """One comparison. Shares are 0..1; `difference` is seen minus truth in the same unit."""

    check: str
    truth: float | None
    seen: float | None
    limit: str
    passed: bool
    unit: str = "share"
    remark: str = ""

    @property
    def difference(self) -> float | None:
        if self.truth is None or self.seen is None:
            return None
        return self.seen - self.truth


def key_matches(key: str, stage: Mapping[str, Any]) -> bool:
    """A truth key is a stage, a family `learn.*`, a `category:communication`, or a sum `a+b` of these."""
    if "+" in key:
        return any(key_matches(part, stage) for part in key.split("+"))
    if key.startswith("category:"):
        return bool(stage.get("category") == key.removeprefix("category:"))
    if key.endswith(".*"):
        return bool(stage["stage"].startswith(key[:-1]))
    return bool(stage["stage"] == key)


def _breadth(key: str) -> int:
    """Narrow keys claim a stage before wide ones do."""
    if "+" in key:
        return max(map(_breadth, key.split("+")))
    return 2 if key.startswith("category:") else 1 if key.endswith(".*") else 0


def shares_by_key(truth_keys: Sequence[str], stages: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Goldsplit's shares summed under the truth's keys; what no key claims is under OTHER."""
    seen = dict.fromkeys([*truth_keys, OTHER], 0.0)
    ordered = sorted(truth_keys, key=_breadth)
    for stage in stages:
        claimed = next((key for key in ordered if key_matches(key, stage)), OTHER)
        seen[claimed] += stage["wall_share"]
    return seen


def compare_stages(truth_shares: Mapping[str, float], report: Mapping[str, Any], limits: Limits) -> list[Row]:
    """One row per stage; stages below half a point, and stages only goldsplit knows, share one row."""
    seen = shares_by_key(list(truth_shares), report["stages"])
    large = {key: share for key, share in truth_shares.items() if share >= SMALL_SHARE}
    rows = [
        _stage_row(key, share, seen[key], limits) for key, share in sorted(large.items(), key=lambda i: -i[1])
    ]
    small_truth = sum(share for key, share in truth_shares.items() if key not in large)
    small_seen = sum(share for key, share in seen.items() if key not in large)
    unknown = [s["stage"] for s in report["stages"] if not any(key_matches(k, s) for k in truth_shares)]
    return [*rows, _stage_row(OTHER, small_truth, small_seen, limits, remark=", ".join(unknown))]


def _stage_row(key: str, truth: float, seen: float, limits: Limits, remark: str = "") -> Row:
    passed = abs(seen - truth) <= limits.stage_share
    return Row(key, truth, seen, f"{100 * limits.stage_share:.0f} points", passed, remark=remark)


def compare_partition(report: Mapping[str, Any], limits: Limits) -> list[Row]:
    unattributed = report["unattributed"]["wall_share"]
    total = sum(stage["wall_share"] for stage in report["stages"]) + unattributed
    too_large = [f"{path}={value:g}" for path, value in shares_outside_unit(report)]
    attributed = 1.0 - unattributed
    return [
        Row("sum of shares", 1.0, total, f"{SUM_TOLERANCE:g}", abs(total - 1.0) <= SUM_TOLERANCE),
        Row("shares out of 0..1", 0, len(too_large), "0", not too_large, "count", "; ".join(too_large[:3])),
        Row(
            "attributed",
            None,
            attributed,
            f">= {100 * limits.attributed_share:.0f} %",
            attributed >= limits.attributed_share,
        ),
    ]


def shares_outside_unit(node: Any, path: str = "") -> Iterator[tuple[str, float]]:
    """Every number whose name ends in `share` (also `_share_low`/`_share_high`) and is not within 0..1."""
    if isinstance(node, Mapping):
        for name, value in node.items():
            here = f"{path}.{name}" if path else str(name)
            is_share = str(name).removesuffix("_low").removesuffix("_high").endswith("share")
            if is_share and isinstance(value, int | float) and not -1e-9 <= value <= 1.0 + 1e-9:
                yield here, float(value)
            yield from shares_outside_unit(value, here)
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from shares_outside_unit(value, f"{path}[{index}]")


def compare_counts(truth_counts: Mapping[str, int], report: Mapping[str, Any], limits: Limits) -> list[Row]:
    """Exact equality. With stacks alone a count may be missing (null), but never wrong."""
    rows = []
    for name in ("env_steps", "episodes", "updates"):
        truth, seen = truth_counts[name], report["throughput"].get(name)
        if seen is None:
            passed, remark = not limits.counts_required, "not measured"
        else:
            passed, remark = seen == truth, ""
        limit = "exact" if limits.counts_required else "exact or null"
        rows.append(Row(name, truth, seen, limit, passed, "count", remark))
    return rows


def compare_startup(truth: Mapping[str, Any], report: Mapping[str, Any]) -> list[Row]:
    expected, seen = truth["startup_seconds"], report["phases"]["startup_seconds"]
    passed = seen is not None and abs(seen - expected) <= STARTUP_TOLERANCE_SECONDS
    return [Row("start-up", expected, seen, f"{STARTUP_TOLERANCE_SECONDS} s", passed, "seconds")]


def compare_lanes(truth: Mapping[str, Any], report: Mapping[str, Any]) -> list[Row]:
    """Each worker process has a lane that agrees with the worker's own clocks."""
    rows = []
    lanes = {str(lane["pid"]): lane for lane in report["lanes"] if lane["role"] == "env-worker"}
    limit = f"{100 * LANE_TOLERANCE_SHARE:.0f} points"
    for pid, worker in truth["workers"].items():
        for name, expected in worker_shares(worker, truth["steady_seconds"]).items():
            seen = lane_share(lanes[pid], name) if pid in lanes else None
            passed = seen is not None and abs(seen - expected) <= LANE_TOLERANCE_SHARE
            rows.append(Row(f"worker {name}", expected, seen, limit, passed, remark=f"pid {pid}"))
    busy = sorted(worker["busy_seconds"] for worker in truth["workers"].values())
    if busy[-1] >= CLEARLY_SLOWER * busy[-2]:  # where all are about equal, none is "the slow one"
        rows.append(_slowest_row(truth, lanes))
    return rows


def worker_shares(worker: Mapping[str, float], steady_seconds: float) -> dict[str, float]:
    """What a worker's clocks say, under the names of a lane; a library's worker has no clock at its wait."""
    shares = {
        "environment": worker["busy_seconds"] / steady_seconds,
        "barrier_share": worker["barrier_seconds"] / steady_seconds,
    }
    if "wait_seconds" in worker:
        waiting = worker["wait_seconds"] / steady_seconds
        shares |= {"wait_share": waiting, "busy_share": 1.0 - waiting}
    return shares


def lane_share(lane: Mapping[str, Any], name: str) -> float | None:
    if name == "environment":
        return float(sum(s["share"] for s in lane["stages"] if s["stage"].startswith("env.")))
    share: float | None = lane[name]
    return share


def _slowest_row(truth: Mapping[str, Any], lanes: Mapping[str, Mapping[str, Any]]) -> Row:
    slow = max(truth["workers"], key=lambda pid: truth["workers"][pid]["finished_last"])
    named = max(lanes, key=lambda pid: lanes[pid]["busy_share"], default="none")
    return Row("slowest worker", float(slow), _number(named), "same pid", slow == named, "pid")


def _number(text: str) -> float | None:
    return float(text) if text.isdigit() else None


def rate_between(points: Sequence[tuple[float, float]], start: float, end: float) -> float:
    """Mean rate of a cumulative count given as (seconds, count) points, linear between them."""
    return (_count_at(points, end) - _count_at(points, start)) / (end - start)


def _count_at(points: Sequence[tuple[float, float]], moment: float) -> float:
    for (t0, c0), (t1, c1) in itertools.pairwise(points):
        if t0 <= moment <= t1 and t1 > t0:
            return c0 + (c1 - c0) * (moment - t0) / (t1 - t0)
    return points[0][1] if moment < points[0][0] else points[-1][1]


def slowdown(points: Sequence[tuple[float, float]]) -> float:
    """Rate in the last quarter over rate in the first quarter: below 1 means that the run slows down."""
    start, end = points[0][0], points[-1][0]
    quarter = (end - start) / 4
    return rate_between(points, end - quarter, end) / rate_between(points, start, start + quarter)


def compare_slowdown(truth: Mapping[str, Any], report: Mapping[str, Any]) -> list[Row]:
    """The windows show the slow-down that the program's counters show; the cumulative mean hides it."""
    snapshots = truth["snapshots"]
    points = [(snap["ns"] / 1e9, float(snap["counts"]["env_steps"])) for snap in snapshots]
    expected = slowdown(points)
    seen_points = [(0.0, 0.0)]
    for window in report["throughput"]["windows"]:
        seconds, steps = seen_points[-1]
        seen_points.append((seconds + window["seconds"], steps + (window["env_steps"] or 0)))
    mean = rate_between(points, points[0][0], points[-1][0])
    last = rate_between(points, points[-1][0] - (points[-1][0] - points[0][0]) / 4, points[-1][0])
    remark = f"the cumulative mean is {mean / last:.1f}x the last quarter's rate"
    if len(seen_points) < 5:
        return [Row("slow-down", expected, None, "10 %", False, "ratio", "fewer than 4 windows")]
    seen = slowdown(seen_points)
    passed = abs(seen / expected - 1.0) <= SLOWDOWN_TOLERANCE
    return [Row("slow-down", expected, seen, f"{100 * SLOWDOWN_TOLERANCE:.0f} %", passed, "ratio", remark)]


def shares_between(truth: Mapping[str, Any], start_ns: int, end_ns: int) -> dict[str, float]:
    """The truth's shares of the interval alone, from the snapshots that lie within it."""
    inside = [snap for snap in truth["snapshots"] if start_ns <= snap["ns"] <= end_ns]
    if len(inside) < 2:
        raise ValueError(f"the program was not in its loop between {start_ns} and {end_ns} ns")
    first, last = inside[0], inside[-1]
    length_ns = last["ns"] - first["ns"]
    return {
        stage: (total - first["totals_ns"].get(stage, 0)) / length_ns
        for stage, total in last["totals_ns"].items()
    }
