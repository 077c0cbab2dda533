"""Compiled deeds: moves, attacks, charges and fights, with their dice; and how a game ends.

The order of the dice is part of the rules: the plain twin draws them in the same order.
"""

from __future__ import annotations

from typing import Any

from goldsplit.games.dice import below
from goldsplit.games.skirmish.board_tables import (
    ACTIVE,
    DAMAGE,
    DEALT,
    ENDED,
    KILLS,
    MISSION,
    PHASE,
    POINTS,
    REASON,
    SKILL,
    WINNER,
)
from goldsplit.games.skirmish.game_terms import FIRST_SLOT, GO_TO_OBJECTIVE, SIDE_SIZE
from goldsplit.games.skirmish.kernel_options import kernel
from goldsplit.games.skirmish.squad_queries import (
    alive,
    cell_towards,
    engaged,
    goal_of,
    pool,
    reach,
    save_roll,
    strikes,
    walk,
    wound_roll,
)

ANNIHILATED, OBJECTIVE_LEAD, TURN_LIMIT = 1, 2, 3
DRAW = 3


@kernel
def end_game(games: Any, g: int, reason: int, winner: int) -> None:
    """Nobody is active any more; the winner is a side + 1, or DRAW."""
    facts = games.facts
    facts[g, ENDED] = 1
    facts[g, REASON] = reason
    facts[g, WINNER] = winner
    facts[g, PHASE] = 0
    facts[g, ACTIVE] = -1


@kernel
def place(games: Any, g: int, u: int, cell: int) -> None:
    """Put a squad onto another cell."""
    games.taken[g, games.cell[g, u]] = False
    games.cell[g, u] = cell
    games.taken[g, cell] = True


@kernel
def hurt(board: Any, games: Any, g: int, target: int, wounds: int) -> None:
    """Take wounds from a squad; the last one removes it and may end the game."""
    side = 1 - target // SIDE_SIZE
    lost = min(wounds, games.wounds[g, target])
    games.wounds[g, target] -= lost
    games.facts[g, DEALT + side] += lost
    if lost == 0 or games.wounds[g, target] > 0:
        return
    games.taken[g, games.cell[g, target]] = False
    games.facts[g, KILLS + side] += 1
    games.facts[g, POINTS + side] += board.points[games.facts[g, MISSION], 1]
    if alive(games, g, 1 - side) == 0:
        end_game(games, g, ANNIHILATED, side + 1)


@kernel
def attack(board: Any, games: Any, g: int, u: int, target: int, ranged: bool) -> None:
    """Roll to hit, to wound and to save for each strike, then take the wounds."""
    need_hit, need_wound = board.stats[u, SKILL], wound_roll(board, u, target)
    need_save = save_roll(board, games, g, target, ranged)
    wounds = 0
    for _ in range(strikes(board, games, g, u, ranged)):
        if below(games.dice, g, 6) + 1 < need_hit:
            continue
        if below(games.dice, g, 6) + 1 < need_wound:
            continue
        if below(games.dice, g, 6) + 1 < need_save:
            wounds += board.stats[u, DAMAGE]
    hurt(board, games, g, target, wounds)


@kernel
def charge(board: Any, games: Any, g: int, u: int, target: int) -> None:
    """Run two dice of steps to a free cell beside the target, or stay where no such cell is near enough."""
    run = 2 + below(games.dice, g, 6) + below(games.dice, g, 6)
    reach(board, games, g, u, run)
    best, best_steps = -1, run + 1
    for direction in range(6):
        cell = board.near[games.cell[g, target], direction]
        if cell >= 0 and 0 <= games.steps[cell] < best_steps:
            best, best_steps = cell, games.steps[cell]
    if best >= 0:
        place(games, g, u, best)


@kernel
def fight(board: Any, games: Any, g: int, u: int, target: int) -> None:
    """Strike, and be struck back by what is left."""
    attack(board, games, g, u, target, False)
    if games.wounds[g, target] > 0:
        attack(board, games, g, target, u, False)


@kernel
def strike_slot(board: Any, games: Any, g: int, u: int, slot: int, phase: int) -> None:
    """Shoot, charge or fight against a target of the pool."""
    if slot >= pool(board, games, g, u, phase):
        return
    target = games.slots[slot]
    if phase == 1:
        attack(board, games, g, u, target, True)
    elif phase == 2:
        charge(board, games, g, u, target)
    else:
        fight(board, games, g, u, target)


@kernel
def act(board: Any, games: Any, g: int, u: int, action: int) -> None:
    """Carry out a valid action of the active squad; the bot's directions are turned by half a circle."""
    phase = games.facts[g, PHASE]
    if FIRST_SLOT <= action < FIRST_SLOT + 5:
        strike_slot(board, games, g, u, action - FIRST_SLOT, phase)
    elif action <= GO_TO_OBJECTIVE:
        if action == GO_TO_OBJECTIVE:
            cell = cell_towards(board, games, g, u, goal_of(board, games, g, u))
        else:
            cell = walk(board, games, g, u, action if u < SIDE_SIZE else (action + 3) % 6)
        if cell != games.cell[g, u]:
            if engaged(board, games, g, u):
                games.tired[g, u] = True
            place(games, g, u, cell)
