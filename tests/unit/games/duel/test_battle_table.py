"""What the server answers to each line, without a server."""

from __future__ import annotations

import json
from typing import Any

import pytest

from goldsplit.games.duel.battle_table import BattleTable
from goldsplit.games.duel.battle_view import long_view, short_view
from goldsplit.games.duel.rules import Battle


def asked(table: BattleTable, **request: Any) -> list[dict[str, Any]]:
    """The answers as a client reads them."""
    return [json.loads(json.dumps(answer)) for answer in table.answer(json.dumps(request).encode())]


def test_a_reset_gives_one_row_for_each_seed() -> None:
    [answer] = asked(BattleTable(), op="reset", seeds=[3, 4])
    assert list(answer) == ["games"]
    for row, seed in zip(answer["games"], (3, 4), strict=True):
        battle = Battle(seed)
        mine, foes = battle.teams
        assert row[:8] == [0.0, False, False, "none", "running", 0, mine.hp(), foes.hp()]
        assert [bool(row[8] >> action & 1) for action in range(9)] == battle.valid()
        assert row[9] == short_view(battle)


def test_playing_moves_all_battles_and_minus_one_begins_anew() -> None:
    table, battle = BattleTable(), Battle(3)
    asked(table, op="reset", seeds=[3, 4])
    [answer] = asked(table, op="play", actions=[1, -1])
    battle.step(1)
    again = Battle(4)
    again.reset()
    assert [row[9] for row in answer["games"]] == [short_view(battle), short_view(again)]
    assert [row[0] for row in answer["games"]] == [battle.reward, 0.0]


def test_a_battle_at_length_is_one_line_for_each_event_and_a_request() -> None:
    table, battle = BattleTable(), Battle(3)
    [started] = asked(table, op="start", seed=3)
    assert started["event"] == "request"
    assert started["state"] == long_view(battle)
    *events, request = asked(table, op="choose", action=2)
    battle.step(2)
    assert [tuple(event.values()) for event in events] == battle.events != []
    assert {key: request[key] for key in ("valid", "reward", "terminated", "truncated")} == {
        "valid": battle.valid(),
        "reward": battle.reward,
        "terminated": False,
        "truncated": False,
    }
    assert set(request["info"]) == {"winner", "reason", "turn", "my_hp", "foe_hp"}


def test_a_reset_without_seeds_goes_on_with_the_dice() -> None:
    table, battle = BattleTable(), Battle(3)
    asked(table, op="reset", seeds=[3])
    [answer] = asked(table, op="reset", seeds=[None])
    battle.reset()
    assert answer["games"][0][9] == short_view(battle)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"hello", "not understood: hello (JSONDecodeError"),
        (b"", "not understood:"),
        (b"\xff\xfe", "not understood:"),
        (b"[1]", "not understood: [1]"),
        (b'{"op": "sing"}', "'sing'"),
        (b'{"op": "reset"}', "'seeds'"),
        (b'{"op": "reset", "seeds": [null]}', "the first reset of a seat needs a seed"),
        (b'{"op": "reset", "seeds": ["x"]}', "'x' is no whole number"),
        (b'{"op": "choose", "action": 1}', "there is no battle: start one first"),
        (b'{"op": "play", "actions": [1]}', "1 actions for 0 battles"),
        (b'{"op": "start", "seed": 1.5}', "1.5 is no whole number"),
    ],
)
def test_what_makes_no_sense_gets_an_error_and_the_table_goes_on(line: bytes, said: str) -> None:
    table = BattleTable()
    [answer] = table.answer(line)
    assert list(answer) == ["error"]
    assert said in answer["error"]
    assert "games" in asked(table, op="reset", seeds=[1])[0]


def test_a_battle_that_is_over_wants_a_new_one_and_nothing_else_moves() -> None:
    table = BattleTable()
    asked(table, op="reset", seeds=[3, 4])
    before: list[Any] = []
    while not before or not before[0][1]:
        [answer] = asked(table, op="play", actions=[0, -1])
        before = answer["games"]
    assert asked(table, op="play", actions=[0, 0]) == [{"error": "battle 0 is over"}]
    assert asked(table, op="play", actions=[0]) == [{"error": "1 actions for 2 battles"}]
    [answer] = asked(table, op="play", actions=[-1, 0])
    assert answer["games"][0][3:6] == ["none", "running", 0]
    assert answer["games"][1][5] == 1  # its first turn: the refused requests did not play it
