"""The same partition from stacks alone, for a process that was attached to."""

from __future__ import annotations

from collections import Counter, defaultdict

from goldsplit.analyse.partition import Partition
from goldsplit.analyse.sampling import Classified, classify, wilson
from goldsplit.model.profile import Lane, LaneStage
from goldsplit.model.recording import Recording, StackChunk


def steady_chunks(recording: Recording) -> list[StackChunk]:
    """Without start-up; all of them, where no training loop was recognised."""
    return [chunk for chunk in recording.chunks if not chunk.startup] or recording.chunks


def partition_stacks(recording: Recording, driver: tuple[int, int]) -> Partition:
    """Split the sampled time of the driver by the stages that its stacks stand for."""
    counts: dict[str, float] = defaultdict(float)
    waited: dict[str, float] = defaultdict(float)
    unknown = total = idle = 0.0
    meanings: dict[tuple[int, ...], Classified] = {}
    result = Partition(wall_ns=0.0, startup_ns=0.0)
    for chunk in steady_chunks(recording):
        result.wall_ns += chunk.end_ns - chunk.start_ns
        for place, stack in enumerate(chunk.stacks):
            if (stack.pid, stack.thread_id) != driver:
                continue
            total += stack.count
            meaning = _meaning(recording, stack.frames, meanings)
            if not meaning.waiting:
                if meaning.stage is None:
                    unknown += stack.count
                else:
                    counts[meaning.stage] += stack.count
                continue
            rest = float(stack.count)
            for stage, weight in _causes(recording, chunk, place, meanings).items():
                waited[stage] += weight
                rest -= weight
            waited[meaning.stage or "vec.wait"] += max(0.0, rest)
            idle += max(0.0, rest)
    _fill(result, counts, waited, unknown, total)
    result.unexplained_ns = result.wall_ns * idle / total if total else 0.0
    return result


def _meaning(
    recording: Recording, frames: tuple[int, ...], meanings: dict[tuple[int, ...], Classified]
) -> Classified:
    known = meanings.get(frames)
    if known is None:
        known = meanings[frames] = classify(
            [recording.frames[i] for i in frames if i < len(recording.frames)]
        )
    return known


def _causes(
    recording: Recording, chunk: StackChunk, place: int, meanings: dict[tuple[int, ...], Classified]
) -> dict[str, float]:
    """What other threads did while the driver was seen waiting with this stack."""
    causes: dict[str, float] = defaultdict(float)
    for waiter, busy, weight in chunk.waits:
        if waiter == place:
            stage = _meaning(recording, chunk.stacks[busy].frames, meanings).stage
            if stage is not None:
                causes[stage] += weight
    return causes


def _fill(
    result: Partition, counts: dict[str, float], waited: dict[str, float], unknown: float, total: float
) -> None:
    if not total:
        result.unattributed_ns = result.wall_ns
        return
    per_sample = result.wall_ns / total
    for stage in counts.keys() | waited.keys():
        time = result.stages[stage]
        time.sampled_ns = (counts[stage] + waited[stage]) * per_sample
        low, high = wilson(counts[stage] + waited[stage], total)
        time.uncertain_ns = result.wall_ns * (high - low) / 2
    result.unattributed_ns = unknown * per_sample


def stack_lanes(recording: Recording, driver: tuple[int, int]) -> list[Lane]:
    """Every sampled thread: how often it was busy, how often waiting, in which stages."""
    busy: Counter[tuple[int, int, str]] = Counter()
    waiting: Counter[tuple[int, int, str]] = Counter()
    stages: dict[tuple[int, int, str], Counter[str]] = defaultdict(Counter)
    meanings: dict[tuple[int, ...], Classified] = {}
    for chunk in steady_chunks(recording):
        for stack in chunk.stacks:
            key = (stack.pid, stack.thread_id, stack.thread_name)
            meaning = _meaning(recording, stack.frames, meanings)
            (waiting if meaning.waiting else busy)[key] += stack.count
            if meaning.stage is not None and not meaning.waiting:
                stages[key][meaning.stage] += stack.count
    rows = []
    for key in busy.keys() | waiting.keys():
        total = busy[key] + waiting[key]
        role = "driver" if key[:2] == driver else "env-worker" if stages[key]["env.step"] else "other"
        shares = [LaneStage(stage, n / total) for stage, n in stages[key].most_common(6)]
        rows.append(
            Lane(
                key[0], "python", role, key[2], key[1], busy[key] / total, waiting[key] / total,
                None, None, None, None, shares,
            )
        )  # fmt: skip
    return sorted(rows, key=lambda lane: (lane.role != "driver", -(lane.busy_share or 0)))
