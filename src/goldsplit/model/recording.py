"""A recording as it is read from disk: what each process and thread did, stacks, and system figures.

Times are nanoseconds of the monotonic clock, which all processes of a machine share.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from goldsplit.model.deep_files.deep_record import DeepRecord, WatchedRecord
from goldsplit.model.device.device_record import DeviceRecord
from goldsplit.model.named_code import NamedFunction

#: Version history of the run directory.
#: 1: run.json, proc-*.jsonl (snapshots, raw windows), stacks.jsonl, system.jsonl.
#: 2: counters are written when they change, single spans in columns, staged code by file.
#: 3: single spans are base64 (`spans` in their line), which Python reads and writes in C; before: base85.
FORMAT_VERSION = 3
#: Formats that this goldsplit reads.
READABLE_FORMATS = (2, 3)

#: The recorder's own threads inside the user's processes: never shown as part of the run.
RECORDER_THREADS = frozenset({"goldsplit-mapping", "goldsplit-recorder"})

#: Every note has it that says why stacks were not sampled from outside: the last screen never leaves it out.
STACKS_BY_TIMER = "stacks come from a timer"
#: How long stack sampling waits for a first step or update before it starts without one.
STACKS_AFTER_SECONDS = 5.0
#: How the note begins that says why a recording is empty.
NOTHING_RECORDED = "nothing was recorded"
#: And the one that says why it has stacks alone.
KEPT_OUT = "no process recorded itself"
#: And the one that says why the last part of a recording is missing, although the program went on.
CUT_OFF = "the end of the run could not be recorded completely"
#: And those on workers that ended badly: where the whole run did, they may be why.
LOST_WORKER = "worker process"

NodeKey = tuple[int, int]
"""Thread index and node id, inside one process."""


class ProcessId(NamedTuple):
    """One process of a run. A pid has several lives where a program replaces itself by another (exec), or
    where the operating system uses the number again."""

    pid: int
    life: int = 0
    """0: the last life of this pid; 1: the one before it, and so on."""

    def __str__(self) -> str:
        return f"{self.pid} (earlier life)" if self.life else str(self.pid)


class ThreadKey(NamedTuple):
    """One thread, by its place in what its process wrote."""

    process: ProcessId
    thread: int
    """Its index: see `ThreadInfo`."""


class NativeThread(NamedTuple):
    """One thread, by its id in the operating system."""

    process: ProcessId
    thread_id: int


@dataclass(frozen=True, slots=True)
class NodeInfo:
    """One stage on one path of one thread."""

    thread: int
    parent: int
    stage: str
    detail: str


@dataclass(frozen=True, slots=True)
class ThreadInfo:
    """One thread of a process."""

    index: int
    native_id: int
    name: str
    started_ns: int


@dataclass(frozen=True, slots=True)
class NodeTotals:
    """What a node had cost at an instant, since the process began."""

    count: int = 0
    total_ns: int = 0
    cpu_count: int = 0
    cpu_ns: int = 0
    cpu_wall_ns: int = 0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One process at one instant; nodes and counters that did not change since the last one are absent."""

    t_ns: int
    nodes: dict[NodeKey, NodeTotals]
    counts: dict[str, float]
    threads: dict[int, tuple[int, int]]
    """Thread index → CPU nanoseconds and run-queue nanoseconds so far."""


class RawSpan(NamedTuple):
    """One single span of a raw window."""

    node: int
    start_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True)
class RawSpans:
    """Single spans as columns: a long run has millions, and an object for each would fill the memory."""

    nodes: array[int]
    starts_ns: array[int]
    ends_ns: array[int]

    @classmethod
    def of(cls, spans: Iterable[tuple[int, int, int]]) -> Self:
        """From rows of node, start and end."""
        columns = tuple(zip(*spans, strict=True)) or ((), (), ())
        return cls(*(array("q", column) for column in columns))

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[RawSpan]:
        return map(RawSpan, self.nodes, self.starts_ns, self.ends_ns)

    def rows(self) -> Iterator[tuple[int, int, int]]:
        """The same as plain tuples, which are made faster."""
        return zip(self.nodes, self.starts_ns, self.ends_ns, strict=True)


@dataclass(frozen=True, slots=True)
class RawWindow:
    """The single spans of one thread in one short window; complete from start to end."""

    start_ns: int
    end_ns: int
    thread: int
    spans: RawSpans


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of a sampled stack."""

    function: str
    file: str
    line: int
    named: str | None = None
    """The stage of its function by what the source shows; "": the source was read, and shows none; None: it
    was not read, so that only usual names can tell."""
    named_by_line: bool = False
    """`named` is what this line of the function is taken for, not the whole function."""


@dataclass(frozen=True, slots=True)
class StagedCode:
    """A function whose calls were spans without a frame of their own; stage "": they no longer are."""

    file: str
    name: str
    first: int
    last: int
    stage: str


@dataclass(slots=True)
class ProcessRecord:
    """Everything that one process wrote about itself."""

    pid: int
    ppid: int
    start_ns: int
    python: str = ""
    argv: tuple[str, ...] = ()
    end_ns: int | None = None
    exit_code: int | None = None
    threads: dict[int, ThreadInfo] = field(default_factory=dict)
    nodes: dict[NodeKey, NodeInfo] = field(default_factory=dict)
    snapshots: list[Snapshot] = field(default_factory=list)
    raw: list[RawWindow] = field(default_factory=list)
    raw_until: dict[int, int] = field(default_factory=dict)
    """Thread → the end of its last window in `raw`."""
    single_spans: int = 0
    """How many there are in `raw`."""
    histograms: dict[NodeKey, dict[int, int]] = field(default_factory=dict)
    costs: dict[int, dict[int, int]] = field(default_factory=dict)
    stacks: list[tuple[int, int, int, list[tuple[tuple[Frame, ...], int]]]] = field(default_factory=list)
    """Stacks of the main thread that the process sampled itself: start, end, rate, (frames, count)."""
    pipes: list[tuple[int, int]] = field(default_factory=list)
    codes: list[StagedCode] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    lost_children: dict[int, int] = field(default_factory=dict)
    """Worker processes that ended badly: pid → exit code, negative for a signal; in the order of noticing."""
    failures: dict[tuple[str, str], int] = field(default_factory=dict)
    """Where goldsplit's own code failed in this process and what it raised → how often."""
    mapped: set[str] = field(default_factory=set)
    unmapped: dict[str, str] = field(default_factory=dict)
    warm_span_ns: float = 0.0
    first_step_ns: int = 0
    last_step_ns: int = 0
    dropped_lines: int = 0
    damaged_lines: int = 0
    deep: DeepRecord | None = None
    """What the deep look saw in this process; lines are cumulative, so this is the last one."""
    watched: WatchedRecord | None = None
    """The functions that the deep look watched in this process for the whole run: the last line."""
    deep_windows: list[tuple[int, int]] = field(default_factory=list)
    """Between which snapshots the deep look was on: the program was slower there, so times are left out."""
    device: DeviceRecord = field(default_factory=DeviceRecord)
    """What was seen of the GPU that this process used."""
    life: int = 0
    """See `ProcessId`."""

    @property
    def id(self) -> ProcessId:
        return ProcessId(self.pid, self.life)


@dataclass(frozen=True, slots=True)
class StackCount:
    """How often one thread was seen with one stack during a chunk."""

    pid: int
    thread_id: int
    thread_name: str
    frames: tuple[int, ...]
    """Indices into the recording's frames, outermost first."""
    count: int
    life: int = 0
    """Of the process: see `ProcessId`."""

    @property
    def thread(self) -> NativeThread:
        return NativeThread(ProcessId(self.pid, self.life), self.thread_id)


@dataclass(frozen=True, slots=True)
class StackChunk:
    """Some seconds of sampling."""

    start_ns: int
    end_ns: int
    rate_hz: int
    samples: int
    failed: int
    late: int
    cpu_seconds: float
    stacks: tuple[StackCount, ...]
    waits: tuple[tuple[int, int, float], ...] = ()
    """(place in `stacks` of a waiting stack, place of one that was busy meanwhile, weight in samples)."""
    startup: bool = False
    """Before a training loop was seen for the first time."""


class ProcessSample(NamedTuple):
    """One process at one instant, seen from outside."""

    cpu_seconds: float
    """Since it began."""
    rss_bytes: int
    files: int | None = None
    """Open ones; None: not known."""
    name: str = ""
    """Known from its first sample only."""
    main_thread: tuple[float, float] | None = None
    """Seconds that its main thread had a core, and that it was ready without one; None: not known."""
    argv: tuple[str, ...] = ()
    """Its first words, known from its first sample only."""


class DeviceSample(NamedTuple):
    """One GPU at one instant."""

    name: str
    utilisation: float
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class SystemSample:
    """The process tree at one instant, seen from outside."""

    t_ns: int
    cpu_percent: float
    rss_bytes: int
    processes: dict[int, ProcessSample]
    gpu: tuple[DeviceSample, ...] = ()


@dataclass(slots=True)
class Recording:
    """One run, read back."""

    run: dict[str, Any]
    processes: list[ProcessRecord]
    frames: list[Frame]
    chunks: list[StackChunk]
    system: list[SystemSample]
    damage: list[str] = field(default_factory=list)
    named: list[NamedFunction] = field(default_factory=list)
    """What the user's functions are taken for."""
    read_files: frozenset[str] = frozenset()
    """The source files that were read for it."""
    digests: dict[str, str] = field(default_factory=dict)
    """Source file → SHA-256 of its content when it was read."""
    folder: str = ""
    """The run's directory; "" for a recording that was never on disk."""
    silent_processes: int = 0
    """Processes that recorded themselves but entered no stage; they are not among the others."""
