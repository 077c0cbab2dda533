"""Games that are generators, what plays for training and for tests, and turns of the other side."""

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
    EVAL,
    LOG,
    REPLAY_ADD,
    ROLLOUT,
)
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide


def functions(text: str) -> dict[str, NamedFunction]:
    found = decide([read(textwrap.dedent(text), "/program/train.py")])
    return {one.function: one for one in found if one.own_counters is None}


def lines(text: str) -> list[tuple[str, str]]:
    """The stages of lines that calls belong to, each with its first line's text."""
    text = textwrap.dedent(text)
    found = [
        one for one in decide([read(text, "/program/train.py")]) if one.own_counters == () and one.counted
    ]
    return [(one.stage, text.splitlines()[one.first - 1].strip()) for one in found]


LEARNER = """
    import random, time
    class Brain:
        def choose(self, seen, free):
            with torch.no_grad():
                return int(self.net(seen).argmax())
        def drill(self, rows):
            loss = self.net(rows).mean()
            loss.backward()
            self.opt.step()
    class Chest:
        def __init__(self): self.rows = []
        def lay(self, seen, way, gain, fresh, over):
            self.rows.append((seen, way, gain, fresh, over))
        def handful(self): return random.sample(self.rows, 8)
"""
HARBOUR = """
    class Harbour:
        def __init__(self): self.day, self.gold = 0, 5.0
        def tide(self):
            while self.day < 40:
                self.obey((yield Ask("dawn", False)))
                self.day += 1
            yield Ask("dawn", True)
        def obey(self, order):
            for ship in range(order): self.gold += ship
        def sketch(self, ask): return [self.day, self.gold, len(ask.kind)]
        def worth(self):
            total = sum(ship for ship in range(int(self.gold)))
            return total * 2
"""
HANDED_ON = """
    def wake(tide): return next(tide)
    def reply(tide, order): return tide.send(order)
    def years(brain, chest):
        start = time.time()
        while True:
            port = Harbour()
            tide = port.tide()
            ask = wake(tide)
            seen = port.sketch(ask)
            while not ask.closed:
                order = brain.choose(seen, 3)
                ask = reply(tide, order)
                gain = port.worth()
                fresh = port.sketch(ask)
                chest.lay(seen, order, gain, fresh, ask.closed)
                seen = fresh
                brain.drill(chest.handful())
                if time.time() - start > 99: break
            if not ask.closed:
                break
    years(Brain(), Chest())
"""
OF_AN_OBJECT = """
    class Pilot:
        def __init__(self): self.port = Harbour(); self.tide = self.port.tide()
        def begin(self): return next(self.tide)
        def reply(self, order): return self.tide.send(order)
    def years(brain, chest):
        while True:
            pilot = Pilot()
            ask = pilot.begin()
            while not ask.closed:
                order = brain.choose(ask.kind, 3)
                ask = pilot.reply(order)
                chest.lay(ask.kind, order, 1.0, ask.kind, ask.closed)
                brain.drill(chest.handful())
    years(Brain(), Chest())
"""
DIRECTLY = """
    def years(brain, chest):
        while True:
            port = Harbour()
            tide = port.tide()
            ask = next(tide)
            while not ask.closed:
                order = brain.choose(port.sketch(ask), 3)
                ask = tide.send(order)
                chest.lay(ask.kind, order, port.worth(), ask.kind, ask.closed)
                brain.drill(chest.handful())
    years(Brain(), Chest())
"""


def test_a_generator_that_is_handed_on_is_the_game() -> None:
    found = functions(LEARNER + HARBOUR + HANDED_ON)
    assert (found["reply"].stage, found["reply"].counted, found["reply"].ends_at) == (
        ENV_STEP,
        True,
        "closed",
    )
    assert (found["wake"].stage, found["wake"].counted) == (ENV_STEP, False)
    assert found["Harbour.__init__"].stage == ENV_RESET
    assert found["Brain.choose"].stage == ACT
    assert found["Harbour.sketch"].stage == ENV_OBSERVE
    assert found["Harbour.worth"].stage == ENV_REWARD
    assert found["Chest.lay"].stage == REPLAY_ADD
    assert found.get("Harbour.tide") is None or found["Harbour.tide"].stage == ENV_STEP


@pytest.mark.parametrize("how", [OF_AN_OBJECT, DIRECTLY])
def test_what_a_generator_is_asked_by_does_not_matter(how: str) -> None:
    found = functions(LEARNER + HARBOUR + how)
    counted = {name for name, one in found.items() if one.counted}
    assert counted == ({"Pilot.reply"} if how is OF_AN_OBJECT else {"Harbour.tide"})
    assert found["Brain.choose"].stage == ACT
    assert all(one.stage in (ENV_STEP, ENV_RESET) for name, one in found.items() if name == "Pilot.begin")


def test_what_writes_lines_to_a_file_is_a_log_although_it_reads_a_clock() -> None:
    notes = """
    class Notes:
        def jot(self, what, much):
            with open(self.path, "a") as page:
                page.write("%f %s %f" % (time.time(), what, much))
    """
    used = HANDED_ON.replace("gain = port.worth()", "gain = port.worth(); Notes().jot('gain', gain)")
    assert functions(LEARNER + HARBOUR + notes + used)["Notes.jot"].stage == LOG


DUEL = """
    import multiprocessing, random
    class Pond:
        def __init__(self): self.owner, self.turn = None, 1
        def hop(self, leaf):
            self.turn = -self.turn
            if leaf > 9: self.owner = self.turn
        def gaze(self): return [float(leaf) for leaf in range(self.turn)]
    class Frog(nn.Module):
        def forward(self, seen): return self.layer(seen)
        def leap(self, seen): return int(self(seen).argmax())
    def contest(job):
        mine, theirs = Frog(), Frog()
        rows = []
        pond = Pond()
        while pond.owner is None:
            if pond.turn != 1:
                leaf = theirs.leap(pond.gaze())
                pond.hop(leaf)
                continue
            seen = pond.gaze()
            leaf = mine.leap(seen)
            pond.hop(leaf)
            rows.append((seen, leaf))
        return rows, pond.owner
    def drill(net, rows):
        loss = net(rows).mean()
        loss.backward()
"""
TESTED = {
    "called now and then": """
    def summer(net):
        pool, n = multiprocessing.Pool(2), 0
        while True:
            n += 1
            waiting = pool.map_async(contest, [net] * 4)
            rows = []
            for more, owner in waiting.get():
                rows += more
            drill(net, rows)
            if n % 5 == 0:
                rows, owner = contest(net)
                print(owner)
    """,
    "handed to the pool, each round": """
    def summer(net):
        pool = multiprocessing.Pool(2)
        while True:
            found = pool.map(contest, [net] * 4)
            drill(net, found)
            seen = pool.map(contest, [None] * 4)
            print(sum(owner for _, owner in seen))
    """,
}


@pytest.mark.parametrize("how", TESTED)
def test_what_plays_for_both_is_told_by_its_calls(how: str) -> None:
    text = DUEL + TESTED[how] + "    summer(None)\n"
    assert functions(text)["contest"].stage == ROLLOUT
    tested = [line for stage, line in lines(text) if stage == EVAL]
    assert tested == [
        "rows, owner = contest(net)" if "now" in how else "seen = pool.map(contest, [None] * 4)"
    ]


def test_rounds_that_warm_a_pool_up_or_are_asked_for_early_are_no_tests() -> None:
    ahead = """
    def summer(net):
        pool = multiprocessing.Pool(2)
        warm = [one.get() for one in [pool.apply_async(contest, (net,))]]
        pending = pool.map_async(contest, [net] * 4)
        while True:
            found = pending.get()
            pending = pool.map_async(contest, [net] * 4)
            drill(net, found)
    summer(None)
    """
    assert not [line for stage, line in lines(DUEL + ahead) if stage == EVAL]
    assert functions(DUEL + ahead)["contest"].stage == ROLLOUT


def test_what_a_pool_plays_only_now_and_then_is_a_test() -> None:
    text = """
    def parade(net): return contest(net)[1]
    def summer(net):
        pool, n = multiprocessing.Pool(2), 0
        while True:
            n += 1
            drill(net, pool.map(contest, [net] * 4))
            if n % 9 == 0:
                print(pool.map(parade, [net] * 2))
    summer(None)
    """
    assert functions(DUEL + text)["parade"].stage == EVAL


TURNS = {
    "left by continue": ("if pond.turn != 1:", DUEL),
    "in two branches": (
        "leaf = theirs.leap(pond.gaze())",
        DUEL.replace(
            """            if pond.turn != 1:
                leaf = theirs.leap(pond.gaze())
                pond.hop(leaf)
                continue
            seen = pond.gaze()
            leaf = mine.leap(seen)
            pond.hop(leaf)
            rows.append((seen, leaf))
""",
            """            if pond.turn == 1:
                seen = pond.gaze()
                leaf = mine.leap(seen)
                pond.hop(leaf)
                rows.append((seen, leaf))
            else:
                leaf = theirs.leap(pond.gaze())
                pond.hop(leaf)
""",
        ),
    ),
}


@pytest.mark.parametrize("how", TURNS)
def test_the_turn_of_the_other_side_is_its_lines(how: str) -> None:
    first, text = TURNS[how]
    text += TESTED["called now and then"] + "    summer(None)\n"
    turns = [line for stage, line in lines(text) if stage == ENV_OPPONENT]
    assert first in turns
    assert not any("mine" in line or "rows" in line for line in turns)
    assert functions(text)["Pond.hop"].ends_at == "self.owner is not None"


def test_both_sides_learn_where_both_choices_are_kept() -> None:
    text = DUEL.replace(
        "                continue\n", "                rows.append((1, leaf))\n                continue\n"
    )
    assert not [one for one in lines(text + TESTED["called now and then"]) if one[0] == ENV_OPPONENT]
