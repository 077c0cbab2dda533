"""Combat rules of the plain twin: sight, paths, valid targets, dice.

The caches for sight and paths are cleared whenever somebody moves or dies (`clear_caches`), to be on the
safe side.
"""

from __future__ import annotations

from typing import Any

from goldsplit.games.skirmish.game_terms import CHARGE_REACH, FAR, SLOTS
from goldsplit.games.skirmish.plain_hex import Pos, calculate_hex_distance, get_hex_line, get_hex_neighbors

GameState = dict[str, Any]
Unit = dict[str, Any]


def log_action(game_state: GameState, kind: str, message: str) -> None:
    """Keep the last actions for the replay viewer."""
    game_state["action_logs"].append({"turn": game_state["turn"], "type": kind, "message": message})
    if len(game_state["action_logs"]) > 40:
        game_state["action_logs"].pop(0)


def clear_caches(game_state: GameState) -> None:
    """Somebody moved or died: forget everything."""
    game_state["los_cache"] = {}
    game_state["path_cache"] = {}


def get_pos(unit: Unit) -> Pos:
    return unit["col"], unit["row"]


def get_alive_units(game_state: GameState, player: int) -> list[Unit]:
    """Units of a player that still stand."""
    return [unit for unit in game_state["units"] if unit["player"] == player and unit["HP_CUR"] > 0]


def get_enemies(game_state: GameState, unit: Unit) -> list[Unit]:
    return get_alive_units(game_state, 1 - unit["player"])


def get_unit_at(game_state: GameState, pos: Pos) -> Unit | None:
    """Who stands on a hex."""
    for unit in game_state["units"]:
        if unit["HP_CUR"] > 0 and unit["col"] == pos[0] and unit["row"] == pos[1]:
            found: Unit = unit
            return found
    return None


def is_walkable(game_state: GameState, pos: Pos) -> bool:
    """On the board and no wall; units do not matter here."""
    col, row = pos
    if col < 0 or row < 0 or col >= game_state["board_cols"] or row >= game_state["board_rows"]:
        return False
    return pos not in game_state["walls"]


def check_los(game_state: GameState, start: Pos, end: Pos) -> bool:
    """Line of sight: no opaque hex strictly between the two."""
    key = (start, end)
    if key in game_state["los_cache"]:
        return bool(game_state["los_cache"][key])
    visible = True
    for pos in get_hex_line(start, end)[1:-1]:
        if pos in game_state["opaque_cells"]:
            visible = False
            break
    game_state["los_cache"][key] = visible
    return visible


def calculate_path_distance(game_state: GameState, start: Pos, goal: Pos) -> int:
    """Steps from start to goal around walls: a breadth-first search for this pair."""
    key = (start, goal)
    if key in game_state["path_cache"]:
        return int(game_state["path_cache"][key])
    distance = FAR
    visited = {start}
    queue = [(start, 0)]
    while queue:
        pos, steps = queue.pop(0)
        if pos == goal:
            distance = min(steps, FAR)
            break
        for neighbor in get_hex_neighbors(*pos):
            if neighbor not in visited and is_walkable(game_state, neighbor):
                visited.add(neighbor)
                queue.append((neighbor, steps + 1))
    game_state["path_cache"][key] = distance
    return distance


def is_in_cover(game_state: GameState, pos: Pos) -> bool:
    """In woods, or beside a wall."""
    if pos in game_state["opaque_cells"]:
        return True
    return any(neighbor in game_state["walls"] for neighbor in get_hex_neighbors(*pos))


def is_engaged(game_state: GameState, unit: Unit) -> bool:
    """An enemy is adjacent."""
    for enemy in get_enemies(game_state, unit):
        if calculate_hex_distance(get_pos(unit), get_pos(enemy)) == 1:
            return True
    return False


def can_shoot(game_state: GameState, unit: Unit, start: Pos, end: Pos) -> bool:
    """Whether the unit's gun reaches from one hex to another."""
    if not check_los(game_state, start, end):
        return False
    if unit["RNG_NB"] <= 0:
        return False
    return calculate_hex_distance(start, end) <= unit["RNG_RANGE"]


def count_shootable(game_state: GameState, unit: Unit, pos: Pos) -> int:
    """How many enemies the unit could shoot at from a hex."""
    return len([e for e in get_enemies(game_state, unit) if can_shoot(game_state, unit, pos, get_pos(e))])


def count_threats(game_state: GameState, unit: Unit, pos: Pos) -> int:
    """How many enemies could shoot at the unit on a hex."""
    return len([e for e in get_enemies(game_state, unit) if can_shoot(game_state, e, get_pos(e), pos)])


def get_valid_targets(game_state: GameState, unit: Unit, phase: str) -> list[Unit]:
    """The target pool of a unit, nearest first; rebuilt whenever somebody asks."""
    if phase == "move":
        return []
    if phase in ("shoot", "charge") and (unit["fled"] or is_engaged(game_state, unit)):
        return []
    pool: list[tuple[int, Unit]] = []
    for enemy in get_enemies(game_state, unit):
        start, end = get_pos(unit), get_pos(enemy)
        distance = calculate_hex_distance(start, end)
        if phase == "shoot" and not can_shoot(game_state, unit, start, end):
            continue
        if phase == "charge":
            distance = calculate_path_distance(game_state, start, end)
            if distance > CHARGE_REACH:
                continue
        if phase == "fight" and distance != 1:
            continue
        pool.append((distance, enemy))
    pool.sort(key=lambda item: item[0])
    return [enemy for _, enemy in pool][:SLOTS]


def get_nb_attacks(unit: Unit, ranged: bool) -> int:
    """A wounded unit attacks less often (rounded up)."""
    base = unit["RNG_NB"] if ranged else unit["CC_NB"]
    return int(-((-base * unit["HP_CUR"]) // unit["HP_MAX"]))


def get_wound_target(unit: Unit, target: Unit) -> int:
    """The usual strength against toughness table."""
    if unit["STR"] >= target["T"] * 2:
        return 2
    if unit["STR"] > target["T"]:
        return 3
    if unit["STR"] == target["T"]:
        return 4
    if unit["STR"] * 2 <= target["T"]:
        return 6
    return 5


def get_save_target(game_state: GameState, target: Unit, ranged: bool) -> int:
    """Cover helps against shots, but never better than 2+."""
    save = int(target["ARMOR_SAVE"])
    if ranged and is_in_cover(game_state, get_pos(target)):
        save = max(2, save - 1)
    return save


def expected_damage(game_state: GameState, unit: Unit, target: Unit, ranged: bool) -> int:
    """Average damage, times 216 to stay with whole numbers."""
    hits = 7 - unit["SKILL"]
    wounds = 7 - get_wound_target(unit, target)
    failed = get_save_target(game_state, target, ranged) - 1
    return int(get_nb_attacks(unit, ranged) * hits * wounds * failed * unit["DMG"])


def roll_d6(game_state: GameState) -> int:
    return int(game_state["dice"].below(6)) + 1


def attack(game_state: GameState, unit: Unit, target: Unit, ranged: bool) -> None:
    """Hit, wound, save for each attack, then the damage all at once."""
    hit_target = unit["SKILL"]
    wound_target = get_wound_target(unit, target)
    save_target = get_save_target(game_state, target, ranged)
    damage = 0
    for _ in range(get_nb_attacks(unit, ranged)):
        if roll_d6(game_state) < hit_target:
            continue
        if roll_d6(game_state) < wound_target:
            continue
        if roll_d6(game_state) >= save_target:
            continue
        damage += unit["DMG"]
    log_action(game_state, "attack", f"Unit {unit['id']} -> Unit {target['id']}: {damage} damage")
    apply_damage(game_state, unit, target, damage)


def apply_damage(game_state: GameState, unit: Unit, target: Unit, damage: int) -> None:
    """Take hit points; at zero the unit is dead, which may end the game."""
    player = unit["player"]
    lost = min(damage, target["HP_CUR"])
    target["HP_CUR"] -= lost
    game_state["damage"][player] += lost
    if lost == 0 or target["HP_CUR"] > 0:
        return
    game_state["kills"][player] += 1
    game_state["vp"][player] += game_state["mission_points"][1]
    log_action(game_state, "death", f"Unit {target['id']} ({target['name']}) is destroyed")
    clear_caches(game_state)
    if not get_alive_units(game_state, target["player"]):
        game_state["game_over"] = True
        game_state["winner"] = "agent" if player == 0 else "bot"
        game_state["reason"] = "annihilated"
