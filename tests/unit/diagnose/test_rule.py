"""What rules share."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rule import function_in, percent
from goldsplit.model.profile import UserLine


@pytest.mark.parametrize(
    ("share", "text"), [(0.256, "26 %"), (0.0996, "10 %"), (0.0234, "2.3 %"), (1.0, "100 %")]
)
def test_percent(share: float, text: str) -> None:
    assert percent(share) == text


def test_a_stage_is_put_where_most_of_it_is_spent_not_at_a_helper(make: SimpleNamespace) -> None:
    helper = UserLine(make.place(42, "Game.moved"), "env.opponent", 0.4, 40, with_callees=0.4)
    search = UserLine(make.place(50, "Game.distances"), "env.opponent", 0.2, 20, with_callees=0.59)
    around = UserLine(make.place(33, "Game.enemy_turn"), "env.opponent", 0.01, 1, with_callees=0.61)
    profile = make.profile({"env.opponent": 0.61}, user_lines=[helper, search, around])
    assert function_in(profile, "env.opponent") == search.place


def test_a_stage_without_such_a_function_is_put_at_its_most_expensive_line(make: SimpleNamespace) -> None:
    lines = [UserLine(make.place(n, f"part_{n}"), "env.step", 0.2, 9, with_callees=0.2) for n in (1, 2)]
    profile = make.profile({"env.step": 0.4}, user_lines=lines)
    assert function_in(profile, "env.step") == lines[0].place
    assert function_in(profile, "act") is None
