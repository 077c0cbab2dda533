"""A scenario as arrays: what never changes during a game is computed once, for all pairs of cells.

The terrain is fixed, so path lengths, hex distances and lines of sight are tables; the kernels only look
them up. Cells are numbered row by row. Squads 0 to 5 are the agent's, 6 to 11 the bot's.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldsplit.fast.kernels import hex as hexes
from goldsplit.games import dice
from goldsplit.games.skirmish.game_terms import (
    ACTIONS,
    FAR,
    INFO_NAMES,
    INFO_NUMBERS,
    INFO_REWARDS,
    MISSIONS,
    OBSERVATION_SIZE,
    SIDE_SIZE,
    SLOTS,
)
from goldsplit.games.skirmish.scenario_file import STATS, Cell, Scenario

LAYOUT = "odd-r"
ALL_SQUADS = 2 * SIDE_SIZE

# Columns of `Board.stats`, in the order of the scenario's statistics.
MOVE, RANGE, SHOTS, ATTACKS, SKILL, STRENGTH, TOUGHNESS, SAVE, DAMAGE, WOUNDS, HOLD = range(len(STATS))

# Columns of `Games.facts`. Those with a side are followed by the bot's.
ROUND, PHASE, ACTIVE, SIDE, FIRST, MISSION, ENDED, REASON, WINNER, STEPS = range(10)
POINTS, KILLS, DEALT = 10, 12, 14
CRITICAL, SECONDARY = 16, 17
FACTS = 18

# Columns of `Board.numbers`.
WIDTH, HEIGHT, ROUNDS, LEAD, HESITATION, MIDDLE = range(6)


class Board(NamedTuple):
    """What all games of a scenario share. Only read."""

    path: NDArray[np.int16]
    """Steps from cell to cell around walls; FAR where there is no way, or only a longer one."""
    gap: NDArray[np.int16]
    """Steps from cell to cell as the crow flies."""
    sight: NDArray[np.bool_]
    near: NDArray[np.int16]
    """The six cells around each cell; -1 where the board ends or a wall stands."""
    cover: NDArray[np.bool_]
    objectives: NDArray[np.int16]
    zones: NDArray[np.int16]
    """Starting cells of both sides, -1 after the last."""
    stats: NDArray[np.int32]
    missions: NDArray[np.int32]
    """The missions that may be drawn, by their number in MISSIONS."""
    points: NDArray[np.int32]
    numbers: NDArray[np.int32]


class Games(NamedTuple):
    """All that changes, one row for each game; the last three are only used inside a call."""

    cell: NDArray[np.int32]
    wounds: NDArray[np.int32]
    tired: NDArray[np.bool_]
    """Squads that fell back: they neither shoot nor charge this turn."""
    taken: NDArray[np.bool_]
    """Cells with a squad."""
    facts: NDArray[np.int64]
    dice: NDArray[np.uint64]
    steps: NDArray[np.int16]
    queue: NDArray[np.int16]
    slots: NDArray[np.int16]


class Answers(NamedTuple):
    """What the kernels write for the player, one row for each game (of `info`: one column)."""

    observation: NDArray[np.float32]
    mask: NDArray[np.bool_]
    reward: NDArray[np.float64]
    ended: NDArray[np.bool_]
    info: NDArray[np.int64]


def new_games(board: Board, n: int) -> Games:
    """Room for n games; nothing in it is valid before it is started."""
    cells = len(board.cover)
    return Games(
        cell=np.zeros((n, ALL_SQUADS), np.int32),
        wounds=np.zeros((n, ALL_SQUADS), np.int32),
        tired=np.zeros((n, ALL_SQUADS), np.bool_),
        taken=np.zeros((n, cells), np.bool_),
        facts=np.zeros((n, FACTS), np.int64),
        dice=dice.states_of(np.arange(n, dtype=np.int64)),
        steps=np.zeros(cells, np.int16),
        queue=np.zeros(cells, np.int16),
        slots=np.zeros(SLOTS + 1, np.int16),
    )


def new_answers(n: int) -> Answers:
    """Room for the answers of n games."""
    return Answers(
        observation=np.zeros((n, OBSERVATION_SIZE), np.float32),
        mask=np.zeros((n, ACTIONS), np.bool_),
        reward=np.zeros(n, np.float64),
        ended=np.zeros(n, np.bool_),
        info=np.zeros((len(INFO_NUMBERS) + len(INFO_NAMES) + len(INFO_REWARDS), n), np.int64),
    )


def build(scenario: Scenario) -> Board:
    """The tables of a scenario."""
    shape = (scenario.height, scenario.width)
    walls, opaque = _marked(scenario.walls, shape), _marked(scenario.opaque, shape)
    cells = np.array([(column, row) for row in range(shape[0]) for column in range(shape[1])])
    path = hexes.path_fields(walls, cells, layout=LAYOUT).reshape(len(cells), -1)
    near = _near(walls)
    numbers = np.zeros(6, np.int32)
    numbers[[WIDTH, HEIGHT, ROUNDS, LEAD]] = scenario.width, scenario.height, scenario.rounds, scenario.lead
    numbers[[HESITATION, MIDDLE]] = scenario.hesitation, len(scenario.objectives) // 2
    order = list(MISSIONS)
    return Board(
        path=np.where((path < 0) | (path > FAR), FAR, path).astype(np.int16),
        gap=hexes.distance_matrix(cells, layout=LAYOUT).astype(np.int16),
        sight=hexes.line_of_sight(opaque, layout=LAYOUT),
        near=near,
        cover=opaque.reshape(-1) | _beside(walls),
        objectives=_numbered(scenario.objectives, scenario.width),
        zones=_zones(scenario),
        stats=_stats(scenario),
        missions=np.array([order.index(name) for name in scenario.missions], np.int32),
        points=np.array([MISSIONS[name] for name in order], np.int32),
        numbers=numbers,
    )


def _marked(cells: Any, shape: tuple[int, int]) -> NDArray[np.bool_]:
    board = np.zeros(shape, np.bool_)
    for column, row in cells:
        board[row, column] = True
    return board


def _numbered(cells: tuple[Cell, ...], width: int) -> NDArray[np.int16]:
    return np.array([row * width + column for column, row in cells], np.int16)


def _around(shape: tuple[int, int]) -> NDArray[np.int64]:
    """The numbers of the six cells around each cell, -1 off the board."""
    height, width = shape
    found = np.full((height * width, 6), -1, np.int64)
    for row in range(height):
        for column in range(width):
            for k, (other, line) in enumerate(hexes.neighbors((column, row), layout=LAYOUT)):
                if 0 <= other < width and 0 <= line < height:
                    found[row * width + column, k] = line * width + other
    return found


def _near(walls: NDArray[np.bool_]) -> NDArray[np.int16]:
    around = _around((walls.shape[0], walls.shape[1]))
    return np.where((around >= 0) & ~walls.reshape(-1)[around], around, -1).astype(np.int16)


def _beside(walls: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Cells beside a wall."""
    around = _around((walls.shape[0], walls.shape[1]))
    return np.logical_or.reduce((around >= 0) & walls.reshape(-1)[around], axis=1)


def _zones(scenario: Scenario) -> NDArray[np.int16]:
    zones = np.full((2, max(len(zone) for zone in scenario.zones) + 1), -1, np.int16)
    for side, zone in enumerate(scenario.zones):
        zones[side, : len(zone)] = _numbered(zone, scenario.width)
    return zones


def _stats(scenario: Scenario) -> NDArray[np.int32]:
    """One row for each squad; a row of zeros where the side has fewer."""
    stats = np.zeros((ALL_SQUADS, len(STATS)), np.int32)
    for side, squads in enumerate(scenario.squads):
        for k, squad in enumerate(squads):
            stats[side * SIDE_SIZE + k] = [squad.stats[name] for name in STATS]
    return stats
