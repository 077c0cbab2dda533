"""The server's process: one for all environments of a Python process, alive while one of them is open.

The first environment that needs it starts it, `close()` of the last one ends it, and so does the end of the
interpreter. A forked child forgets its parent's server and starts its own; a spawned one knows of none.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import subprocess
import sys
import threading
from typing import Any

from goldsplit.games.duel.errors import ServerLostError

SECONDS_TO_START = 60.0
SECONDS_TO_END = 5.0


class Server:
    """A running server and how many environments use it."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "goldsplit.games.duel.server"]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # a Ctrl-C in the terminal is for the player, who then ends the server
        )
        self.users = 0
        try:
            self.port = self._read_port()
        except BaseException:
            self.end()
            raise

    def _read_port(self) -> int:
        assert self._process.stdout is not None
        readable, _, _ = select.select([self._process.stdout], [], [], SECONDS_TO_START)
        line = self._process.stdout.readline() if readable else b""
        if not line:
            why = "did not start in time" if not readable else "ended while it started"
            raise ServerLostError(
                f"the battle server {why}", "run `python -m goldsplit.games.duel.server` to see why"
            )
        return int(json.loads(line)["port"])

    @property
    def pid(self) -> int:
        return self._process.pid

    def alive(self) -> bool:
        return self._process.poll() is None

    def end(self) -> None:
        """Ends the process and waits for it: first by asking, then by force."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        if self.alive():
            self._process.terminate()
        try:
            self._process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


_lock = threading.RLock()
_server: Server | None = None
#: Servers of the process that this one was forked from: dropping them would warn of a running process.
_of_the_parent: list[Any] = []


def borrow() -> Server:
    """The server of this process, started if there is none or if it died; `give_back` ends the loan."""
    global _server
    with _lock:
        if _server is not None and not _server.alive():
            _server.end()
            _server = None
        if _server is None:
            _server = Server()
        _server.users += 1
        return _server


def give_back(server: Server) -> None:
    """The last user ends it."""
    global _server
    with _lock:
        if server in _of_the_parent:
            return
        server.users -= 1
        if server.users <= 0:
            server.end()
            if _server is server:
                _server = None


def running() -> Server | None:
    """The server of this process, if there is one."""
    return _server


@atexit.register
def _end() -> None:
    global _server
    with _lock:
        if _server is not None:
            _server.end()
            _server = None


def _forget() -> None:
    global _lock, _server
    _lock = threading.RLock()
    if _server is not None:
        _of_the_parent.append(_server)
        _server = None


os.register_at_fork(after_in_child=_forget)
