"""What collections, event buses, tables of handlers and `getattr` hold: calls through them are understood."""

from __future__ import annotations

import textwrap

import pytest

from goldsplit.naming.calls import Program
from goldsplit.naming.flow import Flow
from goldsplit.naming.reading.source import read


def program(text: str) -> Program:
    return Program([read(textwrap.dedent(text), "/program/train.py")])


def reached(text: str, name: str) -> set[str]:
    found = program(text)
    (function,) = (one for one in found.functions if one.qualname == name)
    return {one.qualname for one in found.reached(function)}


PLUGINS = """
    class Part:
        def join(self, world):
            self.world = world
        def tick(self):
            pass

    class Wind(Part):
        def tick(self):
            self.world.air = self.blow()
        def blow(self):
            return 1

    class Rain(Part):
        def tick(self):
            self.world.water = 2

    class World:
        def __init__(self):
            self.parts = []
        def install(self, part):
            part.join(self)
            self.parts.append(part)
            return part
        def advance(self):
            for part in self.parts:
                part.tick()

    def build():
        world = World()
        for part in (Wind(), Rain()):
            world.install(part)
        return world
"""


def test_a_list_of_plugins_calls_each_of_them() -> None:
    assert reached(PLUGINS, "World.advance") == {"Wind.tick", "Wind.blow", "Rain.tick"}


def test_an_attribute_of_the_world_is_traced_to_the_plugin_that_writes_it() -> None:
    found = program(PLUGINS + "\n    def see():\n        world = build()\n        return world.air\n")
    see = next(one for one in found.functions if one.name == "see")
    ((where, call),) = Flow(found).sources(see, frozenset({"world.air"}))
    assert (where.qualname, call.name) == ("Wind.tick", "blow")


HANDLERS = {
    "bus": """
        class Bus:
            def __init__(self):
                self.heard = {}
            def listen(self, kind, who):
                self.heard.setdefault(kind, []).append(who)
                self.heard[kind].append(who)
            def deliver(self, kind, **data):
                for who in self.heard[kind]:
                    who(**data)

        class Miner:
            def __init__(self, bus):
                bus.listen("stone", self.stone)
            def stone(self, x):
                return x

        class Cave:
            def __init__(self):
                self.bus = Bus()
                self.miner = Miner(self.bus)
            def run(self):
                self.bus.deliver("stone", x=1)
    """,
    "table": """
        class Cave:
            def __init__(self):
                self.orders = {"dig": self.stone, "rest": self.rest}
            def stone(self, x):
                return x
            def rest(self, x):
                return 0
            def run(self):
                self.orders["dig"](1)
    """,
    "module table": """
        def stone(x):
            return x

        ORDERS = {"dig": stone}

        class Cave:
            def run(self):
                order = ORDERS["dig"]
                order(1)
    """,
    "getattr": """
        class Cave:
            def do_stone(self, x):
                return x
            def run(self):
                getattr(self, "do_" + "stone")(1)
    """,
    "getattr by two lines": """
        class Cave:
            def do_stone(self, x):
                return x
            def run(self, kind):
                order = getattr(self, f"do_{kind}")
                order(1)
    """,
}


@pytest.mark.parametrize("kind", HANDLERS)
def test_handlers_are_found(kind: str) -> None:
    assert any("stone" in name for name in reached(HANDLERS[kind], "Cave.run"))


def test_a_name_that_is_not_known_at_all_is_looked_up_nowhere() -> None:
    text = """
        class Cave:
            def stone(self, x):
                return x
            def run(self, kind):
                getattr(self, kind)(1)
    """
    assert reached(text, "Cave.run") == set()


def test_a_function_that_returns_an_empty_tuple_is_no_maker() -> None:
    text = """
    def nothing():
        return ()

    def main():
        first = nothing()
        first.step()
    """
    assert reached(text, "main") <= {"main", "nothing"}
