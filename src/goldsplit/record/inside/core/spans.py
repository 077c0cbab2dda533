"""Open and close spans: what `spans.c` does, in Python, held to the same tests."""

from __future__ import annotations

import importlib
import time
from _thread import get_ident
from collections.abc import Callable
from typing import Any

from goldsplit.record.inside.core.fields import Nobody, Shared
from goldsplit.record.inside.core.packing import RAW_SPAN

_clock = time.perf_counter_ns
_thread_clock = time.thread_time_ns


def set_up(
    find: Callable[[], Any], forward_in: dict[str, str], all_lengths: int, some_lengths: int, raw_bytes: int
) -> None:
    """Say how a state is found that is not the latest, what a forward pass is by the stage that it runs in
    (elsewhere its site tells), and the bounds."""
    Shared.find, Shared.forward_in, Shared.is_set_up = staticmethod(find), forward_in, True
    Shared.all_lengths, Shared.some_lengths, Shared.raw_bytes = all_lengths, some_lengths, raw_bytes


def this_thread() -> Any:
    """The state of the thread that asks."""
    state = Shared.latest
    if state.ident != get_ident():
        if not Shared.is_set_up:  # a wrapper came in a pickle to a process that is not recorded
            importlib.import_module("goldsplit.record.inside.hooks.torch")
            importlib.import_module("goldsplit.record.inside.hooks.classes")
        state = Shared.latest = Shared.find()
    return state


def enter(stage: str) -> Any:
    """Open a span of a stage; None inside the same stage."""
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
    state.current = node
    node.t0 = _clock()
    return node


def leave(node: Any) -> int:
    """Close a span; for one whose cost is sampled: the clock to count it from, else 0."""
    now = _clock()
    elapsed = now - node.t0
    if node.cpu_from_ns:
        node.cpu_count += 1
        node.cpu_ns += _thread_clock() - node.cpu_from_ns
        node.cpu_wall_ns += elapsed
        node.cpu_from_ns = 0
    state = this_thread()
    if state.current is node and node.parent is not None:
        node.count = count = node.count + 1
        node.total_ns += elapsed
        state.ended_ns = now
        if node.parent.parent is None:
            state.top_ns += elapsed
        state.current = node.parent
        if count < Shared.all_lengths or not count % Shared.some_lengths:
            node.keep_length(elapsed)
        raw = state.raw
        if raw is not None:
            raw += RAW_SPAN.pack(node.id, node.t0, elapsed)
            if len(raw) >= Shared.raw_bytes:
                state.end_raw(now)
    else:
        state.close_out_of_order(node, now)
    if not node.cost_from_ns:
        return 0
    cost_from_ns, node.cost_from_ns = node.cost_from_ns + elapsed, 0
    return int(cost_from_ns)


def forget(state: Any) -> None:
    """Forget the latest state, if it is this one; None: whichever it is."""
    if state is None or Shared.latest is state:
        Shared.latest = Nobody
