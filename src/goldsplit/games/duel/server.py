"""The battle server: `python -m goldsplit.games.duel.server`, started by the environments.

It listens on 127.0.0.1 at a port that the system chooses, and prints `{"port": ...}`. Requests and answers
are lines of JSON (`battle_table.py`). It ends by SIGTERM or SIGINT, when its standard input closes, or when
its parent is gone: no process stays behind.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys

from goldsplit.games.duel.battle_table import BattleTable

#: A longer line is not from one of our clients.
LONGEST_LINE = 1 << 22
SECONDS_BETWEEN_LOOKS = 1.0


class Connection(asyncio.Protocol):
    """One client and its table."""

    def __init__(self, transports: set[asyncio.WriteTransport]) -> None:
        self._transports = transports
        self._table = BattleTable()
        self._unread = b""
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport
        self._transports.add(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._transport is not None:
            self._transports.discard(self._transport)

    def data_received(self, data: bytes) -> None:
        assert self._transport is not None
        *lines, self._unread = (self._unread + data).split(b"\n")
        if len(self._unread) > LONGEST_LINE:
            self._transport.abort()
            return
        for line in lines:
            answers = self._table.answer(line)
            self._transport.write(
                b"".join(json.dumps(answer, separators=(",", ":")).encode() + b"\n" for answer in answers)
            )


async def serve() -> None:
    """Until the parent says or is gone."""
    loop = asyncio.get_running_loop()
    over = asyncio.Event()
    transports: set[asyncio.WriteTransport] = set()
    parent = os.getppid()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, over.set)
    with contextlib.suppress(PermissionError):  # a plain file as input: by hand, nobody to wait for
        loop.add_reader(sys.stdin.fileno(), _heard, over)
    server = await loop.create_server(lambda: Connection(transports), "127.0.0.1", 0)
    print(json.dumps({"port": server.sockets[0].getsockname()[1]}), flush=True)
    while not over.is_set() and os.getppid() == parent:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(over.wait(), SECONDS_BETWEEN_LOOKS)
    loop.remove_reader(sys.stdin.fileno())
    server.close()
    for transport in list(transports):
        transport.close()
    await asyncio.sleep(0)  # lets the connections close


def _heard(over: asyncio.Event) -> None:
    """The parent never writes: what can be read is the end of its pipe."""
    if not os.read(sys.stdin.fileno(), 4096):
        over.set()


if __name__ == "__main__":
    asyncio.run(serve())
