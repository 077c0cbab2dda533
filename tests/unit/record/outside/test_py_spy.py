"""Whether py-spy may pause the program, and whether it may go first."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from goldsplit.record.outside import py_spy


def test_a_sampler_gets_priority_where_it_takes_and_disturbs_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    assert py_spy.may_go_first(share_of_a_core=0.1, threads_to_pause=3)
    assert not py_spy.may_go_first(share_of_a_core=1.9, threads_to_pause=3)
    assert not py_spy.may_go_first(share_of_a_core=0.1, threads_to_pause=9)


def test_a_program_is_paused_only_where_that_is_short() -> None:
    assert py_spy.should_pause(threads=3, free_cores=0.0, goes_first=True)
    assert not py_spy.should_pause(threads=3, free_cores=0.5, goes_first=False), "it might lose its core"
    assert py_spy.should_pause(threads=8, free_cores=1.0, goes_first=False)
    assert not py_spy.should_pause(threads=40, free_cores=6.0, goes_first=False)


def test_threads_of_a_process_are_counted() -> None:
    code = "import threading; [threading.Thread(target=input).start() for _ in '12']; print(flush=True)"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        assert py_spy.threads_of(child.pid) == 3, "one waits for the others"
        child.communicate("\n\n")
    assert py_spy.threads_of(child.pid) == 0


def test_a_sampler_gets_priority_if_that_is_allowed() -> None:
    mine = os.sched_getscheduler(0)
    allowed = py_spy.priority_allowed()
    assert os.sched_getscheduler(0) == mine, "only tried"
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        py_spy.put_first(child.pid)
        assert os.sched_getscheduler(child.pid) == (os.SCHED_FIFO if allowed else mine)
        child.communicate(b"\n")
    py_spy.put_first(child.pid)  # ended: nothing happens
    assert os.sched_getscheduler(0) == mine
