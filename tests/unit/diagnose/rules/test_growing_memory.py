from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.growing_memory import RULE, steady_growth
from goldsplit.model.profile import Fact, ProcessFigures

MEGABYTE = 2**20


def process(*megabytes: float) -> ProcessFigures:
    """A process of 100 s with these sizes at equal intervals."""
    memory = [(100 * i / (len(megabytes) - 1), size * MEGABYTE) for i, size in enumerate(megabytes)]
    return ProcessFigures(100, "driver", 100.0, 100.0, 100.0, memory)


GROWING = process(*range(400, 510, 10))


@pytest.fixture
def kept(make: SimpleNamespace) -> list[Fact]:
    return [
        make.fact("kept_bytes", amount=1e6, place=make.place(12, "Game.step")),
        make.fact("kept_bytes", amount=9e6, place=make.place(34, "Game.paint")),
        make.fact("memory_look", amount=3.0),
    ]


def test_the_line_that_keeps_most(make: SimpleNamespace, kept: list[Fact]) -> None:
    (finding,) = make.found(RULE, make.profile({"env.step": 0.5}, processes=[GROWING], facts=kept))
    assert finding.where.line == 34
    assert finding.evidence["bytes_per_env_step"] == pytest.approx(100 * MEGABYTE / 20_000)
    assert finding.evidence["bytes_kept_at_this_line"] == 9e6


def test_more_than_any_transition_needs_is_reported_without_a_line(make: SimpleNamespace) -> None:
    leak = process(*range(400, 4_400, 400))
    (finding,) = make.found(RULE, make.profile({"env.step": 0.5, "replay.add": 0.1}, processes=[leak]))
    assert (finding.where, finding.confidence) == (None, "low")


def test_a_replay_memory_that_fills_is_not_reported(make: SimpleNamespace, kept: list[Fact]) -> None:
    by_stage = make.profile({"env.step": 0.5, "replay.add": 0.1}, processes=[GROWING], facts=kept)
    looked = make.deep_look(sites=[make.site("sampling", "random.sample")])
    by_line = make.profile({"env.step": 0.5}, processes=[GROWING], facts=kept, deep=looked)
    assert make.found(RULE, by_stage) == make.found(RULE, by_line) == []


def test_a_line_that_explains_little_of_the_growth_is_not_named(make: SimpleNamespace) -> None:
    facts = [
        make.fact("kept_bytes", amount=1e5, place=make.place(12, "Game.step")),
        make.fact("memory_look", amount=3.0),
    ]
    assert make.found(RULE, make.profile({"env.step": 0.5}, processes=[GROWING], facts=facts)) == []


def test_no_finding_without_a_known_line(make: SimpleNamespace) -> None:
    assert make.found(RULE, make.profile({"env.step": 0.5}, processes=[GROWING])) == []


@pytest.mark.parametrize(
    "figures",
    [
        process(*[400.0] * 10),
        process(400, 450, 480, 495, 498, 499, 500, 500, 500, 500),
        process(*[400 + i for i in range(10)]),
        process(400, 450, 500, 500, 500, 500, 550, 560, 570, 600),
        process(400, 500),
        process(*range(500, 400, -10)),
    ],
    ids=["flat", "settles", "in two jumps", "a little", "too few points", "shrinks"],
)
def test_no_growth(figures: ProcessFigures) -> None:
    assert steady_growth(figures) is None


def test_a_preallocated_buffer_that_fills_is_no_leak(make: SimpleNamespace) -> None:
    """Tracing saw nothing new: the pages of an array that was allocated before the loop become resident."""
    filling = process(*range(400, 4_400, 400))
    looked = make.fact("memory_look", amount=0.5)
    stages = {"env.step": 0.5, "replay.add": 0.1}
    assert make.found(RULE, make.profile(stages, processes=[filling], facts=[looked])) == []
