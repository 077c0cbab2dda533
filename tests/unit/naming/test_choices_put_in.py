"""Games that take no argument: the choice is written into them, and then they are told to go on."""

from __future__ import annotations

import textwrap

import pytest

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.stage import (
    ACT,
    ENV_OBSERVE,
    ENV_OPPONENT,
    ENV_RESET,
    ENV_REWARD,
    ENV_STEP,
    REPLAY_ADD,
)
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide


def named(text: str) -> dict[str, NamedFunction]:
    return {one.function: one for one in decide([read(textwrap.dedent(text), "/program/train.py")])}


ENGINE = """
    class Part:
        def join(self, world):
            self.world = world
        def start(self):
            pass
        def beat(self):
            pass

    class Rocks(Part):
        def start(self):
            self.world.rocks = [3, 4]
        def beat(self):
            self.world.rocks = [rock + 1 for rock in self.world.rocks]

    class RivalPart(Part):
        def beat(self):
            self.world.rival += min(rock for rock in self.world.rocks)

    class Purse(Part):
        def beat(self):
            earned = sum(self.world.rocks)
            self.world.earned = earned
            self.world.finished = self.world.day > 99

    class Eyes(Part):
        def beat(self):
            self.world.sight = self.gather()
        def gather(self):
            return [rock for rock in self.world.rocks]

    class World:
        def __init__(self):
            self.parts = []
        def install(self, part):
            part.join(self)
            self.parts.append(part)
        def afresh(self):
            self.day = 0
            for part in self.parts:
                part.start()
        def pulse(self):
            self.day += 1
            for part in self.parts:
                part.beat()

    class Mind:
        def decision(self, sight):
            return max(sight)

    class Diary:
        def note(self, sight, wanted, earned, after, finished):
            self.rows.append((sight, wanted, earned, after, finished))

    def build():
        world = World()
        for part in (Rocks(), RivalPart(), Purse(), Eyes()):
            world.install(part)
        return world

    def match(world, mind, diary):
        world.afresh()
        sight = world.sight
        while True:
            wanted = mind.decision(sight)
            world.hero[0].wish = wanted
            world.pulse()
            diary.note(sight, wanted, world.earned, world.sight, world.finished)
            sight = world.sight
            if world.finished:
                break

    match(build(), Mind(), Diary())
"""


def test_an_engine_of_parts_is_understood_by_who_writes_what_the_loop_reads() -> None:
    found = named(ENGINE)
    assert {name: one.stage for name, one in found.items() if name != "match"} == {
        "World.pulse": ENV_STEP,
        "World.afresh": ENV_RESET,
        "RivalPart.beat": ENV_OPPONENT,
        "Purse.beat": ENV_REWARD,
        "Eyes.gather": ENV_OBSERVE,
        "Mind.decision": ACT,
        "Diary.note": REPLAY_ADD,
    }
    assert found["World.pulse"].ends_at == "self.finished"


WAYS = {
    "an attribute": ("ship.rudder = mind.choose(ship.gaze())", "while not ship.sunk:"),
    "a dictionary": ("ship.orders['rudder'] = mind.choose(ship.gaze())", "while ship.afloat:"),
    "another method": ("ship.steer(mind.choose(ship.gaze()))", "while ship.wreck is None:"),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_choice_may_be_put_in_by(way: str) -> None:
    line, loop = WAYS[way]
    text = f"""
        class Ship:
            def gaze(self):
                return [1, 2]
            def steer(self, rudder):
                self.rudder = rudder
            def tick(self):
                self.sunk = self.rudder > 3
            def paint(self):
                print(self.rudder)

        class Mind:
            def choose(self, sight):
                return max(sight)

        def voyage():
            ship, mind = Ship(), Mind()
            {loop}
                {line}
                ship.tick()
                ship.paint()

        voyage()
    """
    found = {name: one.stage for name, one in named(text).items()}
    assert [name for name, stage in found.items() if stage == ENV_STEP] == ["Ship.tick"]
    assert found["Mind.choose"] == ACT
    assert found["Ship.gaze"] == ENV_OBSERVE


def test_a_call_without_a_choice_before_it_is_no_step() -> None:
    found = named("""
        class Pool:
            def refill(self):
                self.level += 1

        def fill():
            pool = Pool()
            while not pool.full:
                pool.label = "x"
                pool.refill()

        fill()
    """)
    assert "Pool.refill" not in found


def test_a_method_that_only_notes_the_choice_is_no_step_whatever_its_name() -> None:
    found = named("""
        class Fazenda:
            def anotar(self, escolha):
                self.escolha = escolha
            def decorrer(self):
                self.dia += 1
                self.campos[self.escolha] += 1
                self.acabou = self.dia > 50

        class Cabeca:
            def escolhe(self, dia):
                return max(dia)

        def partida(fazenda, cabeca):
            while not fazenda.acabou:
                fazenda.anotar(cabeca.escolhe(fazenda.dia))
                fazenda.decorrer()

        partida(Fazenda(), Cabeca())
    """)
    assert [name for name, one in found.items() if one.stage == ENV_STEP] == ["Fazenda.decorrer"]
