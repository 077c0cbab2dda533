"""Sampled stacks as folded rows, and as flame trees from the frame on in which each stage began."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from goldsplit.analyse.stacks.frame_stages import stage_of_frame
from goldsplit.analyse.stacks.samples import Sampled, Samples
from goldsplit.analyse.stacks.user_frames import is_ours, kind_of
from goldsplit.analyse.wall.account import Weight
from goldsplit.model.detail import Flame, FlameFrame, FlameNode, FoldedStack, ThreadName
from goldsplit.model.recording import Frame, NativeThread
from goldsplit.model.stack_frames import FRAME_PREFIX
from goldsplit.model.stage import is_own_function

#: Boxes narrower than this share are not drawn: on a wide screen that is less than half a pixel.
NARROWEST_SHARE = 0.0003
MOST_BOXES_OF_RUN = 6_000
MOST_BOXES_OF_THREAD = 2_000
MOST_THREADS = 24
#: Names of the boxes at the top where a stack is in no stage, and where it only waits.
NO_STAGE, WAITING = "(no stage)", "(waiting)"

_OURS = -1
_Key = tuple[int, str | None, bool, tuple[int, ...], int]


class FrameTable:
    """Functions by number; the recorder's own frames have none."""

    def __init__(self, frames: list[Frame]) -> None:
        self._raw = frames
        self._names: dict[tuple[str, str], int] = {}
        self._numbers = [_OURS if is_ours(frame) else self._number(frame) for frame in frames]
        self._seen: Counter[int] = Counter()
        self._known: dict[tuple[tuple[int, ...], str | None], tuple[tuple[int, ...], int]] = {}

    def fold(self, frames: tuple[int, ...], stage: str | None) -> tuple[tuple[int, ...], int]:
        """A stack's functions, and how many of them lie outside its stage."""
        key = (frames, stage)
        if key not in self._known:
            self._known[key] = self._fold([i for i in frames if i < len(self._raw)], stage)
        return self._known[key]

    def count_lines(self, row: Sampled) -> None:
        """Remember which lines of each function were seen."""
        for i in row.frames:
            self._seen[i] += row.count

    def stage(self, name: str) -> int:
        """The number of a stage's box."""
        return self._names.setdefault((name, ""), len(self._names))

    def _number(self, frame: Frame) -> int:
        return self._names.setdefault((frame.function, frame.file), len(self._names))

    def _fold(self, places: list[int], stage: str | None) -> tuple[tuple[int, ...], int]:
        numbers = [self._numbers[i] for i in places]
        begin = stage_begin([self._raw[i] for i in places], stage)
        outside = sum(1 for number in numbers[:begin] if number != _OURS)
        return tuple(number for number in numbers if number != _OURS), outside

    def table(self) -> list[FlameFrame]:
        """All of them, by number, each with the line that was seen most."""
        best: dict[int, tuple[int, int]] = {}
        for i, count in self._seen.items():
            if i < len(self._raw):
                best[self._numbers[i]] = max(best.get(self._numbers[i], (0, 0)), (count, self._raw[i].line))
        return [
            FlameFrame(function, file, best.get(number, (0, 0))[1], kind_of(file) if file else "stage")
            for (function, file), number in self._names.items()
        ]


def stage_begin(frames: list[Frame], stage: str | None) -> int:
    """Where a stack enters its stage: callers above it say nothing about the stage."""
    if stage is None:
        return 0
    if is_own_function(stage):
        name = stage.partition("() ")[0]
        return next((place for place, frame in enumerate(frames) if frame.function == name), 0)
    forward = None
    for place in range(len(frames) - 1, -1, -1):
        frame = frames[place]
        if frame.function.startswith(FRAME_PREFIX):
            if frame.function == FRAME_PREFIX + stage:
                return min(place + 1, len(frames) - 1)
            continue
        named = stage_of_frame(frame)
        if named == stage:
            return place
        if named == "forward":
            forward = place  # a network's outermost call; the frames around it tell what it is for
        elif named is not None and forward is not None:
            return forward
    return forward or 0


def fold_stacks(
    samples: Samples,
    weighted: list[tuple[Weight, float]],
    threads: dict[NativeThread, int],
    table: FrameTable,
) -> list[tuple[FoldedStack, int]]:
    """Equal stacks of a thread counted together, each with how many frames lie outside its stage."""
    counts: dict[_Key, float] = defaultdict(float)
    shares: dict[_Key, float] = defaultdict(float)
    left = {(row.thread, row.frames): float(row.count) for row in samples.rows}
    for weight, share in weighted:
        key = _key(weight.row, weight.stage, threads, table)
        shares[key] += share
        counts[key] += weight.samples
        left[weight.row.thread, weight.row.frames] -= weight.samples
    for row in samples.rows:
        table.count_lines(row)
        if left[row.thread, row.frames] > 0.5:  # beside the account: it waits, or nobody waited for it
            counts[_key(row, row.stage, threads, table)] += left[row.thread, row.frames]
    return [
        (FoldedStack(thread, stage, waiting, frames, round(count), shares.get(key, 0.0)), outside)
        for key, count in counts.items()
        for thread, stage, waiting, frames, outside in [key]
    ]


def _key(row: Sampled, stage: str | None, threads: dict[NativeThread, int], table: FrameTable) -> _Key:
    frames, outside = table.fold(row.frames, stage)
    return threads[row.thread], stage, row.meaning.waiting, frames, outside


@dataclass(slots=True)
class _Box:
    weight: float = 0.0
    below: dict[int, _Box] = field(default_factory=dict)


def flames(
    folded: list[tuple[FoldedStack, int]], threads: list[ThreadName], table: FrameTable
) -> list[Flame]:
    """The whole run by wall time, then each thread by its own samples, the most sampled ones first."""
    if not folded:
        return []
    whole = [(stack, outside, stack.wall_share) for stack, outside in folded if stack.wall_share > 0]
    samples = sum(stack.samples for stack, _, _ in whole)
    found = [_flame(None, samples, whole, table, MOST_BOXES_OF_RUN)]
    by_thread: dict[int, list[tuple[FoldedStack, int]]] = defaultdict(list)
    for stack, outside in folded:
        by_thread[stack.thread].append((stack, outside))
    totals = {thread: sum(stack.samples for stack, _ in rows) for thread, rows in by_thread.items()}
    ranked = sorted(by_thread, key=lambda thread: (threads[thread].role != "driver", -totals[thread]))
    for thread in ranked[:MOST_THREADS]:
        total = totals[thread]
        rows = [(stack, outside, stack.samples / total) for stack, outside in by_thread[thread]]
        found.append(_flame(thread, total, rows, table, MOST_BOXES_OF_THREAD))
    return found


def _flame(
    thread: int | None,
    samples: int,
    rows: list[tuple[FoldedStack, int, float]],
    table: FrameTable,
    most: int,
) -> Flame:
    root = _Box()
    weights: list[float] = []
    for stack, outside, weight in rows:
        top = WAITING if stack.waiting and stack.stage is None else stack.stage or NO_STAGE
        box = root
        for frame in (table.stage(top), *stack.frames[outside:]):
            below = box.below.get(frame)
            if below is None:
                below = box.below[frame] = _Box()
            box = below
            box.weight += weight
    _collect(root, weights)
    least = max(NARROWEST_SHARE, _width_limit(weights, most))
    nodes: list[FlameNode] = []
    _flatten(root, 0, least, nodes)
    return Flame(thread, samples, nodes, len(weights) - len(nodes))


def _width_limit(weights: list[float], most: int) -> float:
    """The least width of at most `most` boxes; of equally wide ones all are kept or none."""
    ranked = sorted(weights, reverse=True)
    return math.nextafter(ranked[most], math.inf) if len(ranked) > most else 0.0


def _collect(box: _Box, weights: list[float]) -> None:
    for below in box.below.values():
        weights.append(below.weight)
        _collect(below, weights)


def _flatten(box: _Box, depth: int, least: float, nodes: list[FlameNode]) -> None:
    """Depth first, the widest first; a box is never wider than the one above it, so none is orphaned."""
    for frame, below in sorted(box.below.items(), key=lambda item: -item[1].weight):
        if below.weight >= least:
            kept = sum(inner.weight for inner in below.below.values() if inner.weight >= least)
            nodes.append(FlameNode(frame, depth, below.weight, max(0.0, below.weight - kept)))
            _flatten(below, depth + 1, least, nodes)
