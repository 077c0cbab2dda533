import os
import pickle
import random
from collections import deque
from time import perf_counter

import numpy as np

from ataxxNet import NetWrapper
from matchArena import MatchArena
from treeSearch import TreeSearch


class Coach:
    def __init__(self, game, args):
        self.game, self.args = game, args
        self.net = NetWrapper(game, args)
        self.oldNet = NetWrapper(game, args)
        self.history = deque(maxlen=args.historyLen)
        self.tb = dict.fromkeys(["rules", "predict", "search", "choose", "examples", "batching",
                                 "training", "arena", "saving", "printing"], 0.0)
        self.numMoves = self.numGames = self.numUpdates = 0

    def timeUp(self):
        return perf_counter() - self.startTime > self.args.maxSeconds

    def executeEpisode(self):
        tb = self.tb
        mcts = TreeSearch(self.game, self.net, self.args, tb)
        board, cur, rows = self.game.getInitBoard(), 1, []
        result = 0
        for ply in range(self.args.maxPlies):
            if self.timeUp():
                return None
            canonical = self.game.getCanonicalForm(board, cur)
            pi = mcts.getActionProb(canonical, temp=1.0 if ply < self.args.tempPlies else 0, noise=True)
            t = perf_counter()
            rows.append((canonical, cur, pi))
            action = np.random.choice(len(pi), p=pi)
            t2 = perf_counter()
            board, cur = self.game.getNextState(board, cur, action)
            result = self.game.getGameEnded(board, 1)
            t3 = perf_counter()
            tb["choose"] += t2 - t
            tb["rules"] += t3 - t2
            self.numMoves += 1
            if result != 0:
                break
        if result == 0:
            result = np.sign(board.sum())     # ply limit: whoever has more stones
        self.numGames += 1
        t = perf_counter()
        examples = []
        for b, player, pi in rows:
            for sb, sp in self.game.getSymmetries(b, pi):
                examples.append((sb, sp, float(result * player)))
        self.history.extend(examples)
        tb["examples"] += perf_counter() - t
        return len(rows)

    def trainNet(self):
        losses = []
        steps = self.args.epochs * max(1, len(self.history) // self.args.batchSize // 2)
        for i in range(steps):
            if self.timeUp():
                break
            t = perf_counter()
            batch = random.sample(self.history, min(self.args.batchSize, len(self.history)))
            boards, pis, vs = zip(*batch)
            t2 = perf_counter()
            losses.append(self.net.trainBatch(boards, pis, vs))
            self.tb["batching"] += t2 - t
            self.tb["training"] += perf_counter() - t2
            self.numUpdates += 1
        return np.mean(losses, axis=0) if losses else (0, 0)

    def save(self, name, withExamples=False):
        t = perf_counter()
        os.makedirs(self.args.folder, exist_ok=True)
        self.net.saveCheckpoint(os.path.join(self.args.folder, name))
        if withExamples:
            with open(os.path.join(self.args.folder, "examples.pkl"), "wb") as f:
                pickle.dump(list(self.history), f)
        self.tb["saving"] += perf_counter() - t

    def learn(self):
        self.startTime = perf_counter()
        iteration = 0
        while not self.timeUp():
            iteration += 1
            lengths = []
            for ep in range(self.args.numEps):
                n = self.executeEpisode()
                if n is None:
                    break
                lengths.append(n)
            if self.timeUp() or not self.history:
                break
            self.save("temp.pt", withExamples=True)
            t = perf_counter()
            self.oldNet.loadCheckpoint(os.path.join(self.args.folder, "temp.pt"))
            self.tb["saving"] += perf_counter() - t
            lossPi, lossV = self.trainNet()

            t = perf_counter()
            arena = MatchArena(self.game, lambda: TreeSearch(self.game, self.net, self.args),
                               lambda: TreeSearch(self.game, self.oldNet, self.args), self.args, self.timeUp)
            won, lost, drawn = arena.playGames(self.args.arenaGames)
            self.tb["arena"] += perf_counter() - t

            accepted = won + lost > 0 and won / (won + lost) >= self.args.updateThreshold
            if accepted:
                self.save("best.pt")
            else:
                t = perf_counter()
                self.net.loadCheckpoint(os.path.join(self.args.folder, "temp.pt"))
                self.tb["saving"] += perf_counter() - t
            t = perf_counter()
            print(f"iter {iteration}: avgLen {np.mean(lengths):.1f} examples {len(self.history)} "
                  f"lossPi {lossPi:.3f} lossV {lossV:.3f} arena {won}/{lost}/{drawn} "
                  f"{'ACCEPT' if accepted else 'REJECT'}", flush=True)
            self.tb["printing"] += perf_counter() - t
        self.totalTime = perf_counter() - self.startTime
