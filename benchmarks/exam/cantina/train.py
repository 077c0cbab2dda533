"""
PPO ricorrente per "Cantina".  L'idea viene da ppo_atari_lstm.py di CleanRL, ma le partite stanno in una
lista e si giocano una dopo l'altra: SyncVectorEnv fa la stessa cosa e io cosi' capisco cosa succede.

    python train.py          (WILD_SECONDS=20 di default)
"""
import csv
import json
import os
import time
from collections import deque
from contextlib import contextmanager

import numpy as np
import torch
import torch.nn as nn

from mondo import N_ACTIONS, Cantina
from rete import Hero

GAMES = 8
T = 40                      # turni per raccolta
EPOCHS = 3
SPLIT = 2                   # minibatch = meta' delle partite, sequenze intere
GAMMA, LAM = 0.96, 0.9
CLIP = 0.2
ENT, VF = 0.01, 0.5
LR = 1.5e-3
EXPLORE = 0.02              # premio per ogni cella nuova vista
EVAL_EVERY = 6              # raccolte
EVAL_GAMES = 2
EVAL_TURNS = 120            # le partite di prova si fermano qui, altrimenti durano troppo
SAVE_EVERY = 4

DIR = os.path.dirname(os.path.abspath(__file__))


class Watch:
    """cronometro: dentro un `with` annidato il tempo va solo a quello interno"""

    def __init__(self):
        self.sum = {}
        self.stack = []
        self.mark = 0.0

    @contextmanager
    def __call__(self, name):
        now = time.perf_counter()
        if self.stack:
            self.sum[self.stack[-1]] = self.sum.get(self.stack[-1], 0.0) + now - self.mark
        self.stack.append(name)
        self.mark = now
        try:
            yield
        finally:
            now = time.perf_counter()
            self.sum[name] = self.sum.get(name, 0.0) + now - self.mark
            self.stack.pop()
            self.mark = now

    def lap(self, name):
        """per i cicli stretti: il tempo dall'ultima lettura e' di `name` (una lettura sola invece di due)"""
        now = time.perf_counter()
        self.sum[name] = self.sum.get(name, 0.0) + now - self.mark
        self.mark = now


class Writer:
    """SummaryWriter dei poveri: (tag, valore, passo) in un csv"""

    def __init__(self, path):
        self.f = open(path, "w", newline="")
        self.w = csv.writer(self.f)
        self.w.writerow(["wall", "tag", "step", "value"])
        self.t0 = time.time()

    def add_scalar(self, tag, value, step):
        self.w.writerow([f"{time.time() - self.t0:.2f}", tag, step, f"{float(value):.5f}"])

    def flush(self):
        self.f.flush()


class Trainer:
    def __init__(self, seconds):
        self.seconds = seconds
        self.watch = Watch()
        torch.manual_seed(11)
        self.net = Hero()
        self.opt = torch.optim.Adam(self.net.parameters(), lr=LR, eps=1e-5)
        self.games = [Cantina(1000 + i) for i in range(GAMES)]
        self.writer = Writer(os.path.join(DIR, "scalars.csv"))
        self.steps = self.episodes = self.updates = self.rounds = 0
        self.returns = deque(maxlen=40)
        self.floors = deque(maxlen=40)
        self.golds = deque(maxlen=40)
        self.best_eval = -1e9
        self.eval_turns = 0

        for g in self.games:
            g.new_game()
        self.score = [0.0] * GAMES
        self.obs = torch.from_numpy(np.stack([g.picture() for g in self.games]))
        self.mask = torch.tensor([g.legal() for g in self.games])
        self.h = torch.zeros(GAMES, self.net.hidden)
        self.start = torch.zeros(GAMES)

        n = self.obs.shape[1]
        self.b_obs = torch.zeros(T, GAMES, n)
        self.b_mask = torch.zeros(T, GAMES, N_ACTIONS, dtype=torch.bool)
        self.b_act = torch.zeros(T, GAMES, dtype=torch.long)
        self.b_logp = torch.zeros(T, GAMES)
        self.b_val = torch.zeros(T, GAMES)
        self.b_rew = torch.zeros(T, GAMES)
        self.b_done = torch.zeros(T, GAMES)
        self.b_start = torch.zeros(T, GAMES)

    # -------------------------------------------------------------- raccolta
    def collect(self):
        watch = self.watch
        self.h0 = self.h.clone()
        for t in range(T):
            with watch("act"), torch.no_grad():
                self.h = self.h * (1.0 - self.start)[:, None]
                dist, val, self.h = self.net.one(self.obs, self.mask, self.h)
                act = dist.sample()
                self.b_obs[t] = self.obs
                self.b_mask[t] = self.mask
                self.b_act[t] = act
                self.b_logp[t] = dist.log_prob(act)
                self.b_val[t] = val
                self.b_start[t] = self.start
                choice = act.tolist()

            pictures, masks = [], []
            for i, g in enumerate(self.games):
                r, done = self.play(g, choice[i])
                self.score[i] += r
                self.steps += 1
                self.b_rew[t, i] = r
                self.b_done[t, i] = float(done)
                if done:
                    self.episodes += 1
                    self.returns.append(self.score[i])
                    self.floors.append(g.floor)
                    self.golds.append(g.gold)
                    self.score[i] = 0.0
                    with watch("env.reset"):
                        g.new_game()
                watch.lap("other")
                pictures.append(g.picture())
                watch.lap("env.observe")
                masks.append(g.legal())
                watch.lap("env.mask")
            with watch("env.observe"):
                self.obs = torch.from_numpy(np.stack(pictures))
            self.mask = torch.tensor(masks)
            self.start = self.b_done[t].clone()

    def play(self, g, action):
        """un turno completo: eroe, mostri, campo visivo"""
        watch = self.watch
        r = g.hero_turn(action)
        watch.lap("env.step")
        r += g.monsters_turn()
        watch.lap("env.opponent")
        r += EXPLORE * g.update_sight()
        watch.lap("env.observe")
        return r, g.over

    # ---------------------------------------------------------- apprendimento
    def advantages(self):
        with torch.no_grad():
            h = self.h * (1.0 - self.start)[:, None]
            _, last, _ = self.net.one(self.obs, self.mask, h)
        adv = torch.zeros(T, GAMES)
        run = torch.zeros(GAMES)
        for t in reversed(range(T)):
            nxt = last if t == T - 1 else self.b_val[t + 1]
            alive = 1.0 - self.b_done[t]
            delta = self.b_rew[t] + GAMMA * nxt * alive - self.b_val[t]
            run = delta + GAMMA * LAM * alive * run
            adv[t] = run
        return adv, adv + self.b_val

    def learn(self, adv, ret):
        per = GAMES // SPLIT
        stat = []
        for _ in range(EPOCHS):
            perm = torch.randperm(GAMES)
            for k in range(SPLIT):
                c = perm[k * per:(k + 1) * per]
                dist, val = self.net.many(self.b_obs[:, c], self.b_mask[:, c], self.h0[c], self.b_start[:, c])
                logp = dist.log_prob(self.b_act[:, c])
                ratio = (logp - self.b_logp[:, c]).exp()
                a = adv[:, c]
                a = (a - a.mean()) / (a.std() + 1e-8)
                pg = torch.max(-a * ratio, -a * ratio.clamp(1 - CLIP, 1 + CLIP)).mean()
                vl = 0.5 * (val - ret[:, c]).pow(2).mean()
                ent = dist.entropy().mean()
                loss = pg + VF * vl - ENT * ent
                self.opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
                self.opt.step()
                self.updates += 1
                stat.append((pg.item(), vl.item(), ent.item()))
        return np.mean(stat, axis=0)

    # ------------------------------------------------------------------ prove
    def evaluate(self):
        """partite golose con semi fissi; il gioco qui dentro non conta come env.*"""
        total = []
        for k in range(EVAL_GAMES):
            g = Cantina(77 + k)
            g.new_game()
            h = torch.zeros(1, self.net.hidden)
            score = 0.0
            while not g.over and g.turn < EVAL_TURNS:
                obs = torch.from_numpy(g.picture())[None]
                mask = torch.tensor([g.legal()])
                with torch.no_grad():
                    dist, _, h = self.net.one(obs, mask, h)
                score += g.hero_turn(int(dist.logits.argmax()))
                score += g.monsters_turn()
                g.update_sight()
            total.append(score)
            self.eval_turns += g.turn
        return float(np.mean(total)), g

    def save(self, name):
        tmp = os.path.join(DIR, name + ".tmp")
        torch.save({"net": self.net.state_dict(), "opt": self.opt.state_dict(),
                    "steps": self.steps, "updates": self.updates}, tmp)
        os.replace(tmp, os.path.join(DIR, name))

    # ------------------------------------------------------------------ ciclo
    def run(self):
        watch = self.watch
        begin = time.perf_counter()
        with watch("other"):
            while time.perf_counter() - begin < self.seconds:
                self.collect()
                with watch("learn.returns"):
                    adv, ret = self.advantages()
                with watch("learn.update"):
                    pg, vl, ent = self.learn(adv, ret)
                self.rounds += 1

                with watch("log"):
                    w = self.writer
                    w.add_scalar("losses/policy", pg, self.steps)
                    w.add_scalar("losses/value", vl, self.steps)
                    w.add_scalar("losses/entropy", ent, self.steps)
                    w.add_scalar("charts/SPS", self.steps / (time.perf_counter() - begin), self.steps)
                    if self.returns:
                        w.add_scalar("charts/return", np.mean(self.returns), self.steps)
                        w.add_scalar("charts/floor", np.mean(self.floors), self.steps)
                        w.add_scalar("charts/gold", np.mean(self.golds), self.steps)
                    for name, p in self.net.named_parameters():
                        w.add_scalar("weights/" + name, p.detach().norm(), self.steps)
                    w.flush()
                if self.rounds % EVAL_EVERY == 0:
                    with watch("eval"):
                        score, g = self.evaluate()
                    with watch("log"):
                        self.writer.add_scalar("eval/score", score, self.steps)
                        print(f"{self.steps:7d} passi {self.episodes:4d} partite  "
                              f"ritorno {np.mean(self.returns or [0]):6.2f}  cantina {np.mean(self.floors or [0]):.2f}  "
                              f"prova {score:6.2f}  entropia {ent:.2f}", flush=True)
                    if score > self.best_eval:
                        self.best_eval = score
                        with watch("checkpoint"):
                            self.save("migliore.pt")
                if self.rounds % SAVE_EVERY == 0:
                    with watch("checkpoint"):
                        self.save("ultimo.pt")
        return time.perf_counter() - begin


def main():
    torch.set_num_threads(1)
    tr = Trainer(float(os.environ.get("WILD_SECONDS", "20")))
    wall = tr.run()
    stages = dict(tr.watch.sum)
    stages["other"] = wall - sum(v for k, v in stages.items() if k != "other")
    for k, v in sorted(stages.items(), key=lambda kv: -kv[1]):
        print(f"{k:14s} {v:7.3f} s {100 * v / wall:5.1f} %")
    print(f"passi {tr.steps}  partite {tr.episodes}  aggiornamenti {tr.updates}  tempo {wall:.2f}")
    print(tr.games[0].draw())
    if os.environ.get("WILD_TRUTH"):
        with open(os.environ["WILD_TRUTH"], "w") as f:
            json.dump({"wall_seconds": wall, "stages": stages, "env_steps": tr.steps,
                       "episodes": tr.episodes, "updates": tr.updates,
                       "extra_eval_turns": tr.eval_turns}, f)


if __name__ == "__main__":
    main()
