"""Environments in which agents move in turn."""

from __future__ import annotations

from typing import Any

from goldsplit.record.inside.engine import ThreadState
from goldsplit.record.inside.hooks.libraries.pettingzoo import after_reset, after_turn


class Turns:
    """Two agents; the game is over when both have ended."""

    def __init__(self) -> None:
        self.terminations = {"a": False, "b": False}
        self.truncations = {"a": False, "b": False}


def play(state: ThreadState, env: Any, *action: Any) -> None:
    node = state.child(state.root, "env.step")
    after_turn(state, node, (env, *action), None)


def test_moves_and_games(state: ThreadState) -> None:
    env = Turns()
    play(state, env, 1)
    env.terminations = {"a": True, "b": False}
    play(state, env, 1)
    assert state.counts == {"own_env_steps": 2, "own_episodes": 0}
    env.truncations = {"a": False, "b": True}
    play(state, env, 1)
    assert state.counts == {"own_env_steps": 3, "own_episodes": 1}


def test_taking_an_ended_agent_out_is_no_move(state: ThreadState) -> None:
    env = Turns()
    env.terminations = {"a": True, "b": True}
    play(state, env, 0)
    play(state, env, None)
    env.terminations = {"b": True}
    play(state, env, None)
    assert state.counts == {"own_env_steps": 1, "own_episodes": 1}


def test_a_game_of_one_move_after_a_reset(state: ThreadState) -> None:
    env = Turns()
    env.terminations = {"a": True, "b": True}
    play(state, env, 0)
    after_reset(state, state.child(state.root, "env.reset"), (env,), None)
    play(state, env, 0)
    assert state.counts == {"own_env_steps": 2, "own_episodes": 2}


def test_an_environment_that_lacks_everything_is_counted_without_games(state: ThreadState) -> None:
    play(state, object(), 0)
    assert state.counts == {"own_env_steps": 1}
