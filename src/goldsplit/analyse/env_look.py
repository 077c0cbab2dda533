"""What the driver of an environment alone measured → EnvLook."""

from __future__ import annotations

from collections.abc import Sequence

from goldsplit.model.env_alone.drive_record import (
    Bucket,
    CallTimes,
    DriveRecord,
    EpisodeLength,
    Played,
    PlayHash,
    SpeedWindow,
)
from goldsplit.model.env_alone.env_look import (
    Asked,
    EnvLook,
    Episodes,
    Failure,
    Speed,
    Spread,
    TrajectoryHash,
)

SLOWEST = 0.05
#: With fewer windows than this a spread says nothing.
FEWEST_WINDOWS = 4


def look(timed: DriveRecord, recorded: DriveRecord | None) -> EnvLook:
    """The figures that people ask for: times of the pass that was not recorded, the rest of the recorded one.

    `recorded` is None where the driver did not come to that pass.
    """
    last = recorded or timed
    asked, played, alone = last.request, last.played, timed.played
    resets, problem = alone.resets, last.problem
    own_ns = alone.step_ns + resets.ns + (alone.first_reset_ns or 0) + (alone.mask_ns or 0)
    return EnvLook(
        asked=Asked(
            target=asked.target,
            environment=played.environment,
            policy=asked.policy,
            seed=asked.seed,
            vector=asked.vector,
            batch=played.batch,
            mask=played.mask,
        ),
        finished=recorded is not None and recorded.finished,
        steps=played.steps,
        timed_steps=alone.steps,
        timed_seconds=alone.wall_ns / 1e9,
        warm_up_steps=alone.warm_up_calls * (alone.batch or 1),
        speed=speed(alone.timed_steps, alone.timed_ns, alone.windows),
        step=spread(alone.times),
        reset=spread(resets),
        first_reset_us=None if alone.first_reset_ns is None else alone.first_reset_ns / 1e3,
        reset_share=_share(resets.ns if resets.calls else None, own_ns),
        mask_us=None if alone.mask_ns is None or not alone.calls else alone.mask_ns / 1e3 / alone.calls,
        mask_share=_share(alone.mask_ns, own_ns),
        driver_share=_share(max(0, alone.wall_ns - own_ns), alone.wall_ns),
        hash_share=_share(alone.hash_ns, alone.wall_ns),
        episodes=episodes(played.episodes, played.lengths),
        hash=trajectory_hash(played.hash, None if recorded is None else alone.hash),
        notes=notes(played),
        failure=None if problem is None else Failure(problem.message, problem.hint, problem.trace),
    )


def speed(steps: int, ns: int, windows: Sequence[SpeedWindow]) -> Speed:
    """Steps per second over all, and the middle four fifths of the windows."""
    rates = sorted(1e9 * window.steps / window.ns for window in windows if window.ns)
    low = high = None
    if len(rates) >= FEWEST_WINDOWS:
        cut = len(rates) // 10
        low, high = rates[cut], rates[-1 - cut]
    return Speed(1e9 * steps / ns if ns else None, low, high, len(rates))


def spread(times: CallTimes) -> Spread:
    """Percentiles and the tail of one histogram."""
    if not times.calls:
        return Spread(0, None, None, None, None, None, None)
    longest_us = times.longest_ns / 1e3
    p50, p95, p99 = (min(longest_us, percentile_ns(times.buckets, part) / 1e3) for part in (0.5, 0.95, 0.99))
    return Spread(
        calls=times.calls,
        mean_us=times.ns / times.calls / 1e3,
        p50_us=p50,
        p95_us=p95,
        p99_us=p99,
        max_us=longest_us,
        slowest_share=slowest_share(times.buckets, SLOWEST),
    )


def percentile_ns(buckets: Sequence[Bucket], part: float) -> float:
    """The time that `part` of the calls do not exceed: the mean of the bucket that it falls into."""
    wanted = part * sum(bucket.calls for bucket in buckets)
    passed = 0
    for bucket in buckets:
        passed += bucket.calls
        if passed >= wanted:
            return bucket.ns / bucket.calls
    return 0.0


def slowest_share(buckets: Sequence[Bucket], part: float) -> float:
    """Share of all time that the slowest `part` of the calls took."""
    left = part * sum(bucket.calls for bucket in buckets)
    total = sum(bucket.ns for bucket in buckets)
    taken = 0.0
    for bucket in reversed(buckets):
        used = min(left, bucket.calls)
        taken += bucket.ns * used / bucket.calls
        left -= used
        if left <= 0:
            break
    return taken / total if total else 0.0


def episodes(ended: int | None, lengths: Sequence[EpisodeLength]) -> Episodes:
    """Lengths of the episodes that ended."""
    known = sum(length.episodes for length in lengths)
    if not ended or not known:
        return Episodes(ended, None, None, None, None)
    passed, middle = 0, lengths[-1].steps
    for length in lengths:
        passed += length.episodes
        if 2 * passed >= known:
            middle = length.steps
            break
    mean = sum(length.steps * length.episodes for length in lengths) / known
    return Episodes(ended, mean, float(middle), lengths[0].steps, lengths[-1].steps)


def trajectory_hash(found: PlayHash | None, other: PlayHash | None) -> TrajectoryHash | None:
    """The hash, whether it is over all the steps that it should cover, and whether the other pass agrees."""
    if found is None:
        return None
    repeated = None
    if other is not None and other.steps == found.steps:
        repeated = other.value == found.value
    return TrajectoryHash(found.value, found.steps, found.steps >= found.wanted, repeated)


def notes(played: Played) -> list[str]:
    """Doubts about the figures."""
    found = []
    if played.episodes is None:
        found.append("step does not return whether the episode is over, so no reset was made")
    if played.dead_ends:
        found.append(f"{played.dead_ends} masks allowed no action at all; any action was taken then")
    return found


def _share(part: float | None, whole: float) -> float | None:
    return min(1.0, part / whole) if part is not None and whole else None
