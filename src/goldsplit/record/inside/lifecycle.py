"""A recorded process's life: start, fork, exec, exit. Each must leave a readable file behind."""

from __future__ import annotations

import atexit
import functools
import os
from collections.abc import Callable
from typing import Any

from goldsplit.record.inside import trajectories
from goldsplit.record.inside.engine import ENGINE, clock
from goldsplit.record.inside.framed_calls import as_builtin
from goldsplit.record.inside.own_failures import harmless, safely
from goldsplit.record.inside.recorder import Recorder
from goldsplit.record.inside.span_wrapping import staged

RECORDER: Recorder | None = None


def warm_span_ns(calls: int = 200, rounds: int = 3) -> float:
    """What one span costs on this machine in a warm loop: the best round, minus the bare call."""

    def nothing() -> None:
        return None

    spanned = staged(nothing, "calibration")
    best: dict[Callable[..., Any], int] = {}
    for fn in (nothing, spanned) * rounds:
        begun = clock()
        for _ in range(calls):
            fn()
        best[fn] = min(best.get(fn, 1 << 62), clock() - begun)
    return max(0.0, (best[spanned] - best[nothing]) / calls)


def start(run_dir: str, run_start_ns: int) -> None:
    """Record this process from now on, and its forked children."""
    global RECORDER
    if RECORDER is not None:
        return
    cost_ns = warm_span_ns()
    ENGINE.forget()
    RECORDER = Recorder(run_dir, run_start_ns, cost_ns)
    RECORDER.announce()
    allow_tracing()
    atexit.register(_finish_current)
    os.register_at_fork(
        before=_pause_for_fork, after_in_parent=_go_on_after_fork, after_in_child=_restart_in_child
    )
    os._exit = as_builtin(_exit_after_finish(os._exit), os._exit)
    for name in ("execv", "execve"):
        real = getattr(os, name)
        setattr(os, name, as_builtin(_exec_after_flush(real), real))


def allow_tracing() -> None:
    """Let the sampler read this process; it has the same user, but is no ancestor. Desktops require this
    (Yama's ptrace_scope 1). It is not inherited, so every process does it."""
    try:
        with open("/proc/sys/kernel/yama/ptrace_scope", "rb") as setting:  # noqa: PTH123 - no pathlib here
            if setting.read().strip() != b"1":
                return
        import ctypes

        ctypes.CDLL(None).prctl(0x59616D61, ctypes.c_ulong(-1), 0, 0, 0)  # PR_SET_PTRACER, any
    except (OSError, ImportError, AttributeError):
        return


@safely
def _finish_current() -> None:
    trajectories.finish()
    if RECORDER is not None:
        RECORDER.finish()


@safely
def _pause_for_fork() -> None:
    """From Python 3.12 on, forking a process with several threads warns: so our thread ends before."""
    if RECORDER is not None:
        RECORDER.stop_flusher()


@safely
def _go_on_after_fork() -> None:
    """Our thread starts again with the next span, which is sampled: Python counts the threads after this."""
    if RECORDER is not None:
        ENGINE.on_next_sample = safely(RECORDER.start_flusher)
        for state in ENGINE.threads:
            state.tick = 1


@safely
def _restart_in_child() -> None:
    global RECORDER
    if RECORDER is None:
        return
    with harmless("the deep look in a forked child"):
        if RECORDER.deep is not None:
            RECORDER.deep.abandon()
    ENGINE.forget()
    RECORDER = Recorder(RECORDER.run_dir, RECORDER.run_start_ns, RECORDER.warm_span_ns)
    RECORDER.announce()
    allow_tracing()


def _exec_after_flush(real_exec: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(real_exec)
    def goldsplit_exec(*args: Any, **kwargs: Any) -> Any:
        """A new program takes over this process: save what there is, and stop the timer, which would go on
        without its handler."""
        with harmless("the end before another program"):
            if RECORDER is not None:
                RECORDER.flush(last=True)
                if RECORDER.sampler is not None:
                    RECORDER.sampler.stop()
        return real_exec(*args, **kwargs)

    return goldsplit_exec


def _exit_after_finish(real_exit: Callable[[int], Any]) -> Any:
    @functools.wraps(real_exit)
    def goldsplit_exit(status: int) -> None:
        """os._exit skips atexit; multiprocessing's forked children all end here."""
        with harmless("the end of the process"):
            trajectories.finish()
            if RECORDER is not None:
                RECORDER.finish(status)
        real_exit(status)

    return goldsplit_exit
