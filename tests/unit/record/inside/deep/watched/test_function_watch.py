"""Hot functions are found, watched, and let rest where counting them would cost too much."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from goldsplit.model.wire import Counter, File
from goldsplit.record.inside.deep.watched import function_watch
from goldsplit.record.inside.deep.watched.code_index import CodeIndex
from goldsplit.record.inside.deep.watched.compare import ENOUGH_TO_TELL
from goldsplit.record.inside.deep.watched.function_watch import (
    COMPARE_SHARE,
    COUNT_CREDIT_NS,
    COUNT_SHARE,
    ENOUGH_TIMED,
    FunctionWatch,
    call_costs_ns,
    weight_of,
)
from goldsplit.record.inside.deep.watched.watched_line import watched_line
from goldsplit.record.inside.engine import ENGINE, ThreadState
from goldsplit.store.deep_rows import read_watched_line

GAME = """
class Game:
    def step(self, action):
        return [self.sight(a, b) for a in range(3) for b in range(3)]
    def sight(self, a, b):
        return True
    @property
    def size(self):
        return 3

def score(game):
    def inner(a):
        return a
    return inner(game.size)
"""
SECOND = 1_000_000_000


class Worked:
    """Processor time that goes by only when a test says so."""

    ns = 7 * SECOND

    def __call__(self) -> int:
        return self.ns


@pytest.fixture
def game(tmp_path: Path) -> Iterator[Any]:
    file = tmp_path / "hex_game.py"
    file.write_text(GAME)
    module: Any = ModuleType("hex_game")
    module.__file__ = str(file)
    exec(compile(GAME, str(file), "exec"), vars(module))
    sys.modules["hex_game"] = module
    yield module
    del sys.modules["hex_game"]


@pytest.fixture
def watch(tmp_path: Path, game: Any, state: ThreadState) -> Iterator[FunctionWatch]:
    made = FunctionWatch(str(tmp_path))
    made.call_ns = (20.0, 100.0, 1000.0)
    ENGINE.first_step_ns = 1
    yield made
    made.close()


def tell(folder: Path, *rows: tuple[str, int]) -> None:
    file = str(folder / "hex_game.py")
    text = json.dumps({"functions": [[file, name, line] for name, line in rows]})
    (folder / File.HOT).write_text(text)


def test_functions_are_found_by_file_name_and_line(game: Any) -> None:
    index = CodeIndex()
    index.refresh()
    file = game.__file__
    found = index.at(file, "Game.sight", 6)
    assert found is not None
    assert (found.code, found.kind, found.owner) == (game.Game.sight.__code__, "method", (game.Game, "sight"))
    size = index.at(file, "size", 9)
    assert size is not None
    assert size.kind == "property"
    inner = index.at(file, "inner", 13)
    assert inner is not None
    assert inner.owner is None
    assert index.at(file, "sight", 40) is None
    assert index.at("/elsewhere.py", "sight", 6) is None


def test_hot_functions_are_watched_and_written(
    tmp_path: Path, watch: FunctionWatch, game: Any, state: ThreadState
) -> None:
    tell(tmp_path, ("step", 4), ("sight", 6), ("gone", 90))
    watch.tend(SECOND)
    for step in range(30):
        game.Game().step(0)
        state.counts[Counter.OWN_ENV_STEPS] = step + 1
    watch.tend(2 * SECOND)
    record = read_watched_line(json.loads(json.dumps(watched_line(watch, 2 * SECOND))))
    rows = {row.place.function: row for row in record.functions}
    assert (rows["Game.step"].calls, rows["Game.sight"].calls) == (30, 270)
    assert rows["Game.sight"].env_steps == (30.0, 0.0)
    assert rows["Game.sight"].watched_ns == SECOND
    compared = rows["Game.sight"].compared
    assert compared is not None
    assert (compared.result, compared.distinct, compared.differing) == ("True", 9, 0)
    assert {place.function for place, _ in rows["Game.sight"].callers} == {"Game.step"}


def test_what_is_called_very_often_is_timed_no_more_and_then_rests(
    tmp_path: Path, watch: FunctionWatch, game: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(tmp_path, ("sight", 6))
    worked = Worked()
    monkeypatch.setattr(function_watch, "worked_ns", worked)
    watch.tend(SECOND)
    (function,) = watch.functions.values()
    worked.ns += SECOND
    function.core.calls, function.core.timed_calls = 100_000, ENOUGH_TIMED
    watch.tend(2 * SECOND)  # 10 ms of a second: over the share, but not if they are only counted
    assert (function.core.timed, bool(function.on_since_ns)) == (False, True)
    worked.ns += SECOND
    function.core.calls += 10_000_000
    watch.tend(3 * SECOND)
    assert not function.on_since_ns
    assert vars(game.Game)["sight"].__code__ is function.code
    watch.tend(1000 * SECOND)  # the program had no processor time meanwhile
    assert not function.on_since_ns
    assert function.rests_until_ns > worked.ns + 30 * SECOND
    worked.ns = function.rests_until_ns
    watch.tend(1001 * SECOND)
    assert function.on_since_ns


def test_counting_keeps_to_its_share_of_the_processor_time(
    tmp_path: Path, watch: FunctionWatch, game: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(tmp_path, ("sight", 6))
    worked = Worked()
    monkeypatch.setattr(function_watch, "worked_ns", worked)
    watch.tend(SECOND)
    (function,) = watch.functions.values()
    begun, now = worked.ns, SECOND
    for _ in range(400):  # a million calls in a second of processor time, looked after as often as asked for
        ahead = 1.0 if not watch.soon_ns else (watch.soon_ns - now) / SECOND
        now, worked.ns = now + int(ahead * SECOND), worked.ns + int(ahead * SECOND)
        if function.on_since_ns:
            function.core.calls += int(ahead * 1_000_000)
            function.core.timed_calls += int(ahead * 1_000_000)
        watch.tend(now)
        allowed = COUNT_SHARE * (worked.ns - begun + COUNT_CREDIT_NS)
        assert watch.count_spent_ns <= 1.1 * allowed
    assert watch.count_spent_ns > 0.2 * allowed
    assert watch.spent_ns() >= watch.count_spent_ns


def test_all_calls_of_rare_functions_are_compared(
    tmp_path: Path, watch: FunctionWatch, game: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(tmp_path, ("step", 4), ("sight", 6))
    worked = Worked()
    monkeypatch.setattr(function_watch, "worked_ns", worked)
    watch.tend(SECOND)
    step, sight = watch.functions.values()
    worked.ns += 10 * SECOND
    for function, calls, looked_at in ((step, 100, 50), (sight, 100_000, 50)):
        function.core.calls, function.looked_at, function.spent_ns = calls, looked_at, looked_at * 100_000
    watch.tend(11 * SECOND)
    assert step.pause_calls(worked.ns) == 1
    assert step.share * 10 * SECOND > 100 * 100_000
    assert step.share + sight.share == pytest.approx(COMPARE_SHARE)
    step.spent_ns *= 1000  # as expensive as nothing may be
    watch.tend(12 * SECOND)
    assert step.share + sight.share <= COMPARE_SHARE
    assert sight.share > 0


def test_every_way_of_watching_a_call_costs_more_than_the_one_before() -> None:
    counted, timed, looked_at = call_costs_ns()
    assert counted > 0
    assert 0 < timed < looked_at


def test_before_a_compiler_looks_everything_is_put_back(
    tmp_path: Path, watch: FunctionWatch, game: Any
) -> None:
    real = game.Game.sight
    tell(tmp_path, ("sight", 6))
    watch.tend(SECOND)
    watch.make_way()
    assert game.Game.sight is real


def test_most_of_the_time_for_comparing_goes_to_the_hottest(
    tmp_path: Path, watch: FunctionWatch, game: Any
) -> None:
    tell(tmp_path, ("step", 4), ("sight", 6))
    watch.tend(SECOND)
    step, sight = watch.functions.values()
    assert weight_of(step, is_hottest=True) > weight_of(step, is_hottest=False)
    sight.comparison.compared = ENOUGH_TO_TELL  # and none repeats another
    assert weight_of(step, is_hottest=True) > weight_of(sight, is_hottest=True) > 0
    sight.comparison.compared = 10_000
    assert weight_of(step, is_hottest=True) > weight_of(sight, is_hottest=True)
