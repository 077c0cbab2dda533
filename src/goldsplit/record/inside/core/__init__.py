"""What every span, step and update of a recorded program runs through.

Compiled where goldsplit is installed as a wheel or was built with a C compiler; else the same in Python,
which costs the program two to three times as much. ``GOLDSPLIT_CORE=python`` asks for the one in Python.
"""

from __future__ import annotations

import importlib
import os
from types import SimpleNamespace
from typing import Any

from goldsplit.model.wire import Variable
from goldsplit.record.inside.core.act_or_learn import (
    begin_backward,
    enter_forward,
    leave_forward,
    leave_forwards_to,
    set_up_act_or_learn,
    settle_forward,
    watch_forward,
)
from goldsplit.record.inside.core.calls.call_wrappers import (
    counted_call,
    forward_call,
    rare_call,
    sized_call,
    waker_call,
)
from goldsplit.record.inside.core.calls.watched_calls import (
    WatchedCore,
    bare_watched_call,
    report_code,
    report_return,
    report_start,
    report_unwind,
    watched_call,
)
from goldsplit.record.inside.core.counting import (
    count_one,
    count_step,
    count_update,
    last_progress_ns,
    leave_steps_to,
    leave_updates_to,
    set_last_progress_ns,
    set_watched,
)
from goldsplit.record.inside.core.failures import leave_failures_to, swallow
from goldsplit.record.inside.core.known_pythons import why_unknown
from goldsplit.record.inside.core.packing import raw_columns
from goldsplit.record.inside.core.recursion import leave_recursion_to, step_aside
from goldsplit.record.inside.core.segments import SegmentsCore
from goldsplit.record.inside.core.spans import (
    add_span,
    close_span,
    enter,
    forget,
    leave,
    open_span,
    set_up,
    this_thread,
    watch_borders,
)
from goldsplit.record.inside.core.state_fields import NodeCore, StateCore
from goldsplit.record.inside.core.waiting import (
    count_command,
    enter_end,
    enter_wait,
    leave_as,
    leave_commands_to,
    set_snapshot_ns,
    set_up_waiting,
)

__all__ = [
    "NodeCore",
    "SegmentsCore",
    "StateCore",
    "WatchedCore",
    "add_span",
    "bare_watched_call",
    "begin_backward",
    "close_span",
    "count_command",
    "count_one",
    "count_step",
    "count_update",
    "counted_call",
    "enter",
    "enter_end",
    "enter_forward",
    "enter_wait",
    "forget",
    "forward_call",
    "last_progress_ns",
    "leave",
    "leave_as",
    "leave_commands_to",
    "leave_failures_to",
    "leave_forward",
    "leave_forwards_to",
    "leave_recursion_to",
    "leave_steps_to",
    "leave_updates_to",
    "open_span",
    "rare_call",
    "raw_columns",
    "report_code",
    "report_return",
    "report_start",
    "report_unwind",
    "set_last_progress_ns",
    "set_snapshot_ns",
    "set_up",
    "set_up_act_or_learn",
    "set_up_waiting",
    "set_watched",
    "settle_forward",
    "sized_call",
    "step_aside",
    "swallow",
    "this_thread",
    "waker_call",
    "watch_borders",
    "watch_forward",
    "watched_call",
]

#: Callables that are spans without a frame. In Python there are none; `framed_calls` has those with a frame.
FRAMELESS = ("span_call", "wait_call", "end_call")
span_call: Any = None
wait_call: Any = None
end_call: Any = None

IN_PYTHON = SimpleNamespace(**{name: globals()[name] for name in __all__})
IS_COMPILED = False
if os.environ.get(Variable.CORE) != "python" and not why_unknown():
    try:
        _native = importlib.import_module("goldsplit.record.inside.core._native")
    except ImportError:  # no compiler, no headers, another system
        pass
    else:
        globals().update({name: getattr(_native, name) for name in (*__all__, *FRAMELESS)})
        IS_COMPILED = True
