"""The deep look on real processes: what it sees, what it leaves alone, and what it must not change."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from goldsplit import pipeline
from goldsplit.model.deep import DeepLook

pytestmark = pytest.mark.alone

GAME = """
import hashlib, json, multiprocessing as mp, random, sys, time

class Game:
    def __init__(self):
        self.blocked, self.turn, self._memo_cache = set(), 0, {}
        self.foes = [(i, 2 * i) for i in range(6)]
    def reset(self):
        self.turn = 0
        return self.observe()
    @property
    def area(self):
        return sum(range(40))
    def sight(self, a, b):
        for i in range(max(abs(a[0] - b[0]), abs(a[1] - b[1]))):
            if (i, i) in self.blocked: return False
        return True
    def path(self, goal):
        if goal not in self._memo_cache:
            self._memo_cache[goal] = sum(i * goal % 7 for i in range(60))
        return self._memo_cache[goal]
    def roll(self):
        return random.random()
    def risky(self):
        if self.turn % 3 == 0: raise KeyError(self.turn)
    def moves(self):
        yield from range(3)
    def observe(self):
        return [eval("1 + 2") for _ in range(5)] + [self.area]
    def step(self, action):
        self.turn += 1
        self._memo_cache.clear()
        total = sum(self.path(goal % 3) for goal in range(6)) + sum(self.moves()) + self.roll()
        for a in self.foes:
            for b in self.foes: total += self.sight(a, b)
        try: self.risky()
        except KeyError: pass
        return self.observe(), total, self.turn >= 50, False, {}

def play(seconds, seed=0):
    random.seed(seed)
    game, trace, steps = Game(), hashlib.sha256(), 0
    game.reset()
    end = time.process_time() + seconds  # what looking may cost is a share of the processor time
    while time.process_time() < end or steps < 400:
        _, reward, done, _, _ = game.step(0)
        steps += 1
        if steps <= 400: trace.update(repr(reward).encode())
        if done: game.reset()
    return steps, trace.hexdigest()

def play_together(barrier):
    barrier.wait()  # both at the same time, however long a process takes to start
    play(4.5)
"""
ALONE = (
    GAME + "\nsteps, trace = play(float(sys.argv[1]))\nprint(json.dumps({'steps': steps, 'trace': trace}))\n"
)
WORKERS = (
    GAME
    + """
if __name__ == '__main__':
    barrier = mp.get_context('spawn').Barrier(2)
    kinds = [mp.get_context(kind) for kind in ('fork', 'spawn')]
    children = [kind.Process(target=play_together, args=(barrier,)) for kind in kinds]
    for child in children: child.start()
    for child in children: child.join()
    print(json.dumps({'codes': [child.exitcode for child in children]}))
"""
)
PROFILED = GAME + "\nsys.setprofile(lambda *_: None)\nprint(json.dumps({'steps': play(1.2)[0]}))\n"
DEEP = ("--deep", "--no-stacks")


def deep_of(run: Any) -> DeepLook:
    deep = pipeline.report(run.run_dir).profile.deep
    assert deep is not None, run.stderr
    return deep


@pytest.fixture(scope="module")
def runs(record: Callable[..., Any]) -> tuple[Any, Any]:
    """The same program with a deep look and without, else recorded alike. Windows become rare with time: with
    few of them it is chance whether a function was compared often."""
    return record(ALONE, "4.5", options=DEEP), record(ALONE, "1.5", options=("--no-stacks",))


def test_functions_are_seen_with_calls_and_repeats(runs: tuple[Any, Any]) -> None:
    deep = deep_of(runs[0])
    functions = {function.place.function: function for function in deep.functions}
    sight = functions["Game.sight"]
    assert sight.calls_per_env_step == pytest.approx(36.0, rel=0.1)
    assert sight.compared > 200
    assert sight.repeats > 0.5 * sight.compared
    assert (sight.differing, sight.constant_result, sight.kind) == (0, "True", "method")
    assert functions["Game.area"].kind == "property"
    assert functions["Game.path"].calls_per_env_step == pytest.approx(6.0, rel=0.1)
    assert deep.env_steps > 5
    assert deep.windows >= 2


def test_lines_and_caches_are_seen(runs: tuple[Any, Any]) -> None:
    deep = deep_of(runs[0])
    (text,) = [site for site in deep.sites if site.callee == "eval"]
    assert text.calls_per_env_step == pytest.approx(5.0, rel=0.15)
    assert text.distinct == 1
    assert text.compared > 20
    assert text.place.function == "Game.observe"
    (cache,) = deep.caches
    assert cache.kind == "dict"
    assert cache.place.function == "Game.path"
    assert cache.clears > 3
    assert cache.repeated_misses > 0.5 * cache.misses
    assert cache.hits == pytest.approx(cache.misses, rel=0.2)


def test_the_program_does_the_same(runs: tuple[Any, Any]) -> None:
    deep, plain = runs
    assert deep.exit_code == plain.exit_code == 0
    assert deep.truth["trace"] == plain.truth["trace"]
    assert deep.report["throughput"]["env_steps"] == deep.truth["steps"]


def test_windows_are_no_part_of_the_partition(runs: tuple[Any, Any]) -> None:
    deep, plain = runs
    deep.check_sums()
    for stage in ("env.step", "env.observe"):
        assert deep.share(stage) == pytest.approx(plain.share(stage), abs=0.08)
    owned = sum(row["wall_seconds"] for row in deep.report["stages"])
    windows = sum((line["end"] - line["t"]) / 1e9 for line in deep_lines(deep.process_files()))
    assert windows > 0.2
    assert owned < deep.report["phases"]["steady_seconds"] - 0.7 * windows


def deep_lines(files: list[Path]) -> list[dict[str, Any]]:
    text = "".join(file.read_text() for file in files)
    return [line for line in map(json.loads, text.splitlines()) if line["k"] == "deep"]


def test_workers_that_are_forked_or_spawned_look_at_themselves(record: Callable[..., Any]) -> None:
    run = record(WORKERS, options=DEEP)
    assert run.truth["codes"] == [0, 0], run.stderr
    looked = [file for file in run.process_files() if '"k":"deep"' in file.read_text()]
    assert len(looked) == 2
    one, other = ([line["t"] for line in deep_lines([file])] for file in looked)
    assert min(abs(a - b) for a in one for b in other) < 0.1e9, "all processes have common windows"


def test_a_profile_function_of_the_programs_own_is_respected(record: Callable[..., Any]) -> None:
    run = record(PROFILED, options=DEEP)
    assert run.exit_code == 0
    profile = pipeline.report(run.run_dir).profile
    assert any("no deep look here" in note for note in profile.trust.notes)
    assert profile.deep is None or not profile.deep.functions
