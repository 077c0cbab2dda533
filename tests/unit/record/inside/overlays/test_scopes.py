"""Where kept answers end: steps and resets, seen where they become spans."""

from __future__ import annotations

import pytest

from goldsplit.model.stage import ACT, ENV_RESET, ENV_STEP
from goldsplit.record.inside.overlays import scopes
from goldsplit.record.inside.span_wrapping import staged


def test_steps_and_resets_end_scopes() -> None:
    scopes.watch_scopes()
    scopes.watch_scopes()
    step, reset, act = (staged(lambda: 1, stage) for stage in (ENV_STEP, ENV_RESET, ACT))
    seen = [(scopes.number_of("step"), scopes.number_of("episode"))]
    for call in (act, step, reset):
        call()
        seen.append((scopes.number_of("step"), scopes.number_of("episode")))
    assert seen[1] == seen[0]
    assert seen[2][0] != seen[1][0]
    assert seen[2][1] == seen[1][1]
    assert seen[3][0] != seen[2][0]
    assert seen[3][1] != seen[2][1]
    assert scopes.number_of("run") == 0


def test_a_step_that_raises_ends_too() -> None:
    scopes.watch_scopes()
    step = staged(lambda: 1 // 0, ENV_STEP)
    before = scopes.number_of("step")
    with pytest.raises(ZeroDivisionError):
        step()
    assert scopes.number_of("step") != before
