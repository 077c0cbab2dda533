"""What only the HTML page and the exports show beyond the report: stacks, source lines, lanes, spans.

Times are seconds since the run began. Shares are 0..1. None means "not measured".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class FlameFrame:
    """One function of sampled stacks, or a stage (kind ``stage``: the level right above the functions)."""

    function: str
    file: str
    line: int
    """The line that was seen most often in it."""
    kind: str
    """yours, library, native or stage."""


@dataclass(frozen=True, slots=True)
class ThreadName:
    """Which thread of which process."""

    pid: int
    thread_id: int
    process: str
    thread: str
    role: str
    """driver, env-worker, actor, server or other."""


@dataclass(frozen=True, slots=True)
class FoldedStack:
    """One stack of one thread, counted over the steady phase. The recorder's own frames are left out."""

    thread: int
    """Index into `Detail.threads`."""
    stage: str | None
    waiting: bool
    frames: tuple[int, ...]
    """Indices into `Detail.frames`, outermost first."""
    samples: int
    wall_share: float
    """Share of the run's wall time that this stack stands for; 0 where the driver did not wait for it."""


@dataclass(frozen=True, slots=True)
class FlameNode:
    """One box of a flame view. Nodes stand in depth-first order, without the root; stages have depth 0."""

    frame: int
    """Index into `Detail.frames`."""
    depth: int
    weight: float
    """The box's width: share of the run's wall time, or of the thread's samples."""
    own: float
    """The part of `weight` that is in no box below, narrow boxes that were left out included."""


@dataclass(frozen=True, slots=True)
class Flame:
    """Stacks merged stage by stage, from the frame on in which the stage began."""

    thread: int | None
    """Index into `Detail.threads`; None: the wall time of the whole run, waits included."""
    samples: int
    nodes: list[FlameNode]
    hidden_boxes: int
    """Boxes that were too narrow to be kept."""


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One line; `text` is None where the file could not be read."""

    number: int
    text: str | None
    own_share: float
    """Share of wall time in which this was the innermost line of the user's code; what libraries did for it
    is included."""
    total_share: float
    """Share of wall time in which this line ran or called something."""
    samples: int


@dataclass(frozen=True, slots=True)
class SourceFile:
    """The sampled lines of one of the user's files with some lines around them, in order."""

    file: str
    own_share: float
    total_share: float
    lines: list[SourceLine]
    doubt: str
    """Why the text is missing or may not be what ran; "" where it is."""


@dataclass(frozen=True, slots=True)
class LaneCell:
    """One thread during one window."""

    start: float
    seconds: float
    busy_share: float
    wait_share: float
    barrier_share: float | None
    """The part of `wait_share` in which it was done with its round and another worker was not."""


@dataclass(frozen=True, slots=True)
class LaneStrip:
    """One thread over the steady phase."""

    thread: int
    """Index into `Detail.threads`."""
    source: str
    """span or sampled."""
    cells: list[LaneCell]


@dataclass(frozen=True, slots=True)
class StageWindow:
    """Where the driver's wall time went during one window, waiting charged to what was waited for."""

    start: float
    seconds: float
    env_steps_per_second: float | None
    stages: dict[str, float]
    """Stage → share; together with `unattributed_share` they sum to 1."""
    unattributed_share: float


class StageSpan(NamedTuple):
    """One single span of a raw window; spans of a thread nest properly."""

    stage: str
    detail: str
    start: float
    seconds: float


@dataclass(frozen=True, slots=True)
class SpanWindow:
    """A raw window of one thread: every single span, in order of start, parents first."""

    thread: int
    """Index into `Detail.threads`."""
    start: float
    seconds: float
    spans: list[StageSpan]


@dataclass(frozen=True, slots=True)
class SystemPoint:
    """All processes of the run at one instant."""

    at: float
    cpu_percent: float
    """Of one core: 185 means 1.85 cores busy."""
    rss_bytes: int


@dataclass(frozen=True, slots=True)
class Detail:
    """Everything beyond the report, for one run."""

    steady_start: float
    steady_end: float
    threads: list[ThreadName] = field(default_factory=list)
    frames: list[FlameFrame] = field(default_factory=list)
    stacks: list[FoldedStack] = field(default_factory=list)
    flames: list[Flame] = field(default_factory=list)
    """The whole run first, then one per thread, the busiest first."""
    sources: list[SourceFile] = field(default_factory=list)
    strips: list[LaneStrip] = field(default_factory=list)
    windows: list[StageWindow] = field(default_factory=list)
    raw: list[SpanWindow] = field(default_factory=list)
    system: list[SystemPoint] = field(default_factory=list)
