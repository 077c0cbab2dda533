"""Who owns a node's time, and how a thread's time splits into owners."""

from __future__ import annotations

from typing import Any

import pytest

from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.wall.ownership import is_task, owner_of, path_of

MS = 1_000_000


@pytest.mark.parametrize(
    ("path", "stage"),
    [
        (("env.step",), "env.step"),
        (("rollout", "env.step"), "env.step"),
        (("env.step", "env.opponent"), "env.opponent"),
        (("eval", "vec.copy", "env.step"), "eval"),
        (("rollout", "eval", "act"), "eval"),
        (("log", "wait"), "log"),
        (("learn.loss", "startup", "learn.forward"), "startup"),
        (("checkpoint", "transfer"), "checkpoint"),
        (("eval", "startup"), "eval"),
        (("env.step", "counted"), "env.step"),
        (("env.step", "act"), "env.opponent"),
        (("rollout", "env.step", "env.observe", "act.value"), "env.observe"),
        (("act", "env.step"), "env.step"),
        (("counted", "env.step"), "env.step"),
        (("counted",), ""),
    ],
)
def test_owners(maker: Any, path: tuple[str, ...], stage: str) -> None:
    one = maker(7)
    owner = owner_of(one.process, 0, one.node(*path))
    assert (owner.stage, owner.waiting) == (stage, False)


@pytest.mark.parametrize(
    ("path", "enclosing"),
    [
        (("vec.wait",), ""),
        (("vec.recv", "vec.wait"), ""),
        (("rollout", "vec.copy", "vec.recv", "vec.wait"), ""),
        (("replay.sample", "wait"), "replay.sample"),
        (("env.step", "vec.recv", "vec.wait"), "env.step"),
    ],
)
def test_waits_know_what_encloses_them(maker: Any, path: tuple[str, ...], enclosing: str) -> None:
    one = maker(7)
    owner = owner_of(one.process, 0, one.node(*path, detail="pipe:3"))
    assert owner.waiting
    assert (owner.detail, owner.enclosing) == ("pipe:3", enclosing)


def test_a_path_and_the_two_roots(maker: Any) -> None:
    one = maker(7)
    node = one.node("rollout", "env.step")
    task = one.node("env.step", task=True)
    assert [info.stage for info in path_of(one.process, 0, node)] == ["env.step", "rollout"]
    assert not is_task(one.process, 0, node)
    assert is_task(one.process, 0, task)
    assert is_task(one.process, 0, one.node("env.step", "act", task=True))


def test_a_nodes_own_time_is_its_total_less_its_childrens(maker: Any) -> None:
    one = maker(7)
    rollout = one.node("rollout")
    one.snapshot(0)
    step = one.spend(60 * MS, "rollout", "env.step")
    act = one.spend(30 * MS, "rollout", "act")
    one.spend(10 * MS, "rollout")
    one.snapshot(100 * MS)
    one.spend(500 * MS, "rollout", "env.step")
    one.snapshot(700 * MS)
    series = Series(one.process)
    assert series.self_times(0, 0, 100 * MS) == {rollout: 10 * MS, step: 60 * MS, act: 30 * MS}
    later = series.self_times(0, 100 * MS, 700 * MS)
    assert later[step] == 500 * MS
    assert later.get(rollout, 0) == 0


def test_tasks_and_other_threads_are_not_in_it(maker: Any) -> None:
    one = maker(7, threads=2)
    one.node("act")
    one.node("env.step", task=True)
    one.snapshot(0)
    one.spend(5 * MS, "act", thread=1)
    mine = one.spend(3 * MS, "act")
    one.totals[0, one.node("env.step", task=True)] = one.totals[0, mine]
    one.snapshot(10 * MS)
    assert Series(one.process).self_times(0, 0, 10 * MS) == {mine: 3 * MS}


def test_series_at_any_instant(maker: Any) -> None:
    one = maker(7)
    node = one.spend(5, "act")
    one.snapshot(100, own_env_steps=3)
    one.spend(7, "act")
    one.snapshot(200, own_env_steps=9)
    series = Series(one.process)
    totals = [series.node((0, node), t).total_ns for t in (50, 100, 150, 200, 999)]
    assert totals == [0, 5, 5, 12, 12]
    assert [series.summed("own_env_steps", t) for t in (50, 100, 250)] == [0, 3, 9]
    assert series.summed("never", 100) is None
    assert (series.border(101, after=True), series.border(199, after=False)) == (200, 100)
    assert (series.border(201, after=True), series.border(99, after=False)) == (None, one.process.start_ns)
    assert series.thread_cpu(0, 100, 200) == (50, 0)
    assert series.thread_cpu(5, 100, 200) == (0, 0)
