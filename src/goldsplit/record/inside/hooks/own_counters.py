"""A script that has its game in its own lines, without a function: it counts its steps itself.

No call tells a step there. But the source shows the name that is counted up where the game goes on
(`steps += 1`), and a script's names can be read at any time: once for each snapshot, and at the end.
"""

from __future__ import annotations

import os
import sys
import threading

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.wire import Counter, Key, Line
from goldsplit.record.inside.engine import ENGINE, clock

_NOT_COUNTED = (
    "env steps are not counted: the game is in the lines {first}-{last} of {file}, not in a function, and no "
    'name is counted up there; goldsplit.count("env_steps") in these lines counts them'
)


def take_over(parts: list[NamedFunction]) -> None:
    """Read the counters of the script, if its lines have the game in them; else say that nothing counts its
    steps. `parts`: lines that step."""
    part = max(parts, key=lambda one: one.own_counters or (), default=None)
    if part is not None and part.own_counters and part.own_counters[0]:
        ENGINE.before_snapshot = _Reader(*part.own_counters)
        ENGINE.state()  # without any span of its own a script has no thread to count for, and no snapshots
    elif part is not None:
        text = _NOT_COUNTED.format(first=part.first, last=part.last, file=part.file.rpartition("/")[2])
        ENGINE.events.append({Key.KIND: Line.NOTE, Key.TEXT: text})


class _Reader:
    """Takes the script's own counters over as this process's."""

    def __init__(self, steps: str, episodes: str, updates: str = "") -> None:
        names = {
            Counter.OWN_ENV_STEPS: steps,
            Counter.OWN + Counter.EPISODES: episodes,
            Counter.USER + Counter.UPDATES: updates,
        }
        self._names = {counter: name for counter, name in names.items() if name}
        self._pid = os.getpid()

    def __call__(self) -> None:
        state = ENGINE.by_ident.get(threading.main_thread().ident or 0)
        if state is None or os.getpid() != self._pid:  # a forked child has the names too, and counts nothing
            return
        values = vars(sys.modules["__main__"])
        for counter, name in self._names.items():
            value = values.get(name)
            if type(value) is not int or value < state.counts.get(counter, 0):
                continue
            if value > state.counts.get(counter, 0) and counter == Counter.OWN_ENV_STEPS:
                ENGINE.first_step_ns = ENGINE.first_step_ns or clock()
                ENGINE.last_step_ns = clock()
            state.counts[counter] = value
