"""What the deep look has seen in a process, as one line of its file."""

from __future__ import annotations

from types import CodeType
from typing import TYPE_CHECKING, Any

from goldsplit.model.deep_files.deep_wire import Deep
from goldsplit.model.wire import ALL, Key, Line
from goldsplit.record.inside.deep.call_watch import TOTAL_NS

if TYPE_CHECKING:
    from goldsplit.record.inside.deep.call_watch import Function
    from goldsplit.record.inside.deep.controller import Controller
    from goldsplit.record.inside.deep.sites import SiteRow

#: Functions below this share of the time seen are left out.
LEAST_SHARE = 0.001


def deep_line(controller: Controller) -> dict[str, Any]:
    """Everything so far, cumulative, so that the last line of a process says all; only the times are this
    window's."""
    watch = controller.watch
    least_ns = LEAST_SHARE * sum(watch.segment_ns[ALL])
    functions = [
        function_row(function)
        for function in list(watch.functions.values())
        if function is not None and sum(figures[TOTAL_NS] for figures in function.figures) > least_ns
    ]
    return {
        Key.KIND: Line.DEEP,
        Key.TIME: controller.start_ns,
        Deep.WINDOWS: controller.windows,
        Deep.SPENT: watch.spent_ns(),
        Deep.BEATS: controller.beats.beats,
        Deep.SEGMENTS: watch.segments,
        Deep.SEEN: watch.segment_ns,
        Deep.STEPS: watch.env_steps,
        Deep.EVENTS: watch.segment_events,
        Deep.EVENT_NS: controller.calibrated_ns,  # what to subtract: rather too little than too much
        Deep.FUNCTIONS: functions,
        Deep.CACHES: cache_rows(controller),
        Deep.SITES: [site_row(row) for row in list(controller.sites.rows.values())],
    }


def cache_rows(controller: Controller) -> list[dict[str, Any]]:
    """Caches that were asked while we looked; a dict that never grew is no cache."""
    found = [row for row in controller.lru_caches.rows.values() if row.hits + row.misses]
    functions = list(controller.functions.functions.values())
    found += [f.cache.row for f in functions if f.cache is not None and f.cache.row.misses]
    return [
        {
            Deep.AT: [row.code.co_filename, row.code.co_firstlineno, row.code.co_qualname],
            Deep.KIND: row.kind,
            Deep.HITS: row.hits,
            Deep.MISSES: row.misses,
            Deep.CLEARS: row.clears,
            Deep.ENTRIES: row.entries,
            Deep.HIT_NS: row.hit_ns,
            Deep.MISS_NS: row.miss_ns,
            Deep.REPEATED: row.repeated,
            Deep.STAGE: row.stage or stage_of(row.code, controller),
        }
        for row in found
    ]


def stage_of(code: CodeType, controller: Controller) -> str:
    """The stage that a function was mostly seen in."""
    watched = controller.functions.functions.get(code)
    function = controller.watch.functions.get(code) if watched is None else watched
    stages = function.stages if function is not None else {}
    return max(stages, key=lambda stage: stages[stage], default="")


def site_row(row: SiteRow) -> dict[str, Any]:
    """One line that calls something worth knowing about."""
    return {
        Deep.AT: [row.code.co_filename, row.line, row.code.co_qualname],
        Deep.KIND: row.kind,
        Deep.CALLEE: row.callee,
        Deep.STAGE: max(row.stages, key=lambda stage: row.stages[stage], default=""),
        Deep.TOTALS: row.figures,
        Deep.COMPARED: row.compared,
        Deep.DISTINCT: len(row.keys),
        Deep.AMOUNT: row.amount,
        Deep.AMOUNTS: row.amounts,
        Deep.DETAIL: row.detail,
        Deep.ONLY_ALL: row.only_all,
    }


def function_row(function: Function) -> dict[str, Any]:
    """One function of which all calls were seen: where, what, how often, how long."""
    code = function.code
    nothing = [[0] * 5, [0] * 5]
    return {
        Deep.AT: [code.co_filename, code.co_firstlineno, code.co_qualname],
        Deep.KIND: function.kind,
        Deep.STAGE: max(function.stages, key=lambda stage: function.stages[stage], default=""),
        Deep.CHOSEN: False,
        Deep.TOTALS: [function.figures, nothing],
    }
