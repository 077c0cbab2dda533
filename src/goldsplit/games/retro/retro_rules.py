"""What all twins of Retro agree on: the picture, the facts in RAM, and what the critics pay.

Grays are made with weights in 256ths, not with the usual 0.299, 0.587 and 0.114: sums of whole numbers are
exact in float32, so that the plain twin's tensors and the fast twin's table give the same bits whatever the
order of the sum.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from goldsplit.errors import GameError

ROM = "montezuma_revenge"
SCREEN = (210, 160)
RAM_SIZE = 128
ACTIONS = 18
FRAME_SKIP = 4
MOST_NOOPS = 30
"""An episode starts after 1 to this many frames of doing nothing, by the dice."""

CROP_TOP, CROP_ROWS, STRIDE = 46, 160, 2
"""The rooms without the lines of score and lives above them; every second row and column is kept."""
STACK = 4
PICTURE = (STACK, CROP_ROWS // STRIDE, SCREEN[1] // STRIDE)
RED, GREEN, BLUE = 77, 150, 29

TILE_TOP, TILE_STEP = 50, 8
FIRST_COLOURED = 16
"""Colour codes below this one are black, grays and white: a room that is drawn has others too."""

ATTRIBUTES = (
    ("level", 3.0),
    ("room", 31.0),
    ("x", 255.0),
    ("y", 255.0),
    ("facing_right", 1.0),
    ("jump", 255.0),
    ("lives", 8.0),
    ("score", 1_000_000.0),
    ("thing_x", 255.0),
    ("thing_y", 255.0),
    ("skull_x", 255.0),
    ("skull_y", 255.0),
    ("mallet", 1.0),
    ("key_1", 1.0),
    ("key_2", 1.0),
    ("key_3", 1.0),
    ("key_4", 1.0),
    ("sword_1", 1.0),
    ("sword_2", 1.0),
    ("torch", 1.0),
)
"""The whole numbers that are read from RAM, and by what each is divided in the vector of facts."""
SCALES = np.array([scale for _, scale in ATTRIBUTES])
DIRECTIONS = ("thing_left", "thing_right", "thing_above", "thing_below")
FACTS = (*(name for name, _ in ATTRIBUTES), *DIRECTIONS, "drawn")
LEVEL, ROOM, X, Y, FACING, JUMP, LIVES, SCORE, THING_X, THING_Y, SKULL_X, SKULL_Y, FIRST_ITEM = range(13)
ITEMS = 8

CRITICS = ("score", "room", "cell", "items", "lives")
PER_POINT = 0.01
NEW_ROOM = 1.0
NEW_CELL = 0.02
ITEM_GAINED, ITEM_LOST = 0.5, -0.1
LIFE_LOST = -0.5

LEVELS, ROOMS, CELLS = 4, 32, 256
"""Places that are remembered in an episode: 16 x 16 cells of 16 x 16 pixels in each room of each level."""

END_REASONS = ("", "lives", "time")
GOING_ON, NO_LIVES, OUT_OF_TIME = range(3)


class RetroError(GameError):
    """Something about this game that its user can fix."""


def single_spaces() -> tuple[Any, Any]:
    """Observation and action space of one game."""
    return spaces.Box(0, 255, PICTURE, np.uint8), spaces.Discrete(ACTIONS)


def checked_steps(max_steps: int) -> int:
    """The limit of an episode, or a clear error."""
    if max_steps < 1:
        raise RetroError(
            f"max_steps is {max_steps}", "give the steps after which an episode ends, at least 1"
        )
    return int(max_steps)


def unknown_action(action: Any) -> RetroError:
    """The error for an action that the joystick does not have."""
    return RetroError(f"there is no action {action}", f"actions are whole numbers from 0 to {ACTIONS - 1}")


def no_game() -> RetroError:
    """The error for a step where no episode has begun, or after its end."""
    return RetroError("there is no game to play in", "call reset() before the first step and after an end")


def gray_of(colours: NDArray[np.uint8]) -> NDArray[np.int16]:
    """The gray of colours (..., 3), rounded to the nearest whole number."""
    wide = colours.astype(np.int32)
    mixed = RED * wide[..., 0] + GREEN * wide[..., 1] + BLUE * wide[..., 2]
    return ((mixed + 128) >> 8).astype(np.int16)


def facts_of_game(facts: NDArray[np.float32]) -> dict[str, float]:
    """A vector of facts with its names, for people."""
    return {name: float(value) for name, value in zip(FACTS, facts, strict=True)}
