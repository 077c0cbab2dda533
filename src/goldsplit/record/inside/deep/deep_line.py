"""What the deep look has seen in a process, as one line of its file."""

from __future__ import annotations

from types import CodeType
from typing import TYPE_CHECKING, Any

from goldsplit.record.inside.deep.call_watch import ALL, TOTAL_NS

if TYPE_CHECKING:
    from goldsplit.record.inside.deep.call_watch import Function
    from goldsplit.record.inside.deep.compare import Comparison
    from goldsplit.record.inside.deep.controller import Controller
    from goldsplit.record.inside.deep.sites import SiteRow

#: Functions below this share of the time seen are left out.
LEAST_SHARE = 0.001


def deep_line(controller: Controller) -> dict[str, Any]:
    """Everything so far, cumulative, so that the last line of a process says all; `t` and `end` are this
    window's."""
    watch = controller.watch
    least_ns = LEAST_SHARE * sum(watch.segment_ns[ALL])
    functions = [
        function_row(function, function.code in watch.chosen)
        for function in list(watch.functions.values())
        if function is not None and sum(booked[TOTAL_NS] for booked in function.booked[ALL]) > least_ns
    ]
    return {
        "k": "deep",
        "t": controller.start_ns,
        "windows": controller.windows,
        "spent": watch.spent_ns(),
        "beats": controller.beats,
        "segments": watch.segments,
        "seen": watch.segment_ns,
        "steps": watch.env_steps,
        "events": watch.segment_events,
        "event_ns": controller.calibrated_ns,  # what to take off: rather too little than too much
        "functions": functions,
        "caches": cache_rows(controller),
        "sites": [site_row(row) for row in list(controller.sites.rows.values())],
    }


def cache_rows(controller: Controller) -> list[dict[str, Any]]:
    """Caches that were asked while we looked; a dict that never grew is none."""
    found = [row for row in controller.lru_caches.rows.values() if row.hits + row.misses]
    functions = list(controller.watch.chosen.values())
    found += [f.cache.row for f in functions if f.cache is not None and f.cache.row.misses]
    return [
        {
            "at": [row.code.co_filename, row.code.co_firstlineno, row.code.co_qualname],
            "kind": row.kind,
            "hits": row.hits,
            "misses": row.misses,
            "clears": row.clears,
            "entries": row.entries,
            "hit_ns": row.hit_ns,
            "miss_ns": row.miss_ns,
            "repeated": row.repeated,
            "stage": row.stage or stage_of(row.code, controller),
        }
        for row in found
    ]


def stage_of(code: CodeType, controller: Controller) -> str:
    """The stage that a function was mostly seen in."""
    function = controller.watch.functions.get(code)
    stages = function.stages if function is not None else {}
    return max(stages, key=lambda stage: stages[stage], default="")


def site_row(row: SiteRow) -> dict[str, Any]:
    """One line that calls something worth knowing about."""
    return {
        "at": [row.code.co_filename, row.line, row.code.co_qualname],
        "kind": row.kind,
        "callee": row.callee,
        "stage": max(row.stages, key=lambda stage: row.stages[stage], default=""),
        "booked": row.booked,
        "compared": row.compared,
        "distinct": len(row.keys),
        "amount": row.amount,
        "amounts": row.amounts,
        "detail": row.detail,
        "only_all": row.only_all,
    }


def function_row(function: Function, chosen: bool) -> dict[str, Any]:
    """One function: where, what, how often, how long; and what comparing its calls has shown."""
    code = function.code
    row: dict[str, Any] = {
        "at": [code.co_filename, code.co_firstlineno, code.co_qualname],
        "kind": function.kind,
        "stage": max(function.stages, key=lambda stage: function.stages[stage], default=""),
        "chosen": chosen,
        "booked": function.booked,
    }
    if function.comparison is not None and function.comparison.compared:
        row["compared"] = comparison_row(function.comparison)
    return row


def comparison_row(comparison: Comparison) -> dict[str, Any]:
    """What comparing the calls of one function has shown."""
    return {
        "calls": comparison.compared,
        "ns": comparison.call_ns,
        "repeats": comparison.repeats,
        "in_step": comparison.repeats_in_step,
        "differing": comparison.differing,
        "repeat_ns": comparison.repeat_ns,
        "distinct": comparison.distinct,
        "results": len(comparison.results),
        "result": comparison.result_text,
        "mutated": comparison.mutated,
        "by_identity": comparison.by_identity,
    }
