"""Workers that hold several games, and are sent a list of choices: their loop is over messages and games."""

from __future__ import annotations

import textwrap

import pytest

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.stage import ENV_MASK, ENV_OBSERVE, ENV_STEP, EVAL, ROLLOUT, VEC_COPY
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide

GAME = """
    import multiprocessing, random, torch
    class Field:
        def __init__(self): self.begin()
        def begin(self): self.grass, self.day, self.bare = [1.0] * 40, 0, False
        def graze(self, where):
            self.grass[where] -= 0.5
            self.day += 1
            if self.day >= 90 or self.grass[where] < 0: self.bare = True
        def sketch(self): return list(self.grass)
        def open(self):
            free = [False] * 40
            for where in range(40): free[where] = self.grass[where] > 0
            return free
    class Brain:
        def choose(self, views, free):
            with torch.no_grad():
                return self.net(views).argmax(-1)
        def drill(self, rows):
            loss = self.net(rows).mean()
            loss.backward()
            self.opt.step()
"""
DRIVER = """
    class Barn:
        def __init__(self, many):
            self.ends = []
            for _ in range(many):
                here, there = multiprocessing.Pipe()
                multiprocessing.Process(target=shepherd, args=(there, 8)).start()
                self.ends.append(here)
        def collect(self): return [end.recv() for end in self.ends]
        def orders(self, moves):
            for end, part in zip(self.ends, moves): end.send(("graze", part))
            told = self.collect()
            view = [one[0] for one in told]
            gains = [one[2] for one in told]
            over = [one[3] for one in told]
            return view, gains, over
    def trial(brain):
        field = Field()
        while not field.bare:
            field.graze(brain.choose(field.sketch(), field.open()))
        return field.day
    def main():
        barn, brain, rows = Barn(3), Brain(), []
        view, gains, over = barn.orders([0] * 24)
        for turn in range(4000):
            moves = brain.choose(view, None)
            view, gains, over = barn.orders(moves)
            rows.append((view, moves, gains, over))
            if turn % 32 == 31: brain.drill(rows)
            if turn % 500 == 499: print(trial(brain))
"""
WORKERS = {
    "by zip": """
    def shepherd(pipe, many):
        fields = [Field() for _ in range(many)]
        while True:
            word, moves = pipe.recv()
            views, free, gains, over = [], [], [], []
            for field, move in zip(fields, moves):
                field.graze(int(move))
                over.append(field.bare)
                if field.bare: field.begin()
                views.append(field.sketch())
                free.append(field.open())
                gains.append(1.0)
            pipe.send((views, free, gains, over))
    """,
    "by number": """
    def shepherd(pipe, many):
        fields = [Field() for _ in range(many)]
        while True:
            word, moves = pipe.recv()
            for number in range(many):
                fields[number].graze(moves[number])
            over = [field.bare for field in fields]
            views, free = [field.sketch() for field in fields], [field.open() for field in fields]
            for field in fields:
                if field.bare: field.begin()
            pipe.send((views, free, [1.0] * many, over))
    """,
    "by a dictionary of games": """
    def shepherd(pipe, many):
        fields = {number: Field() for number in range(many)}
        while True:
            word, moves = pipe.recv()
            for number, move in moves.items():
                field = fields[number]
                field.graze(move)
                if field.bare: field.begin()
            views, free = [one.sketch() for one in fields.values()], [one.open() for one in fields.values()]
            pipe.send((views, free, 0, 0))
    """,
}


def functions(text: str) -> dict[str, NamedFunction]:
    found = decide([read(textwrap.dedent(text), "/program/train.py")])
    return {one.function: one for one in found if one.own_counters is None}


@pytest.mark.parametrize("kind", WORKERS)
def test_the_game_in_the_worker_is_stepped(kind: str) -> None:
    found = functions(GAME + WORKERS[kind] + DRIVER)
    assert [name for name, one in found.items() if one.counted and one.stage == ENV_STEP] == ["Field.graze"]
    assert (found["Field.graze"].stage, found["Field.graze"].ends_at) == (ENV_STEP, "self.bare")
    assert found["Barn.orders"].stage == VEC_COPY
    assert found["Field.sketch"].stage == ENV_OBSERVE
    assert found["Field.open"].stage == ENV_MASK
    assert found["trial"].stage == EVAL


def test_the_workers_loop_plays() -> None:
    assert functions(GAME + WORKERS["by zip"] + DRIVER)["shepherd"].stage == ROLLOUT
