"""Who moves beside the agent: pieces that nobody's action moves, and what they cost or earn."""

from __future__ import annotations

import textwrap

import pytest

from goldsplit.model.stage import ENV_OBSERVE, ENV_OPPONENT, ENV_RESET, ENV_REWARD, ENV_STEP
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide


def stages(text: str) -> dict[str, str]:
    found = decide([read(textwrap.dedent(text), "/program/train.py")])
    return {one.function: one.stage for one in found if one.own_counters is None}


LATER = """
    import random
    class Hold:
        def afresh(self):
            self.at, self.hull, self.sunk = 0, 9, False
            self.{crew} = [Shark() for _ in range(4)]
        def row(self, oar):
            self.at += oar
            return 0.1
        def {after}(self):
            {body}
        def sight(self):
            return [self.at, self.hull]
    class Mind:
        def wish(self, sight): return max(sight)
    def voyage():
        hold, mind, diary = Hold(), Mind(), []
        while True:
            hold.afresh()
            while not hold.sunk:
                seen = hold.sight()
                oar = mind.wish(seen)
                gain = hold.row(oar)
                gain += hold.{after}()
                diary.append((seen, oar, gain))
"""
BITES = """
            loss = 0.0
            for one in self.{crew}:
                if one.at == self.at:
                    self.hull -= 1
                    loss -= 0.2
                else:
                    one.at = {where}
            self.sunk = self.hull <= 0
            return loss
"""


def later(after: str, crew: str, where: str) -> dict[str, str]:
    body = BITES.format(crew=crew, where=where).strip()
    return stages(LATER.format(after=after, crew=crew, body=body))


@pytest.mark.parametrize(
    ("after", "crew", "where"),
    [
        ("ghosts", "those", "one.at + 1"),  # a word alone, and pieces that are moved
        ("tide", "enemies", "random.choice(around(one.at))"),
        ("tide", "those", "min(around(one.at), key=lambda place: abs(place - self.at))"),
    ],
)
def test_what_moves_others_after_the_step_is_no_question_for_a_reward(after, crew, where):
    found = later(after, crew, where)
    assert found["Hold.row"] == ENV_STEP
    assert found[f"Hold.{after}"] == ENV_OPPONENT


def test_what_changes_the_game_after_the_step_without_moving_others_is_a_part_of_the_step():
    found = later("tide", "those", "one.at + 1")
    assert found["Hold.tide"] == ENV_STEP


def test_what_only_asks_after_the_step_is_the_reward_though_it_keeps_something():
    body = "now = sum(one.at for one in self.those); was, self.before = self.before, now; return now - was"
    assert stages(LATER.format(after="tide", crew="those", body=body))["Hold.tide"] == ENV_REWARD


INSIDE = """
    import random
    class Field:
        def afresh(self):
            self.x, self.hens, self.eggs = 0, [], 0
        def hop(self, way):
            self.x = self.x + way
            self.{helper}()
            g = 0.1 * self.eggs
            off = self.far()
            g -= 0.01 * off
            return g, self.x in self.hens
        def {helper}(self):
            {body}
        def far(self):
            return min(abs(one - self.x) for one in self.hens)
        def sight(self):
            return [self.x, *self.hens]
    class Mind:
        def wish(self, sight): return max(sight)
    def day():
        field, mind, diary = Field(), Mind(), []
        while True:
            field.afresh()
            over = False
            while not over:
                seen = field.sight()
                way = mind.wish(seen)
                gain, over = field.hop(way)
                diary.append((seen, way, gain))
"""
HUNT = """
            there = []
            for hen in self.hens:
                near = [hen - 1, hen + 1]
                there.append(min(near, key=lambda one: abs(one - self.x)) if wants(self.x) else hen)
            self.hens = there
"""
DRIFT = """
            for hen in self.hens:
                hen.y += hen.speed
"""
FEWER = """
            for hen in self.hens:
                self.eggs += max(hen.eggs, 0)
            self.hens = [hen for hen in self.hens if hen.eggs]
"""


@pytest.mark.parametrize(
    ("helper", "body", "opponent"),
    [
        ("flock", HUNT, True),  # no word: it chooses places by where the agent is
        ("mobs", DRIFT, True),  # the only word of its name
        ("flock", DRIFT, False),  # things that fall do not play
        ("flock", FEWER, False),
    ],
)
def test_pieces_that_move_inside_a_step(helper, body, opponent):
    found = stages(INSIDE.format(helper=helper, body=body.strip()))
    assert found["Field.hop"] == ENV_STEP
    assert (found.get(f"Field.{helper}") == ENV_OPPONENT) is opponent


def test_a_number_that_is_added_up_is_no_observation():
    found = stages(INSIDE.format(helper="flock", body=DRIFT.strip()))
    assert found["Field.sight"] == ENV_OBSERVE
    assert "Field.far" not in found


SUMMED = """
    class Village:
        def afresh(self):
            self.day = 0
            for one in self.folk: one.before = 0.0
            return self.sights()
        def season(self, wishes):
            self.day += 1
            for one in self.folk: one.corn += wishes[one.name]
            shares = self.{helper}()
            return self.sights(), shares, self.day > 9
        def {helper}(self):
            {body}
        def sights(self):
            return {{one.name: [one.corn, self.day] for one in self.folk}}
    class Mind:
        def wish(self, sight): return max(sight)
    def years():
        village, mind, total = Village(), Mind(), 0.0
        sights = village.afresh()
        while True:
            wishes = {{}}
            for name in village.names:
                wishes[name] = mind.wish(sights[name])
            sights, shares, over = village.season(wishes)
            for name in village.names:
                {use}
            if over:
                sights = village.afresh()
"""
ASKS = """
            shares = {}
            for one in self.folk:
                shares[one.name] = one.corn - one.before
                one.before = one.corn
            return shares
"""
TAKES = """
            shares = {}
            for one in self.folk:
                shares[one.name] = one.corn / 2
                one.corn -= shares[one.name]
            return shares
"""


@pytest.mark.parametrize(
    ("body", "use", "reward"),
    [
        (ASKS, "total += shares[name]", True),
        (TAKES, "total += shares[name]", False),  # a part of the step that changes the game
        (ASKS, "print(shares[name])", False),  # nobody says that it is a reward
    ],
)
def test_what_makes_the_part_of_a_result_that_the_loop_adds_up(body, use, reward):
    found = stages(SUMMED.format(helper="divide", body=body.strip(), use=use))
    assert found["Village.season"] == ENV_STEP
    assert (found.get("Village.divide") == ENV_REWARD) is reward


DEALS = """
    class Table:
        def open_evening(self):
            self.stock, self.over = 40, False
            {begin}
        def lay(self, card):
            self.hand -= 1
            if {asked}:
                {inside}
            return self.hand
        def deal(self):
            self.hand = 3
            self.stock -= 3
        def sight(self):
            return [self.hand, self.stock]
    class Mind:
        def wish(self, sight): return max(sight)
    def evening(tables, mind, diary):
        for table in tables:
            table.open_evening()
        while True:
            for table in tables:
                seen = table.sight()
                card = mind.wish(seen)
                gain = table.lay(card)
                diary.append((seen, card, gain))
                if table.over:
                    table.open_evening()
    evening([Table(), Table()], Mind(), [])
"""


@pytest.mark.parametrize("asked", ["self.stock", "not self.hand and self.stock", "self.hand < 1"])
def test_a_deal_inside_a_game_begins_no_game(asked):
    found = stages(DEALS.format(begin="self.deal()", asked=asked, inside="self.deal()"))
    assert found["Table.lay"] == ENV_STEP
    assert found["Table.open_evening"] == ENV_RESET
    assert found.get("Table.deal") != ENV_RESET


def test_a_step_may_begin_the_next_game_where_it_is_over():
    found = stages(
        """
        class Table:
            def restart(self):
                self.at = 0
            def lay(self, card):
                self.at += card
                over = self.at > 9
                if over:
                    self.restart()
                return self.at, 0.5, over
        class Mind:
            def wish(self, sight): return max(sight)
        def evening(mind, diary):
            table = Table()
            table.restart()
            seen = 0
            while True:
                card = mind.wish(seen)
                seen, reward, over = table.lay(card)
                diary.append((seen, card, reward, over))
        evening(Mind(), [])
        """
    )
    assert found["Table.restart"] == ENV_RESET


VALUES = """
    import torch
    import torch.nn as nn
    class {net}(nn.Module):
        def policy(self, x): return self.hand(self.trunk(x))
        def {value}(self, x): return self.heart(self.trunk(x))
    class Teacher:
        def choose(self, seen):
            with torch.no_grad():
                return self.net.policy(seen).argmax()
        def estimate(self, seen):
            with torch.no_grad():
                return self.net.{value}(seen)
        def study(self, seen, returns):
            loss = ({asked}(seen) - returns).pow(2).mean()
            loss.backward()
    class Game:
        def step(self, action): return 0, 0.5, True
    def train():
        game, teacher, seen = Game(), Teacher(), 0
        teacher.net = {net}()
        while True:
            action = teacher.choose(seen)
            {inline}worth = teacher.estimate(seen)
            seen, reward, done = game.step(action)
            if done:
                teacher.study(seen, worth)
"""


@pytest.mark.parametrize(
    ("net", "value", "asked", "expected"),
    [
        ("Brain", "value", "self.net.value", None),  # its callers tell what its time is for
        ("Brain", "get_value", "self.net.get_value", None),
        ("Brain", "value", "self.net.policy", "act.value"),
    ],
)
def test_a_value_that_an_update_asks_for_is_no_estimate_while_playing(net, value, asked, expected):
    found = stages(VALUES.format(net=net, value=value, asked=asked, inline=""))
    assert found.get(f"{net}.{value}") == expected
    assert found["Teacher.estimate"] == "act.value"


def test_a_value_that_the_loop_and_an_update_ask_for_is_decided_call_by_call():
    inline = "before = teacher.net.value(seen + 1)\n            "
    text = VALUES.format(net="Brain", value="value", asked="self.net.value", inline=inline)
    assert stages(text)["Brain.value"] == "forward"


def test_a_sum_over_what_is_seen_makes_no_reward_of_it() -> None:
    found = stages(
        """
        import numpy as np
        class Walk:
            def reset(self):
                self.at = 0
                return self.sight()
            def sight(self):
                return np.array([self.at, 1.0])
            def step(self, action):
                self.at += 1
                return self.sight(), 0.5, self.at >= 10, {}
        def play(walk):
            walk.reset()
            total = 0.0
            for _ in range(100):
                seen, reward, done, _ = walk.step(0)
                total += reward + float(seen.sum())
                if done:
                    walk.reset()
        play(Walk())
        """
    )
    assert found["Walk.sight"] == "env.observe"
