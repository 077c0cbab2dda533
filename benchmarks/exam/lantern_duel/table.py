"""the game itself. side 0 is us, side 1 is the lamplighter bot."""
import random

from cards import CARDS, COST, HAND, LANES, PASS, fresh_deck
from chrono import clock
from lamplighter import Lamplighter


class Table:
    def __init__(self, seed=0):
        self.rng = random.Random(seed)
        self.bot = Lamplighter(self.rng)

    def deal(self):
        self.life = [24, 24]
        self.oil = [1, 1]
        self.cap = [1, 1]
        self.deck = [fresh_deck(self.rng), fresh_deck(self.rng)]
        self.hand = [[self.deck[s].pop() for _ in range(4)] for s in (0, 1)]
        self.lanes = [[None] * LANES, [None] * LANES]   # unit = [card, atk, hp, sleepy]
        self.night = 0
        self.loser = None

    # ------------------------------------------------------------------
    def legal(self):
        ok = [False] * (PASS + 1)
        ok[PASS] = True
        me = self.lanes[0]
        for h, c in enumerate(self.hand[0]):
            if COST[c] <= self.oil[0]:
                for l in range(LANES):
                    if me[l] is None:
                        ok[h * LANES + l] = True
        return ok

    def put(self, side, slot, lane):
        c = self.hand[side].pop(slot)
        self.oil[side] -= COST[c]
        n, co, a, hp, trick = CARDS[c]
        self.lanes[side][lane] = [c, a, hp, trick != "rush"]
        if trick == "burn":
            foe = self.lanes[1 - side][lane]
            if foe is not None:
                foe[2] -= 2
                if foe[2] <= 0:
                    self.lanes[1 - side][lane] = None
            else:
                self.life[1 - side] -= 1
        elif trick == "heal":
            self.life[side] = min(24, self.life[side] + 2)

    def clash(self, side):
        mine, his = self.lanes[side], self.lanes[1 - side]
        guards = [l for l in range(LANES) if his[l] is not None and CARDS[his[l][0]][4] == "guard"]
        for l in range(LANES):
            u = mine[l]
            if u is None:
                continue
            if u[3]:
                u[3] = False
                continue
            t = l
            if his[l] is None:
                near = [g for g in guards if abs(g - l) == 1 and his[g] is not None]
                t = near[0] if near else None
            if t is None:
                self.life[1 - side] -= u[1]
            else:
                v = his[t]
                v[2] -= u[1]
                u[2] -= max(1, v[1] // 2)
                if v[2] <= 0:
                    his[t] = None
                if u[2] <= 0:
                    mine[l] = None

    def dusk(self, side):
        self.cap[side] = min(8, self.cap[side] + 1)
        self.oil[side] = self.cap[side]
        if self.deck[side]:
            if len(self.hand[side]) < HAND:
                self.hand[side].append(self.deck[side].pop())
        else:
            self.life[side] -= 2

    def poke(self, choice):
        """do one choice of ours; a pass also lets the bot have its whole turn"""
        if choice != PASS:
            self.put(0, choice // LANES, choice % LANES)
        else:
            self.clash(0)
            if self.life[1] > 0:
                self.dusk(1)
                clock.into("env.opponent")
                self.bot.have_a_go(self)
                clock.out()
                self.clash(1)
                self.dusk(0)
                self.night += 1
        if self.life[1] <= 0:
            self.loser = 1
        elif self.life[0] <= 0 or self.night > 40:
            self.loser = 0
        return self.loser is not None
