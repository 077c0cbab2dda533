"""A driver that stands still in its own spans while another thread has the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.stacks.samples import Samples
from goldsplit.analyse.wall.account import Account
from goldsplit.analyse.wall.causes import CauseFinder
from goldsplit.analyse.wall.lost_lock import lost_lock
from goldsplit.analyse.wall.partition import Partition, partition
from goldsplit.model.recording import NodeTotals, ProcessId, Recording, Snapshot, ThreadKey

S = 1_000_000_000
DRIVER, SERVER = ThreadKey(ProcessId(7), 0), ThreadKey(ProcessId(7), 1)


def learner_beside_server(maker: Any, recording: Callable[..., Recording], cpu: dict[int, int]) -> Partition:
    """Ten seconds: the driver learns all the time, a thread has some of its time in spans of the game. `cpu`:
    seconds that each thread computed."""
    one = maker(7, threads=2)
    one.process.snapshots.append(Snapshot(0, {}, {}, {0: (0, 0), 1: (0, 0)}))
    learn = one.spend(10 * S, "learn.backward")
    one.totals[0, learn] = NodeTotals(100, 10 * S, 100, cpu[0] * S, 10 * S)
    one.spend(3 * S, "env.opponent", thread=1)
    figures = {thread: (seconds * S, 0) for thread, seconds in cpu.items()}
    one.process.snapshots.append(Snapshot(10 * S, dict(one.totals), {}, figures))
    made = recording(one)
    finder = CauseFinder(made.processes, frozenset({SERVER}))
    return partition(Series(made.processes[0]), DRIVER, (0, 10 * S), finder, Samples(made, 0, 10 * S))


def test_what_it_lost_belongs_to_the_thread_that_computed(
    maker: Any, recording: Callable[..., Recording]
) -> None:
    result = learner_beside_server(maker, recording, {0: 2, 1: 6})
    shares = {stage: time.total_ns / result.wall_ns for stage, time in result.stages.items()}
    assert shares["learn.backward"] == pytest.approx(0.4, abs=0.01)
    assert shares["env.opponent"] == pytest.approx(0.3, abs=0.01)
    assert sum(shares.values()) + result.unattributed_ns / result.wall_ns == pytest.approx(1.0)
    assert result.charged[SERVER] == pytest.approx(6 * S, rel=0.01)
    assert result.lost_lock_ns == pytest.approx(6 * S, rel=0.01)


@pytest.mark.parametrize(
    "cpu",
    [{0: 9, 1: 1}, {0: 2, 1: 1}, {0: 8, 1: 6}],
    ids=["it-computes-itself", "the-other-hardly-computes", "both-compute-side-by-side"],
)
def test_nothing_is_lost(maker: Any, recording: Callable[..., Recording], cpu: dict[int, int]) -> None:
    result = learner_beside_server(maker, recording, cpu)
    assert result.lost_lock_ns == 0
    assert result.stages["learn.backward"].total_ns == pytest.approx(result.wall_ns)


def test_clocks_that_go_backward_lose_nothing(maker: Any, recording: Callable[..., Recording]) -> None:
    """A damaged file: the thread that is said to compute does so before the run begins."""
    one = maker(7, threads=2)
    one.process.snapshots.append(Snapshot(0, {}, {}, {0: (0, 0), 1: (0, 0)}))
    one.process.snapshots.append(Snapshot(0, {}, {}, {0: (0, 0), 1: (6 * S, 0)}))
    made = recording(one)
    account = Account(Samples(made, 0, 0), DRIVER)
    found = lost_lock(Series(made.processes[0]), DRIVER, (0, 0), 0.0, {}, account)
    assert not found.taken
    assert not found.given
