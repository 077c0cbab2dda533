# Hex (the connection game) on an N x N rhombus. Red joins top and bottom, Blue left and right.
from heapq import heappush, heappop

RED, BLUE = 1, 2


def make_neighbours(n):
    nb = []
    for q in range(n * n):
        r, c = divmod(q, n)
        lst = []
        for dr, dc in ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)):
            rr, cc = r + dr, c + dc
            if 0 <= rr < n and 0 <= cc < n:
                lst.append(rr * n + cc)
        nb.append(tuple(lst))
    return nb


class HexBoard:
    def __init__(self, n=9):
        self.n = n
        self.nb = make_neighbours(n)
        self.sides = {
            RED: ([c for c in range(n)], [(n - 1) * n + c for c in range(n)]),
            BLUE: ([r * n for r in range(n)], [r * n + n - 1 for r in range(n)]),
        }
        self.clear()

    def clear(self):
        self.stones = [0] * (self.n * self.n)
        self.history = []

    def empties(self):
        return [q for q, s in enumerate(self.stones) if not s]

    def put(self, who, q):
        if self.stones[q]:
            raise ValueError("occupied %d" % q)
        self.stones[q] = who
        self.history.append((who, q))

    def connected(self, who):
        start, goal = self.sides[who]
        goal = set(goal)
        todo = [q for q in start if self.stones[q] == who]
        been = set(todo)
        while todo:
            q = todo.pop()
            if q in goal:
                return True
            for k in self.nb[q]:
                if k not in been and self.stones[k] == who:
                    been.add(k)
                    todo.append(k)
        return False

    def distances(self, who, from_goal=False):
        """how many own stones are still needed from one side to each cell"""
        a, b = self.sides[who]
        st = self.stones
        dist = [999] * len(st)
        heap = []
        for q in (b if from_goal else a):
            if st[q] == who:
                d = 0
            elif st[q] == 0:
                d = 1
            else:
                continue
            dist[q] = d
            heappush(heap, (d, q))
        while heap:
            d, q = heappop(heap)
            if d > dist[q]:
                continue
            for k in self.nb[q]:
                if st[k] == who:
                    nd = d
                elif st[k] == 0:
                    nd = d + 1
                else:
                    continue
                if nd < dist[k]:
                    dist[k] = nd
                    heappush(heap, (nd, k))
        return dist

    def resistance(self, who):
        d = self.distances(who)
        return min(d[q] for q in self.sides[who][1])
