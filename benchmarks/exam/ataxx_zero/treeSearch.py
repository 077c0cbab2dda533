import math
from time import perf_counter

import numpy as np


class TreeSearch:
    """one tree per game; timeBook may be None (arena)"""

    def __init__(self, game, net, args, timeBook=None):
        self.game, self.net, self.args = game, net, args
        self.tb = timeBook if timeBook is not None else {"rules": 0.0, "predict": 0.0, "search": 0.0}
        self.qsa, self.nsa, self.ns = {}, {}, {}
        self.ps, self.es, self.vs = {}, {}, {}

    def getActionProb(self, canonicalBoard, temp=1.0, noise=False):
        t0 = perf_counter()
        inner0 = self.tb["rules"] + self.tb["predict"]
        for i in range(self.args.numSims):
            self.simulate(canonicalBoard, noise)
        s = self.game.boardKey(canonicalBoard)
        counts = [self.nsa.get((s, a), 0) for a in range(self.game.getActionSize())]
        if temp == 0:
            best = np.random.choice(np.flatnonzero(np.array(counts) == max(counts)))
            probs = [0.0] * len(counts)
            probs[best] = 1.0
        else:
            counts = [c ** (1.0 / temp) for c in counts]
            total = float(sum(counts))
            probs = [c / total for c in counts]
        inner = self.tb["rules"] + self.tb["predict"] - inner0
        self.tb["search"] += perf_counter() - t0 - inner
        return probs

    def simulate(self, board, noise):
        path = []
        v = 0.0
        isRoot = True
        while len(path) < self.args.maxDepth:
            s = self.game.boardKey(board)
            if s not in self.es:
                t = perf_counter()
                self.es[s] = self.game.getGameEnded(board, 1)
                self.tb["rules"] += perf_counter() - t
            if self.es[s] != 0:
                v = self.es[s]
                break
            if s not in self.ps:
                v = self.expand(s, board)
                break
            a = self.pickAction(s, noise and isRoot)
            isRoot = False
            path.append((s, a))
            t = perf_counter()
            nextBoard, nextPlayer = self.game.getNextState(board, 1, a)
            board = self.game.getCanonicalForm(nextBoard, nextPlayer)
            self.tb["rules"] += perf_counter() - t
        # backup
        for s, a in reversed(path):
            v = -v
            n = self.nsa.get((s, a), 0)
            self.qsa[(s, a)] = (n * self.qsa.get((s, a), 0.0) + v) / (n + 1)
            self.nsa[(s, a)] = n + 1
            self.ns[s] += 1

    def expand(self, s, board):
        t = perf_counter()
        p, v = self.net.predict(board)
        t2 = perf_counter()
        self.tb["predict"] += t2 - t
        valids = self.game.getValidMoves(board, 1)
        self.tb["rules"] += perf_counter() - t2
        p = p * valids
        total = p.sum()
        p = p / total if total > 1e-9 else valids / valids.sum()
        self.ps[s] = p
        self.vs[s] = valids
        self.ns[s] = 0
        return v

    def pickAction(self, s, noise):
        p, valids = self.ps[s], self.vs[s]
        if noise:
            idx = np.flatnonzero(valids)
            p = p.copy()
            p[idx] = 0.75 * p[idx] + 0.25 * np.random.dirichlet([0.5] * len(idx))
        bestU, bestA = -float("inf"), -1
        for a in range(self.game.getActionSize()):
            if not valids[a]:
                continue
            if (s, a) in self.qsa:
                u = self.qsa[(s, a)] + self.args.cpuct * p[a] * math.sqrt(self.ns[s]) / (1 + self.nsa[(s, a)])
            else:
                u = self.args.cpuct * p[a] * math.sqrt(self.ns[s] + 1e-8)
            if u > bestU:
                bestU, bestA = u, a
        return bestA
