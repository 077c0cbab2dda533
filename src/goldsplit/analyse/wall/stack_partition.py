"""The same partition from stacks alone, for a process that was attached to."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from operator import attrgetter

from goldsplit.analyse.stacks.frame_stages import Classified, classify, wilson
from goldsplit.analyse.stacks.samples import Sampled, Samples
from goldsplit.analyse.stacks.source_heat import ReadSource
from goldsplit.analyse.wall.account import Weight
from goldsplit.analyse.wall.event_loop_waits import Asked, asks_event_loop, in_event_loop, runs_coroutine
from goldsplit.analyse.wall.lanes import ThreadLane
from goldsplit.analyse.wall.partition import Partition, StageTime
from goldsplit.model.profile import Lane, LaneStage
from goldsplit.model.recording import Frame, NativeThread, ProcessId, Recording, StackChunk, StackCount
from goldsplit.model.stack_frames import is_importing
from goldsplit.model.stage import ENV_STEP, VEC_WAIT
from goldsplit.model.wire import Header
from goldsplit.store.project_source import ProjectSource


def steady_chunks(recording: Recording) -> list[StackChunk]:
    """Without start-up; all of them, where no training loop was recognised."""
    return [chunk for chunk in recording.chunks if not chunk.startup] or recording.chunks


def stacks_driver(recording: Recording) -> NativeThread:
    """The main thread of the process that was attached to; else of the one that was sampled first."""
    target = recording.run.get(Header.TARGET_PID)
    if target:
        return NativeThread(ProcessId(int(target)), int(target))
    threads = (stack.thread for chunk in recording.chunks for stack in chunk.stacks)
    process = next((thread.process for thread in threads), ProcessId(0))
    return NativeThread(process, process.pid)


@dataclass(slots=True)
class _Seen:
    """Samples of the driver, by what they mean."""

    total: float = 0.0
    startup: float = 0.0
    """Beside `total`: still importing."""
    unknown: float = 0.0
    stages: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    idle: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    """Of `stages`: the driver waited, and no thread was seen at work."""
    asked: float = 0.0
    """Of `idle`: in a stage that only the line which asked an event loop for it tells."""
    weights: dict[Sampled, float] = field(default_factory=lambda: defaultdict(float))
    """Stacks at work, of the driver or of a thread that it waited for → samples of the driver."""

    def add(self, row: Sampled, weight: float) -> None:
        """A stack at work."""
        if row.stage is None:
            self.unknown += weight
        else:
            self.stages[row.stage] += weight
        self.weights[row] += weight


def partition_stacks(
    recording: Recording, driver: NativeThread, samples: Samples, read: ReadSource | None = None
) -> Partition:
    """Split the sampled time of the driver by the stages that its stacks stand for."""
    meanings = _Meanings(recording, samples, read or ProjectSource(recording).read)
    seen = _Seen()
    chunks = steady_chunks(recording)
    for chunk in chunks:
        loop_beside = any(
            stack.pid == driver.process.pid and meanings.in_event_loop(stack.frames) for stack in chunk.stacks
        )
        for place, stack in enumerate(chunk.stacks):
            if stack.thread != driver:
                continue
            row = meanings.row(stack)
            if row is None:
                seen.startup += stack.count
                continue
            seen.total += stack.count
            if row.meaning.waiting:
                _split_wait(chunk, place, row, meanings, loop_beside, seen)
            else:
                seen.add(row, stack.count)
    return _partition(seen, float(sum(chunk.end_ns - chunk.start_ns for chunk in chunks)))


class _Meanings:
    """What stacks mean, each worked out once."""

    def __init__(self, recording: Recording, samples: Samples, read: ReadSource) -> None:
        self._frames = recording.frames
        self._rows = {(row.thread, row.frames): row for row in samples.rows}
        self._loops = {i for i, frame in enumerate(recording.frames) if in_event_loop([frame])}
        self.asked = Asked(recording, read)

    def frames(self, places: tuple[int, ...]) -> list[Frame]:
        return [self._frames[i] for i in places if i < len(self._frames)]

    def in_event_loop(self, places: tuple[int, ...]) -> bool:
        return not self._loops.isdisjoint(places)

    def row(self, stack: StackCount) -> Sampled | None:
        """None: it imports, or the deep look was at work."""
        return self._rows.get((stack.thread, stack.frames))


def _split_wait(
    chunk: StackChunk, place: int, row: Sampled, meanings: _Meanings, loop_beside: bool, seen: _Seen
) -> None:
    """A wait goes to what other threads did meanwhile; where none was at work, to what was asked for."""
    stack = chunk.stacks[place]
    rest, nameless = float(stack.count), 0.0
    asked = None
    if asks_event_loop(meanings.frames(stack.frames), loop_beside):
        asked = meanings.asked.stage(stack.frames)
    beside = [(busy, weight) for waiter, busy, weight in chunk.waits if waiter == place]
    # The weights were rounded when they were written: together they may be a little more than the samples.
    scale = min(1.0, rest / (sum(weight for _, weight in beside) or 1.0))
    for busy, written in beside:
        weight = scale * written
        worker = meanings.row(chunk.stacks[busy])
        if worker is None or worker.stage is None:
            nameless += weight
        elif worker.own and asked is not None and runs_coroutine(meanings.frames(worker.frames)):
            continue  # a part of what was asked for
        else:
            seen.add(worker, weight)
            rest -= weight
    rest = max(0.0, rest)
    own = VEC_WAIT if row.own or row.stage is None else row.stage
    explained = max(0.0, rest - nameless) if asked is not None else 0.0
    for stage, weight in ((asked or own, explained), (own, rest - explained)):
        seen.stages[stage] += weight
        seen.idle[stage] += weight
    seen.asked += explained


def _partition(seen: _Seen, wall_ns: float) -> Partition:
    if not seen.total:
        return Partition(wall_ns=wall_ns, startup_ns=0.0, unattributed_ns=wall_ns)
    startup_ns = wall_ns * seen.startup / (seen.startup + seen.total)
    wall_ns -= startup_ns
    result = Partition(wall_ns=wall_ns, startup_ns=startup_ns)
    per_sample = wall_ns / seen.total
    for stage, count in seen.stages.items():
        if not count:
            continue
        low, high = wilson(count, seen.total)
        result.stages[stage] = StageTime(
            sampled_ns=count * per_sample,
            uncertain_ns=wall_ns * (high - low) / 2,
            idle_ns=seen.idle[stage] * per_sample,
            samples=count,
        )
    result.unattributed_ns = seen.unknown * per_sample
    result.asked_ns = seen.asked * per_sample
    result.unexplained_ns = (sum(seen.idle.values()) - seen.asked) * per_sample
    result.weights = [
        Weight(row, row.stage, count * per_sample, count) for row, count in seen.weights.items() if count
    ]
    return result


#: A thread whose process used a core for less than this part of the time that stacks show it at work, slept.
_LEAST_ON_CORE = 0.5


def busy_share(by_stacks: float, on_core: float | None) -> float:
    """How much of its time a thread worked. A stack cannot tell a call that sleeps from one that computes;
    the processor time of its process can."""
    if on_core is None or on_core >= _LEAST_ON_CORE * by_stacks:
        return by_stacks
    return max(0.0, on_core)


def core_share(recording: Recording, pid: int) -> float | None:
    """Processor seconds per second of a process and all its threads, seen from outside; None: not known."""
    seen = [(one.t_ns, one.processes[pid].cpu_seconds) for one in recording.system if pid in one.processes]
    if len(seen) < 2 or seen[-1][0] <= seen[0][0]:
        return None
    return (seen[-1][1] - seen[0][1]) / ((seen[-1][0] - seen[0][0]) / 1e9)


def main_thread_shares(recording: Recording, pid: int) -> tuple[float, float] | None:
    """How much of the time a process's main thread had a core, and was ready without one; None: not known."""
    samples = [(one.t_ns, one.processes[pid].main_thread) for one in recording.system if pid in one.processes]
    seen = [(t_ns, main) for t_ns, main in samples if main is not None]
    if len(seen) < 2 or seen[-1][0] <= seen[0][0]:
        return None
    seconds = (seen[-1][0] - seen[0][0]) / 1e9
    (on_core, ready), (later_on_core, later_ready) = seen[0][1], seen[-1][1]
    return max(0.0, later_on_core - on_core) / seconds, max(0.0, later_ready - ready) / seconds


def at_work(recording: Recording, thread: NativeThread, by_stacks: float) -> tuple[float, float | None]:
    """The share in which a thread worked, and the part of it for which it had no core (None: not known).
    One that was ready did not sleep: other programs had the cores."""
    pid = thread.process.pid
    main = main_thread_shares(recording, pid) if thread.thread_id == pid else None
    if main is None:
        return busy_share(by_stacks, core_share(recording, pid)), None
    on_core, ready = main
    busy = busy_share(by_stacks, min(1.0, on_core + ready))
    return busy, min(max(0.0, busy - on_core), ready)


def stack_lanes(recording: Recording, driver: NativeThread) -> list[ThreadLane]:
    """Every sampled thread: how often it was busy, how often waiting, in which stages."""
    busy: Counter[tuple[NativeThread, str]] = Counter()
    waiting: Counter[tuple[NativeThread, str]] = Counter()
    stages: dict[tuple[NativeThread, str], Counter[str]] = defaultdict(Counter)
    meanings: dict[tuple[int, ...], Classified] = {}
    importing: set[tuple[int, ...]] = set()
    for chunk in steady_chunks(recording):
        for stack in filter(attrgetter("count"), chunk.stacks):
            key = (stack.thread, stack.thread_name)
            if stack.frames not in meanings:
                known = [recording.frames[i] for i in stack.frames if i < len(recording.frames)]
                meanings[stack.frames] = classify(known)
                if any(is_importing(frame.file) for frame in known):
                    importing.add(stack.frames)
            meaning = meanings[stack.frames]
            if stack.frames in importing:
                continue
            (waiting if meaning.waiting else busy)[key] += stack.count
            if meaning.stage is not None and not meaning.waiting:
                stages[key][meaning.stage] += stack.count
    rows = []
    for key in busy.keys() | waiting.keys():
        total = busy[key] + waiting[key]
        native, name = key
        worked, no_core = at_work(recording, native, busy[key] / total)
        role = "driver" if native == driver else "env-worker" if stages[key][ENV_STEP] else "other"
        lane = Lane(
            pid=native.process.pid,
            process="python",
            role=role,
            thread=name,
            thread_id=native.thread_id,
            busy_share=worked,
            wait_share=1.0 - worked,
            barrier_share=None,
            charged_share=None,
            cpu_seconds=None,
            env_steps=None,
            stages=[LaneStage(stage, n / total) for stage, n in stages[key].most_common(6)],
            no_core_share=no_core,
        )
        rows.append(ThreadLane(native, None, lane))
    return sorted(rows, key=lambda row: (row.lane.role != "driver", -(row.lane.busy_share or 0)))
