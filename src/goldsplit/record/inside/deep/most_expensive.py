"""Which functions are worth looking at again, and which of them are compared call by call: the most
expensive."""

from __future__ import annotations

import sys
from types import CodeType

from goldsplit.model.wire import ALL
from goldsplit.record.inside.deep.caches import dict_cache_of
from goldsplit.record.inside.deep.call_watch import CALLS, TOTAL_NS, Function, Watch
from goldsplit.record.inside.deep.compare import Comparison, names_within_reach

#: Functions that are looked at in most bursts, and those of them that are compared call by call.
MOST_CHOSEN, MOST_COMPARED = 80, 24
CHOSEN_SHARE, COMPARED_SHARE = 0.002, 0.01


def choose(watch: Watch) -> None:
    """Choose from what was seen in bursts that see all; what was chosen before stays."""
    seen = sum(watch.segment_ns[ALL]) or 1
    known = [f for f in list(watch.functions.values()) if f is not None and can_be_chosen(f)]
    ranked = sorted(known, key=total_ns, reverse=True)
    for function in ranked[:MOST_CHOSEN]:
        if function.code not in watch.chosen and total_ns(function) >= CHOSEN_SHARE * seen:
            watch.chosen[function.code] = function
            function.cache = dict_cache_of(function.code)
    codes = codes_by_name(watch)
    for function in ranked[:MOST_COMPARED]:
        if function.comparison is None and total_ns(function) >= COMPARED_SHARE * seen:
            function.comparison = Comparison(function.code)
        if function.comparison is not None:
            function.comparison.names = names_within_reach(function.code, codes)
            function.comparison.judge()


def codes_by_name(watch: Watch) -> dict[str, list[CodeType]]:
    """The user's functions that were seen, by their bare names."""
    found: dict[str, list[CodeType]] = {}
    for code, function in list(watch.functions.items()):
        if function is not None:
            found.setdefault(code.co_name, []).append(code)
    return found


def can_be_chosen(function: Function) -> bool:
    """Not functions around the loop, no generators, and on 3.11 only what can be wrapped."""
    called = any(figures[CALLS] for figures in function.figures[ALL])
    if not called or function.kind == "generator":
        return False
    return function.owner is not None or sys.version_info >= (3, 12)


def total_ns(function: Function) -> int:
    """All the time seen in a function, callees included."""
    return int(sum(figures[TOTAL_NS] for figures in function.figures[ALL]))
