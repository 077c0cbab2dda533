"""The most expensive functions are chosen, the first of those are compared, and generators never are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from goldsplit.model.wire import ALL, STEP
from goldsplit.record.inside.deep.call_watch import CALLS, TOTAL_NS, Function, Watch
from goldsplit.record.inside.deep.most_expensive import can_be_chosen, choose, codes_by_name

SEEN_NS = 1_000_000


def expensive() -> None: ...


def middling() -> None: ...


def cheap() -> None: ...


def seen(watch: Watch, function: Callable[[], Any], share: float, kind: str = "function") -> Function:
    found = Function(function.__code__, kind)
    found.owner = (object, "anything")
    found.figures[ALL][STEP][CALLS] = 1
    found.figures[ALL][STEP][TOTAL_NS] = int(share * SEEN_NS)
    watch.functions[function.__code__] = found
    return found


def test_functions_are_chosen_by_their_share_of_the_time_seen() -> None:
    watch = Watch()
    watch.segment_ns[ALL][STEP] = SEEN_NS
    first, second, third = (
        seen(watch, function, share)
        for function, share in ((expensive, 0.5), (middling, 0.005), (cheap, 0.0001))
    )
    choose(watch)
    assert list(watch.chosen.values()) == [first, second]
    assert first.comparison is not None
    assert second.comparison is None
    choose(watch)
    assert third.code not in watch.chosen


def test_what_was_not_called_or_is_a_generator_is_never_chosen() -> None:
    watch = Watch()
    assert not can_be_chosen(seen(watch, expensive, 0.5, kind="generator"))
    around = seen(watch, cheap, 0.5)
    assert can_be_chosen(around)
    around.figures[ALL][STEP][CALLS] = 0
    assert not can_be_chosen(around)


def test_functions_are_found_by_their_bare_names() -> None:
    watch = Watch()
    seen(watch, expensive, 0.1)
    watch.functions[cheap.__code__] = None
    assert codes_by_name(watch) == {"expensive": [expensive.__code__]}
