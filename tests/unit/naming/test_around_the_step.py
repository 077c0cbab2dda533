"""What lies around a step in the loop that plays: memories, choices in one expression, rewards beside it."""

from __future__ import annotations

import textwrap

import pytest

from goldsplit.model.stage import (
    ACT,
    ENV_OBSERVE,
    ENV_REWARD,
    ENV_STEP,
    LEARN_LOSS,
    REPLAY_ADD,
)
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide


def stages(*texts: str) -> dict[str, str]:
    files = [read(textwrap.dedent(text), f"/program/part{n}.py") for n, text in enumerate(texts)]
    return {one.function: one.stage for one in decide(files)}


MEMORY_THAT_LOOKS_LIKE_A_STEP = """
    class Chest:
        def keep(self, seen, chosen, reward, after, done):
            self.rows.append((seen, chosen, reward, after, done))
        def handful(self, many):
            return self.seen[many], self.chosen[many], self.rewards[many], self.done[many]

    class Harbour:
        def reset(self):
            return self.view()
        def step(self, order):
            return self.view(), 1.0, self.day > 9
        def view(self):
            return [self.day, 1, 2]

    harbour, chest = Harbour(), Chest()
    seen = harbour.reset()
    for turn in range(100):
        {chosen}
        after, reward, done = harbour.step(chosen)
        chest.keep(seen, chosen, reward, after, done)
        if turn % 4 == 0:
            b_seen, b_chosen, b_reward, b_done = chest.handful(32)
            loss = net(b_seen) - b_reward * (1 - b_done)
            loss.backward()
"""


@pytest.mark.parametrize("chosen", ["chosen = int(net(seen).argmax())", "chosen = pick(net, seen)"])
def test_what_draws_from_a_memory_is_no_step(chosen: str) -> None:
    pick = "def pick(net, seen):\n    return net(seen)\n"
    found = stages(pick + textwrap.dedent(MEMORY_THAT_LOOKS_LIKE_A_STEP).replace("{chosen}", chosen))
    assert found["Harbour.step"] == ENV_STEP
    assert found["Chest.keep"] == REPLAY_ADD
    assert found.get("Chest.handful") != ENV_STEP


def test_a_step_in_a_worker_is_one_although_nobody_chooses_there() -> None:
    worker = """
        from cave import Cave

        def life(pipe):
            cave = Cave()
            while True:
                order = pipe.recv()
                seen, reward, over = cave.go_on(order)
                if over:
                    cave.reset()
                pipe.send((seen, reward, over))
    """
    cave = """
        class Cave:
            def reset(self):
                self.day = 0
            def go_on(self, order):
                self.day += 1
                return [1, 2, 3], 1.0, self.day > 9
    """
    files = [
        read(textwrap.dedent(text), f"/program/{name}.py") for name, text in (("w", worker), ("cave", cave))
    ]
    assert {one.function: one.stage for one in decide(files)}["Cave.go_on"] == ENV_STEP


def test_what_is_seen_is_told_from_the_choice_also_in_one_expression() -> None:
    found = stages("""
        def merkmale(spiel):
            return tuple(spiel.felder)

        class Spieler:
            def waehle(self, bild, eps=0.1):
                return max(self.q[bild])

        class Spiel:
            def neu(self):
                self.felder = [0] * 9
            def ziehe(self, zug):
                self.felder[zug] = 1
                return all(self.felder)

        def probe(spieler):
            spiel = Spiel()
            spiel.neu()
            aus = False
            while not aus:
                aus = spiel.ziehe(spieler.waehle(merkmale(spiel), eps=0.0))

        probe(Spieler())
    """)
    assert found["merkmale"] == ENV_OBSERVE
    assert found["Spieler.waehle"] == ACT


def test_a_choice_inside_a_conversion_is_still_the_choice() -> None:
    found = stages("""
        def to_order(number):
            return ("n", "e", "s", "w")[number]

        class Pilot:
            def pick_one(self, view):
                return max(view)

        class Ship:
            def gaze(self):
                return [1, 2]
            def sail(self, order):
                return self.day > 9

        def voyage(ship, pilot):
            sunk = False
            while not sunk:
                sunk = ship.sail(to_order(pilot.pick_one(ship.gaze())))

        voyage(Ship(), Pilot())
    """)
    assert found["Pilot.pick_one"] == ACT
    assert found["Ship.gaze"] == ENV_OBSERVE


REWARDS_BESIDE_THE_STEP = {
    "Lake.balance": """
        class Lake:
            def planes(self):
                return [0] * 9
            def slide(self, fox):
                self.loser = fox
            def balance(self):
                return sum(tile for tile in self.tiles)

        class Player:
            def choose(self, planes):
                return max(planes)

        def game(player):
            lake, rows = Lake(), []
            before = lake.balance()
            while lake.loser is None:
                planes = lake.planes()
                fox = player.choose(planes)
                lake.slide(fox)
                after = lake.balance()
                gained = 0.1 * (after - before)
                before = after
                rows.append((planes, fox, gained))
            return rows

        game(Player())
    """,
    "verdienst": """
        class Hof:
            def tun(self, was):
                self.tag += was
                return self.tag > 60
            def bild(self):
                return [self.tag]

        def verdienst(hof, vorher):
            jetzt = sum(hof.felder)
            return jetzt - vorher, jetzt

        class Bauer:
            def wahl(self, bild):
                return self.q[bild]
            def merke(self, bild, was, lohn, danach, aus):
                self.q += bild * lohn

        def jahr(hof, bauer):
            bild = hof.bild()
            was = bauer.wahl(bild)
            vorher = 0
            while True:
                aus = hof.tun(was)
                plus, vorher = verdienst(hof, vorher)
                neu = hof.bild()
                danach = bauer.wahl(neu)
                bauer.merke(bild, was, plus, neu, aus)
                bild, was = neu, danach
                if aus:
                    return

        jahr(Hof(), Bauer())
    """,
    "judge": """
        def judge(position):
            return sum(piece for piece in position)

        def after(position, move):
            return position + (move,)

        def finished(position):
            return len(position) > 9

        def best(weights, position):
            return max(weights, key=position.index)

        def play(weights):
            position, story = (), []
            while not finished(position):
                move = best(weights, position)
                position = after(position, move)
                story.append((move, judge(position)))
            return story

        play([1, 2])
    """,
}


@pytest.mark.parametrize("function", REWARDS_BESIDE_THE_STEP)
def test_what_asks_the_game_after_a_step_and_is_learned_from_is_the_reward(function: str) -> None:
    assert stages(REWARDS_BESIDE_THE_STEP[function])[function] == ENV_REWARD


def test_the_end_and_the_next_view_are_no_reward() -> None:
    found = stages("""
        class Board:
            def view(self):
                return [1, 2]
            def put(self, stone):
                self.stones += stone
            def full(self):
                return sum(self.stones) > 8
            def worth(self):
                return sum(self.stones)

        class Mind:
            def pick(self, view):
                return max(view)

        def play(board, mind, memory):
            view, full = board.view(), False
            while not full:
                stone = mind.pick(view)
                board.put(stone)
                full = board.full()
                worth = board.worth()
                seen = board.view()
                memory.append((view, stone, worth, seen, full))
                view = seen

        play(Board(), Mind(), [])
    """)
    assert found["Board.worth"] == ENV_REWARD
    assert found["Board.view"] == ENV_OBSERVE
    assert found.get("Board.full") != ENV_REWARD


def test_without_gradients_what_is_told_each_outcome_and_changes_its_numbers_learns() -> None:
    found = stages("""
        class Sim:
            def frame(self, thrust):
                return dict(view=[1, 2], gain=self.count(), fallen=self.t > 9)
            def count(self):
                return sum(range(self.t))

        class Pilot:
            def decide(self, view):
                return max(view)
            def adapt(self, view, thrust, gain):
                self.w -= gain * 0.1

        def episode(sim, pilot, view):
            while True:
                thrust = pilot.decide(view)
                out = sim.frame(thrust)
                pilot.adapt(view, thrust, out["gain"])
                view = out["view"]
                if out["fallen"]:
                    break

        for n in range(100):
            episode(Sim(), Pilot(), [0, 0])
    """)
    assert found["Sim.frame"] == ENV_STEP
    assert found["Sim.count"] == ENV_REWARD
    assert found["Pilot.adapt"] == LEARN_LOSS
