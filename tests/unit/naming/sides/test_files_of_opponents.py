"""The other side in a file of its own, as plain functions: the file is named as a class would be."""

from __future__ import annotations

import textwrap

import pytest

from goldsplit.model.stage import ENV_OPPONENT, ENV_REWARD, ENV_STEP
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide

TRAINING = """
    import torch
    from field import Field
    class Brain:
        def choose(self, view):
            with torch.no_grad():
                return int(self.net(view).argmax())
    def main():
        field, brain, rows = Field(), Brain(), []
        for number in range(900):
            field.set_up()
            while not field.won:
                view = field.sketch()
                where = brain.choose(view)
                field.go(where)
                worth = field.worth()
                rows.append((view, where, worth))
"""
FIELD = """
    from {module} import {name}
    class Field:
        def set_up(self): self.mine, self.theirs, self.won = 3, [4, 5], False
        def go(self, where):
            self.mine += where
            if self.mine % 2: {call}
            self.won = self.mine > 40 or not self.theirs
        def sketch(self): return [self.mine, *self.theirs]
        def worth(self): return 40 - self.mine
"""
OTHERS = {
    "enemy.py": ("take_turn", "take_turn(self)"),
    "gegner.py": ("spiele_zug", "spiele_zug(self)"),
    "wrogowie_wroga.py": ("tura", "tura(self)"),
}
TURN = """
    def {name}(field):
        for place, one in enumerate(field.theirs):
            field.theirs[place] = one + way(field, one)
    def way(field, one): return 1 if one < field.mine else -1
"""


def stages(module: str, name: str, call: str) -> dict[str, str]:
    texts = {
        "train.py": TRAINING,
        "field.py": FIELD.format(module=module.removesuffix(".py"), name=name, call=call),
        module: TURN.format(name=name),
    }
    found = decide([read(textwrap.dedent(text), f"/program/{file}") for file, text in texts.items()])
    return {one.function: one.stage for one in found if one.own_counters is None}


@pytest.mark.parametrize("module", OTHERS)
def test_a_turn_in_the_opponents_file_is_the_opponents(module: str) -> None:
    found = stages(module, *OTHERS[module])
    assert found[OTHERS[module][0]] == ENV_OPPONENT
    assert found["Field.go"] == ENV_STEP
    assert found["Field.worth"] == ENV_REWARD


def test_a_turn_in_any_other_file_is_a_part_of_the_step() -> None:
    assert "tidy" not in stages("weather.py", "tidy", "tidy(self)")
