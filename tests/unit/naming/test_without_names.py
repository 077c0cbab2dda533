"""No name tells anything here: what is handed on, sent, changed, tried and asked for tells what it is."""

from __future__ import annotations

import textwrap

import pytest

from goldsplit.model.named_code import WHOLE_RESULT, NamedFunction, denied, tells_going_on
from goldsplit.model.stage import (
    ACT,
    ACT_PREDICT,
    ACT_SEARCH,
    ENV_MASK,
    ENV_OBSERVE,
    ENV_RESET,
    ENV_REWARD,
    ENV_STEP,
    EVAL,
    LEARN_LOSS,
)
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide


def named(text: str) -> dict[str, NamedFunction]:
    found = decide([read(textwrap.dedent(text), "/program/train.py")])
    return {one.function: one for one in found if one.own_counters is None}


def stages(text: str) -> dict[str, str]:
    return {name: one.stage for name, one in named(text).items()}


BEHIND_A_CLOCK = """
    import time
    class V:
        def f(self): self.t = 0; return [self.t]
        def m(self):
            out = [False] * 4
            out[0] = True
            return out
        def y(self, said):
            self.t += sum(said)
            return [self.t], self.t * 2, {"all": self.t > 9}
    class T:
        def __init__(self): self.v, self.c = V(), {}
        def timed(self, key, fn, *args):
            t = time.perf_counter()
            out = fn(*args)
            self.c[key] = time.perf_counter() - t
            return out
        def o(self, seen, may): return [int(one) for one in may]
        def live(self):
            seen = self.timed("a", self.v.f)
            while True:
                may = self.timed("b", self.v.m)
                said = self.timed("c", self.o, seen, may)
                seen, gain, fallen = self.timed("d", self.v.y, said)
                if fallen["all"]:
                    seen = self.timed("a", self.v.f)
    T().live()
"""


def test_what_a_stopwatch_calls_is_called_by_who_holds_it() -> None:
    found = named(BEHIND_A_CLOCK)
    assert {name: one.stage for name, one in found.items() if one.stage != "rollout"} == {
        "V.f": ENV_RESET,
        "V.m": ENV_MASK,
        "V.y": ENV_STEP,
        "T.o": ACT,
    }
    assert found["V.y"].ends_at == "2.all"


GENERATOR = """
    import random
    def tale(rnd):
        left = 9
        while True:
            way = yield [left], 1.0, left <= 0
            left -= way
    def pick(seen): return random.randrange(len(seen))
    def drill(net, opt, rows):
        loss = net(rows).mean()
        loss.backward()
        opt.step()
    def quest(net, opt):
        while True:
            story = tale(random)
            seen, loot, fin = next(story)
            while not fin:
                way = pick(seen)
                seen, loot, fin = story.send(way)
                drill(net, opt, seen)
    quest(None, None)
"""


def test_a_game_that_is_sent_its_moves() -> None:
    found = named(GENERATOR)
    assert (found["tale"].stage, found["tale"].counted, found["tale"].ends_at) == (ENV_STEP, True, 2)
    assert (found["pick"].stage, found["drill"].stage) == (ACT, LEARN_LOSS)


WITHOUT_FRAMEWORK = """
    import numpy as np
    from concurrent.futures import ProcessPoolExecutor
    class Alley:
        def __init__(self, seed): self.left = seed
        def smell(self): return [self.left]
        def prowl(self, way):
            self.left -= way
            return self.left > 0
        def fed(self): return self.left * 2
    def look(genes, nose): return int(np.argmax(np.asarray(nose) @ genes))
    def tryout(genes, seed):
        street, alive, total = Alley(seed), True, 0
        while alive:
            nose = street.smell()
            way = look(genes, nose)
            alive = street.prowl(way)
            total += street.fed()
        return total
    class Herd:
        def __init__(self): self.cats, self.n = np.zeros((4, 4)), 0
        def couple(self, fit):
            best = self.cats[np.argsort(fit)]
            self.cats = np.concatenate([best, best])
        def note(self, fit): self.n = self.n + len(fit)
    def proof(herd): return sum(tryout(one, 1) for one in herd.cats[:3])
    def main():
        herd, k = Herd(), 0
        with ProcessPoolExecutor(2) as pool:
            while k < 9:
                found = list(pool.map(tryout, herd.cats, range(4)))
                herd.couple(np.array(found))
                herd.note(found)
                k += 1
                if k % 4 == 0:
                    print(proof(herd))
    main()
"""


def test_a_learner_is_what_changes_the_numbers_that_games_are_played_with() -> None:
    found = named(WITHOUT_FRAMEWORK)
    assert found["Herd.couple"].stage == LEARN_LOSS
    assert "Herd.note" not in found
    assert (found["look"].stage, found["Alley.smell"].stage) == (ACT, ENV_OBSERVE)
    assert (found["Alley.fed"].stage, found["proof"].stage) == (ENV_REWARD, EVAL)


def test_a_loop_that_goes_on_while_a_result_holds_ends_without_it() -> None:
    ends_at = named(WITHOUT_FRAMEWORK)["Alley.prowl"].ends_at
    assert ends_at == denied(WHOLE_RESULT)
    assert tells_going_on(ends_at or 0)


@pytest.mark.parametrize("place", [WHOLE_RESULT, 0, 3, "alive", "2.alive"])
def test_what_is_denied_twice_is_meant(place: int | str) -> None:
    assert denied(denied(place)) == place
    assert (tells_going_on(place), tells_going_on(denied(place))) == (False, True)


SEARCH = """
    import torch
    class Board:
        def twin(self):
            other = Board()
            other.n = self.n
            return other
        def go(self, m): self.n += m
        def end(self): return self.n > 9
        def worth(self): return 1.0
        def planes(self): return [self.n]
    class Match:
        def __init__(self): self.board = Board()
        def play(self, m):
            self.board.go(m)
            return self.board.end()
    class Net(torch.nn.Module):
        def forward(self, x): return x
    class Tree:
        def __init__(self, net): self.net = net
        def grow(self, node, board):
            with torch.no_grad():
                node.p = self.net(board.planes())
        def ponder(self, board):
            root = {}
            for _ in range(30):
                at = board.twin()
                while not at.end():
                    m = max(root)
                    at.go(m)
                self.grow(root, at)
            return root
    def draw(root): return max(root)
    def test(tree):
        b = Board()
        while not b.end():
            b.go(draw(tree.ponder(b)))
    def sharpen(net, opt, rows):
        loss = net(rows)
        loss.backward()
        opt.step()
    def main():
        net = Net()
        tree, k = Tree(net), 0
        while k < 100:
            match, over, rows = Match(), False, []
            while not over:
                root = tree.ponder(match.board)
                m = draw(root)
                rows.append(m)
                over = match.play(m)
            sharpen(net, None, rows)
            k += 1
            if k % 5 == 0:
                test(tree)
    main()
"""


def test_moves_that_a_search_only_tries_are_no_steps() -> None:
    found = named(SEARCH)
    assert (found["Match.play"].stage, found["Match.play"].counted) == (ENV_STEP, True)
    assert (found["Board.go"].stage, found["Board.go"].counted) == (ENV_STEP, False)
    assert (found["Tree.ponder"].stage, found["Tree.grow"].stage) == (ACT_SEARCH, ACT_PREDICT)
    assert (found["draw"].stage, found["test"].stage) == (ACT, EVAL)


BY_FUTURES = """
    import asyncio, torch
    class G:
        def z(self): self.t = 0
        def n(self): return [self.t]
        def v(self):
            r = [False] * 3
            return r
        def s(self, a):
            self.t += a
            return self.t, self.t > 9
    def fw(p, B):
        with torch.no_grad():
            return p(B)
    def up(p, B):
        j = p(B)
        j.backward()
    async def w(q, u):
        L, g = asyncio.get_running_loop(), G()
        g.z()
        while True:
            x = g.n()
            m = g.v()
            f = L.create_future()
            q.put_nowait((x, m, f))
            a = await f
            r, d = g.s(a)
            u.put_nowait((x, a, r))
            if d:
                g.z()
    async def b(p, q):
        while True:
            B = [await q.get()]
            for one, a in zip(B, fw(p, B)):
                one[2].set_result(a)
    async def l(p, u):
        while True:
            up(p, [await u.get()])
"""


def test_answers_that_come_by_a_future_of_another_coroutine() -> None:
    found = stages(BY_FUTURES)
    assert (found["G.s"], found["G.z"], found["G.n"], found["G.v"]) == (
        ENV_STEP,
        ENV_RESET,
        ENV_OBSERVE,
        ENV_MASK,
    )
    assert (found["fw"], found["up"]) == (ACT, LEARN_LOSS)


CALLBACKS = """
    import heapq, torch
    class Root:
        def __init__(self): self.heap = []
        def after(self, delay, fn): heapq.heappush(self.heap, (delay, fn))
        def mainloop(self):
            while self.heap:
                heapq.heappop(self.heap)[1]()
    class Table:
        def __init__(self): self.x, self.flip = 0, 0
        def go(self):
            self.x += self.flip
            self.x *= 2
        def eyes(self): return [self.x, self.flip]
    class App:
        def __init__(self, net):
            self.root, self.table, self.net = Root(), Table(), net
            self.root.after(1, self.tick)
            self.root.after(9, self.fit)
        def tick(self):
            view = self.table.eyes()
            self.table.flip = self.choose(view)
            self.table.go()
            self.root.after(1, self.tick)
        def choose(self, view):
            with torch.no_grad():
                return int(self.net(view))
        def fit(self):
            loss = self.net(self.table.x)
            loss.backward()
            self.root.after(9, self.fit)
    App(None).root.mainloop()
"""


def test_what_hands_itself_on_to_be_called_again_is_a_loop() -> None:
    found = stages(CALLBACKS)
    assert (found["Table.go"], found["Table.eyes"]) == (ENV_STEP, ENV_OBSERVE)
    assert (found["App.choose"], found["App.fit"]) == (ACT, LEARN_LOSS)


def test_functions_that_return_nothing_of_anything() -> None:
    assert (
        stages("""
        def none(): return ()
        def some(): return {}
        class A:
            def get(self): return []
        def main(a):
            while True:
                x = none()
                y, z = some(), a.get()
        main(A())
    """)
        == {}
    )
