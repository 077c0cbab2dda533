"""keeps all boats on the water: one asyncio loop in a thread of its own, one coroutine a boat"""
import asyncio
import queue
import threading

from sea import Regatta


class Harbour:
    def __init__(self, boats):
        self.boats = boats
        self.mail = queue.Queue()
        self.watch = {"env.step": 0.0, "env.observe": 0.0, "env.reward": 0.0, "env.reset": 0.0}
        self.loop = asyncio.new_event_loop()
        self.orders = [None] * boats
        self.thread = threading.Thread(target=self._tide, name="tide", daemon=True)

    def open(self):
        self.thread.start()

    def _tide(self):
        asyncio.set_event_loop(self.loop)
        self.jobs = [self.loop.create_task(self._voyage(i)) for i in range(self.boats)]
        self.loop.run_forever()
        for j in self.jobs:
            j.cancel()
        self.loop.run_until_complete(asyncio.gather(*self.jobs, return_exceptions=True))
        self.loop.close()

    async def _voyage(self, i):
        boat = Regatta(self.watch)
        o, _ = boat.reset(seed=100 + i)
        prize, sunk, late, last = 0.0, False, False, None
        while True:
            order = self.loop.create_future()
            self.orders[i] = order
            self.mail.put((i, o, prize, sunk, late, last))
            helm = await order
            o, prize, sunk, late, _ = boat.step(helm)
            last = None
            if sunk or late:
                last = o
                o, _ = boat.reset()

    def _hand_out(self, ids, helms):
        for i, h in zip(ids, helms):
            self.orders[i].set_result(h)

    def command(self, ids, helms):
        self.loop.call_soon_threadsafe(self._hand_out, ids, helms)

    def close(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(5)
