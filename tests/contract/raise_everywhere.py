"""A recorded process in which, one after the other, every function of goldsplit's own raises, while
`small_program.py` runs. Started by `test_never_harms.py`; says on its last line what the program noticed.

A function raises because its code is replaced, so that every reference to it does, whoever holds it. Found by
looking through the process: a new hook takes part without being named anywhere.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import logging
import os
import sys
import threading
import time
import types
from pathlib import Path
from typing import Any

from goldsplit.record.inside import core, lifecycle
from goldsplit.record.inside.deep.window_schedule import Plan
from goldsplit.record.inside.engine import ENGINE
from goldsplit.record.inside.own_failures import harmless
from goldsplit.record.inside.start import start_from_environment

PACKAGE = "goldsplit.record.inside"
#: Rooms whose code a forked child runs, too.
FORKING = {"engine", "lifecycle", "node", "own_failures", "recorder", "timer_sampler", "process_figures"}
PROGRAM = Path(__file__).with_name("small_program.py")

#: These call the program, or what it called: there is nobody around them who could swallow what they raise.
#: They must not fail, and are the ones who swallow what all others raise.
ON_THE_WAY = {
    "core.act_or_learn": {"enter_forward", "leave_forward"},
    "core.calls.call_wrappers": {"notify", "read", "send"},
    "core.calls.watched_calls": {
        "__call__",
        "__init__",
        "_begins",
        "_close",
        "_finish",
        "_place_of",
        "goldsplit_call",
        "report_return",
        "report_start",
        "report_unwind",
    },
    "core.counting": {"count_one"},
    "core.failures": {"swallow"},
    "core.segments": {"__iter__", "__next__", "_tell", "resume"},
    "core.spans": {"enter", "leave"},
    "core.waiting": {"enter_end", "enter_wait", "leave_as"},
    "deep.builtin_text": {"_locals_of", "with_futures", "with_variables", "goldsplit_site"},
    "deep.caches": {"cache_clear", "goldsplit_cached"},
    "deep.call_watch": {"failed", "spend"},
    "deep.controller": {"beat", "give_up"},
    "deep.monitoring_events": {"_begins", "_calls", "_ends", "_fail", "_native_ends"},
    "deep.profile_events": {"callback"},
    "deep.sites": {"close_call", "goldsplit_site", "is_users"},
    "deep.torch_sites": {"__init__", "__torch_function__", "begin_forward", "end_forward", "saw"},
    "engine": {"on_forward"},
    "framed_calls": {"goldsplit_end", "goldsplit_wait", "is_no_wait", "span", "_detail"},
    "hooks.class_statements": {"__call__", "__prepare__", "__set_name__"},
    "hooks.processes": {"start", "set_num_threads"},
    "hooks.timers": {"timer_call"},
    "hooks.torch": {"_get_value", "goldsplit_forward", "profile_hook_step"},
    "hooks.networks": {"network"},
    "hooks.waiting": {"_make_methods", "acquire", "pipe", "wait"},
    "lifecycle": {"goldsplit_exec", "goldsplit_exit"},
    "own_failures": {
        "__enter__",
        "__exit__",
        "__init__",
        "goldsplit_safely",
        "count_failure",
        "is_programs_own",
    },
    "span_wrapping": {"_is_inside", "__init__", "close", "send", "span", "throw"},
    "stage_blocks": {"__call__", "__enter__", "__exit__", "__init__", "decorated", "stage_decorated"},
    "after_import": {
        "__getattr__",
        "create_module",
        "exec_module",
        "find_spec",
        "_ask_the_others",
        "run_hooks",
    },
    "timer_sampler": {"take"},
}


class Injected(Exception):  # noqa: N818 - short, for reports
    """What goldsplit's own code raises here."""


def candidates() -> list[types.FunctionType]:
    found = {}
    for thing in gc.get_objects():
        if type(thing) is types.FunctionType:
            inner = getattr(thing, "__globals__", {}).get("__name__", "")
            if inner.startswith(PACKAGE):
                room = inner.removeprefix(PACKAGE + ".")
                if thing.__code__.co_name.removeprefix("goldsplit:").split(".")[0] not in ON_THE_WAY.get(
                    room, ()
                ):
                    found[id(thing)] = (room, thing.__code__.co_qualname, thing)
    # Wrappers with a frame have their stage's name there.
    named = [entry for entry in found.values() if not is_wrapper(entry[2])]
    return [thing for *_, thing in sorted(named, key=lambda entry: entry[:2])]


def is_wrapper(function: types.FunctionType) -> bool:
    from goldsplit.record.inside.span_wrapping import is_staged

    return is_staged(function)


def raising(code: types.CodeType) -> types.CodeType:
    """Code that raises, for a function with the same variables of the functions around it."""
    names = code.co_freevars
    around = "".join(f"    {name} = None\n" for name in names)
    inside = "".join(f"        {name}\n" for name in names)
    raises = "    def raises(*args, **kwargs):\n        raise Injected('by us')\n"
    text = f"def outer():\n{around}{raises}{inside}    return raises\n"
    space: dict[str, Any] = {"Injected": Injected}
    exec(text, space)
    made: types.CodeType = space["outer"]().__code__
    return made


def run_program(forks: bool = True) -> tuple[Any, str, str]:
    """What the program returns and writes."""
    module = types.ModuleType("the_program")
    module.__file__ = str(PROGRAM)
    sys.modules["the_program"] = module
    out, err = io.StringIO(), io.StringIO()
    handler = logging.StreamHandler(err)
    logging.getLogger("program").addHandler(handler)
    logging.getLogger("program").propagate = False
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            exec(compile(PROGRAM.read_text(), str(PROGRAM), "exec"), vars(module))
            result: Any = module.main(forks)
        except BaseException as error:
            import traceback

            result = "".join(traceback.format_exception(error))
        for thread in threading.enumerate():
            if thread is not threading.current_thread() and not thread.daemon:
                thread.join(10)
    logging.getLogger("program").removeHandler(handler)
    return json.loads(json.dumps(result, default=repr)), out.getvalue(), err.getvalue()


def run_recorded(forks: bool) -> tuple[Any, str, str]:
    """The same inside a window of the deep look, with a snapshot after it."""
    recorder = lifecycle.RECORDER
    assert recorder is not None
    deep = recorder.deep
    if deep is not None:
        with harmless("opening a window"):
            now = time.perf_counter_ns()
            deep.refused, deep.plan = "", Plan(now, 10_000_000_000)
            deep.index, deep.watching = 0, 0
            deep._affords = lambda mode: True  # type: ignore[method-assign]
            deep._left_ns = lambda mode: 1e12  # type: ignore[method-assign]
            deep.open(now)
    try:
        return run_program(forks)
    finally:
        with harmless("a snapshot"):
            recorder.tick(time.perf_counter_ns(), 0)
        if deep is not None and deep.is_open:
            with harmless("closing a window"):
                recorder.turn_deep_window(deep)


def clean_up() -> None:
    """Nothing of a deep window that could not be closed stays for the next run."""
    deep = lifecycle.RECORDER.deep if lifecycle.RECORDER is not None else None
    if deep is not None:
        deep.give_up()
        deep.watch.__init__()  # type: ignore[misc]


def main() -> None:
    noticed: list[list[Any]] = []
    sys.unraisablehook = lambda given: noticed.append(
        ["unraisable", repr(given.exc_value), repr(given.object)]
    )
    threading.excepthook = lambda given: noticed.append(["thread", repr(given.exc_value), given.thread.name])
    bare = {forks: run_program(forks) for forks in (False, True)}
    run_dir = sys.argv[1]
    os.environ["GOLDSPLIT_RUN_DIR"] = run_dir
    os.environ["GOLDSPLIT_RUN_START_NS"] = str(time.perf_counter_ns())
    start_from_environment(run_dir)
    for forks, wanted in bare.items():
        recorded = run_recorded(forks)
        if recorded != wanted:
            noticed.append(["nothing raises", repr(recorded)])
    if ENGINE.failures:
        noticed.append(["failed by itself", repr(ENGINE.failures)])
    functions = candidates()
    raised = 0
    for function in functions:
        own = function.__code__
        name = f"{function.__globals__['__name__']}.{own.co_qualname}"
        function.__globals__.setdefault("Injected", Injected)
        forks = function.__globals__["__name__"].removeprefix(PACKAGE + ".") in FORKING
        ENGINE.failures.clear()
        function.__code__ = raising(own)
        try:
            seen = run_recorded(forks)
        finally:
            function.__code__ = own
            clean_up()
        raised += any("Injected" in kind for _, kind in ENGINE.failures)
        if seen != bare[forks]:
            differing = [f"{a!r} != {b!r}" for a, b in zip(seen, bare[forks], strict=True) if a != b]
            noticed.append([name, differing[0][-1500:]])
    answer = {"compiled": core.IS_COMPILED, "functions": len(functions), "raised": raised, "noticed": noticed}
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
