"""Worker processes: where the program starts them, and with how many threads torch is told to compute."""

from __future__ import annotations

import functools
import os
from types import ModuleType
from typing import Any

from goldsplit.model.fact_wire import FactKind
from goldsplit.model.wire import Key, Line
from goldsplit.record.inside import lifecycle
from goldsplit.record.inside.after_import import HEAVY, when_imported
from goldsplit.record.inside.engine import ENGINE, clock
from goldsplit.record.inside.facts import add_fact, users_place
from goldsplit.record.inside.own_failures import harmless
from goldsplit.record.inside.span_wrapping import send_by_value

#: A pool's worker writes before a result, but not more often than this: a snapshot costs about 1 % of it.
LEAST_BETWEEN_NS = 20_000_000


def install() -> None:
    """Wait for multiprocessing and torch; the import of the others only has to be timed."""
    when_imported("multiprocessing.process", _watch_starts)
    when_imported("multiprocessing.popen_fork", _watch_ends)
    when_imported("multiprocessing.pool", _write_before_results)
    when_imported("torch", _watch_thread_settings)
    for name in ("cloudpickle", "ray.cloudpickle", "joblib.externals.cloudpickle"):
        when_imported(f"{name}.cloudpickle", send_by_value)
    for name in HEAVY:
        when_imported(name, lambda module: None)


def _watch_starts(module: ModuleType) -> None:
    real = module.BaseProcess.start

    @functools.wraps(real)
    def start(self: Any) -> None:
        with harmless("the start of a process"):
            target = getattr(getattr(self, "_target", None), "__qualname__", type(self).__name__)
            add_fact(FactKind.PROCESS_START, str(target), place=users_place())
        real(self)
        with harmless("how a process was started"):
            method = getattr(getattr(self, "_popen", None), "method", None)
            if method:
                add_fact(FactKind.START_METHOD, str(method))

    module.BaseProcess.start = start


def _watch_ends(module: ModuleType) -> None:
    """A worker that was killed cannot say so itself; the one who started it learns how it ended."""
    real = module.Popen.poll

    @functools.wraps(real)
    def poll(self: Any, flag: int = os.WNOHANG) -> Any:
        before = self.returncode
        code = real(self, flag)
        if before is None and code:
            with harmless("the end of a worker"):
                line = {Key.KIND: Line.CHILD, Key.TIME: clock(), Key.PID: self.pid, Key.CODE: code}
                ENGINE.events.append(line)
        return code

    module.Popen.poll = poll


def _write_before_results(module: ModuleType) -> None:
    """A pool's workers are killed as soon as nobody wants more of them (`with Pool(4) as pool:` ends so):
    what they have counted must be written before they hand out a result."""
    real = module.worker

    @functools.wraps(real)
    def worker(inqueue: Any, outqueue: Any, *args: Any, **kwargs: Any) -> Any:
        with harmless("the results of a pool"):
            outqueue.put = _writing_before(outqueue.put)
        return real(inqueue, outqueue, *args, **kwargs)

    module.worker = worker  # type: ignore[attr-defined]


def _writing_before(put: Any) -> Any:
    """`put`, with a snapshot before it unless one was written a moment ago."""

    def write_and_put(result: Any) -> None:
        with harmless("the results of a pool"):
            recorder = lifecycle.RECORDER
            old = clock() - ENGINE.snapshot_ns >= LEAST_BETWEEN_NS
            if old and recorder is not None and not recorder.finished:
                recorder.flush()
        put(result)

    return write_and_put


def _watch_thread_settings(torch: ModuleType) -> None:
    real = torch.set_num_threads

    @functools.wraps(real)
    def set_num_threads(int: int) -> None:
        real(int)
        with harmless("a number of threads"):
            add_fact(FactKind.TORCH_THREADS, str(int), place=users_place())

    torch.set_num_threads = set_num_threads  # type: ignore[attr-defined]
