"""Runs inside the pool processes."""
import os
import random
import time
from collections import defaultdict

import numpy as np
import torch

from blobs import BlobsGame
from net import PolicyNet, importWeights

clock = time.perf_counter


def initWorker():
    torch.set_num_threads(1)


def playMatch(job):
    """One job = a few games of the current net against one opponent (weights, or None = random bot)."""
    current, opponent, nGames, seed = job
    started = clock()
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    spent = defaultdict(float)
    me, foe = PolicyNet(), PolicyNet()
    importWeights(me, current)
    if opponent is not None:
        importWeights(foe, opponent)
    records, results = [], []
    for g in range(nGames):
        t = clock()
        game = BlobsGame()
        spent["env.reset"] += clock() - t
        side = 1 if g % 2 == 0 else -1
        steps = []
        while game.winner is None:
            if game.toMove != side:
                t = clock()
                if opponent is None:
                    game.play(random.choice(game.legalMoves(game.toMove)))
                else:
                    move, _, _ = foe.pickMove(game.observe(), game.legalMask())
                    game.play(move)
                spent["env.opponent"] += clock() - t
                continue
            t0 = clock()
            obs = game.observe()
            t1 = clock()
            mask = game.legalMask()
            t2 = clock()
            move, logp, value = me.pickMove(obs, mask)
            t3 = clock()
            before = game.count(side) - game.count(-side)
            game.play(move)
            swing = game.count(side) - game.count(-side) - before
            t4 = clock()
            spent["env.observe"] += t1 - t0
            spent["env.mask"] += t2 - t1
            spent["act"] += t3 - t2
            spent["env.step"] += t4 - t3
            steps.append((obs, mask, move, logp, value, 0.02 * swing))
        records.append(steps)
        results.append(game.winner * side)
    busy = clock() - started
    spent["other"] = busy - sum(spent.values())
    return records, results, dict(spent), busy, os.getpid()
