"""Battle server: one room per connection, lines of JSON. Prints its port and then serves until stdin closes."""
import asyncio
import json
import random
import sys
import threading
import os
from time import perf_counter, process_time

from dex import MOVES, SPECIES, damage_guess

TEAM = 4


class Mon:
    def __init__(self, sid):
        self.sid = sid
        self.name, self.type, hp, self.atk, self.dfn, self.spd, self.moves = SPECIES[sid]
        self.maxhp = self.hp = hp * 2
        self.status = None
        self.weak = 0

    def public(self):
        return {"sid": self.sid, "hp": self.hp, "max": self.maxhp, "status": self.status, "weak": self.weak}


class Room:
    def __init__(self):
        self.dice = random.Random()

    def new(self, seed):
        self.dice.seed(seed)
        self.teams = [[Mon(s) for s in self.dice.sample(range(len(SPECIES)), TEAM)] for _ in range(2)]
        self.out = [0, 0]
        self.turn = 0
        self.lines = []
        self.gain = 0.0

    def state(self):
        return {"turn": self.turn, "out": self.out, "me": [m.public() for m in self.teams[0]],
                "foe": [m.public() for m in self.teams[1]], "lines": self.lines, "gain": self.gain, "over": self.winner()}

    def winner(self):
        alive = [any(m.hp > 0 for m in t) for t in self.teams]
        if alive[0] and alive[1]:
            return "draw" if self.turn >= 60 else None
        return "me" if alive[0] else "foe"

    def damage(self, a, d, mv, roll):
        _, mtype, power, _, _ = MOVES[mv]
        atk = a.atk * (0.7 if a.weak else 1.0) * (0.8 if a.status == "burn" else 1.0)
        return damage_guess(atk, d.dfn, power, mtype, a.type, d.type) * roll

    # the house player tries each of its options against each of ours, two exchanges deep
    def house_choice(self):
        best, arg = -1e9, 0
        for pick in self.options(1):
            worst = 1e9
            for reply in self.options(0):
                worst = min(worst, self.exchange(pick, reply))
                if worst <= best:
                    break
            if worst > best:
                best, arg = worst, pick
        return arg

    def options(self, side):
        return list(range(4)) + [4 + j for j, m in enumerate(self.teams[side]) if m.hp > 0 and j != self.out[side]]

    def exchange(self, pick, reply):
        mine = self.teams[1][self.out[1] if pick < 4 else pick - 4]
        foe = self.teams[0][self.out[0] if reply < 4 else reply - 4]
        dealt = taken = 0.0
        if pick < 4:
            mv = mine.moves[pick]
            dealt = min(self.damage(mine, foe, mv, 0.93) * MOVES[mv][3], foe.hp)
        if reply < 4:
            mv = foe.moves[reply]
            taken = min(self.damage(foe, mine, mv, 0.93) * MOVES[mv][3], mine.hp)
        # and the best that both can do afterwards
        return dealt - taken + 0.6 * self.worst_reply(mine, foe) - 0.6 * self.worst_reply(foe, mine)

    def worst_reply(self, a, d):
        return max(min(self.damage(a, d, mv, 0.93) * MOVES[mv][3], d.hp) for mv in a.moves)

    def play(self, mine, his):
        self.turn += 1
        self.lines = []
        before = self.balance()
        picks = [mine, his]
        for side in (0, 1):
            if picks[side] >= 4:
                self.switch(side, picks[side] - 4)
        order = [0, 1]
        speeds = [self.speed(self.teams[s][self.out[s]]) for s in (0, 1)]
        if speeds[1] > speeds[0] or (speeds[0] == speeds[1] and self.dice.random() < 0.5):
            order = [1, 0]
        for side in order:
            if picks[side] < 4:
                self.attack(side, picks[side])
        for side in (0, 1):
            mon = self.teams[side][self.out[side]]
            if mon.status == "burn" and mon.hp > 0:
                mon.hp = max(0, mon.hp - mon.maxhp // 16)
                self.lines.append(f"{mon.name} is hurt by its burn")
            if mon.hp <= 0:
                self.lines.append(f"{mon.name} fainted")
                left = [j for j, m in enumerate(self.teams[side]) if m.hp > 0]
                if left:
                    self.switch(side, self.dice.choice(left))
        self.gain = self.balance() - before
        w = self.winner()
        if w:
            self.gain += {"me": 1.0, "foe": -1.0, "draw": 0.0}[w]

    def balance(self):
        return sum(m.hp / m.maxhp for m in self.teams[0]) / TEAM - sum(m.hp / m.maxhp for m in self.teams[1]) / TEAM

    def speed(self, mon):
        return mon.spd * (0.5 if mon.status == "numb" else 1.0)

    def switch(self, side, j):
        self.out[side] = j
        self.lines.append(f"{'we' if side == 0 else 'they'} send out {self.teams[side][j].name}")

    def attack(self, side, k):
        a, d = self.teams[side][self.out[side]], self.teams[1 - side][self.out[1 - side]]
        if a.hp <= 0 or d.hp <= 0:
            return
        mv = a.moves[k]
        name, _, _, acc, effect = MOVES[mv]
        if a.status == "numb" and self.dice.random() < 0.2:
            self.lines.append(f"{a.name} is numb")
            return
        if self.dice.random() > acc:
            self.lines.append(f"{a.name} used {name} but missed")
            return
        dmg = int(self.damage(a, d, mv, self.dice.uniform(0.85, 1.0)))
        d.hp = max(0, d.hp - dmg)
        self.lines.append(f"{a.name} used {name}: {dmg}")
        if effect == "leech":
            a.hp = min(a.maxhp, a.hp + dmg // 3)
        elif effect in ("burn", "numb") and d.status is None and self.dice.random() < 0.3:
            d.status = effect
        elif effect == "weaken":
            d.weak = 1


async def serve_room(reader, writer):
    room = Room()
    try:
        while True:
            line = await reader.readline()
            if not line:
                break
            t0, c0 = perf_counter(), process_time()
            msg = json.loads(line)
            c1 = process_time()
            foe = 0.0
            if msg["cmd"] == "new":
                room.new(msg["seed"])
                c2 = process_time()
                cost = {"reset": c2 - c1}
            else:
                his = room.house_choice()
                c2 = process_time()
                foe = c2 - c1
                room.play(msg["pick"], his)
                c3 = process_time()
                cost = {"foe": foe, "rules": c3 - c2}
            answer = json.dumps(room.state())
            cost["wire"] = process_time() - c0 - sum(cost.values())
            writer.write((json.dumps({"cost": cost, "span": (t0, perf_counter())}) + "|" + answer + "\n").encode())
            await writer.drain()
    finally:
        writer.close()


async def main():
    server = await asyncio.start_server(serve_room, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)

    def watch_parent():
        sys.stdin.read()
        os._exit(0)

    threading.Thread(target=watch_parent, daemon=True).start()
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
