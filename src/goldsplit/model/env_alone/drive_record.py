"""What the driver of an environment alone measured in one pass, as it is read from disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Bucket(NamedTuple):
    """Calls of about equal length: see `DRIVE_BUCKETS_PER_E` in `model/env_alone/drive_wire.py`."""

    place: int
    calls: int
    ns: int


class SpeedWindow(NamedTuple):
    """Env steps in a short time of the environment's own."""

    steps: int
    ns: int


class EpisodeLength(NamedTuple):
    """How many episodes had so many steps."""

    steps: int
    episodes: int


@dataclass(frozen=True, slots=True)
class CallTimes:
    """How long something took, again and again."""

    calls: int = 0
    ns: int = 0
    longest_ns: int = 0
    buckets: tuple[Bucket, ...] = ()
    """In order; none is empty."""


@dataclass(frozen=True, slots=True)
class PlayHash:
    """The hash of what was played."""

    value: str
    steps: int
    wanted: int
    """How many steps it should cover."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What ended a pass early."""

    message: str
    hint: str
    trace: str


@dataclass(frozen=True, slots=True)
class Request:
    """How the environment was to be driven."""

    target: str
    policy: str
    seed: int
    vector: int


@dataclass(frozen=True, slots=True)
class Played:
    """What was measured; the defaults are for a driver that did not come to its first reset."""

    environment: str = ""
    batch: int | None = None
    mask: str | None = None
    mask_ns: int | None = None
    calls: int = 0
    steps: int = 0
    warm_up_calls: int = 0
    timed_steps: int = 0
    timed_ns: int = 0
    times: CallTimes = CallTimes()
    windows: tuple[SpeedWindow, ...] = ()
    step_ns: int = 0
    resets: CallTimes = CallTimes()
    first_reset_ns: int | None = None
    wall_ns: int = 0
    hash_ns: int | None = None
    episodes: int | None = 0
    """None: `step` does not return whether the episode is over."""
    lengths: tuple[EpisodeLength, ...] = ()
    """In order."""
    hash: PlayHash | None = None
    dead_ends: int = 0
    """Masks that allowed no action."""


@dataclass(frozen=True, slots=True)
class DriveRecord:
    """One pass."""

    request: Request
    played: Played
    finished: bool
    problem: Problem | None = None
