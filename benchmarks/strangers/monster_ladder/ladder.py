"""Client side: an asyncio thread owns the sockets, Battle objects live in the pool's threads."""
import asyncio
import itertools
import json
import threading
from time import perf_counter, thread_time

from eyes import Eyes


class Switchboard(threading.Thread):
    """The event loop in a thread of its own."""

    def __init__(self, port):
        super().__init__(daemon=True, name="switchboard")
        self.port = port
        self.loop = asyncio.new_event_loop()
        self.start()

    def run(self):
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    async def _dial(self):
        return await asyncio.open_connection("127.0.0.1", self.port)

    def dial(self):
        return asyncio.run_coroutine_threadsafe(self._dial(), self.loop).result()

    async def _ask(self, line, msg):
        reader, writer = line
        writer.write((json.dumps(msg) + "\n").encode())
        await writer.drain()
        return await reader.readline()

    def ask(self, line, msg):
        return asyncio.run_coroutine_threadsafe(self._ask(line, msg), self.loop).result()

    def hang_up(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.join()


class Battle:
    seeds = itertools.count(1)

    def __init__(self, board):
        self.board = board
        self.line = board.dial()
        self.eyes = Eyes()
        self.finished = 0
        self.won = 0

    def _talk(self, msg, slip):
        raw = self.board.ask(self.line, msg)
        c = thread_time()
        head, body = raw.decode().split("|", 1)
        self.state = json.loads(body)
        head = json.loads(head)
        slip["vec.parse"] = slip.get("vec.parse", 0.0) + thread_time() - c
        for name, key in (("reset", "env.reset"), ("foe", "env.opponent"), ("rules", "env.step"), ("wire", "vec.server")):
            if name in head["cost"]:
                slip[key] = slip.get(key, 0.0) + head["cost"][name]
        slip["spans"].append(tuple(head["span"]))

    def _see(self, slip):
        t, c = perf_counter(), thread_time()
        obs = self.eyes.look(self.state)
        c1 = thread_time()
        mask = self.eyes.allowed(self.state)
        c2 = thread_time()
        slip["env.observe"] = slip.get("env.observe", 0.0) + c1 - c
        slip["env.mask"] = slip.get("env.mask", 0.0) + c2 - c1
        slip["spans"].append((t, perf_counter()))
        return obs, mask

    def open(self):
        slip = {"spans": []}
        self._talk({"cmd": "new", "seed": next(Battle.seeds)}, slip)
        obs, mask = self._see(slip)
        return obs, mask, 0.0, False, slip

    def fight(self, pick):
        slip = {"spans": []}
        self._talk({"cmd": "pick", "pick": int(pick)}, slip)
        gain, over = self.state["gain"], self.state["over"]
        if over:
            self.finished += 1
            self.won += over == "me"
            self._talk({"cmd": "new", "seed": next(Battle.seeds)}, slip)
        obs, mask = self._see(slip)
        return obs, mask, gain, bool(over), slip
