"""Which windows a trend may be read from."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from typing import Any

import pytest

from goldsplit.analyse.counts.trend_windows import (
    join,
    learning_begins,
    prefill,
    stalled,
    trend_windows,
    whole_rounds,
)
from goldsplit.analyse.profile import analyse
from goldsplit.model.progress import Window
from goldsplit.model.recording import Recording

S = 1_000_000_000


def row(*figures: tuple[int, int], seconds: float = 1.0) -> list[Window]:
    """Windows of (env steps, updates)."""
    made, done = [], 0
    for i, (steps, updates) in enumerate(figures):
        made.append(
            Window(
                i * seconds, seconds, steps, steps / seconds, 0, updates, {"act": 1.0}, {"act": steps},
                {"act": 1e6 * seconds / max(1, steps)}, env_steps_before=done, cpu_seconds=0.8 * seconds,
            )
        )  # fmt: skip
        done += steps
    return made


def test_random_steps_before_learning_are_a_phase_of_their_own() -> None:
    windows = row(*[(131, 0)] * 5, (90, 3), *[(8, 8)] * 12)
    assert learning_begins(windows) == 6
    before = prefill(windows)
    assert before is not None
    assert (before.seconds, before.env_steps) == (6.0, 745)
    assert before.env_steps_per_second == pytest.approx(124, abs=1)
    assert len(trend_windows(windows).steady) == 12


def test_a_first_rollout_is_no_prefill() -> None:
    """PPO: three windows of steps, then one of updates, again and again."""
    windows = row(*([(500, 0)] * 3 + [(20, 40)]) * 5)
    assert learning_begins(windows) == 0
    assert prefill(windows) is None
    rounds = trend_windows(windows).steady
    assert [(w.seconds, w.env_steps, w.updates) for w in rounds] == [(4.0, 1520, 40)] * 5


@pytest.mark.parametrize(
    "figures",
    [
        [(100, 0)] * 9,
        [(100, 5)] * 9,
        [(500, 0)] * 6 + [(20, 40), (500, 0)],
        [(500, 0)] * 6 + [(0, 40), (0, 40), (0, 40)],
    ],
    ids=["nothing is learnt", "from the start", "one rollout and a half", "one burst at the end"],
)
def test_where_no_beginning_can_be_told_nothing_is_left_out(figures: list[tuple[int, int]]) -> None:
    assert learning_begins(row(*figures)) == 0


def test_half_a_round_at_the_end_is_no_window() -> None:
    windows = row(*([(500, 0), (0, 40)] * 4), (500, 0))
    assert [(w.env_steps, w.updates) for w in whole_rounds(windows)] == [(500, 40)] * 4


def test_an_evaluation_belongs_to_the_steps_after_it() -> None:
    windows = row((100, 0), (0, 0), (100, 0))
    assert [(w.seconds, w.env_steps) for w in whole_rounds(windows)] == [(1.0, 100), (2.0, 100)]


def test_windows_of_uneven_updates_are_joined_until_they_are_alike() -> None:
    chance = random.Random(1)
    windows = row(*[(100, chance.choice((30, 50))) for _ in range(60)])
    joined = whole_rounds(windows)
    assert 12 <= len(joined) < 60
    assert sum(w.env_steps or 0 for w in joined) > 5000


def test_joining_adds_up() -> None:
    one, two = row((100, 1), (300, 2))
    both = join([one, dataclasses.replace(two, stages={"act": 0.5, "log": 0.5}, seconds=3.0)])
    assert (both.seconds, both.env_steps, both.updates, both.env_steps_before) == (4.0, 400, 3, 0)
    assert both.stages == pytest.approx({"act": 0.625, "log": 0.375})
    assert both.calls == {"act": 400}
    assert both.call_us["act"] == pytest.approx((1e6 + 1e6) / 400)
    assert both.cpu_seconds == pytest.approx(1.6)


def test_a_window_in_which_nothing_was_computed_is_a_stall() -> None:
    windows = row(*[(100, 5)] * 20)
    for i in (7, 8, 15):
        windows[i] = dataclasses.replace(windows[i], seconds=3.0)
    found = trend_windows(windows)
    assert [i for i, stall in enumerate(stalled(windows)) if stall] == [7, 8, 15]
    assert found.stalls is not None
    assert (found.stalls.count, found.stalls.seconds, found.stalls.lost_seconds) == (2, 9.0, 6.0)
    assert len(found.steady) == 17


def test_without_a_core_is_a_stall() -> None:
    windows = row(*[(100, 5)] * 20)
    windows[9] = dataclasses.replace(windows[9], seconds=1.4, delayed_seconds=0.5, cpu_seconds=None)
    assert [i for i, stall in enumerate(stalled(windows)) if stall] == [9]


@pytest.mark.parametrize(
    "change",
    [{"cpu_seconds": 2.4}, {"stages": {"checkpoint": 0.7, "act": 0.3}}, {"cpu_seconds": None}],
    ids=["it computed", "it wrote a checkpoint", "not measured"],
)
def test_a_slow_window_with_a_reason_is_no_stall(change: dict[str, Any]) -> None:
    windows = row(*[(100, 5)] * 20)
    windows[9] = dataclasses.replace(windows[9], seconds=3.0, **change)
    assert not any(stalled(windows))


def test_a_machine_that_is_always_busy_has_no_stalls() -> None:
    windows = [dataclasses.replace(w, delayed_seconds=0.5) for w in row(*[(100, 5)] * 20)]
    assert not any(stalled(windows))


def test_rates_are_those_since_learning_began(maker: Any, recording: Callable[..., Recording]) -> None:
    """Four seconds of random steps at 130/s; then 8/s with an update each."""
    one = maker(7)
    one.snapshot(0, own_env_steps=0)
    steps = updates = 0
    for second in range(1, 21):
        learns = second > 4
        steps += 8 if learns else 130
        updates += 8 if learns else 0
        one.spend(S // 2, "env.step", count=8 if learns else 130)
        one.snapshot(second * S, own_env_steps=steps, **({"updates:1": updates} if learns else {}))
    one.steps(1, 20 * S)
    flow = analyse(recording(one, end_ns=20 * S)).throughput
    assert flow.env_steps == steps
    assert flow.env_steps_per_second == pytest.approx(8.0)
    assert flow.updates_per_env_step == pytest.approx(1.0)
    assert flow.prefill is not None
    assert flow.prefill.env_steps == 3 * 130 + 8, "the steady phase begins with a snapshot"
    assert flow.steady_env_steps == steps - 130
