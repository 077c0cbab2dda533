"""What recording cost on this very run: seen by its own stack samples, or estimated from its spans.

In a real program the recorder's code runs cold, several times slower than in a loop of its own, and no clock
inside it sees all of that. Stack samples do: they show how often the driver was in the recorder's code.
"""

from __future__ import annotations

import functools
import linecache
import re
from dataclasses import dataclass
from pathlib import Path

import goldsplit
from goldsplit.analyse.counts.histogram import merge, percentile_ns
from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.stacks.frame_stages import DEEP_LOOK, wilson
from goldsplit.analyse.stacks.samples import Samples
from goldsplit.model.recording import Frame, Recording, ThreadKey
from goldsplit.model.wire import Counter, Header

RECORDER = "goldsplit/record/"
#: Fewer samples of the driver than this say less about a share of some per cent than its spans do.
FEWEST_SAMPLES = 200
#: Counting a read of a tensor costs about this part of a span.
READ_OF_SPAN = 0.3
#: Our wrappers call what they wrap in such lines; a C function has no frame, so its time seems to be there.
_CALLS_THE_PROGRAM = re.compile(r"\b(?:fn|real\w*|method|_call_impl)\(")


@dataclass(frozen=True, slots=True)
class Overhead:
    """The recorder's cost as a share of the run's wall time."""

    share: float
    low: float
    high: float


def overhead(
    recording: Recording, series: Series, driver: ThreadKey, period: tuple[int, int], samples: Samples
) -> Overhead | None:
    """What the recorder's code took from the driver, and what sampling may have taken.

    Low: sampling counts only as far as it could not run on an idle processor. High: all of its processor time
    counts, as if taken from the driver.
    """
    warm, measured = estimated_from_spans(series, driver, period)
    if warm is None:
        return None
    own, trials = seen_share(samples, driver)
    if trials >= FEWEST_SAMPLES:
        seen = wilson(own * trials, trials)
        # Compiled code has no frames, so samples may show too little; a span that was clocked shows too much.
        share, low, high = max(warm, own), max(warm, seen[0]), max(measured, seen[1])
    else:
        share, low, high = (warm + measured) / 2, warm, measured
    sampler_share, is_crowded = sampler(recording, period)
    sampler_low = sampler_share / max(1, cores(recording)) if is_crowded else 0.0
    return Overhead(share + (sampler_low + sampler_share) / 2, low + sampler_low, high + sampler_share)


def seen_share(samples: Samples, driver: ThreadKey) -> tuple[float, int]:
    """Of a thread's samples: how many show the recorder's own code at work, and their number."""
    rows = samples.by_thread.get(driver, [])
    total = sum(row.count for row in rows)
    leaves = [(row.count, row.frames[-1]) for row in rows if row.frames]
    own = sum(n for n, leaf in leaves if leaf < len(samples.frames) and is_recorders(samples.frames[leaf]))
    return (own / total if total else 0.0), total


@functools.lru_cache(maxsize=4096)
def is_recorders(frame: Frame) -> bool:
    """Whether a thread with this innermost frame runs the recorder's code, not what that wraps."""
    _, found, rest = frame.file.rpartition(RECORDER)
    if not found or DEEP_LOOK in frame.file:
        return False
    source = own_sources().get(rest)
    return source is None or not _CALLS_THE_PROGRAM.search(linecache.getline(source, frame.line))


@functools.cache
def own_sources() -> dict[str, str]:
    """The recorder's files by their names below its folder. A stranger's run can name other files: those are
    not opened."""
    root = Path(goldsplit.__file__).parent / "record"
    return {path.relative_to(root).as_posix(): str(path) for path in root.rglob("*.py")}


def estimated_from_spans(
    series: Series, driver: ThreadKey, period: tuple[int, int]
) -> tuple[float | None, float]:
    """The driver's spans times what a span cost, over wall time: as in a warm loop at the start of this
    process (None: not measured), and as the median of those that were clocked inside the program's loop."""
    start_ns, end_ns = period
    wall = series.wall_ns(start_ns, end_ns)
    warm_ns = series.process.warm_span_ns
    if wall <= 0 or not warm_ns:
        return None, 0.0
    spans: float = 0
    for (thread, node), info in series.process.nodes.items():
        if thread == driver.thread and info.stage:
            spans += series.node((thread, node), end_ns).count - series.node((thread, node), start_ns).count
    for name in series.counters():
        if name.startswith(f"{driver.thread}:{Counter.TENSOR_READS}"):
            spans += READ_OF_SPAN * (series.count(name, end_ns) - series.count(name, start_ns))
    inside_ns = percentile_ns(merge(series.process.costs.values()), 0.5) or 0.0
    return spans * warm_ns / wall, spans * max(warm_ns, inside_ns) / wall


def sampler(recording: Recording, period: tuple[int, int]) -> tuple[float, bool]:
    """The sampler's processor time over wall time, and whether it was taken from the program."""
    chunks = [c for c in recording.chunks if c.end_ns > period[0] and c.start_ns < period[1]]
    sampled_ns = max(c.end_ns for c in chunks) - min(c.start_ns for c in chunks) if chunks else 0
    share = sum(c.cpu_seconds for c in chunks) * 1e9 / sampled_ns if sampled_ns else 0.0
    busy = busy_cores(recording)
    return share, busy is None or busy + share > max(1, cores(recording)) - 0.25


def busy_cores(recording: Recording) -> float | None:
    """Processors that the run kept busy, on average."""
    loads = [sample.cpu_percent / 100 for sample in recording.system[1:]]
    return sum(loads) / len(loads) if loads else None


def cores(recording: Recording) -> int:
    """Processors that the run may use; 0: not known."""
    return int(recording.run.get(Header.ENVIRONMENT, {}).get(Header.CORES, 0))
