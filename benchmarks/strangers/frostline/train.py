"""Self-play training for Frostline."""
import json
import os
import random
from dataclasses import dataclass, field

import numpy as np
import torch
import torch.nn.functional as F

from brain import Player, SharedBrain, encode, mask_of
from frost_rules import Lake
from stopwatch import Stopwatch


@dataclass
class Settings:
    games_per_round: int = 8
    epochs: int = 2
    minibatch: int = 64
    lr: float = 1e-3
    gamma: float = 0.97
    lam: float = 0.9
    clip: float = 0.2
    entropy: float = 0.01
    shaping: float = 0.01
    eval_every: int = 3
    eval_games: int = 2
    save_every: int = 4
    seconds: float = field(default_factory=lambda: float(os.environ.get("WILD_SECONDS", 20)))


@dataclass
class Ply:
    planes: np.ndarray
    mask: np.ndarray
    move: int
    logp: float
    value: float
    reward: float = 0.0


class Trainer:
    def __init__(self, settings: Settings):
        self.cfg = settings
        self.brain = SharedBrain()
        self.opt = torch.optim.Adam(self.brain.parameters(), lr=settings.lr)
        self.players = [Player("Arktos", self.brain), Player("Boreas", self.brain, temperature=1.1)]
        self.sw = Stopwatch()
        self.plies = self.games = self.steps = self.rounds = 0
        self.history = []
        self.timeup = False

    # ------------------------------------------------------------------
    def run(self):
        self.sw.start()
        while not self.timeup:
            tracks = self.collect()
            if self.timeup:
                break
            loss = self.improve(tracks)
            self.rounds += 1
            self.report(loss)
            if self.rounds % self.cfg.eval_every == 0:
                self.examine()
            if self.rounds % self.cfg.save_every == 0:
                back = self.sw.go("checkpoint")
                torch.save({"brain": self.brain.state_dict(), "opt": self.opt.state_dict()}, "frostline.pt")
                self.sw.go(back)
        return self.sw.stop()

    # ------------------------------------------------------------------
    def collect(self):
        """Play some games; returns one list of plies per player and game."""
        tracks = []
        for g in range(self.cfg.games_per_round):
            order = self.players if g % 2 == 0 else self.players[::-1]
            tracks.extend(self.one_game(order))
            if self.timeup:
                break
        return tracks

    def one_game(self, order):
        sw = self.sw
        back = sw.go("env.reset")
        lake = Lake()
        sw.go("env.reward")
        balance = lake.territory()
        sw.go(back)
        tracks = ([], [])
        while lake.loser is None:
            side = lake.to_move
            player = order[side]
            sw.go("env.observe")
            planes = encode(lake)
            sw.go("env.mask")
            mask = mask_of(lake)
            sw.go("act")
            move, value = player.choose(planes, mask)
            sw.go("env.step")
            lake.play(move)
            sw.go("env.reward")
            after = lake.territory()
            sw.go(back)
            self.plies += 1
            shaped = self.cfg.shaping * (after - balance)
            balance = after
            tracks[side].append(Ply(planes, mask, move, 0.0, value, shaped if side == 0 else -shaped))
            if sw.elapsed() > self.cfg.seconds:
                self.timeup = True
                return tracks
        winner = 1 - lake.loser
        order[winner].won += 1
        if tracks[winner]:
            tracks[winner][-1].reward += 1
        if tracks[lake.loser]:
            tracks[lake.loser][-1].reward -= 1
        self.games += 1
        self.history.append(lake.ply)
        return tracks

    # ------------------------------------------------------------------
    def improve(self, tracks):
        back = self.sw.go("learn.returns")
        advs, rets, plies = [], [], []
        for track in tracks:
            adv, nxt = 0.0, 0.0
            out = []
            for p in reversed(track):
                delta = p.reward + self.cfg.gamma * nxt - p.value
                adv = delta + self.cfg.gamma * self.cfg.lam * adv
                nxt = p.value
                out.append(adv)
            out.reverse()
            advs.extend(out)
            rets.extend(a + p.value for a, p in zip(out, track))
            plies.extend(track)
        self.sw.go("learn.*")
        x = torch.from_numpy(np.stack([p.planes for p in plies]))
        m = torch.from_numpy(np.stack([p.mask for p in plies]))
        a = torch.tensor([p.move for p in plies])
        adv = torch.tensor(advs, dtype=torch.float32)
        adv = (adv - adv.mean()) / (adv.std() + 1e-6)
        ret = torch.tensor(rets, dtype=torch.float32)
        with torch.no_grad():
            logits, _ = self.brain(x, m)
            old = F.log_softmax(logits, 1).gather(1, a[:, None])[:, 0]
        total = 0.0
        for _ in range(self.cfg.epochs):
            for idx in torch.randperm(len(a)).split(self.cfg.minibatch):
                logits, v = self.brain(x[idx], m[idx])
                logp_all = F.log_softmax(logits, 1)
                logp = logp_all.gather(1, a[idx, None])[:, 0]
                ratio = (logp - old[idx]).exp()
                pg = -torch.min(ratio * adv[idx], ratio.clamp(1 - self.cfg.clip, 1 + self.cfg.clip) * adv[idx]).mean()
                ent = -(logp_all.exp() * logp_all.clamp(min=-50)).sum(1).mean()
                loss = pg + 0.5 * F.mse_loss(v, ret[idx].clamp(-1, 1)) - self.cfg.entropy * ent
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                self.steps += 1
                total += float(loss.detach())
        self.sw.go(back)
        return total

    # ------------------------------------------------------------------
    def examine(self):
        """against a random mover"""
        back = self.sw.go("eval")
        wins = 0
        player = Player("Exam", self.brain, temperature=0.3)
        for g in range(self.cfg.eval_games):
            lake = Lake()
            while lake.loser is None:
                if lake.to_move == g % 2:
                    move, _ = player.choose(encode(lake), mask_of(lake))
                else:
                    move = random.choice(lake.legal_moves())
                lake.play(move)
            wins += lake.loser != g % 2
        self.sw.go("log")
        print(f"    exam: {wins}/{self.cfg.eval_games} against random", flush=True)
        self.sw.go(back)

    def report(self, loss):
        back = self.sw.go("log")
        last = self.history[-50:]
        print(f"round {self.rounds:4d}  games {self.games:5d}  length {sum(last) / len(last):5.1f}  loss {loss:7.3f}  "
              + "  ".join(f"{p.name} {p.won}" for p in self.players), flush=True)
        self.sw.go(back)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    random.seed(0)
    trainer = Trainer(Settings())
    wall = trainer.run()
    target = os.environ.get("WILD_TRUTH")
    if target:
        with open(target, "w") as fh:
            json.dump({"wall_seconds": wall, "stages": trainer.sw.seconds, "env_steps": trainer.plies,
                       "episodes": trainer.games, "updates": trainer.steps}, fh)
    for label, s in sorted(trainer.sw.seconds.items(), key=lambda kv: -kv[1]):
        print(f"{label:<14}{s:7.2f} s")


if __name__ == "__main__":
    main()
