"""Small trainings as their authors write them, with few known words: what each function is for.

In `habits/`, a line `#: function: stage` says what must be found, `counted` that its calls are the steps.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide

HABITS = sorted((Path(__file__).parent / "habits").glob("*.txt"))
SCRIPT = Path(__file__).parent / "inline" / "ghosts.txt"


def files_of(text: str) -> list[tuple[str, str]]:
    _, *parts = re.split(r"^# file: (\S+)\n", text, flags=re.MULTILINE)
    return list(zip(parts[::2], parts[1::2], strict=True))


@pytest.mark.parametrize("habit", HABITS, ids=lambda path: path.stem)
def test_each_part_is_found(habit: Path) -> None:
    text = habit.read_text()
    wanted = dict(re.findall(r"^#: (\S+): (.+)$", text, flags=re.MULTILINE))
    found = {
        one.function: one.stage + " counted" * one.counted
        for one in decide([read(source, f"/program/{name}") for name, source in files_of(text)])
        if one.own_counters is None
    }
    assert wanted
    known = {name: found.get(name, "nothing") for name in wanted}
    assert {name: stage.removesuffix(" counted") for name, stage in known.items()} == {
        name: stage.removesuffix(" counted") for name, stage in wanted.items()
    }
    steps = [name for name, stage in wanted.items() if stage.endswith(" counted")]
    assert [name for name in steps if known[name].endswith(" counted")] == steps


def test_a_script_whose_answer_goes_through_several_lines() -> None:
    text = SCRIPT.read_text()
    lines = {line: one.stage for one in decide([read(text, "/program/train.py")]) for line in [one.first]}
    wanted = {
        number: match[1]
        for number, line in enumerate(text.splitlines(), 1)
        if (match := re.search(r"# (\w+\.\w+)$", line))
    }
    assert wanted
    assert {number: lines.get(number) for number in wanted} == wanted
