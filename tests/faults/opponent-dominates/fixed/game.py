"""A skirmish on a grid: the agent crosses it while four hunters close in."""

import numpy as np

SIZE = 14
MOVES = ((0, 1), (0, -1), (1, 0), (-1, 0))


class Skirmish:
    """The game, without any library."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        walls = np.random.default_rng(3).random((SIZE, SIZE)) < 0.12
        walls[0] = walls[-1] = False
        self.open = [[not bool(wall) for wall in row] for row in walls]
        cells = [(x, y) for x in range(SIZE) for y in range(SIZE) if self.open[x][y]]
        self.table = {cell: self.distances(cell) for cell in cells}

    def reset(self) -> np.ndarray:
        self.agent = (0, int(self.rng.integers(SIZE)))
        self.hunters = [(SIZE - 1, int(self.rng.integers(SIZE))) for _ in range(4)]
        self.turn = 0
        return self.look()

    def step(self, action: int) -> tuple[np.ndarray, float, bool]:
        self.agent = self.moved(self.agent, MOVES[action])
        self.turn += 1
        self.enemy_turn()
        caught = self.agent in self.hunters
        reward = -1.0 if caught else self.agent[0] / SIZE
        return self.look(), reward, caught or self.turn >= 100

    def enemy_turn(self) -> None:
        """Each hunter takes the step that brings it nearest."""
        near = self.table[self.agent]
        for place, hunter in enumerate(self.hunters):
            options = [self.moved(hunter, move) for move in MOVES]
            self.hunters[place] = min(options, key=lambda cell: (near.get(cell, 99), cell))

    def moved(self, cell: tuple[int, int], move: tuple[int, int]) -> tuple[int, int]:
        x, y = cell[0] + move[0], cell[1] + move[1]
        return (x, y) if 0 <= x < SIZE and 0 <= y < SIZE and self.open[x][y] else cell

    def distances(self, start: tuple[int, int]) -> dict[tuple[int, int], int]:
        """Steps from a cell to every other, by breadth-first search."""
        seen = {start: 0}
        frontier = [start]
        while frontier:
            following = []
            for cell in frontier:
                for move in MOVES:
                    other = self.moved(cell, move)
                    if other not in seen:
                        seen[other] = seen[cell] + 1
                        following.append(other)
            frontier = following
        return seen

    def look(self) -> np.ndarray:
        row = np.zeros(12, np.float32)
        row[:2] = self.agent
        row[2:10] = [value for hunter in self.hunters for value in hunter]
        row[10] = self.turn / 100
        return row / SIZE
