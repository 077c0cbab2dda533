"""The recorder's own threads are real ones that the program does not meet."""

from __future__ import annotations

import _thread
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from goldsplit.record.inside.snapshot_thread import NAME, SnapshotThread, UnlistedThread, new_lock, this_one


@pytest.fixture
def waiting() -> Iterator[tuple[SnapshotThread, list[object]]]:
    """One that waits until the test ends, and what it sees when it begins."""
    ask, begun, seen = new_lock(), new_lock(), []
    ask.acquire()
    begun.acquire()

    def run() -> None:
        seen.extend((_thread.get_native_id(), this_one(), thread.is_this()))
        begun.release()
        ask.acquire()

    thread = SnapshotThread(run)
    thread.start()
    begun.acquire()
    yield thread, seen
    ask.release()
    thread.join(10.0)
    assert not thread.is_alive()


def test_it_is_a_real_thread_that_threading_does_not_know(
    waiting: tuple[SnapshotThread, list[object]],
) -> None:
    thread, seen = waiting
    assert seen == [thread.native_id, thread, True]
    assert thread.native_id != _thread.get_native_id()
    assert thread.is_alive()
    assert not thread.is_this()
    assert thread.name == NAME
    assert thread.native_id not in [one.native_id for one in threading.enumerate()]


def test_it_starts_where_a_library_has_replaced_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_start_new_thread", "_start_joinable_thread"):  # as gevent does
        monkeypatch.setattr(threading, name, lambda *_: pytest.fail("no real thread"), raising=False)
    seen: list[int] = []
    thread = SnapshotThread(lambda: seen.append(_thread.get_native_id()))
    thread.start()
    thread.join(10.0)
    assert seen == [thread.native_id]


def test_it_takes_no_signal_from_a_program_that_waits_for_one(
    waiting: tuple[SnapshotThread, list[object]],
) -> None:
    status = Path(f"/proc/self/task/{waiting[0].native_id}/status").read_text().splitlines()
    blocked = next(int(line.split()[1], 16) for line in status if line.startswith("SigBlk"))
    allowed = [number for number in signal.valid_signals() if not blocked >> (number - 1) & 1]
    assert sorted(allowed) == [signal.SIGKILL, signal.SIGSTOP]
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == set(), "the maker's own mask is as it was"


def test_a_thread_that_threading_does_not_know_stays_unknown() -> None:
    seen, done, before = [], new_lock(), threading.active_count()
    done.acquire()
    _thread.start_new_thread(lambda: (seen.append(this_one()), done.release()), ())
    done.acquire()
    assert type(seen[0]) is UnlistedThread
    assert threading.active_count() == before
    assert this_one() is threading.current_thread()
