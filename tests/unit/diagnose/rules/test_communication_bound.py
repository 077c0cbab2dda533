from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.diagnose.rules.communication_bound import RULE
from goldsplit.model.profile import Profile


@pytest.fixture
def rows(make: SimpleNamespace) -> list[Any]:
    return [
        make.row("env.step", 0.4, waited_share=0.4),
        make.row("vec.send", 0.25, waited_share=0.15),
        make.row("vec.recv", 0.1),
    ]


def test_pictures_through_pipes(make: SimpleNamespace, team: Callable[..., Profile], rows: list[Any]) -> None:
    (finding,) = make.found(RULE, team(rows, answer_bytes=260_000.0))
    assert finding.where == make.place(3, "main")
    assert finding.evidence["bytes_per_answer"] == 260_000.0
    assert finding.share == pytest.approx(0.25)
    assert finding.ceiling_speedup == pytest.approx(1 / 0.75)
    assert "260 KB" in finding.title


def test_small_answers_are_fine(make: SimpleNamespace, team: Callable[..., Profile], rows: list[Any]) -> None:
    assert make.found(RULE, team(rows, answer_bytes=500.0)) == []


def test_large_infos_are_for_another_rule(
    make: SimpleNamespace, team: Callable[..., Profile], rows: list[Any]
) -> None:
    info = make.fact("info", "", 10, 10 * 200_000.0, pid=101)
    assert make.found(RULE, team(rows, answer_bytes=260_000.0, facts=[info])) == []


def test_cheap_receiving_is_fine(make: SimpleNamespace, team: Callable[..., Profile]) -> None:
    quick = [make.row("env.step", 0.9, waited_share=0.9), make.row("vec.recv", 0.03)]
    assert make.found(RULE, team(quick, answer_bytes=260_000.0)) == []
