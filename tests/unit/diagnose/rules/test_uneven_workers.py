from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.diagnose.rules.uneven_workers import RULE
from goldsplit.model.profile import Profile
from goldsplit.model.structure import Structure

STAGES = {"env.step": 0.6, "act": 0.2}


def lanes(make: SimpleNamespace, *shares: float) -> list[Any]:
    workers = [
        make.lane(
            "env-worker", 101 + i, env_steps=10_000, cpu_seconds=100 * share, stages={"env.step": share}
        )
        for i, share in enumerate(shares)
    ]
    return [make.lane(), *workers]


@pytest.fixture
def structure(lock_step: Callable[..., Structure]) -> Structure:
    return lock_step([[300.0, 600.0]] * 50)


def test_one_worker_has_more_to_do(
    make: SimpleNamespace, team: Callable[..., Profile], structure: Structure
) -> None:
    (finding,) = make.found(RULE, team(STAGES, lanes=lanes(make, 0.2, 0.6), structure=structure))
    assert finding.where == make.place(3, "main")
    assert finding.share == pytest.approx(0.2)
    assert "1.5x" in finding.title


@pytest.mark.parametrize("shares", [(0.4, 0.4), (0.4, 0.46), (0.02, 0.05), (0.6,)])
def test_even_or_idle_workers_are_fine(
    make: SimpleNamespace, team: Callable[..., Profile], structure: Structure, shares: tuple[float, ...]
) -> None:
    assert make.found(RULE, team(STAGES, lanes=lanes(make, *shares), structure=structure)) == []


def test_without_a_barrier_no_worker_waits(make: SimpleNamespace, team: Callable[..., Profile]) -> None:
    assert make.found(RULE, team(STAGES, lanes=lanes(make, 0.2, 0.6))) == []
