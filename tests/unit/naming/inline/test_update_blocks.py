"""Updates in the lines behind a condition of the loop that plays."""

from __future__ import annotations

import textwrap

import pytest

from goldsplit.model.stage import LEARN_RETURNS, REPLAY_SAMPLE
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide

PROGRAM = """
    import random
    import torch
    class Pit:
        def begin(self): self.depth = 0
        def look(self): return [self.depth]
        def dig(self, where):
            self.depth += where
            return 1.0, self.depth > 9
    def pick(net, seen):
        with torch.no_grad():
            return int(net(torch.tensor(seen)).argmax())
    def season(pit, net, opt):
        chest, n = [], 0
        pit.begin()
        seen = pit.look()
        while n < 1000:
            where = pick(net, seen)
            coins, deep = pit.dig(where)
            after = pit.look()
            chest.append((seen, coins, after, deep))
            seen = after
            n += 1
            if len(chest) > 64:
                some = random.sample(chest, 32)
                a, b, c, e = zip(*some)
                now = net(torch.tensor(a))
                with torch.no_grad():
                    then = net(torch.tensor(c))
                TARGETS
                loss = ((now - towards) ** 2).mean()
                opt.zero_grad()
                loss.backward()
                opt.step()
            if deep:
                pit.begin()
                seen = pit.look()
    season(Pit(), torch.nn.Linear(1, 1), None)
"""
ONE_BY_ONE = "towards = torch.stack([x if z else x + 0.9 * y for x, y, z in zip(b, then, e)])"
IN_A_LOOP = """best, towards = then.max(1).values, []
                for x, y, z in zip(b, best, e):
                    towards.append(x if z else x + 0.9 * y)"""
ALL_AT_ONCE = "towards = torch.tensor(b) + 0.9 * then * (1 - torch.tensor(e))"


def lines(targets: str, stage: str) -> set[str]:
    """The texts of the lines that have this stage."""
    text = textwrap.dedent(PROGRAM.replace("TARGETS", targets))
    parts = [one for one in decide([read(text, "/program/train.py")]) if one.own_counters is not None]
    numbers = {n for one in parts if one.stage == stage for n in range(one.first, one.last + 1)}
    return {row.strip() for n, row in enumerate(text.splitlines(), 1) if n in numbers}


@pytest.mark.parametrize("targets", [ONE_BY_ONE, IN_A_LOOP, ALL_AT_ONCE])
def test_what_draws_a_batch_in_the_lines_of_an_update_samples(targets: str) -> None:
    assert lines(targets, REPLAY_SAMPLE) == {"some = random.sample(chest, 32)", "a, b, c, e = zip(*some)"}


def test_targets_that_are_made_row_by_row_are_returns() -> None:
    assert lines(ONE_BY_ONE, LEARN_RETURNS) == {ONE_BY_ONE}
    assert "towards.append(x if z else x + 0.9 * y)" in lines(IN_A_LOOP, LEARN_RETURNS)


def test_targets_that_are_made_at_once_are_a_part_of_the_update() -> None:
    assert lines(ALL_AT_ONCE, LEARN_RETURNS) == set()
