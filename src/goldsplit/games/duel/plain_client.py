"""The plain twin's connection: an asyncio client in a second thread, asked from whichever thread plays.

Faults kept from the way such clients are written (seed 002): each request hops to the other thread and back,
each line goes through a queue, events that nobody needs are decoded, handled and kept one by one.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import json
import os
from collections.abc import Coroutine
from typing import Any, NoReturn, TypeVar

from goldsplit.games.duel import loop_thread, server_process
from goldsplit.games.duel.line_socket import SECONDS_TO_ANSWER, checked, lost, not_to_be_saved

Answer = TypeVar("Answer")

#: How much longer than the client in the other thread its player waits.
SECONDS_TO_HOP = 5.0


class BattleClient:
    """One player's connection."""

    def __init__(self, timeout: float = SECONDS_TO_ANSWER) -> None:
        self._timeout = timeout
        self._thread: loop_thread.LoopThread | None = None
        self._server: server_process.Server | None = None
        self._pid = 0
        self._writer: asyncio.StreamWriter | None = None
        self._listener: asyncio.Task[None] | None = None
        self._queue: asyncio.Queue[bytes | None] | None = None
        self.battle_log: list[dict[str, Any]] = []

    @property
    def connected(self) -> bool:
        return self._writer is not None and self._pid == os.getpid()

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """Sends a message and waits until the server wants a decision."""
        try:
            if not self.connected:
                self.close()
                self._pid = os.getpid()
                self._server = server_process.borrow()
                self._thread = loop_thread.borrow()
                self._in_loop(self._connect(self._server.port))
            answer = self._in_loop(self._send_and_wait(message))
        except BaseException:  # also Ctrl-C: the next answer would be to the old request
            self.close()
            raise
        return checked(answer)

    def _in_loop(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        assert self._thread is not None
        future = asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, self._timeout), self._thread.loop)
        try:
            return future.result(self._timeout + SECONDS_TO_HOP)
        except (OSError, concurrent.futures.CancelledError) as problem:
            raise lost(problem) from problem
        finally:
            future.cancel()  # does nothing to work that is done

    async def _connect(self, port: int) -> None:
        reader, self._writer = await asyncio.open_connection("127.0.0.1", port)
        self._queue = asyncio.Queue()
        self._listener = asyncio.create_task(self._listen(reader, self._queue))

    async def _listen(self, reader: asyncio.StreamReader, queue: asyncio.Queue[bytes | None]) -> None:
        try:
            while raw := await reader.readline():
                await queue.put(raw)
        except OSError:
            pass  # the server is gone, which the player hears by the last item
        finally:
            queue.put_nowait(None)

    async def _send_and_wait(self, message: dict[str, Any]) -> dict[str, Any]:
        assert self._writer is not None
        assert self._queue is not None
        self._writer.write((json.dumps(message) + "\n").encode())
        await self._writer.drain()
        while True:
            raw = await self._queue.get()
            if raw is None:
                raise ConnectionResetError("it closed the connection")
            answer = await self._handle_message(json.loads(raw.decode()))
            if answer is not None:
                return answer

    async def _handle_message(self, message: dict[str, Any]) -> dict[str, Any] | None:
        if "error" in message or message["event"] == "request":
            return message
        if message["event"] in ("move", "miss", "harm", "heal"):
            self.battle_log.append({"kind": "action", **message})
        elif message["event"] in ("switch", "faint"):
            self.battle_log.append({"kind": "ring", **message})
        else:
            self.battle_log.append({"kind": "other", **message})
        return None

    def close(self) -> None:
        """Ends the connection; the last one ends the loop and the server. Can be called twice."""
        thread, self._thread = self._thread, None
        server, self._server = self._server, None
        writer, self._writer = self._writer, None
        listener, self._listener = self._listener, None
        if thread is not None:
            if self._pid == os.getpid():
                thread.finish(_shut(writer, listener), self._timeout)
            else:
                thread.kept.append((writer, listener, self._queue))
            loop_thread.give_back(thread)
        if server is not None:
            server_process.give_back(server)

    def __getstate__(self) -> NoReturn:
        raise not_to_be_saved()


async def _shut(writer: asyncio.StreamWriter | None, listener: asyncio.Task[None] | None) -> None:
    if listener is not None:
        listener.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await listener
    if writer is not None:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
