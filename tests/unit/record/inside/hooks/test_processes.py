"""Where processes are started and how many threads torch is told to use are facts."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.model.fact_wire import FACT_SEPARATOR
from goldsplit.record.inside.engine import ENGINE
from goldsplit.record.inside.hooks import processes


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    ENGINE.forget()
    yield
    ENGINE.forget()


def work() -> None:
    """What a process would run."""


def test_a_start_is_counted_at_the_users_line() -> None:
    started = []

    class BaseProcess:
        _target = staticmethod(work)
        _popen = None

        def start(self) -> None:
            """Start it."""
            started.append(self)
            self._popen = SimpleNamespace(method="spawn")

    module: Any = SimpleNamespace(BaseProcess=BaseProcess)
    processes._watch_starts(module)
    BaseProcess().start()
    name, how = ENGINE.state().counts
    assert name.startswith(FACT_SEPARATOR.join(("fact_n:process_start", "work", __file__)))
    assert how == FACT_SEPARATOR.join(("fact_n:started_by", "spawn", ""))
    assert len(started) == 1
    assert BaseProcess.start.__doc__ == "Start it."


def test_the_number_of_threads_is_kept() -> None:
    given = []
    torch: Any = SimpleNamespace(set_num_threads=given.append)
    processes._watch_thread_settings(torch)
    torch.set_num_threads(3)
    (name,) = ENGINE.state().counts
    assert name.startswith(FACT_SEPARATOR.join(("fact_n:torch_threads", "3", __file__)))
    assert given == [3]


def test_a_worker_that_ends_badly_is_told_once() -> None:
    class Popen:
        pid, returncode, code = 7, None, -9

        def poll(self, flag: int = 1) -> int | None:
            self.returncode = self.code
            return self.returncode

    class Well(Popen):
        code = 0

    processes._watch_ends(SimpleNamespace(Popen=Popen))  # type: ignore[arg-type]
    bad, well = Popen(), Well()
    assert (bad.poll(), bad.poll(), well.poll()) == (-9, -9, 0)
    told = [event for event in ENGINE.events if event["k"] == "child"]
    assert [(event["pid"], event["code"]) for event in told] == [(7, -9)]


def test_a_pools_worker_writes_what_it_counted_before_it_hands_out_a_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done: list[Any] = []
    recorder = SimpleNamespace(finished=False, flush=lambda: done.append("written"))
    monkeypatch.setattr(processes.lifecycle, "RECORDER", recorder)
    module: Any = SimpleNamespace(worker=lambda inqueue, outqueue: [outqueue.put(n) for n in inqueue])
    processes._write_before_results(module)
    times = iter([processes.LEAST_BETWEEN_NS, processes.LEAST_BETWEEN_NS - 1])
    monkeypatch.setattr(processes, "clock", lambda: next(times))
    monkeypatch.setattr(ENGINE, "snapshot_ns", 0)
    module.worker([1, 2], SimpleNamespace(put=done.append))
    assert done == ["written", 1, 2]
