"""How often and for how long stacks are sampled."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from goldsplit.record.outside import sampler as sampler_module
from goldsplit.record.outside.sampler import StackSampler


@pytest.fixture
def sampler(tmp_path: Path) -> StackSampler:
    return StackSampler(lambda: 1, lambda: (1, 1.0), tmp_path, rate=None, stepping_threads=lambda: 1)


def test_a_short_run_is_sampled_more_often_than_its_budget(sampler: StackSampler) -> None:
    sampler.seconds_per_sample = 1.0
    assert sampler._pace(threads=1) == (sampler_module.FIRST_STACKS // 2, sampler_module.CHUNK_SECONDS[0])
    sampler.chunks = 1
    assert sampler._pace(threads=1) == (sampler_module.MIN_RATE, sampler_module.CHUNK_SECONDS[1])
    sampler.chunks = 9
    assert sampler._pace(threads=1) == (sampler_module.MIN_RATE, sampler_module.CHUNK_SECONDS[-1])


def test_a_sample_of_many_threads_is_expensive(sampler: StackSampler) -> None:
    sampler.seconds_per_sample = 1.0
    rates = [sampler._pace(threads)[0] for threads in (1, 2, 4, 9, 100)]
    assert rates == sorted(rates, reverse=True)
    assert (rates[0], rates[-1]) == (sampler_module.FIRST_STACKS // 2, sampler_module.MIN_RATE)


def test_a_deep_look_takes_more_samples_at_first(sampler: StackSampler) -> None:
    sampler.seconds_per_sample, sampler.deep = 1.0, True
    assert {sampler._pace(threads)[0] for threads in (1, 9)} == {sampler_module.FIRST_RATE_DEEP}
    sampler.chunks = 1
    assert sampler._pace(threads=1)[0] == sampler_module.MIN_RATE


def test_without_spans_more_stacks_are_sampled(sampler: StackSampler) -> None:
    assert sampler._pace(threads=0) == (
        sampler_module.UNHOOKED_RATE,
        sampler_module.UNHOOKED_CHUNK_SECONDS[0],
    )


def test_the_rate_that_the_user_gives_is_taken(sampler: StackSampler) -> None:
    sampler.fixed_rate = 250
    assert {sampler._pace(threads)[0] for threads in (0, 1, 9)} == {250}


def test_the_rate_stays_in_the_budget_of_the_busy_processors() -> None:
    assert sampler_module.choose_rate(processes=1, busy_cores=1.0, seconds_per_sample=0.001) == 5
    assert sampler_module.choose_rate(processes=1, busy_cores=4.0, seconds_per_sample=0.001) == 20
    assert (
        sampler_module.choose_rate(processes=5, busy_cores=0.1, seconds_per_sample=0.001)
        == sampler_module.MIN_RATE
    )


def test_a_sampler_gets_priority_where_it_takes_and_disturbs_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    assert sampler_module.may_go_first(samples_per_second=50, seconds_per_sample=0.002, threads_to_pause=3)
    assert not sampler_module.may_go_first(
        samples_per_second=16 * 60, seconds_per_sample=0.002, threads_to_pause=3
    )
    assert not sampler_module.may_go_first(
        samples_per_second=50, seconds_per_sample=0.002, threads_to_pause=9
    )


def test_threads_of_a_process_are_counted() -> None:
    code = "import threading; [threading.Thread(target=input).start() for _ in '12']; print(flush=True)"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        assert sampler_module.threads_of(child.pid) == 3, "one waits for the others"
        child.communicate("\n\n")
    assert sampler_module.threads_of(child.pid) == 0


def test_a_sampler_gets_priority_if_that_is_allowed() -> None:
    mine = os.sched_getscheduler(0)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        sampler_module.put_first(child.pid)
        assert os.sched_getscheduler(child.pid) in (os.SCHED_FIFO, mine), "refused: it is as it was"
        child.communicate(b"\n")
    sampler_module.put_first(child.pid)  # ended: nothing happens
    assert os.sched_getscheduler(0) == mine
