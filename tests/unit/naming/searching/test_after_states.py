"""Learners that value what each possible move leads to: who lists the moves, who looks at what follows."""

from __future__ import annotations

import textwrap

from goldsplit.model.stage import ACT, ENV_MASK, ENV_OBSERVE, ENV_STEP
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide


def stages(text: str) -> dict[str, str]:
    """Whole functions; lines as `function:line`."""
    found = decide([read(textwrap.dedent(text), "/program/train.py")])
    return {
        one.function if one.own_counters is None else f"{one.function}:{one.first}": one.stage
        for one in found
    }


CRATES = """
    import random
    import torch
    class Dock:
        def clear(self):
            self.rows = [[0] * 9 for _ in range(12)]
            return self.sketch(self.rows)
        def sketch(self, rows):
            out = []
            for row in rows:
                out.append(sum(row))
            return out
        def spots(self):
            found = {}
            for column in range(9):
                rows = self.put(column)
                if rows is not None:
                    found[column] = rows
            return found
        def put(self, column):
            return [row[:] for row in self.rows]
        def lower(self, column):
            self.rows = self.put(column)
            full = FULL
            return 1, full
    def imagine(dock):
        spots = dock.spots()
        pictures = {}
        for spot, rows in spots.items():
            pictures[spot] = dock.sketch(rows)
        return pictures
    def favourite(net, pictures, luck):
        places, drawn = zip(*pictures.items())
        with torch.no_grad():
            worth = net(torch.tensor(drawn))
        n = random.randrange(len(places)) if random.random() < luck else int(worth.argmax())
        return places[n], drawn[n]
    def shift(net):
        dock = Dock()
        dock.clear()
        while True:
            pictures = imagine(dock)
            spot, after = favourite(net, pictures, 0.1)
            gain, over = dock.lower(spot)
            if over:
                dock.clear()
    shift(torch.nn.Linear(12, 1))
"""


def test_moves_that_are_keys_of_what_follows_them() -> None:
    found = stages(CRATES.replace("FULL", "self.rows[0][0] > 0"))
    assert found["Dock.lower"] == ENV_STEP
    assert found["favourite"] == ACT
    assert found["imagine"] == ENV_OBSERVE
    assert found["Dock.sketch"] == ENV_OBSERVE
    assert found["Dock.spots"] == ENV_MASK
    assert "Dock.put" not in found  # it made the rows that are looked at, it does not look at them


def test_what_the_step_asks_for_too_is_the_mask_only_where_a_choice_is_made_by_it() -> None:
    found = stages(CRATES.replace("FULL", "len(self.spots()) == 0"))
    assert "Dock.spots" not in found
    lines = CRATES.splitlines()
    line = next(n for n, text in enumerate(lines, 1) if "spots = dock.spots()" in text)
    assert found[f"imagine:{line}"] == ENV_MASK


def test_moves_beside_what_follows_them() -> None:
    found = stages(
        """
        import numpy as np
        class Tables:
            def rolls(self, dice):
                return [(a, b) for a in range(24) for b in range(24)]
            def look(self, pair):
                return [pair[0] * n for n in range(24)]
            def carry(self, pair):
                for n in pair:
                    self.points[n] += 1
                return 0.0, self.points[0] > 14
        class Player:
            def prefer(self, looks):
                return int(np.argmax([self.w @ look for look in looks]))
        def candidates(tables):
            pairs = tables.rolls(3)
            looks = [tables.look(pair) for pair in pairs]
            return pairs, looks
        def evening(tables, player):
            over = False
            while not over:
                pairs, looks = candidates(tables)
                best = player.prefer(looks)
                reward, over = tables.carry(pairs[best])
        evening(Tables(), Player())
        """
    )
    assert found["Tables.carry"] == ENV_STEP
    assert found["Player.prefer"] == ACT
    assert found["Tables.rolls"] == ENV_MASK
    assert found["candidates"] in (ENV_OBSERVE, ENV_MASK)


def test_a_choice_that_is_computed_is_one_of_nothing() -> None:
    found = stages(
        """
        import numpy as np
        class Slide:
            def tiles(self):
                return [n * 2 for n in range(16)]
            def tilt(self, way):
                for n in range(16):
                    self.board[n] += way
                return sum(self.board), self.board[0] > 9
        def glance(slide):
            tiles = slide.tiles()
            return tiles
        def tally(weights, tiles):
            worth = np.dot(weights, tiles)
            way = np.argmax(worth)
            return way
        def game(slide, weights):
            stuck = False
            while not stuck:
                tiles = glance(slide)
                way = tally(weights, tiles)
                points, stuck = slide.tilt(way)
        game(Slide(), np.zeros(16))
        """
    )
    assert found["Slide.tilt"] == ENV_STEP
    assert ENV_MASK not in found.values()
