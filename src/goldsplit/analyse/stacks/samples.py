"""All sampled stacks of a steady phase, counted by thread."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from goldsplit.analyse.stacks.frame_stages import Classified, classify
from goldsplit.model.recording import Frame, NativeThread, ProcessId, Recording, ThreadKey
from goldsplit.model.stack_frames import is_importing

Meanings = dict[tuple[int, ...], Classified]
"""What stacks mean, by the places of their frames; shared by all windows of a recording."""

_ThreadAndFrames = tuple[int, int, int, tuple[int, ...]]
"""Process id, its life, thread id, places of the frames."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """One stack of one thread, how often, and what it means."""

    thread: NativeThread
    frames: tuple[int, ...]
    count: int
    meaning: Classified


class Samples:
    """The stacks of the chunks that lie (mostly) in the steady phase; of all where no loop was recognised."""

    def __init__(
        self, recording: Recording, start_ns: int, end_ns: int, meanings: Meanings | None = None
    ) -> None:
        self.frames: list[Frame] = recording.frames
        self.index_of = {
            NativeThread(process.id, thread.native_id): ThreadKey(process.id, thread.index)
            for process in recording.processes
            for thread in process.threads.values()
        }
        self.rows: list[Sampled] = []
        self.by_thread: dict[ThreadKey, list[Sampled]] = defaultdict(list)
        meanings = {} if meanings is None else meanings
        for (pid, life, thread_id, frames), count in _counted(recording, start_ns, end_ns).items():
            meaning = meanings.get(frames)
            if meaning is None:
                known = [self.frames[i] for i in frames if i < len(self.frames)]
                meaning = meanings[frames] = classify(known)
            if meaning.looking or not count:
                continue
            row = Sampled(NativeThread(ProcessId(pid, life), thread_id), frames, count, meaning)
            self.rows.append(row)
            key = self.index_of.get(row.thread)
            if key is not None:
                self.by_thread[key].append(row)

    def unspanned_count(self, thread: ThreadKey) -> int:
        """Samples of a thread outside any span."""
        return sum(row.count for row in self.by_thread.get(thread, ()) if self._unspanned(row))

    def unspanned_stages(self, thread: ThreadKey) -> dict[str, float]:
        """Of a thread's samples outside spans: stage → share, where frames tell the stage."""
        counts: Counter[str] = Counter()
        total = 0
        for row in self.by_thread.get(thread, ()):
            if not self._unspanned(row):
                continue
            total += row.count
            if row.meaning.stage is not None:
                counts[row.meaning.stage] += row.count
        return {stage: count / total for stage, count in counts.items()} if total else {}

    def _unspanned(self, row: Sampled) -> bool:
        """Outside spans and not still importing: imports are start-up, whatever chunk they fall into."""
        return not row.meaning.spanned and not any(
            is_importing(self.frames[i].file) for i in row.frames if i < len(self.frames)
        )


def _counted(recording: Recording, start_ns: int, end_ns: int) -> Counter[_ThreadAndFrames]:
    """Thread and stack → how often; in a long run the same few stacks come back in every chunk."""
    inside = [c for c in recording.chunks if c.end_ns > start_ns and c.start_ns < end_ns]
    counts: Counter[_ThreadAndFrames] = Counter()
    for chunk in [c for c in inside if not c.startup] or inside:
        for stack in chunk.stacks:
            counts[stack.pid, stack.life, stack.thread_id, stack.frames] += stack.count
    return counts
