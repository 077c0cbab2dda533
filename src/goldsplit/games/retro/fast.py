"""Retro, fast twin: the emulator itself holds the action for four frames, one compiled call does the rest.

Against the plain twin: the screen is fetched once a step, as one byte a pixel; only kept pixels are grayed,
by a table; older pictures of the stack are not made again; facts and critics are whole numbers in arrays; an
episode starts from a kept state of the emulator.
"""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
from numpy.typing import NDArray

from goldsplit.games.dice import Dice
from goldsplit.games.retro import retro_rules as rules
from goldsplit.games.retro.retro_kernel import Answer
from goldsplit.games.retro.viewer import Viewer


class RetroFast(gymnasium.Env[Any, Any]):
    """One game; `max_steps` ends an episode that does not end by itself."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}

    def __init__(self, max_steps: int = 1000, render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        self.max_steps = rules.checked_steps(max_steps)
        self.observation_space, self.action_space = rules.single_spaces()
        self._viewer = Viewer(1)
        self._steps = 0
        self._has_dice = False
        self._playing = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        super().reset(seed=seed)
        if seed is not None or not self._has_dice:
            self._viewer.dice[0] = Dice(int(self.np_random.integers(1 << 62)) if seed is None else seed)
            self._has_dice = True
        self._playing = True
        self._steps = 0
        self._viewer.begin(0)
        answer = self._viewer.see()
        return answer.stacks[0], self._info(answer, rules.GOING_ON)

    def step(self, action: Any) -> tuple[NDArray[np.uint8], float, bool, bool, dict[str, Any]]:
        if not 0 <= action < rules.ACTIONS:
            raise rules.unknown_action(action)
        if not self._playing:
            raise rules.no_game()
        self._steps += 1
        terminated = self._viewer.play(0, int(action))
        truncated = not terminated and self._steps >= self.max_steps
        self._playing = not (terminated or truncated)
        answer = self._viewer.see()
        reason = rules.NO_LIVES if terminated else rules.OUT_OF_TIME if truncated else rules.GOING_ON
        return answer.stacks[0], float(answer.rewards[0]), terminated, truncated, self._info(answer, reason)

    def action_masks(self) -> NDArray[np.bool_]:
        """Every action does something in some place of the game: all are valid."""
        return np.ones(rules.ACTIONS, np.bool_)

    def _info(self, answer: Answer, reason: int) -> dict[str, Any]:
        numbers = self._viewer.numbers()[0]
        return {
            "facts": answer.facts[0],
            "critics": answer.critics[0],
            "score": int(numbers[rules.SCORE]),
            "room": int(numbers[rules.ROOM]),
            "lives": int(numbers[rules.LIVES]),
            "steps": self._steps,
            "end_reason": rules.END_REASONS[reason],
        }
