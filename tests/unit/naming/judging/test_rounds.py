"""Fights inside a game, rounds of a game, and loops through many games: none of them is one game."""

from __future__ import annotations

import textwrap

import pytest

from goldsplit.model.named_code import NOT_SAID, WHOLE_RESULT, NamedFunction
from goldsplit.model.stage import ACT, ENV_MASK, ENV_OBSERVE, ENV_OPPONENT, ENV_RESET, ENV_STEP, ROLLOUT
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide


def functions(text: str) -> dict[str, NamedFunction]:
    found = decide([read(textwrap.dedent(text), "/program/train.py")])
    return {one.function: one for one in found if one.own_counters is None}


FAIR = """
    import multiprocessing as mp
    import random, copy
    import numpy as np

    def weigh(weights, sight):
        return int(np.argmax(sight @ weights))

    def brawl(left, right, dice):
        rows = [copy.deepcopy(left), copy.deepcopy(right)]
        for _ in range(60):
            if not rows[0] or not rows[1]:
                break
            {blow}
        return len(rows[0]) - len(rows[1])

    def sweep(row): return [one for one in row if one.health > 0]
    def aim(row, dice): return dice.choice(row)
    def strike(one, row):
        one.health -= 1
        return not any(other.health > 0 for other in row)

    class Stall:
        def __init__(self): self.coins, self.rows, self.goods = 3, [], []

    class Fair:
        def __init__(self, seed):
            self.dice = random.Random(seed)
            self.mine, self.yours = Stall(), Stall()
            self.day, self.shut = 0, False
        def glance(self):
            tries = [brawl(self.mine.rows, self.yours.rows, self.dice) for _ in range(2)]
            return np.array([self.day, *tries])
        def trade(self, what):
            mine = self.mine
            mine.rows.append(mine.goods.pop(what))
            mine.coins -= 1
            return what == 0 or mine.coins < 1
        def across(self):
            other = self.yours
            while other.coins > 0:
                best, most = None, -9
                for one in other.goods:
                    much = brawl([*other.rows, one], self.mine.rows, self.dice)
                    if much > most:
                        best, most = one, much
                other.rows = [*other.rows, best]
                other.coins -= 1
        def evening(self):
            gain = brawl(self.mine.rows, self.yours.rows, self.dice)
            self.day += 1
            self.mine.coins = self.yours.coins = 3
            self.shut = self.day > 9
            return gain

    def visit(weights, seed):
        fair = Fair(seed)
        total = 0
        {days}:
            tired = False
            while not tired:
                sight = fair.glance()
                what = weigh(weights, sight)
                tired = fair.trade(what)
            fair.across()
            total += fair.evening()
        return total

    def job(task):
        weights, seed = task
        return visit(weights, seed)

    def main():
        weights = np.zeros((3, 4))
        with mp.Pool(2) as pool:
            for year in range(100):
                tasks = [(weights, seed) for seed in range(8)]
                for score in {handed}:
                    weights = weights + 0.1 * score
    main()
"""
SWEEPING = "rows[0] = sweep(rows[0])"
STRIKING = "over = strike(aim(rows[0], dice), rows[1])\n            if over: break"


@pytest.mark.parametrize("blow", [SWEEPING, STRIKING])
@pytest.mark.parametrize(
    ("days", "handed"),
    [
        ("while not fair.shut", "pool.imap_unordered(job, tasks)"),
        ("for day in range(9)", "pool.starmap(visit, tasks)"),
        ("while not fair.shut", "pool.map(job, tasks)"),
    ],
)
def test_a_round_is_no_game_and_a_fight_no_loop_that_plays(blow: str, days: str, handed: str) -> None:
    named = functions(FAIR.replace("{blow}", blow).replace("{days}", days).replace("{handed}", handed))
    assert {name for name, one in named.items() if one.counted} == {"Fair.trade"}
    assert named["Fair.trade"].ends_at == NOT_SAID  # its result ends a day
    assert named["Fair.__init__"].stage == ENV_RESET  # by which games are counted
    stages = {name: one.stage for name, one in named.items() if name not in ("Fair.trade", "Fair.__init__")}
    assert stages == {
        "weigh": ACT,
        "Fair.glance": ENV_OBSERVE,
        "Fair.across": ENV_OPPONENT,
        "Fair.evening": ENV_STEP,
        "visit": ROLLOUT,
    }


def test_an_episode_in_a_loop_of_episodes_still_ends_by_the_step() -> None:
    named = functions("""
        class Barn:
            def __init__(self): self.hay = 9
            def sweep_out(self): self.hay = 9
            def look(self): return [self.hay]
            def rake(self, how):
                self.hay -= how
                return self.hay < 1
            def weigh(self): return self.hay * 2
        def season(farmer):
            barn = Barn()
            for day in range(50):
                barn.sweep_out()
                empty = False
                while not empty:
                    sight = barn.look()
                    how = farmer.pick(sight)
                    empty = barn.rake(how)
                farmer.total += barn.weigh()
        class Farmer:
            total = 0
            def pick(self, sight): return max(sight) % 3
        for year in range(10):
            season(Farmer())
    """)
    assert named["Barn.rake"].counted
    assert named["Barn.rake"].ends_at == WHOLE_RESULT
    assert named["Barn.sweep_out"].stage == ENV_RESET


def test_a_new_round_inside_the_loop_of_a_game_begins_no_game() -> None:
    named = functions("""
        class Table:
            def __init__(self, seed): self.seed, self.cards, self.finished = seed, [], False
            def new_round(self):
                self.cards = [one for one in range(5)]
            def hand(self): return list(self.cards)
            def lay(self, card):
                self.cards.remove(card)
                self.finished = self.seed > len(self.cards)
                return not self.cards
        def evening(player, seed):
            table = Table(seed)
            while not table.finished:
                table.new_round()
                out = False
                while not out:
                    out = table.lay(player.pick(table.hand()))
        class Player:
            def pick(self, hand): return hand[self.best(hand)]
            def best(self, hand): return len(hand) - 1
        for game in range(10):
            evening(Player(), game)
    """)
    assert named["Table.__init__"].stage == ENV_RESET
    assert "Table.new_round" not in named or named["Table.new_round"].stage != ENV_RESET
    assert named["Table.lay"].ends_at == NOT_SAID


MANY = """
    class Pond:
        def __init__(self, seed): self.fish, self.day = [1, 2], 0
        def restock(self):
            self.fish, self.day = [1, 2, 3], 0
            return self.view()
        def {asked}(self):
            open_ = np.ones(4)
            for place in range(4):
                open_[place] = len(self.fish) > place
            return open_
        def view(self): return np.array([len(self.fish), self.day])
        def cast(self, where):
            self.day += 1
            return self.view(), 1.0, self.day > 30
    class Angler:
        def pick(self, views, open_):
            with torch.no_grad():
                return self.net(views, open_).argmax(1)
        def drill(self, rows):
            loss = self.net(rows).mean()
            loss.backward()
            self.opt.step()
    def main():
        angler = Angler()
        ponds = [Pond(seed) for seed in range(4)]
        views = [pond.restock() for pond in ponds]
        while True:
            rows = []
            for _ in range(8):
                {gathered}
                picks = angler.pick(np.stack(views), np.stack(open_))
                {through}:
                    view, gain, dry = pond.cast(int(picks[i]))
                    if dry:
                        view = pond.restock()
                    views[i] = view
                    rows.append((view, gain))
            angler.drill(rows)
    main()
"""


@pytest.mark.parametrize("asked", ["openings", "what_may_be"])
@pytest.mark.parametrize(
    ("gathered", "through"),
    [
        ("open_ = [pond.{asked}() for pond in ponds]", "for i, pond in enumerate(ponds)"),
        (
            "open_ = []\n                for pond in ponds: open_.append(pond.{asked}())",
            "for i, pond in zip(range(4), ponds)",
        ),
    ],
)
def test_what_each_of_many_games_is_asked_in_a_turn_begins_none(
    asked: str, gathered: str, through: str
) -> None:
    text = MANY.replace("{gathered}", gathered).replace("{through}", through).replace("{asked}", asked)
    named = functions(text)
    assert named["Pond.cast"].ends_at == 2
    assert named["Pond.restock"].stage == ENV_RESET
    assert f"Pond.{asked}" not in named or named[f"Pond.{asked}"].stage in (ENV_MASK, ENV_OBSERVE)


def test_one_of_a_step_and_its_wrapper_is_counted() -> None:
    named = functions("""
        class Core:
            def advance(self, push):
                self.x += push
                return self.x, self.x > 9
        class Slow:
            def __init__(self): self.core = Core()
            def see(self): return [self.core.x]
            def go(self, push):
                for _ in range(4):
                    x, out = self.core.advance(push)
                    if out: break
                return x, out
        class Mind:
            def pick(self, seen): return max(seen)
        def play(mind):
            slow = Slow()
            out = False
            while not out:
                push = mind.pick(slow.see())
                x, out = slow.go(push)
        for game in range(9): play(Mind())
    """)
    assert [name for name, one in named.items() if one.counted] == ["Slow.go"]
    assert named["Slow.go"].ends_at == 1


def test_a_message_begins_the_games_of_a_worker() -> None:
    named = functions("""
        class Cave:
            def __init__(self, seed): self.seed, self.turn = seed, 0
            def hollow(self):
                self.turn, self.walls = 0, [1, 2]
                return self.sight()
            def sight(self): return [self.turn, len(self.walls)]
            def creep(self, key):
                self.turn += key
                return 0.5, self.turn > 9
        def life(pipe, seed):
            caves = [Cave(seed + i) for i in range(4)]
            while True:
                word, load = pipe.recv()
                if word == "begin":
                    pipe.send([one.hollow() for one in caves])
                else:
                    seen, overs = [], []
                    for cave, key in zip(caves, load):
                        prize, over = cave.creep(key)
                        seen.append(cave.hollow() if over else cave.sight())
                        overs.append(over)
                    pipe.send((seen, overs))
        for n in range(2): Process(target=life, args=(pipe, n)).start()
    """)
    assert named["Cave.creep"].ends_at == 1
    assert named["Cave.hollow"].stage == ENV_RESET
    assert "Cave.__init__" not in named


def test_a_plain_function_may_make_the_first_state() -> None:
    named = functions("""
        import random, numpy as np
        def lay_out():
            stones = []
            for n in range(9): stones.append(random.random())
            return stones
        def hop(frog, way, stones):
            frog[0] += stones[way]
            return frog[0] > 3
        def look(frog, stones): return np.array([frog[0], *stones])
        def pick(weights, seen): return int(np.argmax(weights @ seen))
        weights = np.zeros((3, 10))
        while True:
            stones = lay_out()
            frog = [0.0]
            while True:
                wet = hop(frog, pick(weights, look(frog, stones)), stones)
                if wet or frog[0] < -1: break
    """)
    assert named["lay_out"].stage == ENV_RESET
