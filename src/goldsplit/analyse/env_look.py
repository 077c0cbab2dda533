"""What the driver of an environment alone measured → EnvLook. Pure functions over its histogram."""

from __future__ import annotations

from math import exp
from typing import Any

from goldsplit.model.env_look import (
    Asked,
    EnvLook,
    Episodes,
    Failure,
    Speed,
    Spread,
    TrajectoryHash,
)

#: As in record/drive/timing.py: bucket b holds times of exp(b / 50) to exp((b + 1) / 50) nanoseconds.
FINENESS = 50
SLOWEST = 0.05
#: With fewer windows than this a spread says nothing.
FEWEST_WINDOWS = 4

Written = dict[str, Any]
"""The content of env.json or timing.json."""
Buckets = list[list[int]]
"""[bucket, count, sum of nanoseconds], by bucket."""


def look(timed: Written, recorded: Written | None) -> EnvLook:
    """The figures that people ask for: times of the pass that nobody watched, the rest of the recorded one.

    `recorded` is None where it did not come to that.
    """
    last = recorded or timed
    asked, played, alone = last["asked"], last["driven"] or NOTHING, timed["driven"] or NOTHING
    problem = last["problem"]
    mask_ns, resets = alone["mask_ns"], alone["resets"]
    own_ns = alone["step_ns"] + resets["ns"] + (alone["first_reset_ns"] or 0) + (mask_ns or 0)
    return EnvLook(
        asked=Asked(
            target=asked["target"],
            environment=played["environment"],
            policy=asked["policy"],
            seed=asked["seed"],
            vector=asked["vector"],
            batch=played["batch"],
            mask=played["mask"],
        ),
        finished=recorded is not None and recorded["finished"],
        steps=played["steps"],
        timed_steps=alone["steps"],
        timed_seconds=alone["wall_ns"] / 1e9,
        warm_up_steps=alone["warm_up_calls"] * (alone["batch"] or 1),
        speed=speed(alone["timed_steps"], alone["timed_ns"], alone["windows"]),
        step=spread(alone["times"]),
        reset=spread(resets),
        first_reset_us=None if alone["first_reset_ns"] is None else alone["first_reset_ns"] / 1e3,
        reset_share=_share(resets["ns"] if resets["calls"] else None, own_ns),
        mask_us=None if mask_ns is None or not alone["calls"] else mask_ns / 1e3 / alone["calls"],
        mask_share=_share(mask_ns, own_ns),
        driver_share=_share(max(0, alone["wall_ns"] - own_ns), alone["wall_ns"]),
        hash_share=_share(alone["hash_ns"], alone["wall_ns"]),
        episodes=episodes(played["episodes"], played["lengths"]),
        hash=trajectory_hash(played["hash"], None if recorded is None else alone["hash"]),
        notes=notes(played),
        failure=None if problem is None else Failure(problem["message"], problem["hint"], problem["trace"]),
    )


def speed(steps: int, ns: int, windows: list[list[int]]) -> Speed:
    """Steps per second over all, and the middle four fifths of the windows."""
    rates = sorted(1e9 * count / length for count, length in windows if length)
    low = high = None
    if len(rates) >= FEWEST_WINDOWS:
        cut = len(rates) // 10
        low, high = rates[cut], rates[-1 - cut]
    return Speed(1e9 * steps / ns if ns else None, low, high, len(rates))


def spread(times: dict[str, Any]) -> Spread:
    """Percentiles and the tail of one histogram."""
    calls, buckets = times["calls"], times["buckets"]
    if not calls:
        return Spread(0, None, None, None, None, None, None)
    longest_us = times["longest_ns"] / 1e3
    p50, p95, p99 = (min(longest_us, percentile_ns(buckets, part) / 1e3) for part in (0.5, 0.95, 0.99))
    return Spread(
        calls=calls,
        mean_us=times["ns"] / calls / 1e3,
        p50_us=p50,
        p95_us=p95,
        p99_us=p99,
        max_us=longest_us,
        slowest_share=slowest_share(buckets, SLOWEST),
    )


def percentile_ns(buckets: Buckets, part: float) -> float:
    """The time that `part` of the calls do not exceed: the mean of the bucket that it falls into."""
    wanted = part * sum(count for _, count, _ in buckets)
    passed = 0
    for bucket, count, ns in buckets:
        passed += count
        if passed >= wanted:
            return ns / count if count else exp((bucket + 0.5) / FINENESS)
    return 0.0


def slowest_share(buckets: Buckets, part: float) -> float:
    """Share of all time that the slowest `part` of the calls took."""
    left = part * sum(count for _, count, _ in buckets)
    total = sum(ns for _, _, ns in buckets)
    taken = 0.0
    for _, count, ns in reversed(buckets):
        used = min(left, count)
        taken += ns * used / count
        left -= used
        if left <= 0:
            break
    return taken / total if total else 0.0


def episodes(ended: int | None, lengths: list[list[int]]) -> Episodes:
    """Lengths of the episodes that ended."""
    known = sum(count for _, count in lengths)
    if not ended or not known:
        return Episodes(ended, None, None, None, None)
    passed, middle = 0, lengths[-1][0]
    for length, count in lengths:
        passed += count
        if 2 * passed >= known:
            middle = length
            break
    mean = sum(length * count for length, count in lengths) / known
    return Episodes(ended, mean, float(middle), lengths[0][0], lengths[-1][0])


def trajectory_hash(found: dict[str, Any] | None, other: dict[str, Any] | None) -> TrajectoryHash | None:
    """The hash, whether it is over all the steps that it was to cover, and whether the other pass agrees."""
    if found is None:
        return None
    repeated = None
    if other is not None and other["steps"] == found["steps"]:
        repeated = other["value"] == found["value"]
    return TrajectoryHash(found["value"], found["steps"], found["steps"] >= found["wanted"], repeated)


def notes(driven: dict[str, Any]) -> list[str]:
    """Doubts about the figures."""
    told = []
    if driven["episodes"] is None:
        told.append("step does not return whether the episode is over, so no reset was made")
    if driven["dead_ends"]:
        told.append(f"{driven['dead_ends']} masks allowed no action at all; any action was taken then")
    return told


def _share(part: float | None, whole: float) -> float | None:
    return min(1.0, part / whole) if part is not None and whole else None


_NO_TIMES = {"calls": 0, "ns": 0, "longest_ns": 0, "buckets": []}
#: What a driver that did not come to its first reset has measured.
NOTHING: dict[str, Any] = {
    "environment": "",
    "batch": None,
    "mask": None,
    "mask_ns": None,
    "calls": 0,
    "steps": 0,
    "warm_up_calls": 0,
    "timed_steps": 0,
    "timed_ns": 0,
    "times": _NO_TIMES,
    "windows": [],
    "step_ns": 0,
    "resets": _NO_TIMES,
    "first_reset_ns": None,
    "wall_ns": 0,
    "hash_ns": None,
    "episodes": 0,
    "lengths": [],
    "hash": None,
    "dead_ends": 0,
}
