"""The words and numbers that all twins of Skirmish share: what is counted, its worth, its name.

The rules themselves are written twice, once in the plain twin and once in the kernels. What is only a
number or a name stands here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray

from goldsplit.errors import GameError

SIDE_SIZE = 6
"""Squads that a side has room for; a scenario may use fewer."""
MOST_OBJECTIVES = 4
SLOTS = 5
"""Targets that can be chosen: the nearest ones."""

ACTIONS = 13
GO_TO_OBJECTIVE = 6
FIRST_SLOT = 7
PASS = 12
OBSERVATION_SIZE = 323

PHASES = ("move", "shoot", "charge", "fight")
WINNERS = ("", "agent", "bot", "draw")
REASONS = ("", "annihilated", "objective lead", "turn limit")

MISSIONS = {"hold": (2, 0, 2), "purge": (1, 2, 1), "centre": (1, 0, 3)}
"""Victory points for an objective held when a round ends, for a squad destroyed, for the middle objective."""

FAR = 99
"""The path length to a cell that cannot be reached; longer ways count as this long."""
CHARGE_REACH = 7
"""A squad may try to charge a target that is at most this many steps away."""

# Rewards in thousandths, so that every twin adds up whole numbers.
WIN_REWARD = 1000
KILL_REWARD = 150
WOUND_REWARD = 15
POINT_REWARD = 40
APPROACH_REWARD = 5
COVER_REWARD = 5

INFO_NUMBERS = (
    "vp",
    "vp_enemy",
    "health",
    "health_enemy",
    "turn",
    "active",
    "squads",
    "squads_enemy",
    "kills",
    "losses",
    "damage",
    "damage_enemy",
    "held",
    "held_enemy",
    "in_attack",
    "steps",
    "valid_actions",
)
"""Whole numbers of the information, in the order in which the kernels write them."""
INFO_NAMES = ("winner", "reason", "mission", "phase")
"""Texts of the information; the kernels write their index, after the numbers."""
NAMED_VALUES = (WINNERS, REASONS, tuple(MISSIONS), PHASES)
"""What the indexes of the texts stand for."""
INFO_REWARDS = ("reward_critical", "reward_secondary")
"""Parts of the reward; the kernels write them in thousandths, after the names."""

Policy = Callable[[NDArray[Any], NDArray[np.bool_]], NDArray[np.int64]]
"""Observations and masks of some games to an action for each of them."""


class SkirmishCallError(GameError):
    """A call that a game of Skirmish cannot answer."""


def observation_space() -> Box:
    """Most numbers lie in 0..1; lengths of ways and leads of points may be larger."""
    return Box(-5.0, 5.0, (OBSERVATION_SIZE,), np.float32)


def action_space() -> Discrete:
    return Discrete(ACTIONS)
