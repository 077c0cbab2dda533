"""Findings about an environment that was driven alone: checked by driving it again."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import pytest

from goldsplit.diagnose.deep_reading import verify_command
from goldsplit.diagnose.rule import DRIVER, record_again


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["game.env:Hex", "--seed", "3"], "goldsplit env game.env:Hex --seed 3 --hash"),
        (
            ["g.py:make", "--hash", "--kwargs", '{"a": 1}'],
            """goldsplit env g.py:make --kwargs '{"a": 1}' --hash""",
        ),
    ],
)
def test_the_command_is_that_of_goldsplit_env(
    make: SimpleNamespace, arguments: list[str], expected: str
) -> None:
    seen = make.profile({"env.step": 0.9})
    driven = dataclasses.replace(seen.run, command=["python", "-m", DRIVER, *arguments])
    seen = dataclasses.replace(seen, run=driven)
    assert record_again(seen) == record_again(seen, deep=True) == expected
    assert verify_command(seen, "env.step") == expected
