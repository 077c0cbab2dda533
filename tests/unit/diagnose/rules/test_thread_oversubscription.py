from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.diagnose.rules.thread_oversubscription import RULE
from goldsplit.model.profile import ProcessFigures, Profile

STAGES = {"learn.forward": 0.3, "learn.backward": 0.3, "act": 0.2, "env.step": 0.1}


def run(make: SimpleNamespace, pool: int, own: float = 50.0, native: float = 50.0, **changes: Any) -> Profile:
    """A driver of 100 s on 4 cores; its torch has `pool` threads."""
    facts = [
        make.fact("torch_pool", str(pool), count=200),
        make.fact("torch_threads", str(pool), place=make.place(7, "main")),
    ]
    figures = [ProcessFigures(100, "driver", 100.0, own + native, own, [])]
    return make.profile(STAGES, facts=facts, processes=figures, lanes=[make.lane(cpu_seconds=own)], **changes)


def test_more_threads_than_cores(make: SimpleNamespace) -> None:
    (finding,) = make.found(RULE, run(make, pool=16))
    assert finding.where.line == 7
    assert finding.share == pytest.approx(0.5), "half of the driver's time it was not on a core"
    assert finding.ceiling_speedup == pytest.approx(2.0)
    assert finding.verify.startswith("OMP_NUM_THREADS=1 goldsplit record")
    assert finding.evidence["native_thread_cpu_seconds"] == 50.0


def test_many_processes_with_a_pool_each(make: SimpleNamespace) -> None:
    """No process alone has more threads than cores, but all together do."""
    pids = (100, 101, 102)
    facts = [make.fact("torch_pool", "4", count=50, pid=pid) for pid in pids]
    lanes = [
        make.lane("driver", wait_share=0.7, cpu_seconds=25.0),
        *(make.lane("env-worker", pid, busy_share=0.8, cpu_seconds=40.0) for pid in pids[1:]),
    ]
    figures = [ProcessFigures(pid, "other", 100.0, 90.0, 40.0, []) for pid in pids]
    seen = make.profile({"env.step": 0.6, "learn.forward": 0.3}, facts=facts, lanes=lanes, processes=figures)
    (finding,) = make.found(RULE, seen)
    assert finding.evidence["computing_threads"] == 12
    assert finding.share == pytest.approx(0.6 * 0.5 + 0.05, abs=0.01)


@pytest.mark.parametrize(
    ("pool", "own", "native"),
    [(4, 50.0, 50.0), (16, 99.0, 1.0), (16, 97.0, 60.0)],
    ids=["as many as cores", "the pool does nothing", "the driver has its core"],
)
def test_no_finding(make: SimpleNamespace, pool: int, own: float, native: float) -> None:
    assert make.found(RULE, run(make, pool, own, native)) == []


def test_no_finding_without_torch(make: SimpleNamespace) -> None:
    assert make.found(RULE, make.profile(STAGES)) == []


def test_pools_of_other_libraries_count_where_they_run(make: SimpleNamespace) -> None:
    """NumPy's BLAS in two workers, without torch."""
    lanes = [
        make.lane("driver", wait_share=0.8, cpu_seconds=20.0),
        *(make.lane("env-worker", pid, busy_share=0.8, cpu_seconds=40.0) for pid in (101, 102)),
    ]
    running = [ProcessFigures(pid, "env-worker", 100.0, 80.0, 40.0, [], 3) for pid in (101, 102)]
    idle = ProcessFigures(100, "driver", 100.0, 20.0, 20.0, [], 3)
    seen = make.profile({"env.step": 0.8}, lanes=lanes, processes=[idle, *running])
    (finding,) = make.found(RULE, seen)
    assert finding.evidence["computing_threads"] == 8, "the driver's pool does nothing"
    assert finding.share == pytest.approx(0.4)
