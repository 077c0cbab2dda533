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

        def start(self) -> None:
            """Start it."""
            started.append(self)

    module: Any = SimpleNamespace(BaseProcess=BaseProcess)
    processes._watch_starts(module)
    BaseProcess().start()
    (name,) = ENGINE.state().counts
    assert name.startswith(FACT_SEPARATOR.join(("fact_n:process_start", "work", __file__)))
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
