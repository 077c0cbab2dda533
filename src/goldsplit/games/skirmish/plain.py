"""The plain twin of Skirmish, as a hobby author writes a wargame for training.

The game is a dictionary of dictionaries, and every question is answered from scratch. Its faults are those
of such projects, and are kept on purpose: `docs/games/skirmish.md` lists them, with what the fast twin does
instead.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import gymnasium
import numpy as np
from numpy.typing import NDArray

from goldsplit.games.dice import Dice
from goldsplit.games.skirmish.game_terms import (
    APPROACH_REWARD,
    COVER_REWARD,
    FIRST_SLOT,
    GO_TO_OBJECTIVE,
    KILL_REWARD,
    MISSIONS,
    PASS,
    POINT_REWARD,
    WIN_REWARD,
    WOUND_REWARD,
    Policy,
    SkirmishCallError,
    action_space,
    observation_space,
)
from goldsplit.games.skirmish.plain_bot import _ai_turn
from goldsplit.games.skirmish.plain_combat import (
    Unit,
    calculate_path_distance,
    clear_caches,
    count_threats,
    get_alive_units,
    get_pos,
    get_valid_targets,
    is_engaged,
    is_in_cover,
)
from goldsplit.games.skirmish.plain_observation import build_obs, get_action_mask, get_active_unit
from goldsplit.games.skirmish.plain_phases import (
    PHASE_ORDER,
    count_controlled,
    end_round,
    find_goal,
    handle_attack,
    handle_move,
)
from goldsplit.games.skirmish.scenario_file import DEFAULT, Squad, load


def make_unit(identifiant: int, player: int, index: int, squad: Squad) -> Unit:
    """A unit as a dictionary."""
    stats = squad.stats
    return {
        "id": identifiant,
        "player": player,
        "index": index,
        "name": squad.kind,
        "col": 0,
        "row": 0,
        "HP_CUR": 0,
        "HP_MAX": stats["wounds"],
        "MOVE": stats["move"],
        "RNG_RANGE": stats["range"],
        "RNG_NB": stats["shots"],
        "CC_NB": stats["attacks"],
        "SKILL": stats["skill"],
        "STR": stats["strength"],
        "T": stats["toughness"],
        "ARMOR_SAVE": stats["save"],
        "DMG": stats["damage"],
        "OC": stats["hold"],
        "fled": False,
    }


class SkirmishPlain(gymnasium.Env[NDArray[np.float32], int]):
    """One game of Skirmish in plain Python."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}

    def __init__(self, scenario: str | Path = DEFAULT) -> None:
        self.scenario = load(scenario)
        self.observation_space = observation_space()
        self.action_space = action_space()
        self.opponent_policy: Policy | None = None
        self.dice: Dice | None = None
        self.game_state: dict[str, Any] = {"game_over": True}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """A new game; without a seed the dice go on where they are."""
        super().reset(seed=seed)
        if seed is not None or self.dice is None:
            self.dice = Dice(int(self.np_random.integers(1 << 62)) if seed is None else seed)
        self.game_state["game_over"] = True
        while self.game_state["game_over"]:  # again, if the bot won before the agent could do anything
            self.game_state = self._new_game_state(self.dice)
            self._deploy()
            clear_caches(self.game_state)
            self._start_turn(self.game_state["first_player"])
            self._advance()
        return self.build_obs(), self._build_info()

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """One activation; then whatever happens until the agent has to decide again."""
        if self.game_state["game_over"]:
            raise SkirmishCallError(
                "there is no game to play in", "call reset() before the first step and after an end"
            )
        score_before = self._critical_score()
        self.game_state["steps"] += 1
        secondary = self._execute(int(action))
        self._advance()
        critical = self._critical_score() - score_before
        self.game_state["reward_parts"] = (critical, secondary)
        reward = (critical + secondary) / 1000.0
        return self.build_obs(), reward, self.game_state["game_over"], False, self._build_info()

    def action_masks(self) -> NDArray[np.bool_]:
        """What the active unit may do; passing is always valid."""
        return get_action_mask(self.game_state)

    def set_opponent(self, policy: Policy | None) -> None:
        """Let a policy decide for the other side instead of the bot, from its next turn on; None: the bot."""
        self.opponent_policy = policy

    def build_obs(self) -> NDArray[np.float32]:
        """The observation of the player whose turn it is."""
        return build_obs(self.game_state)

    def enemy_turn(self) -> None:
        """The bot plays all its phases."""
        _ai_turn(self.game_state)

    def _new_game_state(self, dice: Dice) -> dict[str, Any]:
        """The dictionary that everything lives in."""
        scenario = self.scenario
        mission = scenario.missions[dice.below(len(scenario.missions))]
        first_player = dice.below(2)
        units: list[Unit] = []
        for player in (0, 1):
            for index, squad in enumerate(scenario.squads[player]):
                units.append(make_unit(len(units), player, index, squad))
        return {
            "units": units,
            "board_cols": scenario.width,
            "board_rows": scenario.height,
            "walls": set(scenario.walls),
            "opaque_cells": set(scenario.opaque),
            "smoke_cells": set(),
            "objectives": list(scenario.objectives),
            "mission": mission,
            "mission_points": MISSIONS[mission],
            "turn": 1,
            "max_turns": scenario.rounds,
            "lead": scenario.lead,
            "bot_hesitation": scenario.hesitation,
            "first_player": first_player,
            "current_player": first_player,
            "phase": "move",
            "active": -1,
            "vp": [0, 0],
            "kills": [0, 0],
            "damage": [0, 0],
            "steps": 0,
            "game_over": False,
            "winner": "",
            "reason": "",
            "reward_parts": (0, 0),
            "action_logs": [],
            "dice": dice,
        }

    def _deploy(self) -> None:
        """Everybody gets a random free hex of its zone."""
        for unit in self.game_state["units"]:
            taken = [get_pos(other) for other in self.game_state["units"] if other["HP_CUR"] > 0]
            free = [pos for pos in self.scenario.zones[unit["player"]] if pos not in taken]
            unit["col"], unit["row"] = free[self.game_state["dice"].below(len(free))]
            unit["HP_CUR"] = unit["HP_MAX"]

    def _start_turn(self, player: int) -> None:
        self.game_state["current_player"] = player
        self.game_state["phase"] = "move"
        self.game_state["active"] = -1
        for unit in self.game_state["units"]:
            if unit["player"] == player:
                unit["fled"] = False

    def _next_activation(self) -> bool:
        """The next unit that has something to decide, through all the phases of the turn."""
        game_state = self.game_state
        for phase in PHASE_ORDER[PHASE_ORDER.index(game_state["phase"]) :]:
            if phase != game_state["phase"]:
                game_state["phase"], game_state["active"] = phase, -1
            for unit in get_alive_units(game_state, game_state["current_player"]):
                if unit["index"] <= game_state["active"]:
                    continue
                if phase == "move" or get_valid_targets(game_state, unit, phase):
                    game_state["active"] = unit["index"]
                    return True
        return False

    def _advance(self) -> None:
        """Until the agent has something to decide, or the game is over."""
        game_state = self.game_state
        while not game_state["game_over"]:
            player = game_state["current_player"]
            if player == 1 and self.opponent_policy is None:
                self.enemy_turn()
            elif self._next_activation():
                if player == 0:
                    return
                self._ask_opponent()
                continue
            if not game_state["game_over"] and player != game_state["first_player"]:
                end_round(game_state)
            if not game_state["game_over"]:
                self._start_turn(1 - player)
        game_state["phase"], game_state["active"], game_state["current_player"] = "move", -1, 0

    def _ask_opponent(self) -> None:
        """Self-play: one decision of the other side by its policy."""
        assert self.opponent_policy is not None
        mask = self.action_masks()
        self._execute(int(self.opponent_policy(self.build_obs()[None], mask[None])[0]))

    def _execute(self, action: int) -> int:
        """Do what the active unit was told to do; the secondary reward, in thousandths."""
        game_state = self.game_state
        mask = self.action_masks()
        if not 0 <= action < len(mask) or not mask[action]:
            action = PASS
        unit = get_active_unit(game_state)
        assert unit is not None
        if game_state["phase"] != "move":
            if action != PASS:
                handle_attack(game_state, unit, action - FIRST_SLOT, game_state["phase"])
            return 0
        goal = find_goal(game_state, unit)
        before = calculate_path_distance(game_state, get_pos(unit), goal)
        if action <= GO_TO_OBJECTIVE:
            handle_move(game_state, unit, action)
        after = calculate_path_distance(game_state, get_pos(unit), goal)
        secondary = APPROACH_REWARD * (before - after)
        if is_in_cover(game_state, get_pos(unit)) and count_threats(game_state, unit, get_pos(unit)) > 0:
            secondary += COVER_REWARD
        return secondary

    def _critical_score(self) -> int:
        """What the agent has won so far, in thousandths."""
        game_state = self.game_state
        score = KILL_REWARD * (game_state["kills"][0] - game_state["kills"][1])
        score += WOUND_REWARD * (game_state["damage"][0] - game_state["damage"][1])
        score += POINT_REWARD * (game_state["vp"][0] - game_state["vp"][1])
        score += {"agent": WIN_REWARD, "bot": -WIN_REWARD}.get(game_state["winner"], 0)
        return int(score)

    def _build_info(self) -> dict[str, Any]:
        """Everything that somebody may want to log one day."""
        game_state = self.game_state
        units = game_state["units"]
        mine, yours = get_alive_units(game_state, 0), get_alive_units(game_state, 1)
        critical, secondary = game_state["reward_parts"]
        return {
            "vp": game_state["vp"][0],
            "vp_enemy": game_state["vp"][1],
            "health": sum(unit["HP_CUR"] for unit in units if unit["player"] == 0),
            "health_enemy": sum(unit["HP_CUR"] for unit in units if unit["player"] == 1),
            "turn": game_state["turn"],
            "active": game_state["active"],
            "squads": len(mine),
            "squads_enemy": len(yours),
            "kills": game_state["kills"][0],
            "losses": game_state["kills"][1],
            "damage": game_state["damage"][0],
            "damage_enemy": game_state["damage"][1],
            "held": count_controlled(game_state, 0),
            "held_enemy": count_controlled(game_state, 1),
            "in_attack": len([unit for unit in mine if is_engaged(game_state, unit)]),
            "steps": game_state["steps"],
            "valid_actions": int(self.action_masks().sum()),
            "winner": game_state["winner"],
            "reason": game_state["reason"],
            "mission": game_state["mission"],
            "phase": game_state["phase"],
            "reward_critical": critical / 1000.0,
            "reward_secondary": secondary / 1000.0,
        }
