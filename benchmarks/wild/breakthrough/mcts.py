import math

import numpy as np

from game import MOVES
from ticker import enter, leave


class Node:
    __slots__ = ("pos", "prior", "visits", "total", "kids", "dead")

    def __init__(self, pos, prior):
        self.pos, self.prior, self.visits, self.total, self.kids, self.dead = pos, prior, 0, 0.0, None, False


class MCTS:
    def __init__(self, game, oracle, sims, noise):
        self.game, self.oracle, self.sims, self.noise = game, oracle, sims, noise

    def best_kid(self, node):
        root = math.sqrt(node.visits)
        best, pick = -1e9, None
        for move, kid in node.kids.items():
            q = -kid.total / kid.visits if kid.visits else 0.0
            u = q + 1.6 * kid.prior * root / (1 + kid.visits)
            if u > best:
                best, pick = u, (move, kid)
        return pick

    def expand(self, node):
        legal = self.game.moves(node.pos)
        p, v = self.oracle.look(node.pos)
        p = p[legal]
        p = p / (p.sum() + 1e-9)
        node.kids = {m: Node(None, float(x)) for m, x in zip(legal, p)}
        return v

    def search(self, pos):
        enter("tree")
        root = Node(pos, 1.0)
        self.expand(root)
        if self.noise:
            eta = np.random.dirichlet([0.5] * len(root.kids))
            for kid, e in zip(root.kids.values(), eta):
                kid.prior = 0.75 * kid.prior + 0.25 * float(e)
        for _ in range(self.sims):
            node, path = root, [root]
            while node.kids is not None and not node.dead:
                move, kid = self.best_kid(node)
                if kid.pos is None:
                    kid.pos = self.game.after(node.pos, move)
                    kid.dead = self.game.lost(kid.pos)
                node = kid
                path.append(node)
            v = -1.0 if node.dead else self.expand(node)
            for n in reversed(path):
                n.visits += 1
                n.total += v
                v = -v
        counts = np.zeros(MOVES, dtype=np.float32)
        for m, kid in root.kids.items():
            counts[m] = kid.visits
        leave()
        return counts / counts.sum()
