"""Beside the counts of a recording: what else was counted in the same time, for `doubts`."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from goldsplit.analyse.counts.doubts import Counted, Grown
from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.wall.ownership import path_of
from goldsplit.model.recording import NodeKey, ProcessId
from goldsplit.model.stage import ACT, ENV, ENV_RESET, EVAL, LEARN, REPLAY_ADD

#: The run is looked at in so many parts.
PARTS = 12
#: Stages inside which a choice is none of the agent's own, in the training.
_ELSEWHERE = (ENV, LEARN, EVAL)


def counted(
    series: dict[ProcessId, Series],
    env_steps_at: Callable[[int], int | None],
    episodes_at: Callable[[int], int | None],
) -> Counted:
    """What the processes of a run have counted, in all and in parts of the time in which they stepped."""
    begun = [one.process.first_step_ns for one in series.values() if one.process.first_step_ns]
    ended = max((one.times[-1] for one in series.values() if one.times), default=0)
    outermost = {process: _outermost(one) for process, one in series.items()}

    def calls(kind: str, t_ns: int) -> int:
        return sum(
            one.calls(key, t_ns) for process, one in series.items() for key in outermost[process][kind]
        )

    def at(t_ns: int) -> Grown:
        return Grown(env_steps_at(t_ns) or 0, calls(ACT, t_ns), calls(REPLAY_ADD, t_ns))

    borders = _borders(min(begun), ended) if begun else []
    seen = [at(t_ns) for t_ns in borders]
    parts = [
        Grown(
            after.env_steps - before.env_steps, after.choices - before.choices, after.stored - before.stored
        )
        for before, after in itertools.pairwise(seen)
    ]
    return Counted(env_steps_at(_END), episodes_at(_END), calls(ENV_RESET, _END), parts)


def _borders(start_ns: int, end_ns: int) -> list[int]:
    return [start_ns + (end_ns - start_ns) * part // PARTS for part in range(PARTS + 1)]


def _outermost(one: Series) -> dict[str, list[NodeKey]]:
    """The nodes of a process that act, store and begin games, in the training and by themselves."""
    found: dict[str, list[NodeKey]] = {ACT: [], REPLAY_ADD: [], ENV_RESET: []}
    for (thread, node), info in one.process.nodes.items():
        kind = ACT if info.stage.startswith(ACT) else info.stage
        if kind in found:
            around = [above.stage for above in path_of(one.process, thread, node)[1:]]
            if not any(stage.startswith((kind, *_ELSEWHERE)) for stage in around):
                found[kind].append((thread, node))
    return found


_END = 1 << 62
