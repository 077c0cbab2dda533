import numpy as np


class MatchArena:
    """plays newNet against oldNet, colours alternate"""

    def __init__(self, game, makeNew, makeOld, args, timeUp):
        self.game, self.makeNew, self.makeOld = game, makeNew, makeOld
        self.args, self.timeUp = args, timeUp

    def playGame(self, newStarts):
        new, old = self.makeNew(), self.makeOld()
        players = {1: new if newStarts else old, -1: old if newStarts else new}
        board, cur = self.game.getInitBoard(), 1
        for ply in range(self.args.maxPlies):
            if self.timeUp():
                return None
            pi = players[cur].getActionProb(self.game.getCanonicalForm(board, cur), temp=1 if ply < 2 else 0)
            board, cur = self.game.getNextState(board, cur, np.random.choice(len(pi), p=pi))
            if self.game.getGameEnded(board, 1) != 0:
                break
        diff = int(board.sum())
        return diff if newStarts else -diff

    def playGames(self, num):
        scores = []
        for i in range(num):
            r = self.playGame(i % 2 == 0)
            if r is None:
                break
            scores.append(r)
        return sum(r > 0 for r in scores), sum(r < 0 for r in scores), sum(r == 0 for r in scores)
