"""Players: everything here runs on the POKE_LOOP thread."""
import asyncio
import random
import threading
import time
from contextlib import contextmanager

import numpy as np
import torch

from battle import Battle, TEAM
from dex import MOVES, TYPES, effectiveness

POKE_LOOP = asyncio.new_event_loop()
N_ACTIONS = 4 + TEAM
OBS = 4 * 4 + 2 * TEAM * (3 + len(TYPES)) + 1


def start_loop():
    th = threading.Thread(target=POKE_LOOP.run_forever, daemon=True, name="poke-loop")
    th.start()
    return th


class LoopStats:
    """what the loop thread is busy with; read from the main thread"""
    def __init__(self):
        self.total = {}
        self.now = None
        self.turns = 0
        self.battles = 0

    @contextmanager
    def busy(self, what):
        t0 = time.perf_counter()
        self.now = (what, t0)
        try:
            yield
        finally:
            self.now = None
            self.total[what] = self.total.get(what, 0.0) + time.perf_counter() - t0

    def peek(self):
        now, out = self.now, dict(self.total)
        if now is not None:
            out[now[0]] = out.get(now[0], 0.0) + time.perf_counter() - now[1]
        return out


STATS = LoopStats()


def embed_battle(b: Battle, side=0):
    me, foe = b.mon(side), b.mon(1 - side)
    v = []
    for name in me["moves"]:
        mv = MOVES[name]
        v += [mv["power"] / 120, mv["acc"], effectiveness(mv["type"], foe["types"]) / 4, float(mv["type"] in me["types"])]
    for s in (side, 1 - side):
        for i, m in enumerate(b.teams[s]):
            v += [m["hp"] / m["maxhp"], float(i == b.active[s]), float(m["status"] is not None)]
            v += [1.0 if t in m["types"] else 0.0 for t in TYPES]
    v.append(b.turn / 60)
    return np.array(v, dtype=np.float32)


def action_mask(b: Battle, side=0):
    m = np.zeros(N_ACTIONS, dtype=bool)
    m[b.valid_orders(side)] = True
    return m


def battle_value(b: Battle, side=0):
    s = 0.0
    for sgn, sd in ((1, side), (-1, 1 - side)):
        for m in b.teams[sd]:
            s += sgn * (m["hp"] / m["maxhp"] - (1.0 if m["hp"] <= 0 else 0.0))
    if b.finished and b.winner is not None:
        s += 10 if b.winner == side else -10
    return s


class LookaheadPlayer:
    """tries each of its orders on a copy of the battle (against 2 random replies) and takes the best"""
    async def choose(self, b: Battle, side):
        with STATS.busy("env.opponent"):
            best, order = -1e9, None
            for o in b.valid_orders(side):
                score = 0
                for reply in random.choices(b.valid_orders(1 - side), k=2):
                    sim = b.fork()
                    orders = [0, 0]
                    orders[side], orders[1 - side] = o, reply
                    sim.run_turn(orders)
                    score += battle_value(sim, side)
                if score > best:
                    best, order = score, o
        await asyncio.sleep(0)
        return order


class RandomPlayer:
    async def choose(self, b: Battle, side):
        with STATS.busy("env.opponent"):
            o = random.choice(b.valid_orders(side))
        await asyncio.sleep(0)
        return o


class DQNPlayer:
    def __init__(self, net, transitions):
        self.net = net
        self.transitions = transitions      # queue.Queue to the main thread
        self.eps = 1.0

    def pick(self, obs, mask):
        if random.random() < self.eps:
            return int(np.random.choice(np.flatnonzero(mask)))
        with torch.no_grad():
            q = self.net(torch.as_tensor(obs)[None])[0]
            q = q.masked_fill(~torch.as_tensor(mask), -1e9)
        return int(q.argmax())

    async def battle_forever(self, tag, opponent):
        n = 0
        while True:
            n += 1
            with STATS.busy("env.reset"):
                b = Battle(f"{tag}-{n}")
            with STATS.busy("env.observe"):
                obs = embed_battle(b)
            with STATS.busy("env.mask"):
                mask = action_mask(b)
            value, total = battle_value(b), 0.0
            while not b.finished:
                with STATS.busy("act"):
                    a = self.pick(obs, mask)
                o = await opponent.choose(b, 1)
                await asyncio.sleep(0.001)          # "server" latency, the real one has it as well
                with STATS.busy("env.step"):
                    b.run_turn([a, o])
                with STATS.busy("env.reward"):
                    new_value = battle_value(b)
                    r, value = new_value - value, new_value
                    total += r
                with STATS.busy("env.observe"):
                    obs2 = embed_battle(b)
                with STATS.busy("env.mask"):
                    mask2 = action_mask(b)
                STATS.turns += 1
                item = (obs, a, r, obs2, b.finished, mask2)
                info = (total, b.winner, b.turn) if b.finished else None
                while self.transitions.full():      # learner is behind
                    await asyncio.sleep(0.002)
                self.transitions.put_nowait((item, info))
                obs, mask = obs2, mask2
            STATS.battles += 1
