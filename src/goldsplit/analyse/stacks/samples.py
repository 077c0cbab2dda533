"""All sampled stacks of a steady phase, counted by thread; each with the spans around it and its stage."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter, defaultdict
from dataclasses import dataclass

from goldsplit.analyse.stacks.frame_stages import Classified, classify
from goldsplit.analyse.stacks.own_code import OwnCode, Stack
from goldsplit.analyse.stacks.user_frames import since_fork
from goldsplit.analyse.wall.ownership import ABSORBING
from goldsplit.model.recording import (
    Frame,
    NativeThread,
    ProcessId,
    ProcessRecord,
    Recording,
    StackChunk,
    ThreadKey,
)
from goldsplit.model.stack_frames import FRAME_PREFIX, is_importing
from goldsplit.model.stage import ACT, DRIVING, ENV, ENV_STEP, WAITING, category_of
from goldsplit.model.wire import COUNTED

FORWARD = "forward"
#: An environment has no training inside it: whatever a function there is named, it is the environment's.
_NOT_IN_ENVIRONMENT = frozenset({"agent", "learning", "replay"})

_ThreadAndFrames = tuple[int, int, int, tuple[int, ...]]
"""Process id, its life, thread id, places of the frames."""


@dataclass(frozen=True, slots=True)
class Meant:
    """What one stack says."""

    meaning: Classified
    spans: tuple[str, ...]
    """Stages of the spans around it, innermost first; only one where a stage owns everything inside it."""
    stage: str | None
    """The finest stage: by names inside the innermost span, else that span's; None: no stage, or a wait."""
    forward: bool = False
    """The innermost span is a forward pass; what for, only the frames around it tell."""
    importing: bool = False
    """Outside all spans and still importing: that is start-up, whatever chunk it falls into."""


Meanings = dict[tuple[int, ...], Meant]
"""What stacks mean, by the places of their frames; shared by all windows of a recording."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """One stack of one thread, how often, and what it means."""

    thread: NativeThread
    frames: tuple[int, ...]
    count: int
    meaning: Classified
    spans: tuple[str, ...] = ()
    forward: bool = False
    stage: str | None = None
    """The finest stage, or the user's own function that stands for it (`learn() train.py:45`)."""
    own: bool = False
    """`stage` is such a function."""

    @property
    def in_wait(self) -> bool:
        """Whether it is inside a span that waits."""
        return bool(self.spans) and self.spans[0] in WAITING


class Samples:
    """The stacks of the chunks that lie (mostly) in the steady phase; of all where no loop was recognised.

    Windows of one run share what stacks mean and how functions in no stage are named: `like`.
    """

    def __init__(self, recording: Recording, start_ns: int, end_ns: int, like: Samples | None = None) -> None:
        self.frames: list[Frame] = recording.frames
        self.whole = like
        self.meanings: Meanings = like.meanings if like is not None else {}
        self.index_of: dict[NativeThread, ThreadKey] = (
            like.index_of
            if like is not None
            else {
                NativeThread(process.id, thread.native_id): ThreadKey(process.id, thread.index)
                for process in recording.processes
                for thread in process.threads.values()
            }
        )
        self.kinds: dict[ThreadKey, str] = (
            like.kinds if like is not None else thread_kinds(recording.processes)
        )
        self.rows: list[Sampled] = []
        self.importing: Counter[ThreadKey] = Counter()
        """Samples of threads that still imported outside all spans; they are in no row."""
        self.by_thread: dict[ThreadKey, list[Sampled]] = defaultdict(list)
        chunks = _chunks_in(recording, start_ns, end_ns)
        for chunk in chunks:
            self._count_imports(chunk, start_ns)
        for (pid, life, thread_id, frames), count in _counted(chunks).items():
            meant = self.meant(frames)
            thread = NativeThread(ProcessId(pid, life), thread_id)
            if meant.meaning.looking or meant.importing or not count:
                continue
            self.rows.append(
                Sampled(thread, frames, count, meant.meaning, meant.spans, meant.forward, meant.stage)
            )
        self.own: OwnCode = like.own if like is not None else self._own_code()
        self.rows = [self._named(row) for row in self.rows]
        for row in self.rows:
            key = self.index_of.get(row.thread)
            if key is not None:
                self.by_thread[key].append(row)

    def meant(self, frames: tuple[int, ...]) -> Meant:
        """What a stack means, worked out once."""
        found = self.meanings.get(frames)
        if found is None:
            known = [self.frames[i] for i in frames if i < len(self.frames)]
            found = self.meanings[frames] = meaning_of(known)
        return found

    def _count_imports(self, chunk: StackChunk, start_ns: int) -> None:
        """Add a chunk's samples of threads that import. A chunk may have begun before the period; what a
        thread imports comes first, so its first samples, before the period, are taken from these."""
        counts: Counter[ThreadKey] = Counter()
        importing: Counter[ThreadKey] = Counter()
        for stack in chunk.stacks:
            key = self.index_of.get(NativeThread(ProcessId(stack.pid, stack.life), stack.thread_id))
            if key is not None:
                counts[key] += stack.count
                importing[key] += stack.count * self.meant(stack.frames).importing
        before = max(0, start_ns - chunk.start_ns) / max(1, chunk.end_ns - chunk.start_ns)
        for key, number in importing.items():
            self.importing[key] += max(0, number - round(before * counts[key]))

    def kind(self, thread: NativeThread) -> str:
        """Threads of one kind do the same work: samples of some of them stand for all."""
        key = self.index_of.get(thread)
        if key is not None:
            return self.kinds[key]
        return f"{thread.process} {'main' if thread.thread_id == thread.process.pid else 'other'}"

    def _own_code(self) -> OwnCode:
        stacks = [
            Stack(self.kind(row.thread), row.frames, row.count, row.stage)
            for row in self.rows
            if row.frames and not row.in_wait and (row.stage is not None or not row.spans)
        ]
        return OwnCode(stacks, self.frames)

    def _named(self, row: Sampled) -> Sampled:
        if row.stage is not None or row.spans:
            return row
        label = self.own.label(self.kind(row.thread), row.frames)
        return row if label is None else dataclasses.replace(row, stage=label, own=True)


def meaning_of(frames: list[Frame]) -> Meant:
    """What a stack (outermost frame first) says."""
    frames = since_fork(frames)
    meaning = classify(frames)
    marks = [
        (place, frame.function.removeprefix(FRAME_PREFIX))
        for place, frame in enumerate(frames)
        if frame.function.startswith(FRAME_PREFIX) and frame.function != FRAME_PREFIX + COUNTED
    ]
    if not marks:
        importing = any(is_importing(frame.file) for frame in frames)
        return Meant(meaning, (), meaning.stage, importing=importing)
    for _, name in marks:
        if name in ABSORBING:
            return Meant(meaning, (name,), name)
    names = [_purpose(frames[: place + 1]) if name == FORWARD else name for place, name in marks]
    inner, span = marks[-1][0], names[-1]
    # The frame after the mark is the function whose call the span is: the span's stage is its stage.
    # Unless it is a line of it that has a stage.
    by_line = inner + 1 < len(frames) and frames[inner + 1].named_by_line
    outside, inside = frames[: inner + 1], frames[inner + (1 if by_line else 2) :]
    finer = classify(outside + inside).stage if inside else None
    told = finer is not None and finer not in (span, classify(outside).stage) and finer not in WAITING
    stage = finer if told and _may_lie_in(finer or "", span) else span
    waits = span in WAITING
    return Meant(meaning, tuple(reversed(names)), None if waits else stage, forward=marks[-1][1] == FORWARD)


def _purpose(frames: list[Frame]) -> str:
    """What a forward pass is for, by the frames around it."""
    return classify(frames).stage or ACT


def _may_lie_in(stage: str, span: str) -> bool:
    return not (span.startswith(ENV) and category_of(stage) in _NOT_IN_ENVIRONMENT)


def thread_kinds(processes: list[ProcessRecord]) -> dict[ThreadKey, str]:
    """Each thread's kind: by its name without numbers, and by what its spans show it to do."""
    stages: dict[ThreadKey, set[str]] = defaultdict(set)
    for process in processes:
        for (thread, _), info in process.nodes.items():
            stages[ThreadKey(process.id, thread)].add(info.stage)
    found = {}
    for process in processes:
        for one in process.threads.values():
            key = ThreadKey(process.id, one.index)
            role = "driving" if any(stage.startswith(DRIVING) for stage in stages[key]) else "other"
            role += " env" if ENV_STEP in stages[key] else ""
            found[key] = f"{role} {re.sub('[0-9]+', '', one.name)}"
    return found


def _chunks_in(recording: Recording, start_ns: int, end_ns: int) -> list[StackChunk]:
    """The chunks of a period; those of the start-up only where there is nothing else."""
    inside = [c for c in recording.chunks if c.end_ns > start_ns and c.start_ns < end_ns]
    return [c for c in inside if not c.startup] or inside


def _counted(chunks: list[StackChunk]) -> Counter[_ThreadAndFrames]:
    """Thread and stack → how often; in a long run the same few stacks come back in every chunk."""
    counts: Counter[_ThreadAndFrames] = Counter()
    for chunk in chunks:
        for stack in chunk.stacks:
            counts[stack.pid, stack.life, stack.thread_id, stack.frames] += stack.count
    return counts
