"""What the driver of an environment alone measured: env.json while it was recorded, timing.json before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from goldsplit.errors import DamagedRunError
from goldsplit.model.env_alone.drive_record import (
    Bucket,
    CallTimes,
    DriveRecord,
    EpisodeLength,
    Played,
    PlayHash,
    Problem,
    Request,
    SpeedWindow,
)
from goldsplit.model.env_alone.drive_wire import DriveKey
from goldsplit.store.checked.figures import count, whole
from goldsplit.store.checked.json_lines import DAMAGE, read_object

Row = dict[str, Any]
Value = TypeVar("Value")


def read_env_file(path: Path) -> DriveRecord | None:
    """The driver's own figures; None if it wrote none."""
    try:
        data = read_object(path)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise DamagedRunError(f"{path} cannot be read: {error}", "drive the environment again") from error
    try:
        return _record(data)
    except DAMAGE as error:
        raise DamagedRunError(f"{path} is not what a driver writes", "drive the environment again") from error


def _record(data: Row) -> DriveRecord:
    asked = data[DriveKey.ASKED]
    return DriveRecord(
        request=Request(
            target=str(asked[DriveKey.TARGET]),
            policy=str(asked[DriveKey.POLICY]),
            seed=whole(asked[DriveKey.SEED]),
            vector=count(asked[DriveKey.VECTOR]),
        ),
        played=_unless_none(data[DriveKey.DRIVEN], _played) or Played(),
        finished=bool(data[DriveKey.FINISHED]),
        problem=_unless_none(data[DriveKey.PROBLEM], _problem),
    )


def _unless_none(value: Any, read: Callable[[Any], Value]) -> Value | None:
    return None if value is None else read(value)


def _problem(row: Row) -> Problem:
    return Problem(str(row[DriveKey.MESSAGE]), str(row[DriveKey.HINT]), str(row[DriveKey.TRACE]))


def _played(row: Row) -> Played:
    return Played(
        environment=str(row[DriveKey.ENVIRONMENT]),
        batch=_unless_none(row[DriveKey.BATCH], count),
        mask=_unless_none(row[DriveKey.MASK], str),
        mask_ns=_unless_none(row[DriveKey.MASK_NS], count),
        calls=count(row[DriveKey.CALLS]),
        steps=count(row[DriveKey.STEPS]),
        warm_up_calls=count(row[DriveKey.WARM_UP_CALLS]),
        timed_steps=count(row[DriveKey.TIMED_STEPS]),
        timed_ns=count(row[DriveKey.TIMED_NS]),
        times=_times(row[DriveKey.TIMES]),
        windows=tuple(SpeedWindow(count(steps), count(ns)) for steps, ns in row[DriveKey.WINDOWS]),
        step_ns=count(row[DriveKey.STEP_NS]),
        resets=_times(row[DriveKey.RESETS]),
        first_reset_ns=_unless_none(row[DriveKey.FIRST_RESET_NS], count),
        wall_ns=count(row[DriveKey.WALL_NS]),
        hash_ns=_unless_none(row[DriveKey.HASH_NS], count),
        episodes=_unless_none(row[DriveKey.EPISODES], count),
        lengths=tuple(EpisodeLength(count(steps), count(n)) for steps, n in row[DriveKey.LENGTHS]),
        hash=_unless_none(row[DriveKey.HASH], _hash),
        dead_ends=count(row[DriveKey.DEAD_ENDS]),
    )


def _times(row: Row) -> CallTimes:
    return CallTimes(
        calls=count(row[DriveKey.CALLS]),
        ns=count(row[DriveKey.NS]),
        longest_ns=count(row[DriveKey.LONGEST_NS]),
        buckets=tuple(
            Bucket(count(place), count(n), count(ns)) for place, n, ns in row[DriveKey.BUCKETS] if n
        ),
    )


def _hash(row: Row) -> PlayHash:
    return PlayHash(str(row[DriveKey.VALUE]), count(row[DriveKey.STEPS]), count(row[DriveKey.WANTED]))
