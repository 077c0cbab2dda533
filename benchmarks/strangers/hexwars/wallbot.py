# The sparring partner: takes the cells that are on the cheapest way of both players and tries the best few out.
import random
from hexboard import RED, BLUE


class WallBot:
    def __init__(self, me=BLUE, slack=0.1, tries=14, seed=None):
        self.me = me
        self.foe = RED if me == BLUE else BLUE
        self.slack = slack
        self.tries = tries
        self.rnd = random.Random(seed)

    def think(self, board):
        free = board.empties()
        if self.rnd.random() < self.slack:
            return self.rnd.choice(free)
        mine_a = board.distances(self.me)
        mine_b = board.distances(self.me, True)
        his_a = board.distances(self.foe)
        his_b = board.distances(self.foe, True)
        rated = []
        for q in free:
            rated.append((mine_a[q] + mine_b[q] + 1.1 * (his_a[q] + his_b[q]), self.rnd.random(), q))
        rated.sort()
        best, move = 1e9, rated[0][2]
        for score, _, q in rated[:self.tries]:
            board.stones[q] = self.me
            v = board.resistance(self.me) - 1.05 * board.resistance(self.foe) + 0.01 * score
            board.stones[q] = 0
            if v < best:
                best, move = v, q
        return move
