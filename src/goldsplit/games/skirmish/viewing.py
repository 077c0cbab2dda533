"""Compiled view of a game: the observation of 323 numbers, the mask of actions, the information's numbers.

A view belongs to the side that decides. The bot's side sees the board turned by half a circle, so that a
policy that learnt on one side can play the other. Every number is one division of whole numbers, then one
cast: equal in all twins.
"""

from __future__ import annotations

from typing import Any

from goldsplit.games.skirmish.board_tables import (
    ACTIVE,
    ATTACKS,
    CRITICAL,
    DEALT,
    FIRST,
    HEIGHT,
    KILLS,
    LEAD,
    MIDDLE,
    MISSION,
    MOVE,
    PHASE,
    POINTS,
    RANGE,
    REASON,
    ROUND,
    ROUNDS,
    SECONDARY,
    SHOTS,
    SIDE,
    STEPS,
    WIDTH,
    WINNER,
    WOUNDS,
)
from goldsplit.games.skirmish.game_terms import (
    FAR,
    FIRST_SLOT,
    GO_TO_OBJECTIVE,
    MOST_OBJECTIVES,
    PASS,
    SIDE_SIZE,
    SLOTS,
)
from goldsplit.games.skirmish.kernel_options import kernel
from goldsplit.games.skirmish.squad_queries import (
    alive,
    can_shoot,
    cell_towards,
    engaged,
    expected,
    goal_of,
    held,
    holder,
    nearest_enemy,
    on_objective,
    pool,
    shootable,
    strength_at,
    threats,
    walk,
)

GENERAL, OWN, ENEMY, OBJECTIVE, TARGET, DIRECTION = 14, 16, 17, 10, 8, 5
AT_OWN = GENERAL
AT_ENEMY = AT_OWN + SIDE_SIZE * OWN
AT_OBJECTIVE = AT_ENEMY + SIDE_SIZE * ENEMY
AT_TARGET = AT_OBJECTIVE + MOST_OBJECTIVES * OBJECTIVE
AT_DIRECTION = AT_TARGET + SLOTS * TARGET
AT_GOAL = AT_DIRECTION + 6 * DIRECTION


@kernel
def _put_cell(board: Any, side: int, cell: int, out: Any, at: int) -> None:
    """Where a cell lies, as the side sees it."""
    width, height = board.numbers[WIDTH], board.numbers[HEIGHT]
    column, row = cell % width, cell // width
    if side == 1:
        column, row = width - 1 - column, height - 1 - row
    out[at] = column / (width - 1)
    out[at + 1] = row / (height - 1)


@kernel
def _put_general(board: Any, games: Any, g: int, side: int, out: Any) -> None:
    facts, lead = games.facts, board.numbers[LEAD]
    ours, theirs = facts[g, POINTS + side], facts[g, POINTS + 1 - side]
    out[0] = facts[g, ROUND] / board.numbers[ROUNDS]
    out[1 + facts[g, PHASE]] = 1.0
    out[5] = min(ours, 5 * lead) / lead
    out[6] = min(theirs, 5 * lead) / lead
    out[7] = max(min(ours - theirs, 5 * lead), -5 * lead) / lead
    out[8] = alive(games, g, side) / SIDE_SIZE
    out[9] = alive(games, g, 1 - side) / SIDE_SIZE
    out[10] = 1.0 if facts[g, FIRST] == side else 0.0
    out[11 + facts[g, MISSION]] = 1.0


@kernel
def _put_squad(board: Any, games: Any, g: int, u: int, side: int, place: Any) -> None:
    """The eleven numbers that both sides' squads have; `place` is where, and in what."""
    out, at = place
    stats, cell = board.stats, games.cell[g, u]
    out[at] = 1.0
    _put_cell(board, side, cell, out, at + 1)
    out[at + 3] = games.wounds[g, u] / stats[u, WOUNDS]
    out[at + 4] = stats[u, MOVE] / 8
    out[at + 5] = stats[u, RANGE] / 12
    out[at + 6] = stats[u, SHOTS] / 8
    out[at + 7] = stats[u, ATTACKS] / 8
    out[at + 8] = 1.0 if on_objective(board, cell) else 0.0
    out[at + 9] = 1.0 if board.cover[cell] else 0.0
    out[at + 10] = 1.0 if engaged(board, games, g, u) else 0.0


@kernel
def _put_own(board: Any, games: Any, g: int, side: int, out: Any) -> None:
    active = games.facts[g, ACTIVE]
    for k in range(SIDE_SIZE):
        u, at = side * SIDE_SIZE + k, AT_OWN + k * OWN
        if games.wounds[g, u] <= 0:
            continue
        _put_squad(board, games, g, u, side, (out, at))
        cell, length = games.cell[g, u], FAR
        for objective in range(board.objectives.size):
            length = min(length, board.path[cell, board.objectives[objective]])
        out[at + 11] = 1.0 if k < active else 0.0
        out[at + 12] = 1.0 if k == active else 0.0
        out[at + 13] = length / 20
        out[at + 14] = shootable(board, games, g, u, cell) / 6
        out[at + 15] = nearest_enemy(games, g, side, cell, board.path) / 20


@kernel
def _put_enemies(board: Any, games: Any, g: int, side: int, out: Any) -> None:
    active = games.facts[g, ACTIVE]
    u = side * SIDE_SIZE + active
    for k in range(SIDE_SIZE):
        e, at = (1 - side) * SIDE_SIZE + k, AT_ENEMY + k * ENEMY
        if games.wounds[g, e] <= 0:
            continue
        _put_squad(board, games, g, e, side, (out, at))
        if active < 0:
            continue
        here, there = games.cell[g, u], games.cell[g, e]
        out[at + 11] = board.gap[here, there] / 20
        out[at + 12] = board.path[here, there] / 20
        out[at + 13] = 1.0 if board.sight[here, there] else 0.0
        out[at + 14] = 1.0 if can_shoot(board, u, here, there) else 0.0
        out[at + 15] = expected(board, games, g, u, e, True) / 2160
        out[at + 16] = 1.0 if can_shoot(board, e, there, here) else 0.0


@kernel
def _put_objectives(board: Any, games: Any, g: int, side: int, out: Any) -> None:
    active = games.facts[g, ACTIVE]
    worth = board.points[games.facts[g, MISSION]]
    for k in range(board.objectives.size):
        at, goal, holding = AT_OBJECTIVE + k * OBJECTIVE, board.objectives[k], holder(board, games, g, k)
        out[at] = 1.0
        _put_cell(board, side, goal, out, at + 1)
        out[at + 3] = 1.0 if holding == side else 0.0
        out[at + 4] = 1.0 if holding == 1 - side else 0.0
        out[at + 5] = strength_at(board, games, g, k, side) / 6
        out[at + 6] = strength_at(board, games, g, k, 1 - side) / 6
        if active >= 0:
            out[at + 7] = board.path[games.cell[g, side * SIDE_SIZE + active], goal] / 20
        out[at + 8] = nearest_enemy(games, g, side, goal, board.path) / 20
        out[at + 9] = (worth[2] if k == board.numbers[MIDDLE] else worth[0]) / 3


@kernel
def _put_targets(board: Any, games: Any, g: int, u: int, out: Any) -> None:
    """The targets that the slots stand for in this phase."""
    phase = games.facts[g, PHASE]
    for slot in range(pool(board, games, g, u, phase)):
        e, at = games.slots[slot], AT_TARGET + slot * TARGET
        there, wounds = games.cell[g, e], games.wounds[g, e]
        shot, struck = expected(board, games, g, u, e, True), expected(board, games, g, u, e, False)
        out[at] = 1.0
        out[at + 1] = wounds / board.stats[e, WOUNDS]
        out[at + 2] = board.gap[games.cell[g, u], there] / 20
        out[at + 3] = shot / 2160
        out[at + 4] = struck / 2160
        out[at + 5] = 1.0 if (shot if phase == 1 else struck) >= 216 * wounds else 0.0
        out[at + 6] = 1.0 if on_objective(board, there) else 0.0
        out[at + 7] = 1.0 if board.cover[there] else 0.0


@kernel
def _put_directions(board: Any, games: Any, g: int, u: int, goal: int, out: Any) -> None:
    """What a straight move in each direction leads to."""
    here, turn = games.cell[g, u], 0 if u < SIDE_SIZE else 3
    for direction in range(6):
        at = AT_DIRECTION + direction * DIRECTION
        there = walk(board, games, g, u, (direction + turn) % 6)
        out[at] = board.gap[here, there] / 8
        out[at + 1] = (board.path[here, goal] - board.path[there, goal]) / 8
        out[at + 2] = shootable(board, games, g, u, there) / 6
        out[at + 3] = 1.0 if board.cover[there] else 0.0
        out[at + 4] = threats(board, games, g, u, there) / 6


@kernel
def put_observation(board: Any, games: Any, g: int, out: Any) -> None:
    """What the deciding side sees of a game."""
    side, active, phase = games.facts[g, SIDE], games.facts[g, ACTIVE], games.facts[g, PHASE]
    out[:] = 0.0
    _put_general(board, games, g, side, out)
    _put_own(board, games, g, side, out)
    _put_enemies(board, games, g, side, out)
    _put_objectives(board, games, g, side, out)
    if active < 0:
        return
    u = side * SIDE_SIZE + active
    goal = goal_of(board, games, g, u)
    _put_targets(board, games, g, u, out)
    if phase == 0:
        _put_directions(board, games, g, u, goal, out)
    out[AT_GOAL] = board.path[games.cell[g, u], goal] / 20


@kernel
def put_mask(board: Any, games: Any, g: int, out: Any) -> None:
    """What the active squad may do; to pass is always allowed."""
    active, phase, side = games.facts[g, ACTIVE], games.facts[g, PHASE], games.facts[g, SIDE]
    out[:] = False
    out[PASS] = True
    if active < 0:
        return
    u = side * SIDE_SIZE + active
    if phase > 0:
        for slot in range(pool(board, games, g, u, phase)):
            out[FIRST_SLOT + slot] = True
        return
    cell, turn = games.cell[g, u], 0 if side == 0 else 3
    for direction in range(6):
        out[direction] = walk(board, games, g, u, (direction + turn) % 6) != cell
    out[GO_TO_OBJECTIVE] = cell_towards(board, games, g, u, goal_of(board, games, g, u)) != cell


@kernel
def put_info(board: Any, games: Any, g: int, mask: Any, out: Any) -> None:
    """The numbers of the information, always from the agent's side, in the order of `game_terms`."""
    facts = games.facts
    out[0], out[1] = facts[g, POINTS], facts[g, POINTS + 1]
    out[2], out[3] = games.wounds[g, :SIDE_SIZE].sum(), games.wounds[g, SIDE_SIZE:].sum()
    out[4], out[5] = facts[g, ROUND], facts[g, ACTIVE]
    out[6], out[7] = alive(games, g, 0), alive(games, g, 1)
    out[8], out[9] = facts[g, KILLS], facts[g, KILLS + 1]
    out[10], out[11] = facts[g, DEALT], facts[g, DEALT + 1]
    out[12], out[13] = held(board, games, g, 0), held(board, games, g, 1)
    attacked = 0
    for u in range(SIDE_SIZE):
        if games.wounds[g, u] > 0 and engaged(board, games, g, u):
            attacked += 1
    out[14], out[15], out[16] = attacked, facts[g, STEPS], mask.sum()
    out[17], out[18], out[19], out[20] = (
        facts[g, WINNER],
        facts[g, REASON],
        facts[g, MISSION],
        facts[g, PHASE],
    )
    out[21], out[22] = facts[g, CRITICAL], facts[g, SECONDARY]
