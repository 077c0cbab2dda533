"""The opponent of the plain twin: it looks at every hex that a unit can reach and takes the best one."""

from __future__ import annotations

from goldsplit.games.skirmish.plain_combat import (
    GameState,
    Unit,
    calculate_path_distance,
    can_shoot,
    get_alive_units,
    get_enemies,
    get_pos,
    get_valid_targets,
    is_engaged,
    is_in_cover,
)
from goldsplit.games.skirmish.plain_hex import Pos, calculate_hex_distance, get_hex_line, get_hex_neighbors
from goldsplit.games.skirmish.plain_phases import (
    PHASE_ORDER,
    find_goal,
    get_reachable_cells,
    handle_attack,
    set_unit_position,
)


def check_smoke(game_state: GameState, start: Pos, end: Pos) -> bool:
    """The line between two hexes is free of smoke; smoke drifts, so the hexes around count, too."""
    for pos in get_hex_line(start, end):
        if pos in game_state["smoke_cells"]:
            return False
        for neighbor in get_hex_neighbors(*pos):
            if neighbor in game_state["smoke_cells"]:
                return False
    return True


def _can_hit(game_state: GameState, unit: Unit, start: Pos, end: Pos) -> bool:
    """Smoke is looked for from both ends, because a line may not be the same in both directions."""
    if not check_smoke(game_state, start, end) or not check_smoke(game_state, end, start):
        return False
    return can_shoot(game_state, unit, start, end)


def score_cell(game_state: GameState, unit: Unit, pos: Pos, goal: Pos) -> float:
    """How much the bot likes a hex."""
    score = -2.0 * calculate_path_distance(game_state, pos, goal)
    if calculate_hex_distance(pos, goal) <= 1:
        score += 5.0
    for enemy in get_enemies(game_state, unit):
        if _can_hit(game_state, unit, pos, get_pos(enemy)):
            score += 1.5
        if _can_hit(game_state, enemy, get_pos(enemy), pos):
            score -= 0.75
    if is_in_cover(game_state, pos):
        score += 1.0
    if is_melee(unit):
        score -= min(calculate_hex_distance(pos, get_pos(e)) for e in get_enemies(game_state, unit))
    return score


def is_melee(unit: Unit) -> bool:
    return bool(unit["CC_NB"] > unit["RNG_NB"])


def _hesite(game_state: GameState) -> bool:
    """Sinon le bot est trop fort."""
    return bool(game_state["dice"].below(100) < game_state["bot_hesitation"])


def _ai_move(game_state: GameState, unit: Unit) -> None:
    if is_engaged(game_state, unit) or _hesite(game_state):
        return
    goal = find_goal(game_state, unit)
    reachable = get_reachable_cells(game_state, unit, unit["MOVE"])
    best_pos, best_score = None, 0.0
    for pos in sorted(reachable, key=lambda p: (p[1], p[0])):
        score = score_cell(game_state, unit, pos, goal)
        if best_pos is None or score > best_score:
            best_pos, best_score = pos, score
    if best_pos is not None:
        set_unit_position(game_state, unit, best_pos)


def _ai_attack(game_state: GameState, unit: Unit, phase: str) -> None:
    if phase == "charge" and not is_melee(unit):
        return
    pool = get_valid_targets(game_state, unit, phase)
    if not pool:
        return
    if phase != "fight" and _hesite(game_state):
        return
    slot = 0
    if phase != "charge":
        slot = min(range(len(pool)), key=lambda i: pool[i]["HP_CUR"])
    handle_attack(game_state, unit, slot, phase)


def _ai_turn(game_state: GameState) -> None:
    """The bot's whole turn."""
    for phase in PHASE_ORDER:
        for unit in get_alive_units(game_state, 1):
            if game_state["game_over"]:
                return
            if unit["HP_CUR"] <= 0:
                continue
            if phase == "move":
                _ai_move(game_state, unit)
            else:
                _ai_attack(game_state, unit, phase)
