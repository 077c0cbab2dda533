"""Self-play with rules that are asked for the next state, a search, and matches between two networks."""

from __future__ import annotations

import textwrap

from goldsplit.model.named_code import NOT_SAID, NamedFunction
from goldsplit.model.stage import (
    ACT_PREDICT,
    ACT_SEARCH,
    ENV_MASK,
    ENV_OPPONENT,
    ENV_RESET,
    ENV_STEP,
    EVAL,
    LEARN_LOSS,
    REPLAY_ADD,
    ROLLOUT,
)
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide


def named(text: str) -> dict[str, NamedFunction]:
    """Whole functions; not what only some of their lines are."""
    found = decide([read(textwrap.dedent(text), "/program/train.py")])
    return {one.function: one for one in found if one.own_counters is None}


def stages(text: str) -> dict[str, str]:
    return {name: one.stage for name, one in named(text).items()}


RULES = """
    import numpy as np
    import torch
    class Pond:
        def fresh(self):
            return np.zeros(9), 1
        def follow(self, pads, frog, hop):
            pads = pads.copy()
            for pad in range(9):
                pads[pad] = frog
            return pads, -frog
        def hops(self, pads, frog):
            return [n for n in range(9) if pads[n] == 0]
        def verdict(self, pads, frog):
            for row in range(3):
                if abs(pads[row]) == 3:
                    return frog
            return 0
        def seenBy(self, pads, frog):
            return np.stack([pads == frog, pads == -frog])
    class Lily(torch.nn.Module):
        def forward(self, x):
            return self.a(x), self.b(x)
    class Teacher:
        def __init__(self):
            self.lily = Lily()
        def guess(self, pads):
            with torch.no_grad():
                p, v = self.lily(torch.tensor(pads))
            return p.numpy(), float(v)
        def lesson(self, rows):
            p, v = self.lily(rows)
            loss = p.mean() + v.mean()
            loss.backward()
            self.opt.step()
"""
RECURSIVE = """
    class Ripples:
        def __init__(self, pond, teacher):
            self.pond, self.teacher, self.n, self.p = pond, teacher, {}, {}
        def weigh(self, pads, heat=1):
            for _ in range(25):
                self.dive(pads)
            s = pads.tobytes()
            counts = [self.n.get((s, a), 0) for a in range(9)]
            return [c / sum(counts) for c in counts]
        def dive(self, pads):
            s = pads.tobytes()
            r = self.pond.verdict(pads, 1)
            if r != 0:
                return -r
            if s not in self.p:
                self.p[s], v = self.teacher.guess(pads)
                self.ok = self.pond.hops(pads, 1)
                return -v
            best = max(self.ok, key=lambda a: self.p[s][a])
            then, who = self.pond.follow(pads, 1, best)
            then = self.pond.seenBy(then, who)
            v = self.dive(then)
            self.n[s, best] = self.n.get((s, best), 0) + 1
            return -v
"""
ITERATIVE = """
    class Ripples:
        def __init__(self, pond, teacher):
            self.pond, self.teacher, self.n, self.p = pond, teacher, {}, {}
        def weigh(self, pads, heat=1):
            for _ in range(25):
                self.dive(pads, 1)
            s = pads.tobytes()
            counts = [self.n.get((s, a), 0) for a in range(9)]
            return [c / sum(counts) for c in counts]
        def best(self, s):
            return max(range(9), key=lambda a: self.p[s][a])
        def dive(self, pads, frog):
            path = []
            while self.pond.verdict(pads, frog) == 0:
                s = pads.tobytes()
                if s not in self.p:
                    self.p[s], v = self.teacher.guess(pads)
                    self.ok = self.pond.hops(pads, frog)
                    break
                hop = self.best(s)
                path.append((s, hop))
                pads, frog = self.pond.follow(pads, frog, hop)
            for s, a in reversed(path):
                self.n[s, a] = self.n.get((s, a), 0) + 1
"""
#: One game after the other, a new tree for each; it leaves with the verdict.
LEAVING = """
    class School:
        def __init__(self):
            self.pond, self.teacher, self.older, self.rows = Pond(), Teacher(), Teacher(), []
        def afternoon(self):
            rows = []
            pads, self.frog = self.pond.fresh()
            ripples = Ripples(self.pond, self.teacher)
            while True:
                seen = self.pond.seenBy(pads, self.frog)
                weights = ripples.weigh(seen, heat=1)
                rows.append([seen, self.frog, weights, None])
                hop = np.random.choice(9, p=weights)
                pads, self.frog = self.pond.follow(pads, self.frog, hop)
                r = self.pond.verdict(pads, self.frog)
                if r != 0:
                    return [(x[0], x[2], r * x[1]) for x in rows]
        def term(self):
            for _ in range(100):
                for _ in range(4):
                    self.rows += self.afternoon()
                self.teacher.lesson(self.rows)
                mine, theirs, even = self.meeting()
                if mine > theirs:
                    self.older = self.teacher
"""
#: The loop asks in its condition; one tree for all games.
ASKING = """
    class School:
        def __init__(self):
            self.pond, self.teacher, self.older, self.rows = Pond(), Teacher(), Teacher(), []
            self.ripples = Ripples(self.pond, self.teacher)
        def afternoon(self):
            (pads, frog), seen, given = self.pond.fresh(), [], []
            while self.pond.verdict(pads, frog) == 0:
                weights = self.ripples.weigh(pads)
                seen.append(pads)
                given.append(weights)
                after, other = self.pond.follow(pads, frog, int(np.argmax(weights)))
                pads, frog = after, other
            self.rows.extend(zip(seen, given))
        def term(self):
            for _ in range(100):
                self.afternoon()
                self.teacher.lesson(self.rows)
                mine, theirs, even = self.meeting()
                if mine > theirs:
                    self.older = self.teacher
"""
MATCHES = """
    class Meadow:
        def __init__(self, one, two, pond):
            self.one, self.two, self.pond = one, two, pond
        def once(self):
            sides = [self.two, None, self.one]
            pads, frog = self.pond.fresh()
            turn = 0
            while self.pond.verdict(pads, frog) == 0:
                turn += 1
                hop = sides[frog + 1](self.pond.seenBy(pads, frog))
                if hop not in self.pond.hops(pads, frog):
                    print("no such hop", hop)
                pads, frog = self.pond.follow(pads, frog, hop)
            return frog * self.pond.verdict(pads, frog)
        def playMany(self, n):
            score, won, lost, drawn = 0, 0, 0, 0
            for _ in range(n):
                r = self.once()
                if r == 1:
                    won += 1
                elif r == -1:
                    lost += 1
                else:
                    drawn += 1
            return won, lost, drawn
"""
TERM = """
    School().term()
"""
BY_LAMBDAS = """
        def meeting(self):
            new, old = Ripples(self.pond, self.teacher), Ripples(self.pond, self.older)
            meadow = Meadow(lambda x: np.argmax(new.weigh(x, heat=0)),
                            lambda x: np.argmax(old.weigh(x, heat=0)), self.pond)
            return meadow.playMany(10)
"""
BY_PARTIAL = """
        def meeting(self):
            new, old = Ripples(self.pond, self.teacher), Ripples(self.pond, self.older)
            best = functools.partial(new.weigh, heat=0)
            return Meadow(best, functools.partial(old.weigh, heat=0), self.pond).playMany(10)
"""
BY_METHODS = """
        def meeting(self):
            new, old = Ripples(self.pond, self.teacher), Ripples(self.pond, self.older)
            meadow = Meadow(new.weigh, old.weigh, self.pond)
            return meadow.playMany(10)
"""


def _expected(found: dict[str, str]) -> None:
    assert found["Pond.follow"] == ENV_STEP
    assert found["Pond.fresh"] == ENV_RESET
    assert found["Pond.verdict"] == ENV_STEP
    assert found["Ripples.weigh"] == ACT_SEARCH
    assert found["Teacher.guess"] == ACT_PREDICT
    assert found["Teacher.lesson"] == LEARN_LOSS
    assert found["School.afternoon"] == ROLLOUT
    assert found["Meadow.once"] == EVAL
    assert found["Meadow.playMany"] == EVAL
    assert ENV_OPPONENT not in found.values()
    assert found.get("Ripples.dive", ACT_SEARCH) == ACT_SEARCH


def test_a_recursive_search_with_matches_of_lambdas() -> None:
    program = RULES + RECURSIVE + LEAVING + BY_LAMBDAS + MATCHES + TERM
    _expected(stages(program))


def test_an_iterative_search_with_matches_of_partial_functions() -> None:
    _expected(stages(RULES + ITERATIVE + ASKING + BY_PARTIAL + MATCHES + TERM))


def test_a_recursive_search_with_matches_of_methods() -> None:
    _expected(stages(RULES + RECURSIVE + ASKING + BY_METHODS + MATCHES + TERM))


def test_only_moves_that_are_played_are_counted_and_games_by_their_beginnings() -> None:
    found = named(RULES + ITERATIVE + LEAVING + BY_LAMBDAS + MATCHES + TERM)
    _expected({name: one.stage for name, one in found.items()})
    assert [name for name, one in found.items() if one.counted] == ["Pond.follow"]
    assert found["Pond.follow"].ends_at == NOT_SAID


def test_rows_that_are_turned_before_they_are_kept() -> None:
    rules = (
        RULES
        + """
    class Mirror(Pond):
        def turned(self, pads, weights):
            out = []
            for k in range(4):
                out.append((np.rot90(pads, k), np.rot90(weights, k)))
            return out
"""
    )
    one = "rows.append([seen, self.frog, weights, None])"
    all_four = "for b, w in self.pond.turned(seen, weights): rows.append([b, self.frog, w, None])"
    school = LEAVING.replace(one, all_four).replace("Pond()", "Mirror()")
    found = stages(rules + RECURSIVE + school + BY_LAMBDAS + MATCHES + TERM)
    _expected(found)
    assert found["Mirror.turned"] == REPLAY_ADD


PLAIN = """
    import random
    import torch
    def pile():
        return (3, 4, 5), 0
    def take(heaps, who, what):
        heaps = list(heaps)
        for n in range(what[1]):
            heaps[what[0]] -= 1
        return tuple(heaps), 1 - who
    def empty(heaps):
        return not any(heaps)
    def ways(heaps):
        return [(n, k) for n, heap in enumerate(heaps) for k in range(1, heap + 1)]
    def settle(net, heaps, depth):
        if empty(heaps) or depth == 0:
            with torch.no_grad():
                return float(net(torch.tensor(heaps)))
        return max(-settle(net, take(heaps, 0, way)[0], depth - 1) for way in ways(heaps))
    def find(net, heaps):
        return max(ways(heaps), key=lambda way: -settle(net, take(heaps, 0, way)[0], 2))
    def evening(net, diary):
        heaps, who = pile()
        while not empty(heaps):
            what = find(net, heaps)
            diary.append((heaps, who, what))
            heaps, who = take(heaps, who, what)
        return who
    def duelists(net, other):
        points = [0, 0]
        for n in range(6):
            heaps, who = pile()
            while not empty(heaps):
                heaps, who = take(heaps, who, find((net, other)[who], heaps))
            points[who] += 1
        return points[0], points[1]
    def study(net, opt, diary):
        for row in diary:
            loss = net(torch.tensor(row[0]))
            loss.backward()
            opt.step()
    def years(net, other, opt):
        diary = []
        for _ in range(50):
            evening(net, diary)
            study(net, opt, diary)
            score, lost = duelists(net, other)
            if score > lost:
                other.load_state_dict(net.state_dict())
    years(torch.nn.Linear(3, 1), torch.nn.Linear(3, 1), None)
"""


def test_rules_that_are_plain_functions() -> None:
    found = stages(PLAIN)
    assert found["take"] == ENV_STEP
    assert found["find"] == ACT_SEARCH
    assert found["evening"] == ROLLOUT
    assert found["study"] == LEARN_LOSS
    assert found["duelists"] == EVAL
    assert found.get("ways", ENV_MASK) == ENV_MASK


def test_what_trains_is_no_step_though_its_state_goes_round() -> None:
    found = stages(
        """
        import numpy as np
        def draw(rows):
            return rows[np.random.randint(len(rows))]
        def improve(weights, momentum, batch):
            for n in range(3):
                momentum = 0.9 * momentum + batch
            return weights - momentum, momentum
        def error(weights):
            return sum(weights)
        def fit(rows, weights, momentum):
            while True:
                batch = draw(rows)
                weights, momentum = improve(weights, momentum, batch)
                if error(weights) < 0.1:
                    break
            return weights
        fit([1, 2], np.zeros(3), 0)
        """
    )
    assert ENV_STEP not in found.values()


def test_games_that_are_kept_are_no_evaluation() -> None:
    other = MATCHES.replace("turn += 1", "self.kept.append((pads, hop))")
    found = stages(RULES + RECURSIVE + LEAVING + BY_LAMBDAS + other + TERM)
    assert EVAL not in found.values()
    other = MATCHES.replace("turn += 1", "self.seen[turn] = pads")
    found = stages(RULES + RECURSIVE + LEAVING + BY_LAMBDAS + other + TERM)
    assert EVAL not in found.values()
