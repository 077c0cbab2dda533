"""The compiled game from decision to decision: whose turn it is, rounds, ends and rewards.

With `outside` the bot does not play; its side's decisions are asked for like the agent's (`facts[SIDE]`
says whose turn it is). `game_calls` has the loops over all games of a batch.
"""

from __future__ import annotations

from typing import Any

from goldsplit.games.dice import below
from goldsplit.games.skirmish.board_tables import (
    ACTIVE,
    CRITICAL,
    DEALT,
    ENDED,
    FIRST,
    KILLS,
    LEAD,
    MIDDLE,
    MISSION,
    PHASE,
    POINTS,
    ROUND,
    ROUNDS,
    SECONDARY,
    SIDE,
    STEPS,
    WINNER,
    WOUNDS,
)
from goldsplit.games.skirmish.bot_turn import bot_turn
from goldsplit.games.skirmish.game_terms import (
    APPROACH_REWARD,
    COVER_REWARD,
    KILL_REWARD,
    PASS,
    POINT_REWARD,
    SIDE_SIZE,
    WIN_REWARD,
    WOUND_REWARD,
)
from goldsplit.games.skirmish.kernel_options import kernel
from goldsplit.games.skirmish.squad_deeds import DRAW, OBJECTIVE_LEAD, TURN_LIMIT, act, end_game
from goldsplit.games.skirmish.squad_queries import goal_of, holder, pool, threats
from goldsplit.games.skirmish.viewing import put_info, put_mask, put_observation


@kernel
def start_turn(games: Any, g: int, side: int) -> None:
    """Everybody is rested; the first phase begins."""
    games.facts[g, SIDE] = side
    games.facts[g, PHASE] = 0
    games.facts[g, ACTIVE] = -1
    for u in range(side * SIDE_SIZE, side * SIDE_SIZE + SIDE_SIZE):
        games.tired[g, u] = False


@kernel
def deploy(board: Any, games: Any, g: int) -> None:
    """Put every squad onto a drawn free cell of its side's zone."""
    games.taken[g, :] = False
    for u in range(2 * SIDE_SIZE):
        games.wounds[g, u] = board.stats[u, WOUNDS]
        if games.wounds[g, u] == 0:
            continue
        zone = board.zones[u // SIDE_SIZE]
        free = 0
        for k in range(zone.size):
            if zone[k] >= 0 and not games.taken[g, zone[k]]:
                free += 1
        left = below(games.dice, g, free)
        for k in range(zone.size):
            if zone[k] >= 0 and not games.taken[g, zone[k]]:
                if left == 0:
                    games.cell[g, u] = zone[k]
                    games.taken[g, zone[k]] = True
                    break
                left -= 1


@kernel
def start_game(board: Any, games: Any, g: int, outside: bool) -> None:
    """Draw the mission, who begins and where everybody stands; if the bot begins, it plays.

    A game that the bot wins before the agent's first decision is no game to play: it is drawn anew.
    """
    games.facts[g, ENDED] = 1
    while games.facts[g, ENDED] == 1:
        games.facts[g, :] = 0
        games.facts[g, ROUND] = 1
        games.facts[g, MISSION] = board.missions[below(games.dice, g, board.missions.size)]
        games.facts[g, FIRST] = below(games.dice, g, 2)
        games.tired[g, :] = False
        deploy(board, games, g)
        start_turn(games, g, games.facts[g, FIRST])
        proceed(board, games, g, outside)


@kernel
def next_active(board: Any, games: Any, g: int) -> bool:
    """Find the next squad of the turn that has something to decide."""
    facts = games.facts
    side = facts[g, SIDE]
    while facts[g, PHASE] < 4:
        for k in range(facts[g, ACTIVE] + 1, SIDE_SIZE):
            u = side * SIDE_SIZE + k
            if games.wounds[g, u] <= 0:
                continue
            if facts[g, PHASE] == 0 or pool(board, games, g, u, facts[g, PHASE]) > 0:
                facts[g, ACTIVE] = k
                return True
        facts[g, PHASE] += 1
        facts[g, ACTIVE] = -1
    return False


@kernel
def end_round(board: Any, games: Any, g: int) -> None:
    """Both sides score what they hold; a long lead or the last round ends the game."""
    facts = games.facts
    worth = board.points[facts[g, MISSION]]
    for objective in range(board.objectives.size):
        side = holder(board, games, g, objective)
        if side >= 0:
            facts[g, POINTS + side] += worth[2] if objective == board.numbers[MIDDLE] else worth[0]
    ahead = facts[g, POINTS] - facts[g, POINTS + 1]
    winner = DRAW if ahead == 0 else (1 if ahead > 0 else 2)
    if abs(ahead) >= board.numbers[LEAD]:
        end_game(games, g, OBJECTIVE_LEAD, winner)
    elif facts[g, ROUND] == board.numbers[ROUNDS]:
        end_game(games, g, TURN_LIMIT, winner)
    else:
        facts[g, ROUND] += 1


@kernel
def proceed(board: Any, games: Any, g: int, outside: bool) -> None:
    """Go on to the next decision that is asked for from outside, or to the end."""
    facts = games.facts
    while facts[g, ENDED] == 0:
        side = facts[g, SIDE]
        if side == 1 and not outside:
            bot_turn(board, games, g)
        elif next_active(board, games, g):
            return
        if facts[g, ENDED] == 0 and side != facts[g, FIRST]:
            end_round(board, games, g)
        if facts[g, ENDED] == 0:
            start_turn(games, g, 1 - side)
    facts[g, SIDE] = 0


@kernel
def critical_score(games: Any, g: int) -> int:
    """What the game is worth to the agent so far, in thousandths; the step's reward is how it changed."""
    facts = games.facts
    score = KILL_REWARD * (facts[g, KILLS] - facts[g, KILLS + 1])
    score += WOUND_REWARD * (facts[g, DEALT] - facts[g, DEALT + 1])
    score += POINT_REWARD * (facts[g, POINTS] - facts[g, POINTS + 1])
    if facts[g, WINNER] == 1:
        score += WIN_REWARD
    elif facts[g, WINNER] == 2:
        score -= WIN_REWARD
    return score


@kernel
def decide(board: Any, games: Any, g: int, action: int, mask: Any) -> int:
    """Carry out the active squad's decision (an invalid one passes): the secondary reward, in thousandths."""
    u = games.facts[g, SIDE] * SIDE_SIZE + games.facts[g, ACTIVE]
    if action < 0 or action >= mask.size or not mask[action]:
        action = PASS
    if games.facts[g, PHASE] > 0:
        act(board, games, g, u, action)
        return 0
    before, goal = games.cell[g, u], goal_of(board, games, g, u)
    act(board, games, g, u, action)
    after = games.cell[g, u]
    secondary = APPROACH_REWARD * (board.path[before, goal] - board.path[after, goal])
    if board.cover[after] and threats(board, games, g, u, after) > 0:
        secondary += COVER_REWARD
    return secondary


@kernel
def step_game(board: Any, games: Any, g: int, action: int, mask: Any, outside: bool) -> None:
    """One decision of the agent, and all that follows before its next one."""
    facts = games.facts
    before = critical_score(games, g)
    secondary = 0
    if facts[g, ENDED] == 0:
        facts[g, STEPS] += 1
        secondary = decide(board, games, g, action, mask)
        proceed(board, games, g, outside)
    facts[g, CRITICAL] = critical_score(games, g) - before
    facts[g, SECONDARY] = secondary


@kernel
def follow_game(board: Any, games: Any, g: int, action: int, mask: Any) -> None:
    """One decision of an opponent from outside; what it changes counts to the agent's last step, if any."""
    facts = games.facts
    before = critical_score(games, g)
    decide(board, games, g, action, mask)
    proceed(board, games, g, True)
    if facts[g, STEPS] > 0:
        facts[g, CRITICAL] += critical_score(games, g) - before
    elif facts[g, ENDED] == 1:
        start_game(board, games, g, True)


@kernel
def answer(board: Any, games: Any, g: int, answers: Any) -> None:
    """Write what the player sees."""
    facts = games.facts
    put_mask(board, games, g, answers.mask[g])
    put_observation(board, games, g, answers.observation[g])
    put_info(board, games, g, answers.mask[g], answers.info[:, g])
    answers.reward[g] = (facts[g, CRITICAL] + facts[g, SECONDARY]) / 1000.0
    answers.ended[g] = facts[g, ENDED] == 1
