"""Phase handlers of the plain twin: moving, charging, fighting, objectives, rounds."""

from __future__ import annotations

from goldsplit.games.skirmish.game_terms import FAR, GO_TO_OBJECTIVE
from goldsplit.games.skirmish.plain_combat import (
    GameState,
    Unit,
    attack,
    calculate_path_distance,
    clear_caches,
    get_alive_units,
    get_pos,
    get_unit_at,
    get_valid_targets,
    is_engaged,
    is_walkable,
    log_action,
    roll_d6,
)
from goldsplit.games.skirmish.plain_hex import Pos, calculate_hex_distance, get_hex_neighbors

PHASE_ORDER = ["move", "shoot", "charge", "fight"]


def get_oc_at(game_state: GameState, objective: Pos, player: int) -> int:
    """Objective control of a player: units on or beside the objective."""
    total = 0
    for unit in get_alive_units(game_state, player):
        if calculate_hex_distance(get_pos(unit), objective) <= 1:
            total += unit["OC"]
    return total


def get_controller(game_state: GameState, objective: Pos) -> int | None:
    """Who controls an objective; nobody when both are equal."""
    oc = [get_oc_at(game_state, objective, player) for player in (0, 1)]
    if oc[0] == oc[1]:
        return None
    return 0 if oc[0] > oc[1] else 1


def count_controlled(game_state: GameState, player: int) -> int:
    return len([o for o in game_state["objectives"] if get_controller(game_state, o) == player])


def is_near_objective(game_state: GameState, pos: Pos) -> bool:
    return any(calculate_hex_distance(pos, objective) <= 1 for objective in game_state["objectives"])


def find_goal(game_state: GameState, unit: Unit) -> Pos:
    """The nearest objective that is not ours, or the nearest one when all are."""
    libres = [o for o in game_state["objectives"] if get_controller(game_state, o) != unit["player"]]
    candidats = libres if libres else list(game_state["objectives"])
    meilleur, meilleure_distance = candidats[0], FAR + 1
    for objective in candidats:
        distance = calculate_path_distance(game_state, get_pos(unit), objective)
        if distance < meilleure_distance:
            meilleur, meilleure_distance = objective, distance
    goal: Pos = meilleur
    return goal


def get_reachable_cells(game_state: GameState, unit: Unit, max_steps: int) -> dict[Pos, int]:
    """Where the unit can go, with the steps to get there; other units are in the way."""
    start = get_pos(unit)
    reachable = {start: 0}
    queue = [start]
    while queue:
        pos = queue.pop(0)
        if reachable[pos] >= max_steps:
            continue
        for neighbor in get_hex_neighbors(*pos):
            if neighbor in reachable or not is_walkable(game_state, neighbor):
                continue
            if get_unit_at(game_state, neighbor) is not None:
                continue
            reachable[neighbor] = reachable[pos] + 1
            queue.append(neighbor)
    return reachable


def straight_move(game_state: GameState, unit: Unit, direction: int) -> Pos:
    """Straight on until the move is used up or something is in the way."""
    pos = get_pos(unit)
    for _ in range(unit["MOVE"]):
        following = get_hex_neighbors(*pos)[direction]
        if not is_walkable(game_state, following) or get_unit_at(game_state, following) is not None:
            break
        pos = following
    return pos


def move_towards(game_state: GameState, unit: Unit, goal: Pos) -> Pos:
    """The reachable hex with the shortest way to the goal."""
    best, best_key = get_pos(unit), (FAR + 1, 0)
    reachable = get_reachable_cells(game_state, unit, unit["MOVE"])
    for pos in sorted(reachable, key=lambda p: (p[1], p[0])):
        key = (calculate_path_distance(game_state, pos, goal), reachable[pos])
        if key < best_key:
            best, best_key = pos, key
    return best


def set_unit_position(game_state: GameState, unit: Unit, pos: Pos) -> None:
    """Every move goes through here."""
    log_action(game_state, "move", f"Unit {unit['id']} ({unit['col']},{unit['row']}) -> {pos}")
    unit["col"], unit["row"] = pos
    clear_caches(game_state)


def get_move_destination(game_state: GameState, unit: Unit, action: int) -> Pos:
    """Actions 0-5 are directions (seen from the player's own side), 6 is the objective."""
    if action == GO_TO_OBJECTIVE:
        return move_towards(game_state, unit, find_goal(game_state, unit))
    direction = action if unit["player"] == 0 else (action + 3) % 6
    return straight_move(game_state, unit, direction)


def handle_move(game_state: GameState, unit: Unit, action: int) -> None:
    """Move; whoever leaves a fight has fled."""
    destination = get_move_destination(game_state, unit, action)
    if destination == get_pos(unit):
        return
    if is_engaged(game_state, unit):
        unit["fled"] = True
    set_unit_position(game_state, unit, destination)


def handle_charge(game_state: GameState, unit: Unit, target: Unit) -> None:
    """2D6 steps to a free hex beside the target."""
    roll = roll_d6(game_state) + roll_d6(game_state)
    reachable = get_reachable_cells(game_state, unit, roll)
    best, best_steps = None, roll + 1
    for pos in get_hex_neighbors(*get_pos(target)):
        if pos in reachable and reachable[pos] < best_steps:
            best, best_steps = pos, reachable[pos]
    if best is None:
        log_action(game_state, "charge", f"Unit {unit['id']} failed its charge ({roll})")
        return
    set_unit_position(game_state, unit, best)


def handle_fight(game_state: GameState, unit: Unit, target: Unit) -> None:
    """Strike, and be struck back by what is left."""
    attack(game_state, unit, target, ranged=False)
    if target["HP_CUR"] > 0:
        attack(game_state, target, unit, ranged=False)


def handle_attack(game_state: GameState, unit: Unit, slot: int, phase: str) -> None:
    """Shoot, charge or fight against a slot of the target pool."""
    pool = get_valid_targets(game_state, unit, phase)
    if slot >= len(pool):
        return
    target = pool[slot]
    if phase == "shoot":
        attack(game_state, unit, target, ranged=True)
    elif phase == "charge":
        handle_charge(game_state, unit, target)
    else:
        handle_fight(game_state, unit, target)


def get_objective_points(game_state: GameState, index: int) -> int:
    """The middle objective may be worth more."""
    middle = len(game_state["objectives"]) // 2
    return int(game_state["mission_points"][2 if index == middle else 0])


def end_round(game_state: GameState) -> None:
    """Score the objectives, then look whether the game is over."""
    for index, objective in enumerate(game_state["objectives"]):
        controller = get_controller(game_state, objective)
        if controller is not None:
            game_state["vp"][controller] += get_objective_points(game_state, index)
    difference = game_state["vp"][0] - game_state["vp"][1]
    if abs(difference) >= game_state["lead"]:
        finish(game_state, difference, "objective lead")
    elif game_state["turn"] >= game_state["max_turns"]:
        finish(game_state, difference, "turn limit")
    else:
        game_state["turn"] += 1


def finish(game_state: GameState, difference: int, reason: str) -> None:
    """The game is over by points."""
    game_state["game_over"] = True
    game_state["reason"] = reason
    game_state["winner"] = "draw" if difference == 0 else ("agent" if difference > 0 else "bot")
