"""What `benchmarks/games.py` times of Retro."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from goldsplit.games.retro.measuring import emulator_only, observation_path, whole_step
from goldsplit.games.retro.retro_rules import RetroError

pytest.importorskip("ale_py")
pytestmark = pytest.mark.needs_torch


def cpu_seconds(work: Callable[[], None], times: int) -> float:
    work()
    began = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - began) / times


def test_an_unknown_twin_is_refused() -> None:
    with pytest.raises(RetroError, match=r"no twin 'quick' to measure\nhint: say one of: plain, fast"):
        observation_path("quick")


@pytest.mark.parametrize("kind", ["plain", "fast"])
def test_a_step_goes_on_over_the_end_of_a_game(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"goldsplit.games.retro.{kind}.Retro{kind.title()}.__init__.__defaults__", (25, None))
    step = whole_step(kind)
    for _ in range(30):
        step()


@pytest.mark.alone
def test_the_fast_observation_takes_a_tenth_at_most() -> None:
    assert cpu_seconds(observation_path("plain"), 20) >= 10 * cpu_seconds(observation_path("fast"), 200)


@pytest.mark.alone
def test_most_of_a_fast_step_is_the_emulator() -> None:
    assert cpu_seconds(emulator_only(), 300) >= 0.5 * cpu_seconds(whole_step("fast"), 300)
