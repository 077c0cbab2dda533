"""Printed commands: by which name, in which folder, in how many lines."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldsplit.cli.main import COMMANDS
from goldsplit.model.pasting import Shell, broken, in_text, our_command, will_paste_in

THERE = Shell(".venv/bin/python -m goldsplit", "/home/me/.venv/bin/python -m goldsplit", "/home/me")


def test_a_library_says_goldsplit() -> None:
    assert our_command("show last", "/anywhere") == "goldsplit show last"


def test_by_the_name_that_works_here() -> None:
    will_paste_in(THERE)
    assert our_command("show last") == ".venv/bin/python -m goldsplit show last"
    assert our_command("record -- x", "/home/me") == ".venv/bin/python -m goldsplit record -- x"


def test_another_folder_is_gone_to_first() -> None:
    will_paste_in(THERE)
    told = our_command("record -- python train.py", "/home/me/a game")
    assert told == "cd '/home/me/a game' && /home/me/.venv/bin/python -m goldsplit record -- python train.py"


@pytest.mark.parametrize("name", [one.name for one in COMMANDS])
def test_every_command_is_known_in_a_sentence(name: str) -> None:
    will_paste_in(THERE)
    assert in_text(f"`goldsplit {name}` lists them") == f"`{THERE.here} {name}` lists them"


def test_what_is_no_command_stays() -> None:
    will_paste_in(THERE)
    for text in (
        "goldsplit was killed",
        "use goldsplit.stage",
        our_command("show last"),
        "my-goldsplit show",
    ):
        assert in_text(text) == text


def test_a_long_command_stays_one_command() -> None:
    command = "goldsplit record --stage 'a b:c d=x' -- python train.py --note 'two words' --steps 20000"
    lines = broken(command, 40)
    assert all(len(line) <= 40 for line in lines)
    assert all(line.endswith(" \\") for line in lines[:-1])
    assert broken(command, 200) == [command]
    assert broken("", 40) == []


@given(
    st.lists(st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp"))), max_size=6)
)
def test_pasting_the_lines_gives_the_words_back(words: list[str]) -> None:
    lines = broken(shlex.join(words), 24)
    assert shlex.split("\n".join(lines).replace("\\\n", "")) == words


def test_variables_are_set_for_the_command_and_not_for_the_way_there() -> None:
    will_paste_in(Shell("goldsplit", "/bin/py -m goldsplit", "/home/me"))
    assert our_command("runs", variables="A=1") == "A=1 goldsplit runs"
    assert our_command("runs", "/else", "A=1") == "cd /else && A=1 /bin/py -m goldsplit runs"
