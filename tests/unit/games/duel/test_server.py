"""The server as a process: lines over a real socket, and an end in every case."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import psutil
import pytest
from tests.unit.games.duel.conftest import is_gone

from goldsplit.games.duel import server_process
from goldsplit.games.duel.server import LONGEST_LINE

START = {"op": "start", "seed": 3}


class Client:
    """A client that can also say what no client of ours says."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.file = self.socket.makefile("rb")

    def send(self, line: bytes) -> None:
        self.socket.sendall(line)

    def line(self) -> Any:
        return json.loads(self.file.readline())

    def ask(self, **request: Any) -> Any:
        """The last line of the answer."""
        self.send(json.dumps(request).encode() + b"\n")
        while True:
            answer = self.line()
            if answer.get("event", "request") == "request":
                return answer

    def close(self) -> None:
        self.file.close()
        self.socket.close()


@pytest.fixture
def server() -> Iterator[server_process.Server]:
    running = server_process.borrow()
    yield running
    server_process.give_back(running)


@pytest.fixture
def clients(server: server_process.Server) -> Iterator[tuple[Client, Client]]:
    pair = Client(server.port), Client(server.port)
    yield pair
    for client in pair:
        client.close()


def test_a_bad_line_is_answered_and_the_connection_stays(clients: tuple[Client, Client]) -> None:
    client, _ = clients
    client.send(b"what?\n")
    assert "not understood: what?" in client.line()["error"]
    assert client.ask(**START)["event"] == "request"


def test_an_unknown_battle_is_answered(clients: tuple[Client, Client]) -> None:
    client, other = clients
    other.ask(**START)
    assert client.ask(op="choose", action=0) == {"error": "there is no battle: start one first"}


def test_two_clients_have_their_own_battles(clients: tuple[Client, Client]) -> None:
    one, other = clients
    first = one.ask(**START)
    assert other.ask(**START) == first
    after = one.ask(op="choose", action=0)
    assert after["info"]["turn"] == 1
    assert other.ask(op="choose", action=0) == after  # the same seed, not the same battle
    one.close()
    assert other.ask(op="choose", action=0)["info"]["turn"] == 2


def test_lines_may_come_in_pieces_or_together(clients: tuple[Client, Client]) -> None:
    client, other = clients
    client.send(b'{"op": "res')
    assert other.ask(**START)["event"] == "request"  # meanwhile others are served
    client.send(b'et", "seeds": [3]}\n{"op": "play", "actions": [0]}\n')
    assert [client.line()["games"][0][5] for _ in range(2)] == [0, 1]


def test_a_line_without_end_is_cut_off(clients: tuple[Client, Client]) -> None:
    client, other = clients
    with contextlib.suppress(ConnectionError):  # it may close while we still send
        client.send(b"x" * (LONGEST_LINE + 2))
    with contextlib.suppress(ConnectionError):
        assert client.file.readline() == b""
    assert other.ask(**START)["event"] == "request"


def test_it_listens_on_this_machine_only(server: server_process.Server) -> None:
    listening = [
        one for one in psutil.Process(server.pid).net_connections() if one.status == psutil.CONN_LISTEN
    ]
    assert [(one.laddr.ip, one.laddr.port) for one in listening] == [("127.0.0.1", server.port)]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_without_a_word(number: signal.Signals) -> None:
    command = [sys.executable, "-m", "goldsplit.games.duel.server"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as alone:
        assert alone.stdout is not None
        assert json.loads(alone.stdout.readline())["port"] > 0
        alone.send_signal(number)
        _, errors = alone.communicate(timeout=10)
    assert (alone.returncode, errors) == (0, b"")


#: A player who is killed; the forked child keeps the pipe to the server open.
PLAYER = """
import os, signal, time
from goldsplit.games.duel import server_process
from goldsplit.games.duel.fast import DuelFast

env = DuelFast()
env.reset(seed=1)
child = 0
if {fork}:
    child = os.fork()
    if child == 0:
        time.sleep(60)
        os._exit(0)
print(server_process.running().pid, child, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("fork", [False, True], ids=["alone", "with a forked child"])
def test_it_ends_when_its_parent_dies(fork: bool) -> None:
    command = [sys.executable, "-c", PLAYER.format(fork=fork)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as player:
        assert player.stdout is not None
        server, child = map(int, player.stdout.readline().split())
    try:
        assert player.returncode == -signal.SIGKILL
        assert is_gone(server)
    finally:
        if child:
            os.kill(child, signal.SIGKILL)
