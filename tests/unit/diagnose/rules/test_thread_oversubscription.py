from __future__ import annotations

import dataclasses
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
    assert (finding.ceiling_speedup, finding.unbounded) == (None, True)
    assert finding.verify.startswith("goldsplit record --with threads:1 -- "), (
        "a variable does nothing in a program that sets the number itself"
    )
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


def stalling(make: SimpleNamespace, factor: float) -> list[object]:
    """Rows whose mean is so many times their median."""
    return [make.row(stage, share, p50_us=5_000 * share / factor) for stage, share in STAGES.items()]


def test_a_pool_as_large_as_the_cores_that_stalls(make: SimpleNamespace) -> None:
    """Beside other load, most calls are fast and some wait for a thread that has no core."""
    seen = dataclasses.replace(run(make, pool=4), stages=stalling(make, 4.0))
    (finding,) = make.found(RULE, seen)
    assert finding.share == pytest.approx(0.5), (
        "what is beyond the medians, but not more than it was off core"
    )
    assert finding.evidence["mean_over_median_of_computing_stages"] == pytest.approx(4.0)
    assert finding.overlays == ("threads:1",)
    even = dataclasses.replace(run(make, pool=4), stages=stalling(make, 1.3))
    assert make.found(RULE, even) == []


def test_time_in_which_the_driver_was_ready_is_not_the_pools(make: SimpleNamespace) -> None:
    """Another program had the core: one thread would have waited as well."""
    busy = run(make, pool=16)
    busy = dataclasses.replace(busy, trust=dataclasses.replace(busy.trust, waited_for_cpu_share=0.45))
    assert make.found(RULE, busy) == []


def test_workers_whose_pools_do_nothing_do_not_count(make: SimpleNamespace) -> None:
    """12 workers with a pool each that never runs, beside a network that uses its two threads well."""
    facts = [make.fact("torch_pool", "2", count=50, pid=pid) for pid in range(100, 112)]
    figures = [ProcessFigures(100, "driver", 100.0, 190.0, 97.0, [])]
    figures += [ProcessFigures(pid, "env-worker", 100.0, 50.0, 49.93, [], 2) for pid in range(101, 112)]
    lanes = [make.lane(cpu_seconds=97.0)]
    seen = make.profile(STAGES, facts=facts, processes=figures, lanes=lanes)
    assert make.found(RULE, seen) == []


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


@pytest.mark.parametrize(("own", "native"), [(60.0, 40.0), (0.1, 1.0)])
def test_threads_that_nobody_calls_a_pool_must_do_most_of_the_work(
    make: SimpleNamespace, own: float, native: float
) -> None:
    """A network library has dozens of threads in each process, which use some time and compute nothing."""
    figures = [ProcessFigures(100, "driver", 100.0, own + native, own, [], native_threads=44)]
    lanes = [make.lane(cpu_seconds=own)]
    assert not make.found(RULE, make.profile(STAGES, processes=figures, lanes=lanes))


def test_no_ceiling_and_no_certainty_beside_other_load(make: SimpleNamespace) -> None:
    """One thread gained 5.5x to 10x where "3.18x at most, confidence high" was printed: threads that wait
    turn on their cores, and every stage costs more."""
    rows = [
        make.row("learn.backward", 0.6, p50_us=1000.0, mean_us=4000.0),
        make.row("env.step", 0.4),
    ]
    for busy, waited, confidence in ((55.0, 0.5, "medium"), (190.0, 0.5, "high"), (55.0, 0.02, "high")):
        seen = run(
            make,
            pool=2,
            own=10.0,
            native=10.0,
            trust=dataclasses.replace(make.profile().trust, waited_for_cpu_share=waited),
        )
        system = dataclasses.replace(seen.system, cores=2, cpu_percent=busy)
        (finding,) = make.found(RULE, dataclasses.replace(seen, stages=rows, system=system))
        assert (finding.most_speedup, finding.unbounded) == (None, True)
        assert finding.confidence == confidence
        assert 0.0 < finding.share <= 0.6
