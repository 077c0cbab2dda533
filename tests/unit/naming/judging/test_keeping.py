"""Memories whose names say nothing: one method keeps, another draws at random from what is kept."""

from __future__ import annotations

import textwrap

import pytest

from goldsplit.model.stage import REPLAY_ADD, REPLAY_SAMPLE
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide

LIST = """
        def __init__(self):
            self.rows = []
        def zz(self, rows):
            for row in rows:
                self.rows.append(row)
        def qq(self, many):
            return torch.tensor(random.sample(self.rows, many))
"""
RING = """
        def __init__(self):
            self.rows, self.at, self.many = np.zeros((500, 9)), 0, 0
        def zz(self, rows):
            self._put(rows)
        def _put(self, rows):
            for row in rows:
                self.rows[self.at] = row
                self.at = (self.at + 1) % 500
                self.many = min(self.many + 1, 500)
        def qq(self, many):
            places = np.random.randint(0, self.many, size=many)
            return torch.tensor(self.rows[places])
"""
TREE = """
        def __init__(self):
            self.rows, self.gains, self.at = np.zeros((512, 9)), np.zeros(512), 0
            self.sums = np.zeros(1024)
        def zz(self, rows):
            places = (self.at + np.arange(len(rows))) % 512
            self.rows[places], self.gains[places] = rows, 1.0
            self.at += len(rows)
        def qq(self, many):
            place = np.ones(many, int)
            wanted = (np.arange(many) + np.random.rand(many)) / many * self.sums[1]
            while place[0] < 512:
                place = 2 * place + (wanted > self.sums[2 * place])
            return torch.tensor(self.rows[place - 512]) * self.gains[place - 512]
"""
SCALE = """
        def __init__(self):
            self.mean, self.spread = np.zeros(9), np.ones(9)
        def zz(self, rows):
            self.mean = rows.mean(0)
            self.spread = rows.std(0)
        def qq(self, many):
            return torch.tensor((many - self.mean) / self.spread)
"""
FIXED = """
        def __init__(self):
            self.rows, self.many = np.load("games.npy"), 500
        def zz(self, rows):
            self.last = rows
        def qq(self, many):
            return torch.tensor(self.rows[np.random.randint(0, self.many, size=many)])
"""
PROGRAM = """
    import random
    import numpy as np
    import torch
    class Cave:
        def step(self, way):
            self.at += way
            return self.at, 1.0, self.at > 9
        def reset(self):
            self.at = 0
            return 0
    class Shelf:BODY
    def tale(cave, net):
        seen, over, told = cave.reset(), False, []
        while not over:
            way = int(net(torch.tensor(seen)).argmax())
            seen, reward, over = cave.step(way)
            told.append((seen, way, reward))
        return told
    def improve(net, steps, shelf):
        batch = shelf.qq(64)
        net(batch).mean().backward()
        steps.step()
    def main(net, steps):
        cave, shelf = Cave(), Shelf()
        for evening in range(99):
            shelf.zz(tale(cave, net))
            for _ in range(4):
                improve(net, steps, shelf)
    main(torch.nn.Linear(9, 1), None)
"""


def stages(body: str) -> dict[str, str]:
    text = textwrap.dedent(PROGRAM.replace("BODY", body))
    return {one.function: one.stage for one in decide([read(text, "/program/train.py")])}


@pytest.mark.parametrize("body", [LIST, RING, TREE])
def test_a_memory_is_known_by_what_it_does(body: str) -> None:
    found = stages(body)
    assert found["Shelf.qq"] == REPLAY_SAMPLE
    assert found["Shelf.zz"] == REPLAY_ADD


@pytest.mark.parametrize("body", [FIXED, SCALE])
def test_what_draws_from_what_nobody_keeps_is_none(body: str) -> None:
    found = stages(body)
    assert "Shelf.qq" not in found
    assert "Shelf.zz" not in found
