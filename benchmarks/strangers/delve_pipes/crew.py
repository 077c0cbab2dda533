"""A crew of delvers, each in a process of its own at the other end of a pipe."""
import multiprocessing as mp
from collections import defaultdict
from time import perf_counter, thread_time

import numpy as np

from dungeon import N_SIGHT, Delve


def delver_life(pipe, seed, how_many):
    ledger = defaultdict(float)
    floors = [Delve(seed + 17 * i, ledger) for i in range(how_many)]
    while True:
        word, load = pipe.recv()
        woke = perf_counter()
        ledger.clear()
        if word == "begin":
            sights = np.stack([f.dig() for f in floors])
            pipe.send((sights, None, None, (woke, perf_counter(), dict(ledger))))
        elif word == "keys":
            prizes, overs, sights = [], [], []
            for floor, key in zip(floors, load):
                prize, over = floor.play_turn(key)
                sights.append(floor.dig() if over else floor.sight())
                prizes.append(prize)
                overs.append(over)
            answer = (np.stack(sights), prizes, overs, (woke, perf_counter(), dict(ledger)))
            pipe.send(answer)
        elif word == "home":
            pipe.close()
            return


class Crew:
    def __init__(self, hands, floors_each, seed, totals):
        self.totals = totals
        self.floors_each = floors_each
        self.size = hands * floors_each
        self.pipes, self.hands = [], []
        ctx = mp.get_context("fork")
        for h in range(hands):
            ours, theirs = ctx.Pipe()
            p = ctx.Process(target=delver_life, args=(theirs, seed + 1000 * h, floors_each), daemon=True)
            p.start()
            theirs.close()
            self.pipes.append(ours)
            self.hands.append(p)
        self.sights = np.zeros((self.size, N_SIGHT), np.float32)

    def begin(self):
        return self._exchange([("begin", None)] * len(self.pipes))[0]

    def turn_all(self, keys):
        n = self.floors_each
        return self._exchange([("keys", keys[i * n:(i + 1) * n]) for i in range(len(self.pipes))])

    def _exchange(self, letters):
        c0 = thread_time()
        t0 = perf_counter()
        for pipe, letter in zip(self.pipes, letters):
            pipe.send(letter)
        t1 = perf_counter()
        c1 = thread_time()
        answers = [pipe.recv() for pipe in self.pipes]
        t2 = perf_counter()
        self._book(t0, t1, t2, c1 - c0, [a[3] for a in answers])
        n = self.floors_each
        prizes, overs = [], []
        for i, (s, p, o, _) in enumerate(answers):
            self.sights[i * n:(i + 1) * n] = s
            prizes += p or []
            overs += o or []
        self.totals["vec.stack"] += perf_counter() - t2
        return self.sights.copy(), np.array(prizes, np.float32), np.array(overs, np.float32)

    def _book(self, t0, t1, t2, cpu_send, slips):
        """Share out the exchange: where at least one hand was at work it is the hands' work
        (split by their ledgers), the rest is pipes."""
        busy_send = busy_recv = 0.0
        end = t0
        for a, b, _ in sorted(slips, key=lambda s: s[0]):
            a = max(a, end)
            if b > a:
                busy_send += max(0.0, min(b, t1) - min(a, t1))
                busy_recv += max(0.0, min(b, t2) - max(a, t1))
                end = b
        both = defaultdict(float)
        for _, _, ledger in slips:
            for k, v in ledger.items():
                both[k] += v
        worked = sum(s[1] - s[0] for s in slips)
        # the first hands already work while the later letters go out; where that pushed us off
        # our core it was their work, the cpu time of the sending is ours
        pushed = min(busy_send, max(0.0, (t1 - t0) - cpu_send))
        self.totals["vec.send"] += (t1 - t0) - pushed
        share = (busy_recv + pushed) / worked if worked else 0.0
        for k, v in both.items():
            self.totals[k] += v * share
        self.totals["vec.worker"] += max(0.0, worked - sum(both.values())) * share
        self.totals["vec.recv"] += (t2 - t1) - busy_recv

    def send_home(self):
        for pipe in self.pipes:
            pipe.send(("home", None))
        for p in self.hands:
            p.join()
