from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.gil_bound_threads import RULE
from goldsplit.model.profile import Profile


def run(make: SimpleNamespace, threads: int = 8, cpu_each: float = 6.0, waiting: float = 0.5) -> Profile:
    """100 s on 4 cores: the driver waits for a pool of threads."""
    pool = [
        make.lane("env-worker", thread=f"pool_{i}", thread_id=200 + i, cpu_seconds=cpu_each)
        for i in range(threads)
    ]
    driver = make.lane("driver", wait_share=waiting, cpu_seconds=50.0)
    submit = make.fact("pool_submit", "thread", place=make.place(70, "main"))
    return make.profile({"env.step": 0.45, "wait": 0.05}, lanes=[driver, *pool], facts=[submit])


def test_eight_threads_on_one_core(make: SimpleNamespace) -> None:
    (finding,) = make.found(RULE, run(make))
    assert finding.where.line == 70
    assert finding.evidence["cpu_seconds_per_second_waited"] == pytest.approx(48 / 50)
    assert finding.share == pytest.approx(0.5 * 3 / 4), "four cores could do it in a quarter of the time"


@pytest.mark.parametrize(
    "changes",
    [{"cpu_each": 0.5}, {"cpu_each": 20.0}, {"threads": 1, "cpu_each": 48.0}, {"waiting": 0.01}],
    ids=["they wait for a server", "they run side by side", "one thread", "the driver does not wait"],
)
def test_no_finding(make: SimpleNamespace, changes: dict[str, float]) -> None:
    assert make.found(RULE, run(make, **changes)) == []
