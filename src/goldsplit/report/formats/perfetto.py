"""The run as a timeline for https://ui.perfetto.dev or chrome://tracing, in the Trace Event format.

One track per thread with the single spans of its raw windows; above the driver's, one slice per window of
the steady phase with its stages; counters for speed, memory and load.
"""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

from goldsplit.model.detail import Detail, LaneStrip, SpanWindow, ThreadName
from goldsplit.model.report import Report, finite
from goldsplit.model.stage import category_of
from goldsplit.report.words import NO_STAGE

#: The counters of the whole run, and the track of its windows, belong to this made-up process.
RUN = 0
Event = dict[str, Any]
Timed = tuple[float, str]
"""When, in microseconds, and the event as JSON. A long run has millions of single spans: too many for a
dictionary each."""


class PerfettoRenderer:
    """`render` takes data only."""

    def render(self, report: Report, detail: Detail) -> str:
        """The file's text: names first, then everything in order of time."""
        events = [",".join(map(as_json, names(report, detail)))]
        events += [",".join(map(itemgetter(1), batch)) for batch in batches(detail) if batch]
        rest = {
            "displayTimeUnit": "ms",
            "otherData": {"producer": "goldsplit", "run": report.profile.run.id},
        }
        return f'{{"traceEvents":[{",".join(events)}],{as_json(rest)[1:]}\n'


def as_json(event: Event) -> str:
    return json.dumps(finite(event), separators=(",", ":"))


def batches(detail: Detail) -> Iterator[list[Timed]]:
    """All events in order of time, cut wherever no raw window is open."""
    timed = [(float(event["ts"]), as_json(event)) for event in (*windows(detail), *counters(detail))]
    others = deque(sorted(timed, key=itemgetter(0)))
    open_until = -1.0
    batch: list[Timed] = []
    for window in sorted(detail.raw, key=lambda window: window.start):
        begin = microseconds(window.start)
        if begin > open_until:
            while others and others[0][0] < begin:
                batch.append(others.popleft())
            yield sorted(batch, key=itemgetter(0))
            batch = []
        batch += spans(window, detail.threads[window.thread])
        open_until = max(open_until, microseconds(window.start + window.seconds))
    yield sorted([*batch, *others], key=itemgetter(0))


def names(report: Report, detail: Detail) -> Iterator[Event]:
    """What the tracks are called, the driver's process first."""
    yield named("process_name", RUN, 0, {"name": f"run {report.profile.run.id}"})
    yield named("process_sort_index", RUN, 0, {"sort_index": -1})
    yield named("thread_name", RUN, 0, {"name": "windows: time by stage"})
    seen: set[int] = set()
    for place, thread in enumerate(detail.threads):
        if thread.pid not in seen:
            seen.add(thread.pid)
            title = f"{thread.role}: {thread.process}"
            yield named("process_name", thread.pid, thread.thread_id, {"name": title})
            yield named("process_sort_index", thread.pid, thread.thread_id, {"sort_index": place})
        name = {"name": thread.thread or str(thread.thread_id)}
        yield named("thread_name", thread.pid, thread.thread_id, name)


def named(what: str, pid: int, tid: int, arguments: dict[str, Any]) -> Event:
    return {"name": what, "ph": "M", "ts": 0, "pid": pid, "tid": tid, "args": arguments}


def spans(window: SpanWindow, thread: ThreadName) -> Iterator[Timed]:
    """Every single span; a slice around them says where every span was kept."""
    around = slice_of("every span kept", "recording", thread, (window.start, window.seconds))
    yield around["ts"], as_json(around)
    known: dict[tuple[str, str], tuple[str, str]] = {}
    for stage, detail, start, seconds in window.spans:
        if (stage, detail) not in known:
            known[stage, detail] = _around_time(stage, detail, thread)
        head, tail = known[stage, detail]
        begin, end = microseconds(start), microseconds(start + seconds)
        if math.isfinite(end):
            yield begin, f'{head}{begin!r},"dur":{round(end - begin, 3)!r}{tail}'


def _around_time(stage: str, detail: str, thread: ThreadName) -> tuple[str, str]:
    """A slice as JSON, before its time and after its length."""
    before = as_json({"name": stage, "cat": category_of(stage), "ph": "X"})
    after = as_json(
        {"pid": thread.pid, "tid": thread.thread_id} | ({"args": {"detail": detail}} if detail else {})
    )
    return f'{before[:-1]},"ts":', f",{after[1:]}"


def slice_of(name: str, category: str, thread: ThreadName, time: tuple[float, float]) -> Event:
    start, seconds = time
    begin, end = microseconds(start), microseconds(start + seconds)
    return {
        "name": name,
        "cat": category,
        "ph": "X",
        "ts": begin,
        "dur": round(end - begin, 3),  # from rounded ends, so that neighbours touch and do not overlap
        "pid": thread.pid,
        "tid": thread.thread_id,
    }


def windows(detail: Detail) -> Iterator[Event]:
    """One slice per window, named after its largest stage; its arguments are all shares."""
    whole_run = ThreadName(RUN, 0, "", "", "")
    for window in detail.windows:
        largest = max(window.stages, key=lambda stage: window.stages[stage], default=NO_STAGE)
        event = slice_of(largest, category_of(largest), whole_run, (window.start, window.seconds))
        shares = {f"{stage} %": round(100 * share, 2) for stage, share in window.stages.items()}
        yield event | {"args": shares | {f"{NO_STAGE} %": round(100 * window.unattributed_share, 2)}}


def counters(detail: Detail) -> Iterator[Event]:
    """Speed, memory, load, and how busy each thread was."""
    for window in detail.windows:
        if window.env_steps_per_second is not None:
            yield counter("env steps/s", window.start, RUN, round(window.env_steps_per_second, 3))
    for point in detail.system:
        yield counter("memory (MiB)", point.at, RUN, round(point.rss_bytes / 2**20, 2))
        yield counter("busy cores", point.at, RUN, round(point.cpu_percent / 100, 3))
    for strip in detail.strips:
        yield from busy(detail, strip)


def busy(detail: Detail, strip: LaneStrip) -> Iterator[Event]:
    """One thread's share of time at work."""
    thread = detail.threads[strip.thread]
    name = f"busy % of {thread.thread or thread.thread_id}"
    for cell in strip.cells:
        yield counter(name, cell.start, thread.pid, round(100 * cell.busy_share, 1))


def counter(name: str, at: float, pid: int, value: float) -> Event:
    return {"name": name, "ph": "C", "ts": microseconds(at), "pid": pid, "tid": 0, "args": {"value": value}}


def microseconds(seconds: float) -> float:
    """The format's unit; nanoseconds are kept as decimals."""
    return round(max(0.0, seconds) * 1e6, 3)
