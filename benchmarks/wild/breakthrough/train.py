import copy
import json
import os
import random
import tempfile
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from game import MOVES, N, Breakthrough
from mcts import MCTS
from ticker import begin, end, enter, hush, leave

torch.set_num_threads(1)
np.random.seed(5)
random.seed(5)
torch.manual_seed(5)


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(3, 32, 3, padding=1)
        self.b = nn.Conv2d(32, 32, 3, padding=1)
        self.p = nn.Linear(32 * N * N, MOVES)
        self.v1, self.v2 = nn.Linear(32 * N * N, 48), nn.Linear(48, 1)

    def forward(self, x):
        x = F.relu(self.a(x))
        x = F.relu(self.b(x)).flatten(1)
        return self.p(x), torch.tanh(self.v2(F.relu(self.v1(x)))).squeeze(1)


class Oracle:
    def __init__(self, game, net=None):
        self.game = game
        self.net = net or TwoHeads()
        self.opt = torch.optim.Adam(self.net.parameters(), lr=1e-3, weight_decay=1e-4)
        self.batches = 0

    def look(self, pos):
        x = self.game.planes(pos)
        enter("oracle")
        with torch.no_grad():
            p, v = self.net(torch.from_numpy(x)[None])
            out = torch.softmax(p[0], 0).numpy(), float(v)
        leave()
        return out

    def study(self, examples, batches):
        loss = None
        for _ in range(batches):
            enter("deal")
            pos, pi, z = zip(*random.sample(examples, 64))
            b = np.array(pos, dtype=np.int8).reshape(-1, N, N)
            x = torch.from_numpy(np.stack([b == 1, b == -1, b == 0], 1).astype(np.float32))
            pi, z = torch.from_numpy(np.stack(pi)), torch.tensor(z)
            leave()
            enter("study")
            p, v = self.net(x)
            loss = -(pi * torch.log_softmax(p, 1)).sum(1).mean() + F.mse_loss(v, z)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.batches += 1
            leave()
        return loss.item()

    def twin(self):
        return Oracle(self.game, copy.deepcopy(self.net))


class Coach:
    def __init__(self):
        self.game = Breakthrough()
        self.best = Oracle(self.game)
        self.examples, self.plies, self.games = [], 0, 0
        self.batches = self.rounds = self.taken = 0

    def self_play(self):
        game, history = self.game, []
        pos = game.opening()
        mcts = MCTS(game, self.best, 60, True)
        while not game.lost(pos):
            pi = mcts.search(pos)
            enter("pick")
            move = int(np.random.choice(MOVES, p=pi / pi.sum())) if len(history) < 8 else int(pi.argmax())
            leave()
            history.append((pos, pi))
            pos = game.after(pos, move)
            self.plies += 1
        z = -1.0
        enter("keep")
        for old, pi in reversed(history):
            z = -z
            self.examples.append((old, pi, z))
            self.examples.append((*game.mirrored(old, pi), z))
        self.examples = self.examples[-6000:]
        leave()
        self.games += 1

    def arena(self, new, old, count):
        wins = 0
        for g in range(count):
            pos, turn = self.game.opening(), g % 2
            sides = [MCTS(self.game, new, 16, True), MCTS(self.game, old, 16, True)]
            while not self.game.lost(pos):
                pos = self.game.after(pos, int(sides[turn].search(pos).argmax()))
                turn = 1 - turn
            wins += turn == 1
        return wins

    def round(self):
        for _ in range(4):
            self.self_play()
        rookie = self.best.twin()
        loss = rookie.study(self.examples, 40)
        self.batches += rookie.batches
        enter("arena")
        hush(True)
        wins = self.arena(rookie, self.best, 4)
        hush(False)
        leave()
        if wins >= 2:
            self.best = rookie
            self.taken += 1
            enter("save")
            torch.save(rookie.net.state_dict(), os.path.join(tempfile.gettempdir(), "breakthrough_best.pt"))
            leave()
        self.rounds += 1
        enter("say")
        print(f"round {self.rounds}: {self.games} games, {len(self.examples)} examples, loss {loss:.3f}, arena {wins}/4", flush=True)
        leave()


coach = Coach()
limit = float(os.environ.get("WILD_SECONDS", 20))
begin()
start = time.monotonic()
while time.monotonic() - start < limit:
    coach.round()
wall, spent = end()
labels = {"loop": "other", "tree": "act.search", "oracle": "act.predict", "moves": "env.mask", "after": "env.step", "planes": "env.observe",
          "pick": "act", "keep": "replay.add", "deal": "replay.sample", "study": "learn.*", "arena": "eval", "save": "checkpoint", "say": "log"}
path = os.environ.get("WILD_TRUTH")
if path:
    with open(path, "w") as f:
        json.dump({"wall_seconds": wall / 1e9, "stages": {labels[k]: v / 1e9 for k, v in spent.items()}, "env_steps": coach.plies,
                   "episodes": coach.games, "updates": coach.batches,
                   "note": "No env.step: env_steps counts moves played in self-play (arena moves not counted). In self-play act.search = "
                           "MCTS.search and expand/best_kid less act.predict (Oracle.look's network call), env.mask (moves), env.step (after, lost: "
                           "mostly called inside the search), env.observe (planes). replay.add = returns and mirrored examples after a game. The "
                           "arena (search, network, rules of 4 games per round) is all eval."}, f, indent=1)
