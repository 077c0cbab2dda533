"""Waits and messages: spans that name their other side. What `waiting.c` does, in Python, held to the same
tests."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from goldsplit.record.inside.core.counting import count_one
from goldsplit.record.inside.core.failures import swallow
from goldsplit.record.inside.core.spans import begin_span, close_span, enter, open_span, this_thread
from goldsplit.record.inside.core.state_fields import Shared

_clock = time.perf_counter_ns


def set_up_waiting(stages: frozenset[str], channel_of: Callable[[Any], str]) -> None:
    """Say which stages are waits, and what gives a connection its `_goldsplit_channel`."""
    Shared.waiting_stages, Shared.channel_of = stages, staticmethod(channel_of)


def set_snapshot_ns(time_ns: int) -> None:
    """When the last snapshot was taken: it has written what was open then."""
    Shared.snapshot_ns = time_ns


def enter_wait(stage: str) -> Any:
    """Open a wait; None inside another one."""
    try:
        is_waiting = this_thread().current.stage in Shared.waiting_stages
    except Exception as error:
        if not swallow("the start of a wait", error):
            raise
        return None
    return None if is_waiting else enter(stage)


def leave_as(node: Any, detail: str) -> None:
    """Close a span; its detail (for a wait: who ended it) is known only now."""
    now = _clock()
    node.cpu_from_ns = node.cost_from_ns = 0
    try:
        _close_as(this_thread(), node, detail, now)
    except Exception as error:
        if not swallow("the end of a wait", error):
            raise


def _close_as(state: Any, node: Any, detail: str, now: int) -> None:
    if detail and state.current is node and node.parent is not None:
        t0 = node.t0
        if Shared.snapshot_ns > t0:  # a snapshot has written this wait as open: that part stays where it is
            written = Shared.snapshot_ns - t0
            node.total_ns += written
            state.top_ns += written if node.parent.parent is None else 0
            t0 = Shared.snapshot_ns
        node = state.child(node.parent, node.stage, detail)
        begin_span(state, node, t0)
    close_span(state, node, now)


def enter_end(stage: str, connection: Any) -> Any:
    """Open a span that names a pipe; None inside a wait, inside another such span, and for a closed pipe."""
    try:
        state = this_thread()
        parent = state.current
        if parent.stage in Shared.waiting_stages or (parent.stage == stage and parent.detail):
            return None
        channel = getattr(connection, "_goldsplit_channel", None) or Shared.channel_of(connection)
        node = state.child(parent, stage, channel)
        open_span(state, node, _clock())
    except OSError:  # closed: the real method says so better
        return None
    except Exception as error:
        if not swallow("a message", error):
            raise
        return None
    return node


def count_command(message: Any) -> None:
    """Count a message of the usual shape (command, argument) by its command."""
    if type(message) is not tuple or not message or type(message[0]) is not str:
        return
    key = Shared.command_keys.get(message[0])
    if key is None:
        Shared.unknown_command(message)
    else:
        count_one(key)


def leave_commands_to(unknown: Callable[[Any], None], command_keys: dict[str, str]) -> None:
    """The hook that counts the commands that are not known yet; the counters of those that are."""
    Shared.unknown_command, Shared.command_keys = staticmethod(unknown), command_keys
