"""Scenarios: those that come with the game can be played, and mistakes are named with a hint."""

from __future__ import annotations

from pathlib import Path

import gymnasium
import pytest
from tests.unit.games.skirmish.playing import FAST, scenario_text

from goldsplit.errors import GoldsplitError
from goldsplit.games.skirmish.scenario_file import DEFAULT, ScenarioError, load, names

PAGE = Path(__file__).parents[4] / "docs" / "games" / "skirmish.md"
BOARD = "a...........\n............\n.....O......\n...........b"


def read(folder: Path, text: str) -> object:
    file = folder / "mine.toml"
    file.write_text(text)
    return load(file)


def test_the_scenarios_of_the_game_can_be_played() -> None:
    assert DEFAULT in names()
    for name in names():
        scenario = load(name)
        assert scenario.name == name
        assert scenario.rounds > 1
    assert not load(DEFAULT).opaque
    assert load("ruins").opaque


def test_a_file_is_read_by_its_path(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(scenario_text(BOARD))
    assert load(str(file)) == load(file)
    assert load(file).objectives == ((5, 2),)
    assert gymnasium.make(FAST, scenario=str(file)).unwrapped.scenario.name == "mine"


def test_a_file_without_hesitation_has_a_bot_that_never_hesitates(tmp_path: Path) -> None:
    text = scenario_text(BOARD).replace("hesitation = 100", "")
    assert read(tmp_path, text).hesitation == 0  # type: ignore[attr-defined]


def test_an_unknown_name_is_answered_with_the_closest() -> None:
    with pytest.raises(ScenarioError, match=r"no such scenario\nhint: did you mean 'woods'\? known: "):
        load("wods")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"nowhere.toml: cannot be read\nhint: .*check the path"):
        load(tmp_path / "nowhere.toml")


CUT_OFF = "a.#.........\n..#.........\n..#..O......\n..#........b"
MISTAKES = {
    "no TOML": ("title =", "", "is not a TOML file"),
    "unknown key": (
        "rounds = 5",
        "rounds = 5\nraunds = 5",
        "unknown key 'raunds'\nhint: did you mean 'rounds'",
    ),
    "missing key": ("lead = 100", "", "key 'lead' is missing\nhint: it needs: title, rounds"),
    "not a number": ("rounds = 5", "rounds = true", "'rounds' is True\nhint: it must be a whole number"),
    "too many rounds": ("rounds = 5", "rounds = 21", "'rounds' is 21\nhint: .* from 1 to 20"),
    "unknown mission": ('["hold"]', '["holt"]', "'holt', which is unknown\nhint: did you mean 'hold'"),
    "no missions": ('["hold"]', "[]", "'missions' must be a list of names"),
    "unknown statistic": ("move = 4", "move = 4\nspeed = 3", r"\[kinds.ours\]: unknown key 'speed'"),
    "missing statistic": ("move = 4\n", "", r"\[kinds.ours\]: key 'move' is missing"),
    "wild statistic": ("save = 4", "save = 1", r"\[kinds.ours\]: 'save' is 1\nhint: .* from 2 to 7"),
    "unknown kind": (
        'squads = ["ours"]',
        'squads = ["our"]',
        "'our', which is unknown\nhint: did you mean 'ours'",
    ),
    "too many squads": (
        'squads = ["ours"]',
        f"squads = {['ours'] * 7}",
        r"\[agent\]: 7 squads are too many\nhint: a side has at most 6",
    ),
    "too few cells": (
        'squads = ["ours"]',
        'squads = ["ours", "ours"]',
        "1 cells 'a' for 2 squads\nhint: mark",
    ),
    "no table": ("[agent]", "[bote]", "unknown key 'bote'\nhint: did you mean 'bot'"),
    "unknown side key": ("hesitation = 100", "hesitates = 9", r"\[bot\]: unknown key 'hesitates'"),
    "unknown sign": (
        ".....O......",
        ".....O..?...",
        r"map row 3, column 9: unknown sign '\?'\nhint: known: \. open",
    ),
    "unequal rows": (
        ".....O......",
        ".....O.....",
        "map row 3: it has 11 cells, the first row 12\nhint: all rows",
    ),
    "odd rows": ("............\n", "", "'map' has 3 rows\nhint: .*even number of rows"),
    "no objective": (".....O......", "............", "0 objectives\nhint: mark 1 to 4 cells with O"),
    "too many objectives": (".....O......", "O.O.O.O.O...", "5 objectives\nhint: mark 1 to 4"),
    "cut off": (BOARD, CUT_OFF, "walls cut this cell off\nhint: open a way"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_named_with_a_hint(mistake: str, tmp_path: Path) -> None:
    right, wrong, message = MISTAKES[mistake]
    text = scenario_text(BOARD)
    assert right in text
    with pytest.raises(ScenarioError, match=message) as caught:
        read(tmp_path, text.replace(right, wrong, 1))
    assert str(caught.value).startswith("scenario ")
    assert "\nhint: " in str(caught.value)
    assert isinstance(caught.value, GoldsplitError)


def test_the_page_has_an_example_that_can_be_played_and_an_error_as_it_is_said(tmp_path: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    example = page.split("```toml\n")[1].split("```")[0]
    file = tmp_path / "ford.toml"
    file.write_text(example)
    game = gymnasium.make(FAST, scenario=file)
    assert game.reset(seed=1)[1]["squads"] == 3
    file.write_text(example.replace("hesitation", "hesitates"))
    with pytest.raises(ScenarioError) as caught:
        load(file)
    assert str(caught.value) in page
