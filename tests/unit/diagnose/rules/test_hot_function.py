"""The pointer: the function that causes most of the time, if nothing sharper is known."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import pytest

from goldsplit.diagnose.findings import diagnose
from goldsplit.diagnose.rules.hot_function import RULE
from goldsplit.diagnose.rules.output_in_loop import RULE as OUTPUT
from goldsplit.diagnose.rules.updates_dominate import RULE as UPDATES


def run(make: SimpleNamespace, **changes: object) -> SimpleNamespace:
    learn = make.function_cost("learn", 0.95, self_share=0.0)
    step = make.function_cost("Game.step", 0.6, self_share=0.05, within={learn.key: 0.6})
    paths = make.function_cost(
        "Game.find_paths", 0.5, within={learn.key: 0.5, step.key: 0.5}, callers={step.key: 0.5}
    )
    functions = [learn, step, paths]
    return make.profile({"env.step": 0.6, "act": 0.35}, **({"functions": functions} | changes))


def test_the_place_is_where_the_time_is_caused(make: SimpleNamespace) -> None:
    (found,) = make.found(RULE, run(make))
    assert found.where.function == "Game.find_paths"
    assert found.pointer
    assert found.share == pytest.approx(0.5)
    assert found.ceiling_speedup == pytest.approx(2.0)
    assert found.evidence["called_by"] == ["Game.step 100 %"]
    assert "path fields" in found.remedy
    assert found.confidence == "low"


def test_calls_are_told_where_they_were_counted(make: SimpleNamespace) -> None:
    deep = make.deep_look(functions=[make.deep_function("Game.find_paths", calls_per_env_step=12.0)])
    (found,) = make.found(RULE, run(make, deep=deep))
    assert found.evidence["calls_per_env_step"] == 12.0
    assert "fewer calls" in found.remedy


def test_library_code_is_told_apart(make: SimpleNamespace) -> None:
    spread = [dataclasses.replace(one, library_share=one.share) for one in run(make).functions]
    (found,) = make.found(RULE, run(make, functions=spread))
    assert "library code" in found.remedy


def test_nothing_hot_means_no_pointer(make: SimpleNamespace) -> None:
    assert make.found(RULE, run(make, functions=[make.function_cost("Game.step", 0.05)])) == []
    few = [make.function_cost("Game.step", 0.5, samples=7)]
    assert make.found(RULE, run(make, functions=few)) == []


def test_it_ranks_below_every_fault(make: SimpleNamespace) -> None:
    rows = [make.row("env.step", 0.6), make.row("log", 0.1)]
    seen = make.profile(rows, functions=run(make).functions)
    assert [one.code for one in diagnose(seen, (RULE, OUTPUT))] == ["output-in-loop", "hot-function"]


def test_the_place_is_in_the_bottleneck(make: SimpleNamespace) -> None:
    """One function has all of the learning, and several share the environment, which is more."""
    fit = make.function_cost("Agent.fit", 0.42, stages={"learn.backward": 0.42})
    look = make.function_cost("Game.look", 0.3, stages={"env.observe": 0.3})
    foe = make.function_cost("Game.foe", 0.2, stages={"env.step": 0.2})
    stages = {"learn.backward": 0.42, "env.observe": 0.3, "env.step": 0.2}
    seen = make.profile(stages, functions=[fit, look, foe])
    assert [one.where.function for one in make.found(RULE, seen)] == ["Game.look", "Agent.fit"]
    (kept,) = diagnose(seen, (RULE,))
    assert kept.where.function == "Game.look"
    (found,) = make.found(RULE, make.profile({"act": 0.5, "learn.backward": 0.42}, functions=[fit]))
    assert found.where.function == "Agent.fit"


def test_where_a_fault_explains_the_bottleneck_the_next_kind_has_a_place(make: SimpleNamespace) -> None:
    """Many updates take most of the run; what is hot beside them is what they leave."""
    fit = make.function_cost("Agent.fit", 0.6, stages={"learn.loss": 0.6})
    fill = make.function_cost("Boards.flood", 0.3)
    stages = {"learn.loss": 0.6, "env.step": 0.35}
    counted = make.throughput(updates_per_env_step=4.0)
    seen = make.profile(stages, functions=[fit, fill], throughput=counted)
    found = diagnose(seen, (RULE, UPDATES))
    assert [(one.code, one.where and one.where.function) for one in found][1:] == [
        ("hot-function", "Boards.flood")
    ]
    assert found[0].code == "updates-dominate"
    assert "flood fill" in found[1].remedy


def test_the_loop_that_plays_and_learns_is_no_place(make: SimpleNamespace) -> None:
    """No part of it has half of its time, so nothing takes its place by that."""
    parts = {"env.step": 0.4, "learn.loss": 0.45, "replay.add": 0.1}
    train = make.function_cost("Trainer.train", 0.95, stages=parts)
    step = make.function_cost("Boards.step", 0.4, stages={"env.step": 0.4}, within={train.key: 0.4})
    fit = make.function_cost("Trainer.fit", 0.45, stages={"learn.loss": 0.45}, within={train.key: 0.45})
    found = make.found(RULE, make.profile(parts, functions=[train, step, fit]))
    assert [one.where.function for one in found] == ["Trainer.fit", "Boards.step"]


def test_what_is_mostly_of_other_kinds_is_no_place_in_a_kind(make: SimpleNamespace) -> None:
    collect = make.function_cost("Trainer.collect", 0.6, stages={"act": 0.35, "env.step": 0.25})
    step = make.function_cost("Game.step", 0.25, stages={"env.step": 0.25}, within={collect.key: 0.25})
    seen = make.profile({"env.step": 0.6, "act": 0.35}, functions=[collect, step])
    assert make.found(RULE, seen)[0].where.function == "Game.step"
