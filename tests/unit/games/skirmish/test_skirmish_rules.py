"""The rules of Skirmish, each on a small board of its own, in the plain and in the fast twin."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from tests.unit.games.skirmish.playing import (
    BATCH,
    FIRST_SLOT,
    OBJECTIVE,
    PASS,
    TWINS,
    Stubborn,
    aggressive,
    make,
)

from goldsplit.fast.kernels import hex as hexes
from goldsplit.games.skirmish.plain_combat import calculate_path_distance, check_los
from goldsplit.games.skirmish.plain_hex import calculate_hex_distance
from goldsplit.games.skirmish.scenario_file import load, names
from goldsplit.games.trajectory import played

each_twin = pytest.mark.parametrize("twin", TWINS)
EAST, WEST = 0, 3
AT_OWN, AT_ENEMY, AT_TARGET, AT_DIRECTION = 14, 110, 252, 292
EMPTY = "." * 12


def board(row: str, objective: str = "O" + "." * 11) -> str:
    """A board with one row that matters; the objective is far away."""
    return "\n".join([row.ljust(12, "."), EMPTY, EMPTY, EMPTY, EMPTY, objective])


def passed(game: Any, seed: int = 1) -> dict[str, Any]:
    """What is asked after the first squad did not move."""
    game.reset(seed=seed)
    info: dict[str, Any] = game.step(PASS)[4]
    return info


@each_twin
@pytest.mark.parametrize(("between", "seen"), [(".", True), ("#", True), ("~", False), ("X", False)])
def test_woods_and_buildings_hide_and_low_walls_do_not(
    twin: str, between: str, seen: bool, tmp_path: Path
) -> None:
    game = make(tmp_path, twin, board(f"a..{between}..b"))
    assert passed(game)["phase"] == ("shoot" if seen else "charge")
    assert game.action_masks()[FIRST_SLOT] == np.True_


@each_twin
def test_who_stands_in_woods_is_seen_and_covered(twin: str, tmp_path: Path) -> None:
    """The ends of a line do not block it; cover makes the shot's expected damage smaller."""
    damages = []
    for row in ("a.....b", "a.....b#"):
        game = make(tmp_path, twin, board(row))
        observation, _ = game.reset(seed=1)
        damages.append(float(observation[AT_ENEMY + 15]))
        assert observation[AT_ENEMY + 13] == 1
    assert damages[1] < damages[0]
    # Four shots hit and wound half of the time; a save of 4 fails half of the time, of 3 a third of it.
    assert damages == pytest.approx([4 * 3 * 3 * 3 / 2160, 4 * 3 * 3 * 2 / 2160])


@each_twin
def test_a_weapon_has_a_range(twin: str, tmp_path: Path) -> None:
    assert passed(make(tmp_path, twin, board("a.....b"), ours={"range": 6}))["phase"] == "shoot"
    assert passed(make(tmp_path, twin, board("a.....b"), ours={"range": 5}))["phase"] == "charge"
    assert passed(make(tmp_path, twin, board("a.....b"), ours={"shots": 0}))["phase"] == "charge"


@each_twin
def test_a_charge_needs_a_way_that_is_short_enough(twin: str, tmp_path: Path) -> None:
    blind = {"ours": {"shots": 0}}
    assert passed(make(tmp_path, twin, board("a......b"), **blind))["phase"] == "charge"
    far = passed(make(tmp_path, twin, board("a.......b"), **blind))
    assert (far["phase"], far["turn"]) == ("move", 2)
    walled = "\n".join(["a..#..b.....", *["...#........"] * 4, "O..........."])
    assert passed(make(tmp_path, twin, walled, **blind))["turn"] == 2


@each_twin
def test_a_charge_depends_on_two_dice(twin: str, tmp_path: Path) -> None:
    def arrivals(row: str) -> int:
        game = make(tmp_path, twin, board(row), ours={"shots": 0, "attacks": 0}, theirs={"attacks": 0})
        count = 0
        for seed in range(30):
            passed(game, seed)
            count += game.step(FIRST_SLOT)[4]["in_attack"]
        return count

    assert arrivals("a..b") == 30
    assert 10 < arrivals("a......b") < 30


@each_twin
def test_who_leaves_a_fight_neither_shoots_nor_charges(twin: str, tmp_path: Path) -> None:
    game = make(tmp_path, twin, board("...ab......."))
    game.reset(seed=1)
    assert game.step(PASS)[4]["phase"] == "fight"
    game.reset(seed=1)
    info = game.step(WEST)[4]
    assert (info["phase"], info["turn"], info["in_attack"]) == ("move", 2, 0)


@each_twin
def test_a_straight_move_ends_at_a_wall_a_squad_or_the_border(twin: str, tmp_path: Path) -> None:
    game = make(tmp_path, twin, board("a.#....b"))
    observation, _ = game.reset(seed=1)
    assert observation[AT_DIRECTION + 5 * EAST] == 1 / 8
    assert not game.action_masks()[WEST]
    observation = game.step(EAST)[0]
    assert observation[AT_OWN + 1] == np.float32(1 / 11)
    game = make(tmp_path, twin, board("a..b"))
    game.reset(seed=1)
    assert game.step(EAST)[0][AT_OWN + 1] == np.float32(2 / 11)


@each_twin
def test_an_invalid_action_passes(twin: str, tmp_path: Path) -> None:
    games = [make(tmp_path, twin, board("a.....b")) for _ in range(2)]
    for game in games:
        game.reset(seed=1)
    for action in (WEST, -1, 99, FIRST_SLOT + 4):
        wrong, right = games[0].step(action), games[1].step(PASS)
        assert np.array_equal(wrong[0], right[0])
        assert wrong[1:] == right[1:]


@each_twin
def test_targets_are_the_five_nearest(twin: str, tmp_path: Path) -> None:
    row = "a...bb.bb.bb"
    game = make(tmp_path, twin, board(row), bots=6, ours={"move": 1})
    assert passed(game)["phase"] == "shoot"
    assert game.action_masks().tolist() == [False] * 7 + [True] * 6
    observation = game.step(PASS)[0]
    assert observation[4] == 0
    game.reset(seed=1)
    observation = game.step(PASS)[0]
    distances = [round(float(observation[AT_TARGET + 8 * slot + 2]) * 20) for slot in range(5)]
    assert distances == [4, 5, 7, 8, 10]


@each_twin
@pytest.mark.parametrize(("mission", "points"), [("hold", 2), ("purge", 1), ("centre", 3)])
def test_the_middle_objective_scores_by_mission(twin: str, mission: str, points: int, tmp_path: Path) -> None:
    game = make(tmp_path, twin, board(EMPTY, "aO.........b"), missions=[mission], ours={"shots": 0})
    info = passed(game)
    assert (info["vp"], info["vp_enemy"], info["mission"]) == (points, 0, mission)
    assert info["reward_critical"] == pytest.approx(0.04 * points)
    assert (info["held"], info["held_enemy"]) == (1, 0)


@each_twin
def test_who_has_more_hold_has_the_objective(twin: str, tmp_path: Path) -> None:
    for hold, points in ((1, (0, 0)), (2, (2, 0)), (0, (0, 2))):
        game = make(tmp_path, twin, board(EMPTY, "aOb........."), ours={"hold": hold, "shots": 0})
        game.reset(seed=1)
        info = game.step(PASS)[4]
        while info["turn"] == 1:
            info = game.step(PASS)[4]
        assert (info["vp"], info["vp_enemy"]) == points


DEADLY = {"shots": 8, "skill": 2, "strength": 10, "damage": 3, "range": 12}
FRAIL = {"wounds": 1, "toughness": 1, "save": 7}


@each_twin
def test_the_last_squad_destroyed_ends_the_game(twin: str, tmp_path: Path) -> None:
    game = make(tmp_path, twin, board("a.....b"), ours=DEADLY, theirs=FRAIL, missions=["purge"])
    passed(game)
    _, reward, terminated, truncated, info = game.step(FIRST_SLOT)
    assert (terminated, truncated) == (True, False)
    assert (info["winner"], info["reason"]) == ("agent", "annihilated")
    assert (info["vp"], info["kills"], info["damage"], info["squads_enemy"]) == (2, 1, 1, 0)
    assert reward == pytest.approx(1 + 0.15 + 0.015 + 2 * 0.04)
    assert game.action_masks().tolist() == [False] * 12 + [True]


@each_twin
def test_the_agent_can_lose_all(twin: str, tmp_path: Path) -> None:
    game = make(tmp_path, twin, board("a.....b"), ours=FRAIL, theirs={**DEADLY, "hold": 0}, hesitation=0)
    game.reset(seed=4)
    ended = False
    while not ended:
        _, reward, ended, _, info = game.step(PASS)
    assert (info["winner"], info["reason"], info["losses"]) == ("bot", "annihilated", 1)
    assert reward == pytest.approx(-1 - 0.15 - 0.015)


@pytest.mark.parametrize("outside", [False, True])
def test_a_game_that_is_lost_before_the_first_decision_is_drawn_anew(outside: bool, tmp_path: Path) -> None:
    """The bot begins in half of the games and kills at once in nearly all of those."""
    changes = {"ours": FRAIL, "theirs": {**DEADLY, "hold": 0}, "hesitation": 0}
    hashes = []
    for twin in TWINS:
        game = make(tmp_path, twin, board("a.....b"), **changes)
        if outside:
            game.set_opponent(lambda _, masks: np.where(masks[:, FIRST_SLOT], FIRST_SLOT, PASS))
        hashes.append(played(game, seed=3, episodes=30).digest())
        begun = [game.reset()[1] for _ in range(30)]
        assert {info["winner"] for info in begun} == {""}
        assert {info["squads"] for info in begun} == {1}
    assert hashes[0] == hashes[1]


@each_twin
def test_a_lead_of_points_ends_the_game(twin: str, tmp_path: Path) -> None:
    for side, winner in (("aO.........b", "agent"), ("bO.........a", "bot")):
        game = make(tmp_path, twin, board(EMPTY, side), lead=4, ours={"shots": 0})
        assert passed(game)["winner"] == ""
        _, reward, terminated, _, info = game.step(PASS)
        assert terminated
        assert (info["winner"], info["reason"], info["turn"]) == (winner, "objective lead", 2)
        assert reward == pytest.approx(1.08 if winner == "agent" else -1.08)


@each_twin
def test_the_last_round_ends_the_game(twin: str, tmp_path: Path) -> None:
    game = make(tmp_path, twin, board("a..........b"), rounds=1, ours={"shots": 0})
    game.reset(seed=1)
    _, reward, terminated, _, info = game.step(PASS)
    assert terminated
    assert (info["winner"], info["reason"], reward) == ("draw", "turn limit", 0.0)


@each_twin
def test_going_to_the_objective_is_rewarded_a_little(twin: str, tmp_path: Path) -> None:
    game = make(tmp_path, twin, board(EMPTY, "a.........Ob"), ours={"shots": 0})
    game.reset(seed=1)
    info = game.step(OBJECTIVE)[4]
    assert info["reward_secondary"] == pytest.approx(4 * 0.005)


@each_twin
def test_the_bot_goes_for_objectives_and_shoots(twin: str, tmp_path: Path) -> None:
    far = board(EMPTY, "a......O...b")
    blind = {"shots": 0, "attacks": 0}
    game = make(tmp_path, twin, far, hesitation=0, ours=blind, theirs={"shots": 0, "attacks": 0})
    game.reset(seed=1)
    for _ in range(2):
        info = game.step(PASS)[4]
    assert info["held_enemy"] == 1
    game = make(tmp_path, twin, far, hesitation=0, ours=blind, theirs={"shots": 8, "skill": 2})
    game.reset(seed=1)
    for _ in range(3):
        info = game.step(PASS)[4]
    assert info["damage_enemy"] > 0


@each_twin
def test_both_sides_see_the_same_from_their_own_side(twin: str, tmp_path: Path) -> None:
    """On a board that looks alike from both sides, the first to move is shown the same numbers."""
    mirrored = "a...........\n...O........\n.....#......\n......#.....\n........O...\n...........b"
    game = make(tmp_path, twin, mirrored)
    opponent = Stubborn()
    game.set_opponent(opponent)
    firsts: dict[str, Any] = {}
    for seed in range(20):
        opponent.seen.clear()
        observation, _ = game.reset(seed=seed)
        firsts["agent" if not opponent.seen else "bot"] = (opponent.seen or [observation])[0]
    agent, bot = firsts["agent"].copy(), firsts["bot"].copy()
    # The objectives are listed in reading order, which the other side reads backwards.
    agent[212:252] = agent[212:252].reshape(4, 10)[[1, 0, 2, 3]].reshape(-1)
    agent[221], agent[231] = agent[231], agent[221]
    assert np.array_equal(agent, bot)


@pytest.mark.parametrize("name", names())
def test_the_tables_say_what_the_plain_searches_say(name: str) -> None:
    """Lines of sight and distances of all pairs of cells, paths of some of them."""
    scenario = load(name)
    opaque = np.zeros((scenario.height, scenario.width), bool)
    for column, row in scenario.opaque:
        opaque[row, column] = True
    sight = hexes.line_of_sight(opaque, layout="odd-r")
    state = {
        "board_cols": scenario.width,
        "board_rows": scenario.height,
        "walls": set(scenario.walls),
        "opaque_cells": set(scenario.opaque),
        "los_cache": {},
        "path_cache": {},
    }
    cells = [(column, row) for row in range(scenario.height) for column in range(scenario.width)]
    table = gymnasium.make("goldsplit/Skirmish-fast-v0", scenario=name).unwrapped._table.board
    for i, start in enumerate(cells):
        for j, end in enumerate(cells):
            assert check_los(state, start, end) == sight[i, j] == table.sight[i, j]
            assert calculate_hex_distance(start, end) == table.gap[i, j]
            if (i + j) % 37 == 0 and not {start, end} & scenario.walls:
                assert calculate_path_distance(state, start, end) == table.path[i, j]


def win_shares(choose: Any, games: int = 128, turns: int = 200) -> dict[str, float]:
    batch = gymnasium.make_vec(BATCH, num_envs=games)
    batch.reset(seed=9)
    winners: list[str] = []
    for turn in range(turns):
        _, _, terminated, _, infos = batch.step(choose(batch.unwrapped.action_masks(), turn))
        winners += infos["winner"][terminated].tolist()
    return {name: winners.count(name) / len(winners) for name in ("agent", "bot", "draw")}


def test_the_bot_beats_those_who_do_nothing_or_anything_and_can_be_beaten() -> None:
    rng = np.random.default_rng(1)

    def anything(masks: Any, turn: int) -> Any:
        return np.where(masks, rng.random(masks.shape), -1).argmax(axis=1)

    def to_the_objectives(masks: Any, turn: int) -> Any:
        wish = np.where(np.arange(13) < OBJECTIVE, -0.5, 1.0) + np.array([0.0] * 6 + [1] + [2] * 5 + [0])
        return np.where(masks, wish, -1).argmax(axis=1)

    assert win_shares(lambda masks, turn: np.full(len(masks), PASS))["bot"] > 0.9
    assert win_shares(anything)["bot"] > 0.8
    assert win_shares(to_the_objectives)["agent"] > 0.3
    assert win_shares(aggressive)["agent"] > 0.02
