"""Which stage owns a node's own time."""

from __future__ import annotations

from dataclasses import dataclass

from goldsplit.model.recording import NodeInfo, ProcessRecord
from goldsplit.model.stage import (
    ACT,
    CHECKPOINT,
    ENV,
    ENV_OPPONENT,
    ENV_RESET,
    ENV_STEP,
    EVAL,
    LOG,
    ROLLOUT,
    STARTUP,
    VEC,
    WAITING,
)
from goldsplit.model.wire import COUNTED

#: Stages that own everything inside them: an environment step of an evaluation is evaluation.
ABSORBING = frozenset({EVAL, CHECKPOINT, STARTUP, LOG})
#: The two roots of each thread's tree: its spans, and spans of coroutines (beside the partition).
ROOT, TASKS = 0, 1


@dataclass(frozen=True, slots=True)
class Owner:
    """The owner of a node's own time."""

    stage: str
    waiting: bool
    detail: str
    enclosing: str
    """For a wait: the nearest stage around it that is not communication itself; "" if there is none."""


def path_of(process: ProcessRecord, thread: int, node: int) -> list[NodeInfo]:
    """A node and its ancestors, innermost first, without the root."""
    path: list[NodeInfo] = []
    while node not in (ROOT, TASKS) and node >= 0:
        info = process.nodes.get((thread, node))
        if info is None:
            break
        path.append(info)
        node = info.parent
    return path


def is_task(process: ProcessRecord, thread: int, node: int) -> bool:
    """Whether a node is the elapsed time of a coroutine, which no partition may contain."""
    while node >= 0:
        if node == TASKS:
            return True
        info = process.nodes.get((thread, node))
        if info is None:
            return False
        node = info.parent
    return False


def owner_of(process: ProcessRecord, thread: int, node: int) -> Owner:
    """The owner of the time that a node has for itself. `Series.owner_of` remembers it."""
    path = [info for info in path_of(process, thread, node) if info.stage != COUNTED]
    if not path:
        return Owner("", False, "", "")
    for info in reversed(path):
        if info.stage in ABSORBING:
            return Owner(info.stage, False, "", "")
    inner = path[0]
    if inner.stage.startswith(ACT):
        around = next((info.stage for info in path if info.stage.startswith(ENV)), "")
        if around:  # a policy that the environment asks is not the agent's
            return Owner(ENV_OPPONENT if around in (ENV_STEP, ENV_RESET) else around, False, inner.detail, "")
    if inner.stage not in WAITING:
        return Owner(inner.stage, False, inner.detail, "")
    around = next((i.stage for i in path[1:] if i.stage not in WAITING and not i.stage.startswith(VEC)), "")
    return Owner(inner.stage, True, inner.detail, "" if around == ROLLOUT else around)
