"""Every test of the duel ends without a server, a client's thread or a socket that stays behind."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Iterator

import psutil
import pytest

from goldsplit.games.duel import server_process

SECONDS_TO_END = 10.0


def servers_here() -> list[int]:
    """The servers that this process or one of its children started."""
    found = []
    for child in psutil.Process().children(recursive=True):
        try:
            if "goldsplit.games.duel.server" in child.cmdline():
                found.append(child.pid)
        except psutil.Error:
            continue
    return found


def is_gone(pid: int) -> bool:
    """Whether a process ends in time; one that nobody waits for counts as gone."""
    until = time.monotonic() + SECONDS_TO_END
    while time.monotonic() < until:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.02)
    return False


def connections() -> int:
    """How many TCP sockets this process has open."""
    return len(psutil.Process().net_connections(kind="tcp"))


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    before = connections()
    yield
    gc.collect()
    assert server_process.running() is None
    assert servers_here() == []
    names = [thread.name for thread in threading.enumerate()]
    assert [name for name in names if name.startswith(("duel", "battle"))] == []
    assert connections() <= before
