"""The snapshot thread is a real one, whatever a library made of Python's threads."""

from __future__ import annotations

import _thread
import threading

import pytest

from goldsplit.record.inside import snapshot_thread


@pytest.mark.parametrize("replaced", [False, True])
def test_it_runs_beside_the_caller_and_ends(replaced: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if replaced:  # as gevent does
        for name in snapshot_thread.STARTERS:
            monkeypatch.setattr(threading, name, lambda *args, **kwargs: pytest.fail("no real thread"))
    ask, seen = snapshot_thread.new_lock(), []
    ask.acquire()

    def run() -> None:
        ask.acquire()
        seen.append(_thread.get_native_id())

    thread = snapshot_thread.make(run)
    thread.start()
    assert seen == [], "it waits for us"
    ask.release()
    snapshot_thread.wait_for_end(thread, 10.0)
    assert seen == [thread.native_id]
    assert seen != [_thread.get_native_id()]
    assert isinstance(thread, threading.Thread) is not replaced


def test_it_ends_quietly_where_threads_are_told_apart_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    ask, real = snapshot_thread.new_lock(), threading.get_ident
    ask.acquire()
    thread = snapshot_thread.make(lambda: ask.acquire() and None)
    thread.start()
    assert isinstance(thread, threading.Thread)
    monkeypatch.setattr(threading, "get_ident", lambda: -1 if real() == thread.ident else real())
    ask.release()
    snapshot_thread.wait_for_end(thread, 10.0)
    assert thread not in threading.enumerate()
