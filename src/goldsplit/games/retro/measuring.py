"""What `benchmarks/games.py` times of Retro: a twin's observation path, its whole step, the emulator alone.

The emulator is the floor: no twin can step faster than `emulator_only`.
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable
from typing import Any

from goldsplit.games.retro.emulator import new_emulator, starts
from goldsplit.games.retro.retro_rules import ACTIONS, FRAME_SKIP, RetroError

_TWINS = {"plain": ("plain", "RetroPlain"), "fast": ("fast", "RetroFast")}
_WARM_UP = 20


def observation_path(kind: str) -> Callable[[], None]:
    """One build of observation, facts, critics and info from screen and RAM, without emulating."""
    env = _played(kind)
    if kind == "plain":
        return lambda: env.look(env.emulator.getScreenRGB(), "") and None

    viewer, emulator = env._viewer, env._viewer.emulators[0]
    screen, ram = viewer.sight.screens[0], viewer.sight.rams[0]

    def build() -> None:
        emulator.getScreen(screen)
        emulator.getRAM(ram)
        answer = viewer.see()
        float(answer.rewards[0])
        env._info(answer, 0)

    return build


def whole_step(kind: str) -> Callable[[], None]:
    """One step of a twin, with a reset where an episode ends; every twin gets the same actions."""
    env = _played(kind)
    actions = _actions()

    def step() -> None:
        _, _, terminated, truncated, _ = env.step(next(actions))
        if terminated or truncated:
            env.reset()

    return step


def emulator_only() -> Callable[[], None]:
    """The frames of one step, and nothing else."""
    emulator = new_emulator(FRAME_SKIP)
    start = starts()[0].state
    actions = _actions()

    def step() -> None:
        emulator.act(next(actions))
        if emulator.game_over():
            emulator.restoreState(start)

    return step


def _actions() -> Any:
    """All actions in a fixed order without end, each held for five steps: the player gets somewhere."""
    return itertools.cycle([action for first in range(ACTIONS) for action in [first * 7 % ACTIONS] * 5])


def _played(kind: str) -> Any:
    """A twin some steps into its first episode: nothing is compiled or learned after that."""
    if kind not in _TWINS:
        raise RetroError(f"there is no twin {kind!r} to measure", f"say one of: {', '.join(_TWINS)}")
    module, name = _TWINS[kind]
    env = getattr(importlib.import_module(f"goldsplit.games.retro.{module}"), name)()
    env.reset(seed=0)
    for action in itertools.islice(_actions(), _WARM_UP):
        env.step(action)
    return env
