"""The bot's whole turn, compiled: it scores every cell that a squad can reach and strikes the weakest target.

Half a heuristic of an honest author: it goes for objectives, likes cover and targets, dislikes being shot
at, and hesitates now and then. It does not plan, does not keep squads together, and never falls back.
"""

from __future__ import annotations

from typing import Any

from goldsplit.games.dice import below
from goldsplit.games.skirmish.board_tables import ATTACKS, ENDED, HESITATION, MOVE, SHOTS
from goldsplit.games.skirmish.game_terms import SIDE_SIZE
from goldsplit.games.skirmish.kernel_options import kernel
from goldsplit.games.skirmish.squad_deeds import place, strike_slot
from goldsplit.games.skirmish.squad_queries import (
    engaged,
    goal_of,
    nearest_enemy,
    pool,
    reach,
    shootable,
    threats,
)


@kernel
def cell_score(board: Any, games: Any, g: int, u: int, cell: int, goal: int) -> float:
    """What the bot thinks of a cell; all parts are multiples of a quarter, so that their sum is exact."""
    score = -2.0 * board.path[cell, goal]
    if board.gap[cell, goal] <= 1:
        score += 5.0
    score += 1.5 * shootable(board, games, g, u, cell)
    score -= 0.75 * threats(board, games, g, u, cell)
    if board.cover[cell]:
        score += 1.0
    if board.stats[u, ATTACKS] > board.stats[u, SHOTS]:
        score -= 1.0 * nearest_enemy(games, g, 1, cell, board.gap)
    return score


@kernel
def best_cell(board: Any, games: Any, g: int, u: int) -> int:
    """The best of the cells within one move; the first in reading order among equals."""
    goal = goal_of(board, games, g, u)
    reach(board, games, g, u, board.stats[u, MOVE])
    best, best_score = -1, 0.0
    for cell in range(games.steps.size):
        if games.steps[cell] < 0:
            continue
        score = cell_score(board, games, g, u, cell, goal)
        if best < 0 or score > best_score:
            best, best_score = cell, score
    return best


@kernel
def hesitates(board: Any, games: Any, g: int) -> bool:
    """Whether the bot lets this chance go."""
    return below(games.dice, g, 100) < board.numbers[HESITATION]


@kernel
def weakest(games: Any, g: int, count: int) -> int:
    """The slot of the target with the fewest wounds, the nearest of them."""
    best = 0
    for slot in range(1, count):
        if games.wounds[g, games.slots[slot]] < games.wounds[g, games.slots[best]]:
            best = slot
    return best


@kernel
def bot_squad(board: Any, games: Any, g: int, u: int, phase: int) -> None:
    """What one squad of the bot does in one phase."""
    if phase == 0:
        if not engaged(board, games, g, u) and not hesitates(board, games, g):
            place(games, g, u, best_cell(board, games, g, u))
        return
    if phase == 2 and board.stats[u, ATTACKS] <= board.stats[u, SHOTS]:
        return
    count = pool(board, games, g, u, phase)
    if count == 0 or (phase < 3 and hesitates(board, games, g)):
        return
    strike_slot(board, games, g, u, 0 if phase == 2 else weakest(games, g, count), phase)


@kernel
def bot_turn(board: Any, games: Any, g: int) -> None:
    """Move, shoot, charge and fight with all squads of the bot."""
    for phase in range(4):
        for u in range(SIDE_SIZE, 2 * SIDE_SIZE):
            if games.wounds[g, u] > 0 and games.facts[g, ENDED] == 0:
                bot_squad(board, games, g, u, phase)
