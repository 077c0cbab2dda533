import math

import numpy as np

import othello as game
from timing import timed


class Node:
    __slots__ = ("board", "moves", "value", "P", "Nsa", "Wsa", "kids", "visits")

    def __init__(self, board):
        self.board = board
        with timed("env.mask"):
            self.moves = game.legal_moves(board)
        self.value = game.outcome(board, self.moves)
        self.P = None
        self.visits = 0


class Mcts:
    def __init__(self, net, sims=24, c_puct=1.6, noise=0.25):
        self.net = net
        self.sims = sims
        self.c = c_puct
        self.noise = noise

    def new_root(self, board):
        self.root = Node(board)
        return self.root

    def advance(self, move):
        """zostawia poddrzewo po wykonanym ruchu"""
        k = self.root.moves.index(move) if self.root.P is not None else -1
        kid = self.root.kids[k] if k >= 0 else None
        if kid is None:
            with timed("env.step"):
                nb = game.next_board(self.root.board, move)
            kid = Node(nb)
        self.root = kid
        return kid

    def policy(self, temp):
        with timed("act.search"):
            if self.root.P is None:
                self.expand(self.root)
            if self.noise:
                d = np.random.dirichlet([0.6] * len(self.root.moves))
                self.root.P = [(1 - self.noise) * p + self.noise * q for p, q in zip(self.root.P, d)]
            for _ in range(self.sims):
                self.simulate()
            counts = np.array(self.root.Nsa, dtype=np.float64)
            pi = np.zeros(game.ACTIONS, dtype=np.float32)
            if temp == 0:
                pi[self.root.moves[int(counts.argmax())]] = 1.0
            else:
                pi[self.root.moves] = counts / counts.sum()
        return pi

    def expand(self, node):
        with timed("env.observe"):
            x = game.planes(node.board)
        with timed("act.predict"):
            p, v = self.net.predict(x)
        pri = [float(p[m]) for m in node.moves]
        s = sum(pri) + 1e-9
        node.P = [q / s for q in pri]
        n = len(node.moves)
        node.Nsa = [0] * n
        node.Wsa = [0.0] * n
        node.kids = [None] * n
        return v

    def best_child(self, node):
        sq = math.sqrt(node.visits + 1e-8)
        best, arg = -1e9, 0
        for i in range(len(node.moves)):
            n = node.Nsa[i]
            q = node.Wsa[i] / n if n else 0.0
            u = q + self.c * node.P[i] * sq / (1 + n)
            if u > best:
                best, arg = u, i
        return arg

    def simulate(self):
        node = self.root
        path = []
        while True:
            if node.value is not None:
                v = node.value
                break
            if node.P is None:
                v = self.expand(node)
                break
            i = self.best_child(node)
            path.append((node, i))
            if node.kids[i] is None:
                with timed("env.step"):
                    nb = game.next_board(node.board, node.moves[i])
                node.kids[i] = Node(nb)
            node = node.kids[i]
        for parent, i in reversed(path):
            v = -v
            parent.Nsa[i] += 1
            parent.Wsa[i] += v
            parent.visits += 1
