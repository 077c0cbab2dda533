"""The most expensive functions of a look at all calls are chosen, and generators never are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from goldsplit.model.wire import ALL, STEP
from goldsplit.record.inside.deep.call_watch import CALLS, TOTAL_NS, Function, Watch
from goldsplit.record.inside.deep.most_expensive import most_expensive, was_called

SEEN_NS = 1_000_000


def expensive() -> None: ...


def middling() -> None: ...


def cheap() -> None: ...


def seen(watch: Watch, function: Callable[[], Any], share: float, kind: str = "function") -> Function:
    found = Function(function.__code__, kind)
    found.figures[STEP][CALLS] = 1
    found.figures[STEP][TOTAL_NS] = int(share * SEEN_NS)
    watch.functions[function.__code__] = found
    return found


def test_functions_are_chosen_by_their_share_of_the_time_seen() -> None:
    watch = Watch()
    watch.segment_ns[ALL][STEP] = SEEN_NS
    second, first, _ = (
        seen(watch, function, share)
        for function, share in ((middling, 0.006), (expensive, 0.5), (cheap, 0.0001))
    )
    assert most_expensive(watch) == [first, second]


def test_what_was_not_called_or_is_a_generator_is_never_chosen() -> None:
    watch = Watch()
    assert not was_called(seen(watch, expensive, 0.5, kind="generator"))
    around = seen(watch, cheap, 0.5)
    assert was_called(around)
    around.figures[STEP][CALLS] = 0
    assert not was_called(around)
