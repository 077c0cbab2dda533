"""What was measured as plain data: the content of env.json."""

from __future__ import annotations

from typing import Any

from goldsplit.record.drive.actions import Listed
from goldsplit.record.drive.loop import Drive
from goldsplit.record.drive.problem import DriveError
from goldsplit.record.drive.trajectory import VERSION

FORMAT = "goldsplit-drive"


def plain(
    asked: dict[str, Any], drive: Drive | None, problem: DriveError | None, finished: bool
) -> dict[str, Any]:
    """One object; `driven` is null where it did not come to a first reset."""
    return {
        "format": FORMAT,
        "version": 1,
        "asked": asked,
        "finished": finished,
        "problem": None
        if problem is None
        else {"message": problem.message, "hint": problem.hint, "trace": problem.trace},
        "driven": None if drive is None else driven(drive),
    }


def driven(drive: Drive) -> dict[str, Any]:
    """Figures in nanoseconds, counts as they are."""
    seat = drive.seats[0]
    trajectory = drive.trajectory
    warm = drive.measured.times.calls > 0  # else it ended early, and the first steps are all that there is
    book = drive.measured if warm else drive.warm_up
    return {
        "environment": type(getattr(seat.env, "unwrapped", seat.env)).__name__,
        "batch": seat.batch,
        "mask": None if seat.source is None else seat.source.name,
        "mask_ns": drive.mask_ns if seat.source is not None and seat.source.calls else None,
        "calls": drive.calls,
        "steps": drive.steps,
        "warm_up_calls": drive.warm_up.times.calls if warm else 0,
        "timed_steps": book.windows.total_steps,
        "timed_ns": book.windows.total_ns,
        "times": book.times.plain(),
        "windows": book.windows.done,
        "step_ns": drive.step_ns,
        "resets": drive.resets.plain(),
        "first_reset_ns": drive.first_reset_ns,
        "wall_ns": drive.wall_ns,
        "hash_ns": None if trajectory is None else drive.hash_ns,
        "episodes": drive.episodes,
        "lengths": sorted(map(list, drive.lengths.items())),
        "hash": None
        if trajectory is None
        else {
            "value": trajectory.value(),
            "version": VERSION,
            "steps": trajectory.steps,
            "wanted": drive.limits.hashed_calls,
        },
        "dead_ends": sum(s.actions.dead_ends for s in drive.seats if isinstance(s.actions, Listed)),
    }
