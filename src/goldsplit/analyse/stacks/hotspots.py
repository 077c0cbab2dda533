"""Functions by their share of the run's wall time.

A sample of a thread counts as much wall time as its stage was charged: the driver's own stages through the
driver's samples, stages that the driver waited for through the samples of the threads that ran them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from goldsplit.analyse.stacks.samples import Sampled, Samples
from goldsplit.analyse.wall.partition import Partition
from goldsplit.model.profile import Hotspot
from goldsplit.model.recording import Frame, NativeThread
from goldsplit.model.stack_frames import FRAME_PREFIX, is_library

MOST = 25


@dataclass(slots=True)
class _Function:
    own: float = 0.0
    total: float = 0.0
    samples: int = 0
    stages: Counter[str] = field(default_factory=Counter)
    lines: Counter[int] = field(default_factory=Counter)


def hotspots(samples: Samples, split: Partition, driver: NativeThread) -> list[Hotspot]:
    """The hottest functions."""
    weights = wall_weights(samples, split, driver)
    functions: dict[tuple[str, str], _Function] = defaultdict(_Function)
    for row, weight in weights:
        _add(functions, [samples.frames[i] for i in row.frames if i < len(samples.frames)], row, weight)
    ranked = sorted(functions.items(), key=lambda item: -item[1].own)
    return [
        Hotspot(
            function=name,
            file=file,
            line=found.lines.most_common(1)[0][0] if found.lines else 0,
            stage=found.stages.most_common(1)[0][0] if found.stages else None,
            self_share=min(1.0, found.own),
            total_share=min(1.0, found.total),
            samples=found.samples,
            calls_per_env_step=None,
            kind=kind_of(file),
        )
        for (name, file), found in ranked[:MOST]
        if found.own > 0.001
    ]


def wall_weights(samples: Samples, split: Partition, driver: NativeThread) -> list[tuple[Sampled, float]]:
    """Each stack with the share of wall time that it stands for."""
    own = [row for row in samples.rows if row.thread == driver and not row.meaning.waiting]
    others = [row for row in samples.rows if row.thread != driver and not row.meaning.waiting]
    wall = split.wall_ns or 1.0
    busy = {s: t.sampled_ns - t.idle_ns for s, t in split.stages.items()}
    weighted = _spread(own, {s: (t.direct_ns + busy[s]) / wall for s, t in split.stages.items()})
    unknown = sum(row.count for row in own if row.meaning.stage is None)
    if unknown:
        rest = split.unattributed_ns / wall
        weighted += [(row, rest * row.count / unknown) for row in own if row.meaning.stage is None]
    # From stacks alone, what the driver waited for counts as sampled: it lies in the other threads' stacks.
    seen = {row.meaning.stage for row in own}
    waited = {s: t.waited_ns + (0.0 if s in seen else busy[s]) for s, t in split.stages.items()}
    return weighted + _spread(others, {s: ns / wall for s, ns in waited.items()})


def _spread(rows: list[Sampled], share_of_stage: dict[str, float]) -> list[tuple[Sampled, float]]:
    counts: Counter[str] = Counter()
    for row in rows:
        if row.meaning.stage is not None:
            counts[row.meaning.stage] += row.count
    return [
        (row, share_of_stage.get(row.meaning.stage, 0.0) * row.count / counts[row.meaning.stage])
        for row in rows
        if row.meaning.stage is not None
    ]


def _add(
    functions: dict[tuple[str, str], _Function], frames: list[Frame], row: Sampled, weight: float
) -> None:
    if not frames or is_ours(frames[-1]):  # what the recorder costs is no function's time
        return
    visible = [frame for frame in frames if not is_ours(frame)]
    seen: set[tuple[str, str]] = set()
    for frame in visible:
        key = (frame.function, frame.file)
        if key not in seen:  # recursion counts once
            seen.add(key)
            functions[key].total += weight
    leaf = functions[visible[-1].function, visible[-1].file]
    leaf.own += weight
    leaf.samples += row.count
    leaf.lines[visible[-1].line] += row.count
    if row.meaning.stage is not None:
        leaf.stages[row.meaning.stage] += row.count


def is_ours(frame: Frame) -> bool:
    """Whether a frame belongs to the recorder."""
    return frame.function.startswith(FRAME_PREFIX) or "/goldsplit/record/" in frame.file


def kind_of(file: str) -> str:
    """Whether it is user code: that answers "can I optimise it?"."""
    return "library" if is_library(file) else "yours"
