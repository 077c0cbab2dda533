"""Which functions a short look at all calls shows to be expensive: they are watched until stack samples tell
more, or where there are none."""

from __future__ import annotations

from goldsplit.model.wire import ALL
from goldsplit.record.inside.deep.call_watch import CALLS, TOTAL_NS, Function, Watch

#: Functions that are chosen so at most, and the share of the time seen that they must have.
MOST_CHOSEN, LEAST_SHARE = 24, 0.005


def most_expensive(watch: Watch) -> list[Function]:
    """The most expensive functions of bursts that saw all, the first one first. Not functions around the
    loop, no generators."""
    seen = sum(watch.segment_ns[ALL]) or 1
    known = [f for f in list(watch.functions.values()) if f is not None and was_called(f)]
    ranked = sorted(known, key=total_ns, reverse=True)[:MOST_CHOSEN]
    return [function for function in ranked if total_ns(function) >= LEAST_SHARE * seen]


def was_called(function: Function) -> bool:
    """Whether a call was seen to begin, of something that runs when it is called."""
    return function.kind != "generator" and any(figures[CALLS] for figures in function.figures)


def total_ns(function: Function) -> int:
    """All the time seen in a function, callees included."""
    return int(sum(figures[TOTAL_NS] for figures in function.figures))
