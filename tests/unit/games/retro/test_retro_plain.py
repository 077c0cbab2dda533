"""The plain twin has the faults that its seed describes: counted, so that nobody fixes them by accident."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import torch

from goldsplit.games.retro import plain, plain_critics, plain_state
from goldsplit.games.retro.retro_rules import FRAME_SKIP, STACK

pytest.importorskip("ale_py")

STEPS = 10


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Calls of the costly parts in ten steps of a game."""
    seen: Counter[str] = Counter()

    def count(owner: Any, name: str, label: str) -> None:
        original = getattr(owner, name)

        def counted(*args: Any, **options: Any) -> Any:
            seen[label] += 1
            return original(*args, **options)

        monkeypatch.setattr(owner, name, counted)

    env = plain.RetroPlain()
    env.reset(seed=1)
    count(plain_state.MapLocation, "__init__", "locations")
    count(torch, "isin", "membership tests")
    count(torch, "stack", "stacks")
    count(plain_critics.StateChange, "_StateChange__check_one", "checks")
    count(plain_critics.StateChange, "_StateChange__get_change", "changes")
    count(plain, "action_to_array", "buttons")
    original = torch.as_tensor
    shapes: Counter[tuple[int, ...]] = Counter()

    def as_tensor(data: Any, **options: Any) -> Any:
        shapes[data.shape] += 1
        return original(data, **options)

    monkeypatch.setattr(torch, "as_tensor", as_tensor)
    for _ in range(STEPS):
        env.step(0)
    seen["whole frames made tensors"] = shapes[(210, 160, 3)]
    return seen


def test_each_step_has_the_seeds_faults(counts: Counter[str]) -> None:
    assert counts["locations"] == 26 * STEPS
    assert counts["membership tests"] == 3 * STEPS
    assert counts["checks"] == counts["changes"] == 20 * STEPS
    assert counts["stacks"] == STEPS
    assert counts["whole frames made tensors"] == STACK * STEPS
    assert counts["buttons"] > FRAME_SKIP * STEPS


@pytest.mark.parametrize("action", range(18))
def test_buttons_and_actions_are_each_others_inverse(action: int) -> None:
    assert plain.array_to_action(plain.action_to_array(action)) == action


def test_every_action_has_buttons_of_its_own_and_the_emulators_name() -> None:
    import ale_py

    assert len({tuple(plain.action_to_array(action)) for action in range(18)}) == 18
    names = [name.replace(" ", "") for name in plain.ACTION_NAMES]
    assert [ale_py.Action(number).name for number in range(18)] == names
