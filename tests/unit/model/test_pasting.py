"""Printed commands: by which name, in which folder, in how many lines."""

from __future__ import annotations

import os
import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from goldsplit.cli.main import COMMANDS
from goldsplit.model.pasting import Shell, broken, in_text, joined, our_command, quoted, will_paste_in

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
    st.lists(
        st.text(
            st.characters(codec="utf-8", exclude_categories=("Cs",), exclude_characters="\0"), max_size=20
        ),
        max_size=6,
    )
)
@example(["-c", "import time\nfor i in range(3):\n\tprint('\\n', \"a b\")"])
@example(["\x1b[31m", "\u202eabc", "\x9b", "\x07", "$'a", "$ 'a", "a\x01" + "0"])
@settings(deadline=None, max_examples=40)
def test_pasting_the_lines_gives_the_words_back(words: list[str]) -> None:
    lines = broken(joined(words), 24)
    assert all(char.isprintable() for line in lines for char in line)
    script = "printf '%s\\0' start " + "\n".join(lines)
    utf8 = {"LC_ALL": "C.UTF-8"}
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True, env=utf8)
    assert done.stdout.decode().split("\0")[1:-1] == words


def test_a_byte_that_is_no_text_is_quoted_as_that_byte() -> None:
    script = f"printf %s {quoted(os.fsdecode(b'a' + bytes([0xFF])))}"
    assert subprocess.run(["bash", "-c", script], capture_output=True, check=True).stdout == b"a\xff"
