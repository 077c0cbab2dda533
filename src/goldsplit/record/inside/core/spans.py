"""Open and close spans: what `spans.c` does, in Python, held to the same tests."""

from __future__ import annotations

import importlib
import time
from _thread import get_ident
from collections.abc import Callable
from math import log
from typing import Any

from goldsplit.record.inside.core.failures import swallow
from goldsplit.record.inside.core.packing import RAW_SPAN
from goldsplit.record.inside.core.state_fields import LAST_BUCKET_OF_LENGTH, NoState, Shared

_clock = time.perf_counter_ns
_thread_clock = time.thread_time_ns


def set_up(
    find: Callable[[], Any],
    all_lengths: int,
    some_lengths: int,
    raw_bytes: int,
    buckets_per_e: int,
    thread_prefix: str,
) -> None:
    """Say how a state is found that is not the latest, the limits, and what a thread's name begins with."""
    Shared.find, Shared.is_set_up = staticmethod(find), True
    Shared.all_lengths, Shared.some_lengths, Shared.raw_bytes = all_lengths, some_lengths, raw_bytes
    Shared.buckets_per_e, Shared.thread_prefix = buckets_per_e, thread_prefix


def this_thread() -> Any:
    """The state of the thread that asks."""
    state = Shared.latest
    if state.ident != get_ident():
        if not Shared.is_set_up:  # a wrapper came in a pickle to a process that is not recorded
            importlib.import_module("goldsplit.record.inside.hooks.torch")
            importlib.import_module("goldsplit.record.inside.hooks.classes")
        state = Shared.latest = Shared.find()
    return state


def watch_borders(looker: Callable[[Any, bool], None] | None, state: Any) -> None:
    """From now on `looker(node, closing)` is called before a span of the state's thread opens and after one
    has closed; None: no longer."""
    Shared.border_looker, Shared.border_state = looker and staticmethod(looker), state if looker else None


def _tell_border(node: Any, closing: bool) -> None:
    try:
        Shared.border_looker(node, closing)
    except Exception as error:
        if not swallow("a border of a span", error):
            raise


def open_span(state: Any, node: Any, t0: int) -> None:
    """A span of a node begins: it is now the thread's innermost one."""
    if Shared.border_looker is not None and state is Shared.border_state:
        _tell_border(node, False)
    begin_span(state, node, t0)


def begin_span(state: Any, node: Any, t0: int) -> None:
    """The same for a span that began some time ago, at a border that was told then."""
    state.current = node
    node.t0 = t0


def close_span(state: Any, node: Any, now: int, count: int = 1) -> None:
    """The innermost span ends; any other one is left to the state. `count` is 0 where it will go on."""
    parent = node.parent
    if state.current is not node or parent is None:
        state.close_out_of_order(node, now, count)
        return
    elapsed = now - node.t0
    state.ended_ns = now
    if parent.parent is None:
        state.top_ns += elapsed
    state.current = parent
    add_span(state, node, elapsed, count)
    if node.count < Shared.all_lengths or not node.count % Shared.some_lengths:
        _keep_length(node, elapsed)
    if Shared.border_looker is not None and state is Shared.border_state:
        _tell_border(node, True)


def add_span(state: Any, node: Any, elapsed: int, count: int = 1) -> None:
    """Add a span to its node, and to the raw window if there is one.

    Alone for what is beside the thread's open spans: the whole life of a coroutine.
    """
    node.count += count
    node.total_ns += elapsed
    raw = state.raw
    if raw is not None:
        raw += RAW_SPAN.pack(node.id, node.t0, elapsed)
        if len(raw) >= Shared.raw_bytes:
            state.end_raw(node.t0 + elapsed)


def _keep_length(node: Any, elapsed: int) -> None:
    """Count the length of the span that was just counted, for percentiles."""
    bucket = min(int(log(max(0, elapsed) + 1) * Shared.buckets_per_e), LAST_BUCKET_OF_LENGTH)
    weight = 1 if node.count < Shared.all_lengths else Shared.some_lengths
    node.histogram[bucket] = node.histogram.get(bucket, 0) + weight


def enter(stage: str) -> Any:
    """Open a span of a stage; None inside the same stage, and where that fails."""
    try:
        state = this_thread()
        parent = state.current
        if parent.stage == stage:
            return None
        node = parent.children.get(stage)
        if node is None:
            node = state.child(parent, stage)
        state.tick -= 1
        if state.tick <= 0:
            state.begin_sample(node)
        open_span(state, node, _clock())
    except Exception as error:
        if not swallow("the start of a span", error):
            raise
        return None
    return node


def leave(node: Any, count: int = 1) -> int:
    """Close a span; for one whose cost is sampled: the clock to count it from; else 0, also if that fails."""
    now = _clock()
    elapsed = now - node.t0
    if node.cpu_from_ns:
        node.cpu_count += 1
        node.cpu_ns += _thread_clock() - node.cpu_from_ns
        node.cpu_wall_ns += elapsed
        node.cpu_from_ns = 0
    try:
        close_span(this_thread(), node, now, count)
    except Exception as error:
        if not swallow("the end of a span", error):
            raise
        return 0
    if not node.cost_from_ns:
        return 0
    cost_from_ns, node.cost_from_ns = node.cost_from_ns + elapsed, 0
    return int(cost_from_ns)


def forget(state: Any) -> None:
    """Forget the latest state, if it is this one; None: whichever it is."""
    if state is None or Shared.latest is state:
        Shared.latest = NoState
