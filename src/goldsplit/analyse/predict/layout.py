"""More or fewer environments and workers: the barrier of another layout, from the recorded single steps.

A worker's time in a turn is the sum of its environments' steps; the slowest worker is the barrier. Steps are
drawn at random from the recorded ones, on as many cores as the machine has.
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from dataclasses import dataclass

from goldsplit.analyse.predict.ceilings import Remaining, turn_wait_us
from goldsplit.model.stage import (
    CHECKPOINT,
    ENV,
    EVAL,
    GAME,
    LEARN,
    LEARN_BACKWARD,
    LEARN_FORWARD,
    LEARN_LOSS,
    LEARN_OPTIMIZER,
    LOG,
    REPLAY_ADD,
    REPLAY_SAMPLE,
    REPLAY_UPDATE,
    ROLLOUT,
    VEC,
    VEC_RECV,
    VEC_SEND,
    VEC_WAIT,
)
from goldsplit.model.structure import Structure, Worker

DRAWS = 400
#: How long the operating system lets a process run while others are waiting: some milliseconds.
TIME_SLICE_US = 3000.0
#: Cores that share hardware (two threads of one core, a virtual machine's neighbours) slow each other down by
#: about this much when all are busy; whether these do, a recording cannot tell.
CROWDED = 0.25
#: Stages that belong to learning: they go with the number of updates, whatever the environments do.
PER_UPDATE = (
    LEARN_FORWARD,
    LEARN_LOSS,
    LEARN_BACKWARD,
    LEARN_OPTIMIZER,
    REPLAY_SAMPLE,
    REPLAY_UPDATE,
)
PER_MESSAGE = (VEC_SEND, VEC_RECV, VEC_WAIT)
PER_STEP = (LEARN, EVAL, LOG, CHECKPOINT, REPLAY_SAMPLE, REPLAY_UPDATE)


@dataclass(frozen=True, slots=True)
class Layout:
    """How environments are spread over workers; no workers: the driver steps them itself."""

    envs: int
    workers: int

    def shares(self) -> list[int]:
        """Environments of each worker."""
        return [self.envs // self.workers + (i < self.envs % self.workers) for i in range(self.workers)]


def recorded_layout(structure: Structure) -> Layout | None:
    """As recorded; None where it was not seen."""
    return Layout(structure.envs, len(structure.workers)) if structure.envs else None


def barrier_us(structure: Structure, layout: Layout, cores: int, seed: int = 1) -> float:
    """Expected time from the first worker's start to the last one's end, in one turn."""
    chance = random.Random(seed)
    team = [worker for worker in structure.workers if worker.step_us]
    places = [team[i % len(team)] for i in range(layout.workers)]
    need = cpu_need(structure)
    total = 0.0
    for _ in range(DRAWS):
        loads = [
            sum(chance.choices(worker.step_us, k=number)) * (1.0 - (worker.delayed_share or 0.0))
            for worker, number in zip(places, layout.shares(), strict=True)
            if number
        ]
        total += makespan(loads, need, cores)
    return total / DRAWS


def cpu_need(structure: Structure) -> float:
    """How much of a core a worker uses while it works, on average; all of one where that was not measured."""
    shares = [1.0 if worker.cpu_share is None else worker.cpu_share for worker in structure.workers]
    return sum(shares) / len(shares)


def makespan(loads: list[float], need: float, cores: int) -> float:
    """When the last of some workers that begin together is done, in microseconds.

    `need`: how much of a core each uses while it works; the rest of its time it sleeps. The cores take the
    workers in turn, a time slice each, as an operating system does: short steps run to their end, and three
    of them on two cores take as long as four.
    """
    longest = max(loads, default=0.0)
    if not cores or need * len(loads) <= cores:
        return longest
    free_at = [0.0] * cores
    waiting = deque((0.0, load * need) for load in loads)
    time_slice = max(TIME_SLICE_US, longest / 8)
    ended = 0.0
    while waiting:
        ready, left = waiting.popleft()
        run = min(left, time_slice)
        end = max(heapq.heappop(free_at), ready) + run
        heapq.heappush(free_at, end)
        if left > run:
            waiting.append((end, left - run))
        ended = max(ended, end)
    return max(longest, ended)


def message_us(structure: Structure) -> float:
    """Of a turn's stay at the barrier: what passes before the slowest worker begins, between its stages, and
    after it."""
    total = 0.0
    for turn in structure.turns:
        slowest = max(turn.workers, key=lambda worker: worker.finish_us)
        after = max(0.0, turn.wait_us - max(0.0, slowest.finish_us))
        total += min(turn.wait_us, after + sum(us for s, us in slowest.stages.items() if s.startswith(VEC)))
    return total / len(structure.turns)


def turn_wait_in(
    structure: Structure, old: Layout, new: Layout, remaining: Remaining, crowded: float = 0.0
) -> float:
    """Waiting per turn in another layout, over waiting per turn as recorded.

    `crowded` (0..1): how far more busy workers slow each other down although each has a core.
    """
    waits = [turn.wait_us for turn in structure.turns]
    wait = sum(waits) / len(waits)
    messages = message_us(structure)
    sent = messages * (1.0 + new.workers / old.workers) / 2  # half of it for each worker, half once
    cores = effective_cores(structure)
    grows = barrier_us(structure, new, cores) / max(1e-9, barrier_us(structure, old, cores))
    if new.workers > old.workers:
        grows *= 1.0 + crowded * CROWDED * cpu_need(structure)
    cheaper = sum(turn_wait_us(turn, remaining) for turn in structure.turns) / max(1e-9, sum(waits))
    return (sent + (wait - messages) * grows) / max(wait, 1e-9) * cheaper


def effective_cores(structure: Structure) -> int:
    """Cores that the workers can use at once: threads of one process share the interpreter's lock."""
    return 1 if in_threads(structure.workers) else structure.cores


def in_threads(workers: list[Worker]) -> bool:
    return len({worker.pid for worker in workers}) < len(workers)


def own_factor(
    structure: Structure, stage: str, old: Layout, new: Layout, turns: float
) -> tuple[float, float]:
    """How one of the driver's stages changes per env step in another layout: likely, and the other extreme.

    A stage that is called once per environment costs the same per env step. One that is called once per turn
    may cost as much for any number of environments, or as much for each; small networks are of the first
    kind.
    """
    spread = old.envs / new.envs
    if stage in PER_MESSAGE and old.workers:
        factor = new.workers / old.workers * spread
        return factor, factor
    if stage.startswith(PER_STEP) or (stage.startswith((ENV, GAME)) and not old.workers):
        return 1.0, 1.0
    per_turn = structure.calls.get(stage, 0) / turns if turns else 0.0
    if per_turn >= 0.75 * old.envs > 0.75 or (old.envs == 1 and stage == REPLAY_ADD):
        return 1.0, 1.0
    return ((1.0 + spread) / 2 if stage in ("", ROLLOUT) else spread), 1.0
