"""Worker processes: where the program starts them, and with how many threads torch is told to compute."""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any

from goldsplit.model.fact_wire import FactKind
from goldsplit.record.inside.after_import import HEAVY, when_imported
from goldsplit.record.inside.facts import add_fact, users_place
from goldsplit.record.inside.frameless_calls import send_by_value
from goldsplit.record.inside.own_failures import harmless


def install() -> None:
    """Wait for multiprocessing and torch; the import of the others only has to be timed."""
    when_imported("multiprocessing.process", _watch_starts)
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

    module.BaseProcess.start = start


def _watch_thread_settings(torch: ModuleType) -> None:
    real = torch.set_num_threads

    @functools.wraps(real)
    def set_num_threads(int: int) -> None:
        real(int)
        with harmless("a number of threads"):
            add_fact(FactKind.TORCH_THREADS, str(int), place=users_place())

    torch.set_num_threads = set_num_threads  # type: ignore[attr-defined]
