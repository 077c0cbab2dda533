import asyncio
import json
import random
from threading import Thread
from time import perf_counter_ns

from dex import DEX, hurt
from stopwatch import there


def _build(name):
    d = DEX[name]
    stats = {k: v + 20 for k, v in d["base"].items()}
    hp = d["base"]["hp"] * 2 + 60
    return {"name": name, "types": d["types"], "moves": d["moves"], "stats": stats, "hp": hp, "max": hp,
            "status": "", "boost": 0, "guard": 0}


class Side:
    def __init__(self, names):
        self.team = [_build(n) for n in names]
        self.out = 0
        self.inbox = asyncio.Queue()
        self.orders = asyncio.Queue()

    @property
    def active(self):
        return self.team[self.out]

    def alive(self):
        return [i for i, m in enumerate(self.team) if m["hp"] > 0]


class Room:
    def __init__(self, rng):
        self.rng = rng
        self.sides = [Side(rng.sample(sorted(DEX), 4)) for _ in range(2)]
        self.turn = 0
        self.weather = ""
        self.lines = []
        self.winner = None

    def request(self, who):
        mine, other = self.sides[who], self.sides[1 - who]
        return json.dumps({"turn": self.turn, "weather": self.weather, "log": self.lines[-12:], "winner": self.winner,
                           "me": who, "out": mine.out, "team": mine.team, "foe_out": other.out, "foe_team": other.team})

    async def _ask(self, who):
        t0 = perf_counter_ns()
        text = self.request(who)
        there.note(10, t0)
        await self.sides[who].inbox.put(text)
        return await self.sides[who].orders.get()

    async def play(self):
        while self.winner is None:
            picks = [await self._ask(0)]
            picks.append(await self._ask(1))
            t0 = perf_counter_ns()
            self._resolve(picks)
            there.note(10, t0)
        t0 = perf_counter_ns()
        last = [self.request(0), self.request(1)]
        there.note(10, t0)
        for who in (1, 0):
            await self.sides[who].inbox.put(last[who])

    def _say(self, *parts):
        self.lines.append("|" + "|".join(str(p) for p in parts))

    def _resolve(self, picks):
        self.turn += 1
        self._say("turn", self.turn)
        if self.rng.random() < .12:
            self.weather = self.rng.choice(["", "sun", "rain"])
            self._say("weather", self.weather)
        for who, p in enumerate(picks):
            if p >= 4 and self.sides[who].team[p - 4]["hp"] > 0:
                self.sides[who].active.update(boost=0, guard=0)
                self.sides[who].out = p - 4
                self._say("switch", who, self.sides[who].active["name"])
        movers = [w for w in (0, 1) if picks[w] < 4]
        movers.sort(key=lambda w: -self.sides[w].active["stats"]["spe"] * (.5 if self.sides[w].active["status"] == "numb" else 1))
        for w in movers:
            me, foe = self.sides[w].active, self.sides[1 - w].active
            if me["hp"] <= 0:
                continue
            mv = me["moves"][picks[w]]
            if self.rng.random() > mv["acc"] or (me["status"] == "numb" and self.rng.random() < .25):
                self._say("miss", w, mv["id"])
                continue
            dmg = min(foe["hp"], hurt(mv, me, foe, self.weather) * self.rng.uniform(.85, 1))
            foe["hp"] = round(foe["hp"] - dmg, 2)
            self._say("move", w, mv["id"], round(dmg, 1))
            self._side_effect(mv["effect"], me, foe, dmg)
        for s in self.sides:
            m = s.active
            if m["status"] == "burn" and m["hp"] > 0:
                m["hp"] = max(0, round(m["hp"] - m["max"] / 16, 2))
            if m["hp"] <= 0 and s.alive():
                self._say("faint", m["name"])
                s.out = s.alive()[0]
        dead = [not s.alive() for s in self.sides]
        if any(dead) or self.turn >= 60:
            left = [sum(m["hp"] / m["max"] for m in s.team) for s in self.sides]
            self.winner = int(left[1] > left[0])
            self._say("win", self.winner)

    def _side_effect(self, effect, me, foe, dmg):
        if effect in ("burn", "numb") and not foe["status"] and self.rng.random() < .3:
            foe["status"] = effect
        elif effect == "drain":
            me["hp"] = min(me["max"], round(me["hp"] + dmg / 3, 2))
        elif effect == "atk+":
            me["boost"] = min(4, me["boost"] + 1)
        elif effect == "def-":
            foe["guard"] = max(-2, foe["guard"] - 1)


class HouseTrainer:
    """Looks one exchange ahead: best worst case over what the other side may do."""

    def choose(self, req):
        mine, foes, weather = req["team"], req["foe_team"], req["weather"]
        best, pick = -1e9, 0
        for a in range(8):
            if a >= 4 and (a - 4 == req["out"] or mine[a - 4]["hp"] <= 0):
                continue
            worst = 1e9
            for b in range(8):
                if b >= 4 and (b - 4 == req["foe_out"] or foes[b - 4]["hp"] <= 0):
                    continue
                me = mine[a - 4] if a >= 4 else mine[req["out"]]
                foe = foes[b - 4] if b >= 4 else foes[req["foe_out"]]
                give = hurt(me["moves"][a], me, foe, weather) * me["moves"][a]["acc"] if a < 4 else 0
                take = hurt(foe["moves"][b], foe, me, weather) * foe["moves"][b]["acc"] if b < 4 else 0
                worst = min(worst, min(give, foe["hp"]) / foe["max"] - min(take, me["hp"]) / me["max"])
            if worst > best:
                best, pick = worst, a
        return pick

    async def live(self, side):
        while True:
            text = await side.inbox.get()
            t0 = perf_counter_ns()
            req = json.loads(text)
            pick = 0 if req["winner"] is not None else self.choose(req)
            there.note(11, t0)
            if req["winner"] is not None:
                return
            await side.orders.put(pick)


class LocalServer:
    def __init__(self, seed=7):
        self.loop = asyncio.new_event_loop()
        self._rng = random.Random(seed)
        self._house = HouseTrainer()
        self._tasks = []
        Thread(target=self.loop.run_forever, name="local-showdown", daemon=True).start()

    async def open_room(self):
        t0 = perf_counter_ns()
        room = Room(self._rng)
        self._tasks = [t for t in self._tasks if not t.done()]
        self._tasks += [asyncio.ensure_future(room.play()), asyncio.ensure_future(self._house.live(room.sides[1]))]
        there.note(12, t0)
        return room, await room.sides[0].inbox.get()

    async def exchange(self, room, order):
        await room.sides[0].orders.put(order)
        return await room.sides[0].inbox.get()
