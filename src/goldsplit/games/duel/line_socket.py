"""A connection to the server by a blocking socket: one line out, one line back, no second thread."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from typing import Any, NoReturn

from goldsplit.games.duel import server_process
from goldsplit.games.duel.errors import DuelError, ServerLostError

SECONDS_TO_ANSWER = 30.0


class LineSocket:
    """Requests and answers as lines of JSON; the connection is made when the first request is sent."""

    def __init__(self, timeout: float = SECONDS_TO_ANSWER) -> None:
        self._timeout = timeout
        self._socket: socket.socket | None = None
        self._server: server_process.Server | None = None
        self._pid = 0

    @property
    def connected(self) -> bool:
        """Whether this process has a connection; one of the process it was forked from does not count."""
        return self._socket is not None and self._pid == os.getpid()

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to one request."""
        try:
            if not self.connected:
                self._connect()
            line = self._exchange(json.dumps(request, separators=(",", ":")).encode() + b"\n")
        except OSError as problem:
            self.close()
            raise lost(problem) from problem
        except BaseException:
            self.close()  # Ctrl-C before the answer came: the next answer would be to this request
            raise
        return checked(json.loads(line))

    def _connect(self) -> None:
        self.close()
        self._server = server_process.borrow()
        self._pid = os.getpid()
        self._socket = socket.create_connection(("127.0.0.1", self._server.port), timeout=self._timeout)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def _exchange(self, line: bytes) -> bytes:
        """One request is answered by one line: whatever ends with a line's end is all of it."""
        assert self._socket is not None
        self._socket.sendall(line)
        parts: list[bytes] = []
        while not (parts and parts[-1].endswith(b"\n")):
            part = self._socket.recv(1 << 18)
            if not part:
                raise ConnectionResetError("it closed the connection")
            parts.append(part)
        return b"".join(parts)

    def close(self) -> None:
        """Ends the connection; the last one ends the server. Can be called twice."""
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.close()  # in a forked child this closes its copy only
            self._socket = None
        if self._server is not None:
            server_process.give_back(self._server)
            self._server = None

    def __getstate__(self) -> NoReturn:
        raise not_to_be_saved()


def lost(problem: BaseException) -> ServerLostError:
    """What a player reads when the server ended or is silent."""
    if isinstance(problem, TimeoutError):
        return ServerLostError("the battle server does not answer", "give the environment a longer `timeout`")
    return ServerLostError(
        f"the battle server is gone ({problem})", "call reset(): it starts a new server and a new battle"
    )


def checked(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer that is not a refusal."""
    if "error" in answer:
        raise DuelError(f"the battle server refused: {answer['error']}", "call reset() to start a new battle")
    return answer


def not_to_be_saved() -> TypeError:
    """Why pickle cannot take an environment: the trainers then save a checkpoint without the games."""
    return TypeError("a battle is in its server's process and cannot be saved")
