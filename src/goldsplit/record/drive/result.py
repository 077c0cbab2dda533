"""What was measured as plain data: the content of timing.json and env.json."""

from __future__ import annotations

from typing import Any

from goldsplit.model.env_alone.drive_wire import DriveKey
from goldsplit.record.drive.actions import Listed
from goldsplit.record.drive.loop import Drive
from goldsplit.record.drive.problem import DriveError
from goldsplit.record.encoding import VERSION

FORMAT = "goldsplit-drive"


def plain(
    asked: dict[str, Any], drive: Drive | None, problem: DriveError | None, finished: bool
) -> dict[str, Any]:
    """One object; `driven` is null where it did not come to a first reset."""
    return {
        DriveKey.FORMAT: FORMAT,
        DriveKey.VERSION: 1,
        DriveKey.ASKED: asked,
        DriveKey.FINISHED: finished,
        DriveKey.PROBLEM: None
        if problem is None
        else {
            DriveKey.MESSAGE: problem.message,
            DriveKey.HINT: problem.hint,
            DriveKey.TRACE: problem.trace,
        },
        DriveKey.DRIVEN: None if drive is None else driven(drive),
    }


def driven(drive: Drive) -> dict[str, Any]:
    """Figures in nanoseconds, counts as they are."""
    first = drive.envs[0]
    trajectory = drive.trajectory
    warm = drive.measured.times.calls > 0  # else it ended early, and only the first steps are there
    phase = drive.measured if warm else drive.warm_up
    return {
        DriveKey.ENVIRONMENT: type(getattr(first.env, "unwrapped", first.env)).__name__,
        DriveKey.BATCH: first.batch,
        DriveKey.MASK: None if first.source is None else first.source.name,
        DriveKey.MASK_NS: drive.mask_ns if first.source is not None and first.source.calls else None,
        DriveKey.CALLS: drive.calls,
        DriveKey.STEPS: drive.steps,
        DriveKey.WARM_UP_CALLS: drive.warm_up.times.calls if warm else 0,
        DriveKey.TIMED_STEPS: phase.windows.total_steps,
        DriveKey.TIMED_NS: phase.windows.total_ns,
        DriveKey.TIMES: phase.times.plain(),
        DriveKey.WINDOWS: phase.windows.done,
        DriveKey.STEP_NS: drive.step_ns,
        DriveKey.RESETS: drive.resets.plain(),
        DriveKey.FIRST_RESET_NS: drive.first_reset_ns,
        DriveKey.WALL_NS: drive.wall_ns,
        DriveKey.HASH_NS: None if trajectory is None else drive.hash_ns,
        DriveKey.EPISODES: drive.episodes,
        DriveKey.LENGTHS: sorted(map(list, drive.lengths.items())),
        DriveKey.HASH: None
        if trajectory is None
        else {
            DriveKey.VALUE: trajectory.value(),
            DriveKey.VERSION: VERSION,
            DriveKey.STEPS: trajectory.steps,
            DriveKey.WANTED: drive.limits.hashed_calls,
        },
        DriveKey.DEAD_ENDS: sum(
            env.actions.dead_ends for env in drive.envs if isinstance(env.actions, Listed)
        ),
    }
