"""lean-info, replayed-env, random-actions: overlays that answer for environments and agents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from goldsplit.model.stage import ACT, ENV_RESET, ENV_STEP
from goldsplit.record.inside.overlays import by_stage, lean_info
from goldsplit.record.inside.overlays.ablations import random_actions, replayed_env
from goldsplit.record.inside.overlays.changes import Changes
from goldsplit.record.inside.span_wrapping import staged

Changed = Callable[..., dict[str, float]]


@pytest.fixture(autouse=True)
def clean_stages() -> Iterator[None]:
    by_stage.forget()
    yield
    by_stage.forget()


def make_game() -> Any:
    class Game:
        """Counts its steps."""

        played = 0

        def reset(self) -> Any:
            return [0]

        def step(self, action: Any) -> Any:
            self.played += 1
            return [self.played], 1.0, False, False, {"episode": 1, "junk": "x"}

    Game.step = staged(Game.step, ENV_STEP)  # type: ignore[method-assign]
    Game.reset = staged(Game.reset, ENV_RESET)  # type: ignore[method-assign]
    return Game()


def test_infos_keep_what_libraries_need(changed: Changed) -> None:
    lean_info.install(Changes("lean-info"), "")
    assert make_game().step(0)[4] == {"episode": 1}
    other = staged(lambda: "something else", ENV_STEP)
    assert other() == "something else"
    assert changed() == {"infos made smaller": 1}


def test_the_first_steps_are_replayed(changed: Changed) -> None:
    replayed_env.install(Changes("replayed-env:3"), "3")
    game = make_game()
    game.reset()
    seen = [game.step(0)[0] for _ in range(8)]
    assert seen == [[1], [2], [3], [1], [2], [3], [1], [2]]
    seen[3].append("mine")
    assert game.step(0)[0] == [3]
    assert game.step(0)[0] == [1]
    assert game.reset() == [0]
    assert game.played == 3
    assert changed() == {"steps replayed": 7, "resets replayed": 1}


def test_actions_are_drawn_from_earlier_ones(changed: Changed) -> None:
    random_actions.install(Changes("random-actions"), "")
    calls: list[int] = []

    def select_action(n: int) -> list[int]:
        calls.append(n)
        return [n]

    act = staged(select_action, ACT)
    answers = [act(n)[0] for n in range(400)]
    assert answers[:100] == list(range(100))
    assert len(calls) == 100
    assert set(answers[100:]) <= set(range(100))
    assert len(set(answers[100:])) > 50
    assert changed() == {"actions drawn from earlier ones": 300}


def test_the_policy_of_ppo_answers_from_earlier_rollouts(changed: Changed) -> None:
    """Nothing of it has the stage: it is the network that is called in the loop."""
    made: list[int] = []

    class ActorCriticPolicy:
        def forward(self, obs: Any, deterministic: bool = False) -> tuple[list[int], list[float]]:
            made.append(len(obs))
            return [len(made)] * len(obs), [0.5] * len(obs)

    module: Any = ModuleType("policies")
    module.ActorCriticPolicy = ActorCriticPolicy
    when_imported = random_actions.when_imported
    random_actions.when_imported = lambda name, change: change(module)  # type: ignore[assignment]
    try:
        random_actions.install(Changes("random-actions"), "")
    finally:
        random_actions.when_imported = when_imported
    policy = module.ActorCriticPolicy()
    answers = [policy.forward(np.zeros((2, 3))) for _ in range(150)]
    assert len(made) == 100
    assert all(len(actions) == len(values) == 2 for actions, values in answers)
    assert len({actions[0] for actions, _ in answers[100:]}) > 20
    assert len(policy.forward(np.zeros((4, 3)))[0]) == 4, "answers for two games are none for four"
    assert changed() == {"actions drawn from earlier ones": 50}
