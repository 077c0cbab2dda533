"""Samouczek w stylu AlphaZero: gra sam ze sobą, uczy się, potem arena stara sieć - nowa sieć."""
import copy
import json
import os
import random
import time
from collections import deque

import numpy as np
import torch
import torch.nn.functional as F

import othello as game
import timing
from net import ResNetka
from timing import timed
from tree import Mcts

SECONDS = float(os.environ.get("WILD_SECONDS", "20"))


class Coach:
    games_per_round = 4
    batch = 64
    batches_per_round = 12
    arena_every = 2
    arena_games = 2

    def __init__(self):
        self.net = ResNetka()
        self.best = copy.deepcopy(self.net)
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.02, momentum=0.9, weight_decay=1e-4)
        self.memory = deque(maxlen=12000)
        self.moves_played = 0
        self.games_played = 0
        self.updates = 0
        self.deadline = None

    def time_up(self):
        return time.perf_counter() >= self.deadline

    def self_play(self):
        with timed("env.reset"):
            board = game.start_board()
        tree = Mcts(self.net)
        node = tree.new_root(board)
        history = []
        ply = 0
        while node.value is None:
            pi = tree.policy(temp=1 if ply < 12 else 0)
            with timed("act"):
                move = int(np.random.choice(game.ACTIONS, p=pi / pi.sum()))
            history.append((node.board, pi, ply % 2))
            node = tree.advance(move)
            ply += 1
            self.moves_played += 1
            if self.time_up():
                return
        self.games_played += 1
        self.store(history, node.value, ply % 2)

    def store(self, history, value, who):
        with timed("replay.add"):
            for board, pi, side in history:
                z = value if side == who else -value
                for x, p in game.symmetries(game.planes(board), pi):
                    self.memory.append((x, p, z))

    def learn(self):
        losses = []
        for _ in range(self.batches_per_round):
            with timed("replay.sample"):
                rows = random.sample(self.memory, self.batch)
                x = torch.from_numpy(np.stack([r[0] for r in rows]))
                pi = torch.from_numpy(np.stack([r[1] for r in rows]))
                z = torch.tensor([r[2] for r in rows], dtype=torch.float32)
            with timed("learn.step"):
                p, v = self.net(x)
                loss = -(pi * F.log_softmax(p, -1)).sum(1).mean() + F.mse_loss(v, z)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                losses.append(loss.item())
            self.updates += 1
        return sum(losses) / len(losses)

    def arena(self):
        """nowa kontra najlepsza; jak nie przegrywa to zostaje najlepszą"""
        score = 0.0
        for g in range(self.arena_games):
            pair = [Mcts(self.net, sims=12, noise=0), Mcts(self.best, sims=12, noise=0)]
            if g % 2:
                pair.reverse()
            node = [t.new_root(game.start_board()) for t in pair][0]
            ply = 0
            while node.value is None:
                if ply < 2:
                    move = random.choice(node.moves)
                else:
                    move = int(pair[ply % 2].policy(temp=0).argmax())
                node = [t.advance(move) for t in pair][0]
                ply += 1
            v = node.value if ply % 2 == 0 else -node.value   # dla gracza pair[0]
            score += v if g % 2 == 0 else -v
        return score

    def run(self):
        t0 = time.perf_counter()
        self.deadline = t0 + SECONDS
        rnd = 0
        while not self.time_up():
            for _ in range(self.games_per_round):
                self.self_play()
                if self.time_up():
                    break
            if self.time_up() or len(self.memory) < self.batch:
                continue
            loss = self.learn()
            rnd += 1
            with timed("log"):
                print(f"runda {rnd:3d}  partie {self.games_played:4d}  ruchy {self.moves_played:5d}  pamięć {len(self.memory):5d}  strata {loss:.3f}", flush=True)
            if rnd % self.arena_every == 0:
                with timed("eval"):
                    timing.frozen = True
                    score = self.arena()
                    timing.frozen = False
                if score >= 0:
                    with timed("checkpoint"):
                        self.best.load_state_dict(self.net.state_dict())
                        torch.save(self.best.state_dict(), "najlepsza.pt")
                with timed("log"):
                    print(f"   arena {score:+.1f}", flush=True)
        return time.perf_counter() - t0


def main():
    random.seed(6)
    np.random.seed(6)
    torch.manual_seed(6)
    torch.set_num_threads(1)
    coach = Coach()
    wall = coach.run()
    stages = dict(timing.totals)
    stages["other"] = wall - sum(stages.values())
    truth = {"wall_seconds": wall, "stages": stages, "env_steps": coach.moves_played,
             "episodes": coach.games_played, "updates": coach.updates}
    if os.environ.get("WILD_TRUTH"):
        with open(os.environ["WILD_TRUTH"], "w") as fh:
            json.dump(truth, fh, indent=2)


if __name__ == "__main__":
    main()
