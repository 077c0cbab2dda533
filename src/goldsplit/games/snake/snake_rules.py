"""The rules of Snake that all twins share: numbers, names, options and spaces; no code of a step.

Directions are 0 up, 1 right, 2 down, 3 left. Actions turn the snake before it moves: 0 straight, 1 right,
2 left, so no action can reverse it and all three are always valid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from gymnasium.spaces import Box, Discrete

from goldsplit.errors import GameError

SMALLEST, LARGEST = 5, 32
START_LENGTH = 3
#: How far from the border a head starts, so that its body fits whatever the direction.
MARGIN = START_LENGTH - 1

ROW_STEPS = (-1, 0, 1, 0)
COLUMN_STEPS = (0, 1, 0, -1)
#: What each action adds to the direction.
TURNS = (0, 1, 3)
STRAIGHT = 0
N_ACTIONS = len(TURNS)

FOOD_REWARD = 1.0
DEATH_REWARD = -1.0
CLOSER_REWARD = 0.01
FARTHER_REWARD = -0.01

PLAYING, WALL, BODY, HUNGER, FULL = range(5)
#: Why a game ended, by its outcome.
REASONS = ("", "wall", "body", "hunger", "full")

FEATURES = (
    *("danger straight", "danger right", "danger left"),
    *("going up", "going right", "going down", "going left"),
    *("food above", "food to the right", "food below", "food to the left"),
    *("food ahead", "food aside"),
    *("room straight", "room right", "room left"),
    *("length", "hunger"),
)
FLOOD_FEATURES = ("area straight", "area right", "area left")


class SnakeOptionError(GameError):
    """An option or a call that Snake cannot work with."""


@dataclass(frozen=True, slots=True)
class SnakeOptions:
    """What can be chosen of a game."""

    #: Rows and columns of the board.
    size: int = 12
    #: Whether the observation says how much of the board each next head could still reach.
    flood_fill: bool = False
    #: Moves without food after which a game is truncated.
    hunger_limit: int = 144

    @property
    def cells(self) -> int:
        return self.size * self.size

    @property
    def features(self) -> tuple[str, ...]:
        """The name of each number of an observation."""
        return FEATURES + FLOOD_FEATURES if self.flood_fill else FEATURES


def checked_options(size: int, flood_fill: bool, hunger_limit: int | None) -> SnakeOptions:
    """The options after checks; the hunger limit is the number of cells if none is given.

    That many moves are enough: a snake that circles through all cells meets every food within them.
    """
    if not SMALLEST <= size <= LARGEST:
        raise SnakeOptionError(
            f"a board of {size} x {size} cells is not offered",
            f"choose a size from {SMALLEST} to {LARGEST}",
        )
    if hunger_limit is not None and hunger_limit < 1:
        raise SnakeOptionError(
            f"a hunger limit of {hunger_limit} lets no move be made",
            "choose 1 or more moves, or leave it out for the number of cells",
        )
    return SnakeOptions(int(size), bool(flood_fill), int(hunger_limit or size * size))


def checked_count(boards: int) -> int:
    """The number of boards of a batch, or a clear error."""
    if boards < 1:
        raise SnakeOptionError(f"a batch of {boards} boards has no game", "choose num_envs of 1 or more")
    return int(boards)


def no_game() -> SnakeOptionError:
    """The error for a step where no game has begun, or after its end."""
    return SnakeOptionError(
        "there is no game to move in", "call reset() before the first step and after an end"
    )


def observation_space(options: SnakeOptions) -> Box:
    """All features lie in 0..1, but for the food's offsets, which have a sign."""
    low = np.array([-1.0 if name in ("food ahead", "food aside") else 0.0 for name in options.features])
    return Box(low.astype(np.float32), np.ones(len(options.features), np.float32), dtype=np.float32)


def action_space() -> Discrete:
    return Discrete(N_ACTIONS)


def board_seeds(seed: int | Sequence[int], count: int) -> list[int]:
    """The seed of each board: counted up from one seed, or as given."""
    if isinstance(seed, int | np.integer):
        return [int(seed) + board for board in range(count)]
    if len(seed) != count:
        raise SnakeOptionError(
            f"{len(seed)} seeds for {count} boards", "pass one seed, or one for each board"
        )
    return [int(one) for one in seed]
