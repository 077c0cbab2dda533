from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.diagnose.rules.fat_info import RULE
from goldsplit.model.profile import Fact, Profile


@pytest.fixture
def rows(make: SimpleNamespace) -> list[Any]:
    return [
        make.row("env.step", 0.4, waited_share=0.4),
        make.row("vec.send", 0.2, waited_share=0.05),
        make.row("vec.recv", 0.2),
    ]


def infos(make: SimpleNamespace, size: float) -> list[Fact]:
    step = make.place(26, "Game.step")
    return [
        make.fact("info", "", 8, 8 * size, pid=101, place=step),
        make.fact("info_us", "", 8, 8 * 100.0, pid=101, place=step),
        make.fact("info_key", "units", 1, 0.7 * size, pid=101),
        make.fact("info_key", "board", 1, 0.2 * size, pid=101),
    ]


def test_infos_are_most_of_each_answer(
    make: SimpleNamespace, team: Callable[..., Profile], rows: list[Any]
) -> None:
    (finding,) = make.found(RULE, team(rows, answer_bytes=4000.0, facts=infos(make, 3000.0)))
    assert finding.where == make.place(26, "Game.step")
    assert finding.evidence["info_bytes"] == 3000.0
    assert finding.evidence["largest_keys"] == ["units", "board"]
    assert finding.share == pytest.approx(0.75 * 0.25)
    assert "3.0 of 4.0 KB" in finding.title


def test_microseconds_count_where_they_are_more(make: SimpleNamespace, team: Callable[..., Profile]) -> None:
    quick = [make.row("vec.recv", 0.01), make.row("env.step", 0.7, waited_share=0.7)]
    speed = make.throughput(env_steps_per_second=1000.0)
    seen = team(quick, answer_bytes=4000.0, facts=infos(make, 3000.0), throughput=speed)
    (finding,) = make.found(RULE, seen)
    assert finding.share == pytest.approx(1000 * 100e-6 * 0.75)


@pytest.mark.parametrize(("info", "answer"), [(300.0, 500.0), (1500.0, 60_000.0)])
def test_lean_infos_are_fine(
    make: SimpleNamespace, team: Callable[..., Profile], rows: list[Any], info: float, answer: float
) -> None:
    assert make.found(RULE, team(rows, answer_bytes=answer, facts=infos(make, info))) == []


def test_not_measured_is_no_finding(
    make: SimpleNamespace, team: Callable[..., Profile], rows: list[Any]
) -> None:
    assert make.found(RULE, team(rows, answer_bytes=4000.0)) == []


def test_infos_are_never_more_than_the_whole_answer(
    make: SimpleNamespace, team: Callable[..., Profile], rows: list[Any]
) -> None:
    """Infos are measured on some of the answers, and those may be larger than most."""
    (finding,) = make.found(RULE, team(rows, answer_bytes=4000.0, facts=infos(make, 4100.0)))
    assert "4.0 of 4.0 KB" in finding.title
    assert finding.evidence["info_part"] == 1.0
