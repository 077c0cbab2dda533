"""What is compared with the counted steps: how often the agent chose and stored meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.counts.witnesses import counted
from goldsplit.analyse.profile import analyse
from goldsplit.model.recording import Recording

S = 1_000_000_000
GAMES = 3


def vector_trainer(maker: Any) -> Any:
    """Three games beside each other; of ten vector steps in each second, some are in a deep window."""
    one = maker(7)
    one.snapshot(0, own_env_steps=0)
    for second in range(60):
        for part, steps in ((0.5, 4), (1.0, 6)):
            one.spend(S // 20, "act", count=steps)
            one.spend(S // 20, "replay.add", count=steps)
            at = int((second + part) * S)
            one.snapshot(at, own_env_steps=GAMES * (10 * second + (4 if part < 1 else 10)))
    one.steps(S // 2, 60 * S)
    one.process.end_ns = 60 * S
    one.process.deep_windows = [(at * S, at * S + S // 2) for at in range(0, 60, 7)]
    return one


def test_calls_in_deep_windows_bear_out_the_steps_that_were_made_there(
    maker: Any, recording: Callable[..., Recording]
) -> None:
    one = vector_trainer(maker)
    series = Series(one.process)
    seen = counted(
        {one.process.id: series},
        lambda t_ns: round(series.summed("own_env_steps", t_ns) or 0),
        lambda t_ns: None,
    )
    assert {part.env_steps for part in seen.parts} != {0}
    for part in seen.parts:
        assert part.choices == part.stored == part.env_steps // GAMES
    profile = analyse(recording(one))
    assert not any("env steps not counted" in note for note in profile.trust.notes)
    assert profile.throughput.env_steps == GAMES * 600


def test_a_calls_time_in_a_window_is_left_out_and_the_call_is_not(maker: Any) -> None:
    series = Series(vector_trainer(maker).process)
    (key,) = [(thread, node) for (thread, node), info in series.process.nodes.items() if info.stage == "act"]
    assert series.calls(key, 60 * S) == 600
    assert series.node(key, 60 * S).count == 600 - 4 * len(series.windows)
    assert series.calls(key, -1) == 0
