"""The observation and the action mask of the plain twin: 323 floats and 13 booleans, made anew each time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldsplit.games.skirmish.game_terms import (
    ACTIONS,
    FAR,
    FIRST_SLOT,
    MISSIONS,
    OBSERVATION_SIZE,
    PASS,
)
from goldsplit.games.skirmish.plain_combat import (
    GameState,
    Unit,
    calculate_path_distance,
    can_shoot,
    check_los,
    count_shootable,
    count_threats,
    expected_damage,
    get_alive_units,
    get_pos,
    get_valid_targets,
    is_engaged,
    is_in_cover,
)
from goldsplit.games.skirmish.plain_hex import Pos, calculate_hex_distance
from goldsplit.games.skirmish.plain_phases import (
    PHASE_ORDER,
    find_goal,
    get_controller,
    get_move_destination,
    get_objective_points,
    get_oc_at,
    is_near_objective,
)


def get_active_unit(game_state: GameState) -> Unit | None:
    """Whose activation it is."""
    for unit in game_state["units"]:
        if unit["player"] == game_state["current_player"] and unit["index"] == game_state["active"]:
            active: Unit = unit
            return active
    return None


def _view(game_state: GameState, pos: Pos) -> list[float]:
    """A position as the current player sees it: player 1 sits on the other side of the table."""
    col, row = pos
    cols, rows = game_state["board_cols"], game_state["board_rows"]
    if game_state["current_player"] == 1:
        col, row = cols - 1 - col, rows - 1 - row
    return [col / (cols - 1), row / (rows - 1)]


def _closest(game_state: GameState, pos: Pos, others: list[Pos]) -> int:
    """The shortest path to one of the others."""
    return min([FAR] + [calculate_path_distance(game_state, pos, other) for other in others])


def _general(game_state: GameState) -> list[float]:
    me, lead = game_state["current_player"], game_state["lead"]
    mine, yours = game_state["vp"][me], game_state["vp"][1 - me]
    features = [game_state["turn"] / game_state["max_turns"]]
    features += [1.0 if game_state["phase"] == phase else 0.0 for phase in PHASE_ORDER]
    features.append(min(mine, 5 * lead) / lead)
    features.append(min(yours, 5 * lead) / lead)
    features.append(max(-5 * lead, min(5 * lead, mine - yours)) / lead)
    features.append(len(get_alive_units(game_state, me)) / 6)
    features.append(len(get_alive_units(game_state, 1 - me)) / 6)
    features.append(1.0 if game_state["first_player"] == me else 0.0)
    features += [1.0 if game_state["mission"] == mission else 0.0 for mission in MISSIONS]
    return features


def _common(game_state: GameState, unit: Unit) -> list[float]:
    """What is said of every unit."""
    pos = get_pos(unit)
    return [
        1.0,
        *_view(game_state, pos),
        unit["HP_CUR"] / unit["HP_MAX"],
        unit["MOVE"] / 8,
        unit["RNG_RANGE"] / 12,
        unit["RNG_NB"] / 8,
        unit["CC_NB"] / 8,
        1.0 if is_near_objective(game_state, pos) else 0.0,
        1.0 if is_in_cover(game_state, pos) else 0.0,
        1.0 if is_engaged(game_state, unit) else 0.0,
    ]


def _own_unit(game_state: GameState, unit: Unit) -> list[float]:
    pos = get_pos(unit)
    enemies = [get_pos(enemy) for enemy in get_alive_units(game_state, 1 - unit["player"])]
    return [
        *_common(game_state, unit),
        1.0 if unit["index"] < game_state["active"] else 0.0,
        1.0 if unit["index"] == game_state["active"] else 0.0,
        _closest(game_state, pos, game_state["objectives"]) / 20,
        count_shootable(game_state, unit, pos) / 6,
        _closest(game_state, pos, enemies) / 20,
    ]


def _enemy_unit(game_state: GameState, enemy: Unit, active: Unit | None) -> list[float]:
    features = _common(game_state, enemy)
    if active is None:
        return features + [0.0] * 6
    here, there = get_pos(active), get_pos(enemy)
    return [
        *features,
        calculate_hex_distance(here, there) / 20,
        calculate_path_distance(game_state, here, there) / 20,
        1.0 if check_los(game_state, here, there) else 0.0,
        1.0 if can_shoot(game_state, active, here, there) else 0.0,
        expected_damage(game_state, active, enemy, ranged=True) / 2160,
        1.0 if can_shoot(game_state, enemy, there, here) else 0.0,
    ]


def _objective(game_state: GameState, index: int, active: Unit | None) -> list[float]:
    me, objective = game_state["current_player"], game_state["objectives"][index]
    enemies = [get_pos(enemy) for enemy in get_alive_units(game_state, 1 - me)]
    controller = get_controller(game_state, objective)
    way = 0.0
    if active is not None:
        way = calculate_path_distance(game_state, get_pos(active), objective) / 20
    return [
        1.0,
        *_view(game_state, objective),
        1.0 if controller == me else 0.0,
        1.0 if controller == 1 - me else 0.0,
        get_oc_at(game_state, objective, me) / 6,
        get_oc_at(game_state, objective, 1 - me) / 6,
        way,
        _closest(game_state, objective, enemies) / 20,
        get_objective_points(game_state, index) / 3,
    ]


def _target(game_state: GameState, active: Unit, target: Unit) -> list[float]:
    shot = expected_damage(game_state, active, target, ranged=True)
    struck = expected_damage(game_state, active, target, ranged=False)
    likely = shot if game_state["phase"] == "shoot" else struck
    return [
        1.0,
        target["HP_CUR"] / target["HP_MAX"],
        calculate_hex_distance(get_pos(active), get_pos(target)) / 20,
        shot / 2160,
        struck / 2160,
        1.0 if likely >= 216 * target["HP_CUR"] else 0.0,
        1.0 if is_near_objective(game_state, get_pos(target)) else 0.0,
        1.0 if is_in_cover(game_state, get_pos(target)) else 0.0,
    ]


def _direction(game_state: GameState, active: Unit, direction: int) -> list[float]:
    """Where a straight move would lead."""
    goal, here = find_goal(game_state, active), get_pos(active)
    there = get_move_destination(game_state, active, direction)
    before = calculate_path_distance(game_state, here, goal)
    after = calculate_path_distance(game_state, there, goal)
    return [
        calculate_hex_distance(here, there) / 8,
        (before - after) / 8,
        count_shootable(game_state, active, there) / 6,
        1.0 if is_in_cover(game_state, there) else 0.0,
        count_threats(game_state, active, there) / 6,
    ]


def build_obs(game_state: GameState) -> NDArray[np.float32]:
    """The whole observation of the current player."""
    obs = np.zeros(OBSERVATION_SIZE, dtype=np.float32)
    me, active = game_state["current_player"], get_active_unit(game_state)

    def put(base: int, features: list[Any]) -> None:
        for i, value in enumerate(features):
            obs[base + i] = value

    put(0, _general(game_state))
    for unit in get_alive_units(game_state, me):
        put(14 + 16 * unit["index"], _own_unit(game_state, unit))
    for enemy in get_alive_units(game_state, 1 - me):
        put(110 + 17 * enemy["index"], _enemy_unit(game_state, enemy, active))
    for index in range(len(game_state["objectives"])):
        put(212 + 10 * index, _objective(game_state, index, active))
    if active is not None:
        for slot, target in enumerate(get_valid_targets(game_state, active, game_state["phase"])):
            put(252 + 8 * slot, _target(game_state, active, target))
        if game_state["phase"] == "move":
            for direction in range(6):
                put(292 + 5 * direction, _direction(game_state, active, direction))
        goal = find_goal(game_state, active)
        obs[322] = calculate_path_distance(game_state, get_pos(active), goal) / 20
    return obs


def get_action_mask(game_state: GameState) -> NDArray[np.bool_]:
    """Which of the 13 actions the active unit may take."""
    mask = np.zeros(ACTIONS, dtype=bool)
    mask[PASS] = True
    active = get_active_unit(game_state)
    if active is None:
        return mask
    if game_state["phase"] == "move":
        for action in range(7):
            mask[action] = get_move_destination(game_state, active, action) != get_pos(active)
    else:
        for slot in range(len(get_valid_targets(game_state, active, game_state["phase"]))):
            mask[FIRST_SLOT + slot] = True
    return mask
