"""Searching settings without Optuna and without processes; and Optuna alone."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from types import SimpleNamespace

import pytest

from goldsplit.errors import ConfigError
from goldsplit.experiment.search.optuna_search import OptunaSearch
from goldsplit.experiment.search.tuning import (
    Candidate,
    chosen,
    final_plan,
    finalists,
    limited,
    nothing_faster,
    read_space,
    try_candidates,
)
from goldsplit.experiment.variants import Prepared
from goldsplit.model.experiment.conclusion import Decision, Effect, GateResult, GateState, Judged, Verdict

SPACE = """
command = ["python", "train.py", "{n}", "{lr}"]
pairs = 6
candidates = 3
with = ["threads:{threads}"]
[space]
n = [1, 2, 4]
lr = { from = 1, to = 8, times = 2 }
threads = [true, false]
[incumbent]
n = 2
lr = 1
threads = "true"
[env]
N = "{n}"
"""


@pytest.fixture
def space_file(tmp_path: Path) -> Path:
    file = tmp_path / "space.toml"
    file.write_text(SPACE)
    return file


class Listed:
    """A search that has made up its mind."""

    def __init__(self, *settings: dict[str, str]) -> None:
        self.settings = list(settings)
        self.told: list[float | None] = []

    def ask(self) -> dict[str, str] | None:
        return self.settings.pop(0) if self.settings else None

    def tell(self, log_gain: float | None) -> None:
        self.told.append(log_gain)


def test_a_space(space_file: Path) -> None:
    space = read_space(space_file)
    assert space.values == {"n": ("1", "2", "4"), "lr": ("1", "2", "4", "8"), "threads": ("true", "false")}
    assert (space.candidates, space.plan.pairs) == (3, 6)
    base = space.plan.base
    prepared = Prepared(base, space.plan.command, base.environment)
    assert prepared.command_for(1) == ("python", "train.py", "2", "1")
    assert prepared.environment_for(1, "")["N"] == "2"
    assert prepared.overlays_for(1) == ("threads:true",)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("n = [1, 2, 4]", "n = 3", "n has no values"),
        ("n = [1, 2, 4]", "n = [1]", "n has no values"),
        ("times = 2 }", "times = 1 }", "factor"),
        ("n = 2\n", "", "must say which value"),
        ('"{n}", ', "", "nothing would change"),
        ("candidates = 3", "candidates = 0", "candidates is 0"),
        ("pairs = 6", "pears = 6", "unknown key"),
        ("[env]", "[variants.x]\n[env]", "has variants"),
        ("pairs = 6", "pairs = [", "not valid TOML"),
    ],
)
def test_wrong_spaces(space_file: Path, old: str, new: str, message: str) -> None:
    text = SPACE.replace(old, new)
    if message == "nothing would change":
        text = text.replace('N = "{n}"', "")
    space_file.write_text(text)
    with pytest.raises(ConfigError, match=message):
        read_space(space_file)


def test_candidates_are_paired_once_with_the_incumbent(
    make: SimpleNamespace, space_file: Path, tmp_path: Path
) -> None:
    space = read_space(space_file)
    other = {"n": "4", "lr": "1", "threads": "true"}
    broken = {"n": "1", "lr": "1", "threads": "true"}
    world = make.world({"base": 10.0, "n-4_lr-1_threads-true": 5.0})
    world.fails = lambda variant, number: 1 if variant.startswith("n-1") else 0
    search = Listed(other, space.plan.base.settings, broken)
    done = try_candidates(space, search, tmp_path / "e", world.tools(), lambda number, one: None)
    assert search.told == [pytest.approx(math.log(2)), 0.0, None]
    assert finalists(done) == [other]
    assert len(world.commands) == 4
    plan = final_plan(space, finalists(done))
    assert [variant.settings for variant in plan.variants] == [space.plan.base.settings, other]
    assert plan.variants[1].overlays == space.plan.base.overlays


def test_the_incumbent_takes_no_candidates_place(
    make: SimpleNamespace, space_file: Path, tmp_path: Path
) -> None:
    space = dataclasses.replace(read_space(space_file), candidates=1)
    other = {"n": "4", "lr": "1", "threads": "true"}
    search = Listed(space.plan.base.settings, other, {"n": "1", "lr": "1", "threads": "true"})
    told: list[int] = []
    done = try_candidates(
        space, search, tmp_path / "e", make.world({}).tools(), lambda number, one: told.append(number)
    )
    assert [one.settings for one in done] == [other]
    assert told == [0]


def test_a_space_has_no_more_candidates_than_settings(space_file: Path) -> None:
    space = read_space(space_file)
    assert space.others == 3 * 4 * 2 - 1
    enough = dataclasses.replace(space.plan, pairs=7)
    assert limited(dataclasses.replace(space, candidates=99, plan=enough)).candidates == 23


def test_too_few_pairs_for_the_finalists_are_refused_before_the_search(space_file: Path) -> None:
    space = read_space(space_file)
    with pytest.raises(ConfigError, match=r"6 pairs cannot decide about 2 finalist") as caught:
        limited(space)
    assert "pairs = 7" in caught.value.hint
    assert limited(dataclasses.replace(space, candidates=1)).candidates == 1


def test_what_is_said_where_nothing_was_faster() -> None:
    slow, broken = Candidate({"n": "1"}, -0.1), Candidate({"n": "2"}, None)
    assert nothing_faster([slow]).startswith("of 1 settings, each paired once, none was faster")
    assert nothing_faster([slow, broken]).endswith("; 1 failed")
    assert nothing_faster([broken]) == "no setting ran to its end, of 1 tried"


def test_optuna_asks_for_each_setting_once_and_never_for_the_incumbent() -> None:
    pytest.importorskip("optuna")
    incumbent = {"n": "1", "b": "x"}
    for seed in range(5):
        search = OptunaSearch({"n": ("1", "2", "4"), "b": ("x", "y")}, incumbent, seed=seed)
        seen = []
        while (asked := search.ask()) is not None:
            seen.append(asked)
            search.tell(None if asked["b"] == "y" else -float(asked["n"]))
        assert len(seen) == 5
        assert incumbent not in seen
        assert len({tuple(one.items()) for one in seen}) == 5


def test_only_what_looks_faster_goes_on() -> None:
    rows = [
        Candidate({"n": "1"}, -0.1),
        Candidate({"n": "2"}, 0.5),
        Candidate({"n": "2"}, 0.1),
        Candidate({"n": "3"}, None),
    ]
    rows += [Candidate({"n": "4"}, 0.4), Candidate({"n": "5"}, 0.2)]
    assert finalists(rows) == [{"n": "4"}, {"n": "2"}]
    assert finalists(rows[:1]) == []


def test_what_is_proven_is_chosen() -> None:
    def judged(name: str, gain: float, verdict: str, state: str) -> Judged:
        effect = Effect("m", 8, gain, gain, gain, 0.05, 0.1, 1.1)
        gate = GateResult("win_rate", state, 0.5, 0.5, 0.0, -0.01, 0.01, 0.03)
        return Judged(name, verdict, Decision.KEEP, "", effect, gates=(gate,))

    fast = judged("fast", 2.0, Verdict.UNPROVEN, GateState.UNPROVEN)
    safe = judged("safe", 1.5, Verdict.FASTER, GateState.PASSED)
    worse = judged("worse", 3.0, Verdict.WORSE, GateState.FAILED)
    found = chosen(SimpleNamespace(judged=(worse, safe, fast)))  # type: ignore[arg-type]
    assert {name: one.variant for name, one in found.items()} == {"speed": "fast", "balance": "safe"}
    assert chosen(SimpleNamespace(judged=(worse,))) == {}  # type: ignore[arg-type]


def test_optuna_finds_the_best_of_few() -> None:
    pytest.importorskip("optuna")
    search = OptunaSearch({"n": ("1", "2", "4"), "b": ("x", "y")}, {"n": "1", "b": "x"}, seed=3)
    seen = []
    while (asked := search.ask()) is not None:
        seen.append(asked)
        search.tell(None if asked["b"] == "y" else float(asked["n"]))
    assert {"n": "4", "b": "x"} in seen
    again = OptunaSearch({"n": ("1", "2", "4"), "b": ("x", "y")}, {"n": "1", "b": "x"}, seed=3)
    assert again.ask() == seen[0]
