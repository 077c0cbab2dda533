"""What is known of the functions that are watched for the whole run, as one line of the process's file."""

from __future__ import annotations

from types import CodeType
from typing import TYPE_CHECKING, Any

from goldsplit.model.deep_files.deep_wire import Deep
from goldsplit.model.wire import Key, Line

if TYPE_CHECKING:
    from goldsplit.record.inside.deep.watched.compare import Comparison
    from goldsplit.record.inside.deep.watched.function_watch import FunctionWatch
    from goldsplit.record.inside.deep.watched.watched_function import WatchedFunction

MOST_CALLERS = 5


def watched_line(watch: FunctionWatch, now: int) -> dict[str, Any]:
    """Everything so far, so that the last line of a process says all."""
    return {
        Key.KIND: Line.WATCHED,
        Key.TIME: watch.began_ns,
        Key.END: now,
        Deep.SPENT: watch.spent_ns(),
        Deep.THREADS: watch.steps.threads(),
        Deep.FUNCTIONS: [function_row(function) for function in list(watch.functions.values())],
    }


def function_row(function: WatchedFunction) -> dict[str, Any]:
    """One function: calls, times, who calls it, and what comparing some of its calls has shown."""
    core = function.core
    row: dict[str, Any] = {
        Deep.AT: at(function.code),
        Deep.KIND: function.kind,
        Deep.STAGE: max(function.stages, key=lambda stage: function.stages[stage], default=""),
        Deep.RANK: function.rank,
        Deep.NS: function.on_ns,
        Deep.STEPS: function.steps,
        Deep.CALLS: core.calls,
        Deep.TIMED: [core.timed_calls, core.total_ns, core.own_ns],
        Deep.CALLERS: [[at(code), calls] for code, calls in function.callers.most_common(MOST_CALLERS)],
    }
    if function.comparison.compared:
        row[Deep.COMPARED] = comparison_row(function.comparison)
    return row


def at(code: CodeType) -> list[Any]:
    """Where code is."""
    return [code.co_filename, code.co_firstlineno, code.co_qualname]


def comparison_row(comparison: Comparison) -> dict[str, Any]:
    """What comparing the calls of one function has shown."""
    return {
        Deep.CALLS: comparison.compared,
        Deep.NS: comparison.call_ns,
        Deep.REPEATS: comparison.repeats,
        Deep.IN_STEP: comparison.repeats_in_step,
        Deep.DIFFERING: comparison.differing,
        Deep.REPEAT_NS: comparison.repeat_ns,
        Deep.DISTINCT: comparison.distinct,
        Deep.RESULTS: len(comparison.results),
        Deep.RESULT: comparison.result_text,
        Deep.MUTATED: comparison.mutated,
        Deep.BY_IDENTITY: comparison.by_identity,
        Deep.HASHABLE: comparison.hashable,
        Deep.GROUPS: comparison.groups.rows(),
    }
