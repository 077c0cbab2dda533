import os
import numpy as np
import torch
from torch import nn

from cards import COST, N_CHOICES, PASS
from chrono import clock
from spyglass import SEEN, Spyglass
from table import Table
from tally import Tally

BAG = 512
GAMMA, LAM = 0.99, 0.95


class Brain(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(SEEN, 160), nn.Tanh(), nn.Linear(160, 128), nn.Tanh())
        self.hunch = nn.Linear(128, N_CHOICES)
        self.hope = nn.Linear(128, 1)

    def forward(self, x, ok):
        h = self.trunk(x)
        return self.hunch(h).masked_fill(~ok, -1e9), self.hope(h).squeeze(-1)


class Apprentice:
    def __init__(self):
        self.brain = Brain()
        self.opt = torch.optim.Adam(self.brain.parameters(), lr=4e-4)
        self.table, self.spy, self.tally = Table(7), Spyglass(), Tally()
        self.moves = self.games = self.chews = self.rounds = 0
        self.wins = []
        self.B = dict(see=np.zeros((BAG, SEEN), np.float32), ok=np.zeros((BAG, N_CHOICES), bool),
                      did=np.zeros(BAG, np.int64), lp=np.zeros(BAG, np.float32), hope=np.zeros(BAG + 1, np.float32),
                      pts=np.zeros(BAG, np.float32), fin=np.zeros(BAG, np.float32))
        self.lay()

    def lay(self):
        clock.into("env.reset")
        self.table.deal()
        clock.into("env.reward")
        self.tally.begin(self.table)
        clock.out()
        clock.out()
        clock.into("env.observe")
        self.seen = self.spy.look(self.table)
        clock.out()

    def allowed(self):
        clock.into("env.mask")
        m = np.array(self.table.legal())
        clock.out()
        return m

    @torch.no_grad()
    def ponder(self, see, ok, greedy=False):
        clock.into("act")
        lg, v = self.brain(torch.from_numpy(see)[None], torch.from_numpy(ok)[None])
        if greedy:
            a, lp = int(lg.argmax()), 0.0
        else:
            d = torch.distributions.Categorical(logits=lg)
            aa = d.sample()
            a, lp = int(aa), float(d.log_prob(aa))
        clock.out()
        return a, lp, float(v)

    def turn(self, a):
        """one poke at the table and what comes of it"""
        clock.into("env.step")
        could = a == PASS and any(COST[c] <= self.table.oil[0] for c in self.table.hand[0])
        over = self.table.poke(a)
        clock.out()
        clock.into("env.reward")
        p = self.tally.points(self.table, could)
        clock.out()
        clock.into("env.observe")
        self.seen = self.spy.look(self.table)
        clock.out()
        return p, over

    def forage(self):
        B = self.B
        for i in range(BAG):
            ok = self.allowed()
            see = self.seen
            a, lp, v = self.ponder(see, ok)
            p, over = self.turn(a)
            B["see"][i], B["ok"][i], B["did"][i], B["lp"][i] = see, ok, a, lp
            B["hope"][i], B["pts"][i], B["fin"][i] = v, p, over
            self.moves += 1
            if over:
                self.games += 1
                self.wins.append(self.table.loser == 1)
                self.lay()
        B["hope"][BAG] = self.ponder(self.seen, self.allowed())[2]

    def weigh(self):
        clock.into("learn.returns")
        B, g = self.B, 0.0
        adv = np.zeros(BAG, np.float32)
        for i in range(BAG - 1, -1, -1):
            live = 1.0 - B["fin"][i]
            d = B["pts"][i] + GAMMA * live * B["hope"][i + 1] - B["hope"][i]
            g = d + GAMMA * LAM * live * g
            adv[i] = g
        self.ret = torch.from_numpy(adv + B["hope"][:BAG])
        self.adv = torch.from_numpy((adv - adv.mean()) / (adv.std() + 1e-6))
        clock.out()

    def chew(self):
        clock.into("learn")
        see, ok, did, lp = (torch.from_numpy(self.B[k]) for k in ("see", "ok", "did", "lp"))
        for _ in range(4):
            for ix in torch.randperm(BAG).split(128):
                lg, v = self.brain(see[ix], ok[ix])
                d = torch.distributions.Categorical(logits=lg)
                r = (d.log_prob(did[ix]) - lp[ix]).exp()
                A = self.adv[ix]
                loss = -torch.min(r * A, r.clamp(0.8, 1.2) * A).mean() \
                    + 0.5 * (v - self.ret[ix]).pow(2).mean() - 0.01 * d.entropy().mean()
                self.opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.brain.parameters(), 0.5)
                self.opt.step()
                self.chews += 1
        clock.out()
        self.rounds += 1

    def brag(self):
        """a few serious games without dice; then go on with a new game"""
        clock.into("eval")
        clock.deaf = True
        won = 0
        for _ in range(6):
            self.lay()
            over = False
            while not over:
                a, _, _ = self.ponder(self.seen, self.allowed(), True)
                _, over = self.turn(a)
            won += self.table.loser == 1
        self.lay()
        clock.deaf = False
        clock.out()
        return won / 6

    def jot(self, extra=""):
        clock.into("logging")
        last = self.wins[-50:]
        print(f"round {self.rounds:3d} moves {self.moves} games {self.games} winrate {sum(last) / max(1, len(last)):.2f} {extra}", flush=True)
        clock.out()

    def pickle_jar(self, where):
        clock.into("checkpoint")
        os.makedirs(os.path.dirname(where), exist_ok=True)
        torch.save({"brain": self.brain.state_dict(), "opt": self.opt.state_dict(), "rounds": self.rounds}, where)
        clock.out()
