"""Compiled questions about one game: who is beside whom, who may be shot at, who holds what, where to go.

Every function takes the scenario's tables, all games, and the number `g` of the game that is asked about.
Squads are numbered 0 to 11 (`board_tables`). Nothing here changes a game; `reach` and `pool` write into the
scratch arrays.
"""

from __future__ import annotations

from typing import Any

from goldsplit.games.skirmish.board_tables import (
    ATTACKS,
    DAMAGE,
    HOLD,
    MOVE,
    RANGE,
    SAVE,
    SHOTS,
    SKILL,
    STRENGTH,
    TOUGHNESS,
    WOUNDS,
)
from goldsplit.games.skirmish.game_terms import CHARGE_REACH, FAR, SIDE_SIZE, SLOTS
from goldsplit.games.skirmish.kernel_options import kernel


@kernel
def enemies(u: int) -> int:
    """The first squad of the other side."""
    return SIDE_SIZE if u < SIDE_SIZE else 0


@kernel
def alive(games: Any, g: int, side: int) -> int:
    """How many squads a side still has."""
    count = 0
    for u in range(side * SIDE_SIZE, side * SIDE_SIZE + SIDE_SIZE):
        if games.wounds[g, u] > 0:
            count += 1
    return count


@kernel
def engaged(board: Any, games: Any, g: int, u: int) -> bool:
    """Whether an enemy stands beside the squad."""
    cell, foe = games.cell[g, u], enemies(u)
    for e in range(foe, foe + SIDE_SIZE):
        if games.wounds[g, e] > 0 and board.gap[cell, games.cell[g, e]] == 1:
            return True
    return False


@kernel
def can_shoot(board: Any, u: int, start: int, end: int) -> bool:
    """Whether the squad's weapon reaches from one cell to another."""
    stats = board.stats
    return stats[u, SHOTS] > 0 and board.gap[start, end] <= stats[u, RANGE] and board.sight[start, end]


@kernel
def shootable(board: Any, games: Any, g: int, u: int, cell: int) -> int:
    """How many enemies the squad could shoot at from a cell."""
    count, foe = 0, enemies(u)
    for e in range(foe, foe + SIDE_SIZE):
        if games.wounds[g, e] > 0 and can_shoot(board, u, cell, games.cell[g, e]):
            count += 1
    return count


@kernel
def threats(board: Any, games: Any, g: int, u: int, cell: int) -> int:
    """How many enemies could shoot at the squad on a cell."""
    count, foe = 0, enemies(u)
    for e in range(foe, foe + SIDE_SIZE):
        if games.wounds[g, e] > 0 and can_shoot(board, e, games.cell[g, e], cell):
            count += 1
    return count


@kernel
def nearest_enemy(games: Any, g: int, side: int, cell: int, table: Any) -> int:
    """The distance by a table from a cell to the nearest enemy of a side."""
    best, foe = FAR, SIDE_SIZE * (1 - side)
    for e in range(foe, foe + SIDE_SIZE):
        if games.wounds[g, e] > 0 and table[cell, games.cell[g, e]] < best:
            best = table[cell, games.cell[g, e]]
    return best


@kernel
def strength_at(board: Any, games: Any, g: int, objective: int, side: int) -> int:
    """The hold of a side's squads on or beside an objective."""
    total, goal = 0, board.objectives[objective]
    for u in range(side * SIDE_SIZE, side * SIDE_SIZE + SIDE_SIZE):
        if games.wounds[g, u] > 0 and board.gap[games.cell[g, u], goal] <= 1:
            total += board.stats[u, HOLD]
    return total


@kernel
def holder(board: Any, games: Any, g: int, objective: int) -> int:
    """The side that holds an objective, or -1."""
    ours, theirs = strength_at(board, games, g, objective, 0), strength_at(board, games, g, objective, 1)
    if ours > theirs:
        return 0
    return 1 if theirs > ours else -1


@kernel
def held(board: Any, games: Any, g: int, side: int) -> int:
    """How many objectives a side holds."""
    count = 0
    for objective in range(board.objectives.size):
        if holder(board, games, g, objective) == side:
            count += 1
    return count


@kernel
def on_objective(board: Any, cell: int) -> bool:
    """Whether a cell is on or beside an objective."""
    for objective in range(board.objectives.size):
        if board.gap[cell, board.objectives[objective]] <= 1:
            return True
    return False


@kernel
def goal_of(board: Any, games: Any, g: int, u: int) -> int:
    """The cell of the nearest objective that the squad's side does not hold, or of the nearest one."""
    side, cell = u // SIDE_SIZE, games.cell[g, u]
    best, best_length = -1, FAR + 1
    for wanted in range(2):
        for objective in range(board.objectives.size):
            goal = board.objectives[objective]
            length = board.path[cell, goal]
            if length < best_length and (wanted == 1 or holder(board, games, g, objective) != side):
                best, best_length = goal, length
        if best >= 0:
            break
    return best


@kernel
def walk(board: Any, games: Any, g: int, u: int, direction: int) -> int:
    """Where the squad ends when it goes straight in a direction until something stops it."""
    cell = games.cell[g, u]
    for _ in range(board.stats[u, MOVE]):
        ahead = board.near[cell, direction]
        if ahead < 0 or games.taken[g, ahead]:
            break
        cell = ahead
    return cell


@kernel
def reach(board: Any, games: Any, g: int, u: int, limit: int) -> None:
    """Write into `games.steps` how many steps the squad needs to each cell; -1 where it cannot end."""
    steps, queue = games.steps, games.queue
    steps[:] = -1
    queue[0] = games.cell[g, u]
    steps[queue[0]] = 0
    done, waiting = 0, 1
    while done < waiting:
        cell = queue[done]
        done += 1
        if steps[cell] == limit:
            break
        for direction in range(6):
            ahead = board.near[cell, direction]
            if ahead >= 0 and steps[ahead] < 0 and not games.taken[g, ahead]:
                steps[ahead] = steps[cell] + 1
                queue[waiting] = ahead
                waiting += 1


@kernel
def cell_towards(board: Any, games: Any, g: int, u: int, goal: int) -> int:
    """The cell within one move that is nearest to a goal; among equals the nearer, then the lower number."""
    reach(board, games, g, u, board.stats[u, MOVE])
    best, best_length, best_steps = games.cell[g, u], FAR + 1, 0
    for cell in range(games.steps.size):
        steps = games.steps[cell]
        if steps < 0:
            continue
        length = board.path[cell, goal]
        if length < best_length or (length == best_length and steps < best_steps):
            best, best_length, best_steps = cell, length, steps
    return best


@kernel
def pool(board: Any, games: Any, g: int, u: int, phase: int) -> int:
    """How many targets the squad may choose (at most SLOTS); `games.slots` has them, nearest first."""
    cell, foe, slots = games.cell[g, u], enemies(u), games.slots
    count = 0
    if phase == 0 or (phase < 3 and (games.tired[g, u] or engaged(board, games, g, u))):
        return 0
    table = board.path if phase == 2 else board.gap
    for e in range(foe, foe + SIDE_SIZE):
        if games.wounds[g, e] <= 0:
            continue
        other = games.cell[g, e]
        if phase == 1:
            valid = can_shoot(board, u, cell, other)
        elif phase == 2:
            valid = board.path[cell, other] <= CHARGE_REACH
        else:
            valid = board.gap[cell, other] == 1
        if not valid:
            continue
        at = count
        while at > 0 and table[cell, games.cell[g, slots[at - 1]]] > table[cell, other]:
            slots[at] = slots[at - 1]
            at -= 1
        slots[at] = e
        if count < SLOTS:
            count += 1
    return count


@kernel
def strikes(board: Any, games: Any, g: int, u: int, ranged: bool) -> int:
    """How often the squad shoots or hits: a wounded squad does less."""
    base = board.stats[u, SHOTS] if ranged else board.stats[u, ATTACKS]
    return (base * games.wounds[g, u] + board.stats[u, WOUNDS] - 1) // board.stats[u, WOUNDS]


@kernel
def wound_roll(board: Any, u: int, target: int) -> int:
    """What the squad must roll to wound a target."""
    strength, toughness = board.stats[u, STRENGTH], board.stats[target, TOUGHNESS]
    if strength >= 2 * toughness:
        return 2
    if strength > toughness:
        return 3
    if strength == toughness:
        return 4
    return 6 if 2 * strength <= toughness else 5


@kernel
def save_roll(board: Any, games: Any, g: int, target: int, ranged: bool) -> int:
    """What a target must roll to be saved; cover helps against shots."""
    save = board.stats[target, SAVE]
    if ranged and board.cover[games.cell[g, target]] and save > 2:
        save -= 1
    return save


@kernel
def expected(board: Any, games: Any, g: int, u: int, target: int, ranged: bool) -> int:
    """The wounds that an attack takes on average, times 216 (whole numbers are equal everywhere)."""
    hits, wounds = 7 - board.stats[u, SKILL], 7 - wound_roll(board, u, target)
    fails = save_roll(board, games, g, target, ranged) - 1
    return strikes(board, games, g, u, ranged) * hits * wounds * fails * board.stats[u, DAMAGE]
