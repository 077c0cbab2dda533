import json
import os
from collections import deque
from time import perf_counter

import numpy as np
import torch

from env import EXTRAS, PLANES, AnthillEnv
from maps import LADDER, SIDE
from queen import Queen, improve
from sandglass import GLASS

HERE = os.path.dirname(os.path.abspath(__file__))
SEASON = 128            # decisions per PPO round
ROUNDS, PIECE = 4, 32
GAMMA, LAM = 0.985, 0.95


class Chronicle:
    """What happened this season."""

    def __init__(self):
        self.ground = np.zeros((SEASON, PLANES, SIDE, SIDE), np.float32)
        self.pantry = np.zeros((SEASON, EXTRAS), np.float32)
        self.allowed = np.zeros((SEASON, 15), bool)
        self.orders = np.zeros((SEASON, 3), np.int64)
        self.lp = np.zeros(SEASON, np.float32)
        self.mood = np.zeros(SEASON + 1, np.float32)
        self.reward = np.zeros(SEASON, np.float32)
        self.stop = np.zeros(SEASON, np.float32)

    def write(self, i, obs, allowed, orders, lp, mood, reward, stop):
        self.ground[i] = obs["ground"]
        self.pantry[i] = obs["pantry"]
        self.allowed[i] = allowed
        self.orders[i] = orders
        self.lp[i], self.mood[i], self.reward[i], self.stop[i] = lp, mood, reward, stop

    def hindsight(self):
        adv = np.zeros(SEASON, np.float32)
        run = 0.0
        for i in reversed(range(SEASON)):
            alive = 1.0 - self.stop[i]
            delta = self.reward[i] + GAMMA * self.mood[i + 1] * alive - self.mood[i]
            run = delta + GAMMA * LAM * alive * run
            adv[i] = run
        ret = adv + self.mood[:-1]
        return (adv - adv.mean()) / (adv.std() + 1e-6), ret


class Climb:
    """Which map we are on."""

    def __init__(self):
        self.rung = 0
        self.recent = deque(maxlen=5)
        self.here = 0

    def after_game(self, score):
        self.recent.append(score)
        self.here += 1
        good = len(self.recent) == 5 and sum(self.recent) / 5 > 1.5
        if self.rung + 1 < len(LADDER) and (good or self.here >= 12):
            self.rung += 1
            self.here = 0
            self.recent.clear()
            print("  -> on to", LADDER[self.rung][0])
        return self.rung


def parade(queen, env, rung):
    """one sober game to see how she does"""
    GLASS.to("eval")
    GLASS.stuck = True
    env.rung = rung
    obs, info = env.reset()
    total, over = 0.0, False
    while not over:
        obs, r, done, late, info = env.step(queen.command(obs, info["allowed"], sober=True)[0])
        total += r
        over = done or late
    print(f"  parade on {LADDER[rung][0]}: {total:.2f} {'won' if info['won'] else ''}")
    GLASS.stuck = False
    GLASS.to("other")


def main():
    torch.set_num_threads(1)
    torch.manual_seed(12)
    seconds = float(os.environ.get("WILD_SECONDS", "60"))
    env, parade_env = AnthillEnv(1000), AnthillEnv(500000)
    queen = Queen()
    opt = torch.optim.Adam(queen.parameters(), lr=6e-4, eps=1e-5)
    book, climb = Chronicle(), Climb()
    steps = games = lessons = season = 0
    scores, score = [], 0.0
    rng = np.random.default_rng(2)

    GLASS.turn()
    t0 = perf_counter()
    obs, info = env.reset()
    while perf_counter() - t0 < seconds:
        for i in range(SEASON):
            GLASS.to("act")
            orders, lp, mood = queen.command(obs, info["allowed"])
            GLASS.to("other")
            nxt, reward, done, late, ninfo = env.step(orders)
            GLASS.to("replay.add")
            book.write(i, obs, info["allowed"], orders, lp, mood, reward, done or late)
            GLASS.to("other")
            obs, info = nxt, ninfo
            score += reward
            steps += 1
            if done or late:
                games += 1
                scores.append(score)
                env.rung = climb.after_game(score)
                score = 0.0
                obs, info = env.reset()
        GLASS.to("act")
        book.mood[SEASON] = queen.command(obs, info["allowed"])[2]

        GLASS.to("learn.returns")
        adv, ret = book.hindsight()
        for _ in range(ROUNDS):
            GLASS.to("replay.sample")
            shuffled = rng.permutation(SEASON)
            for k in range(0, SEASON, PIECE):
                GLASS.to("replay.sample")
                j = shuffled[k:k + PIECE]
                piece = [torch.from_numpy(x[j]) for x in
                         (book.ground, book.pantry, book.allowed, book.orders, book.lp, adv, ret)]
                GLASS.to("learn")
                loss = improve(queen, opt, piece)
                lessons += 1
        season += 1

        GLASS.to("logging")
        print(f"season {season:4d} steps {steps:6d} games {games:4d} {LADDER[climb.rung][0]:9s} "
              f"score {np.mean(scores[-8:]) if scores else 0:7.2f} loss {loss:.3f} ants {len(env.world.ants)}",
              flush=True)
        GLASS.to("other")
        if season % 6 == 0:
            parade(queen, parade_env, climb.rung)
        if season % 8 == 0:
            GLASS.to("checkpoint")
            torch.save({"queen": queen.state_dict(), "opt": opt.state_dict(), "rung": climb.rung},
                       os.path.join(HERE, "queen.pt"))
            GLASS.to("other")
    wall = GLASS.empty()

    with open(os.environ.get("WILD_TRUTH", "truth.json"), "w") as fh:
        json.dump({"wall_seconds": wall, "stages": GLASS.heaps, "env_steps": steps,
                   "episodes": games, "updates": lessons}, fh, indent=1)


if __name__ == "__main__":
    main()
