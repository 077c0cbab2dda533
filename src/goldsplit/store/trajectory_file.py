"""Read the trajectory files of a run: one for each process that has environments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from goldsplit.model.trajectory import FIELDS, Checkpoint, Trajectory, TrajectoryKey
from goldsplit.model.wire import File
from goldsplit.store.checked.json_lines import lines_of


def read_trajectory(run_dir: Path) -> Trajectory | None:
    """What a run's environments returned; None if that was not recorded."""
    files = [list(filter(None, lines_of(path))) for path in sorted(run_dir.glob(File.TRAJECTORIES))]
    begun = [lines for lines in files if lines and TrajectoryKey.PROCESS in lines[0]]
    begun.sort(key=lambda lines: lines[0].get(TrajectoryKey.START, 0))
    if not begun:
        return None
    environments: dict[str, list[Checkpoint]] = {}
    problems: list[str] = []
    names: list[str] = []
    for head, *lines in begun:
        name = str(head[TrajectoryKey.PROCESS])
        names.append(name)
        if names.count(name) > 1:
            name += f"#{names.count(name)}"
        for line in lines:
            if TrajectoryKey.PROBLEM in line:
                problems.append(f"{name}: {line[TrajectoryKey.PROBLEM]}")
            elif is_whole(line):
                row = Checkpoint(int(line[TrajectoryKey.STEP]), tuple(map(str, line[TrajectoryKey.DIGESTS])))
                environments.setdefault(f"{name}/{line[TrajectoryKey.ENVIRONMENT]}", []).append(row)
    kept = {name: tuple(sorted(rows, key=lambda row: row.step)) for name, rows in environments.items()}
    version = int(begun[0][0].get(TrajectoryKey.VERSION, 0))
    return Trajectory(dict(sorted(kept.items())), tuple(dict.fromkeys(problems)), version)


def is_whole(line: dict[str, Any]) -> bool:
    """Whether a line is a checkpoint with all its parts: a torn or foreign one is none."""
    digests = line.get(TrajectoryKey.DIGESTS)
    step = line.get(TrajectoryKey.STEP)
    return (
        isinstance(digests, list)
        and len(digests) == len(FIELDS)
        and isinstance(step, int)
        and isinstance(line.get(TrajectoryKey.ENVIRONMENT), str)
    )
