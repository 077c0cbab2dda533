"""Functions changed by their stage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from goldsplit.model.stage import ACT, ENV_STEP
from goldsplit.record.inside.alterations import alter_stages, altered, forget_alterations
from goldsplit.record.inside.engine import ENGINE, ThreadState


@pytest.fixture(autouse=True)
def clean(state: ThreadState) -> Iterator[None]:
    forget_alterations()
    yield
    forget_alterations()


def double(function: Any, stage: str) -> Any:
    return (lambda *args: 2 * function(*args)) if stage == ACT else function


def test_by_stage_and_only_once() -> None:
    def three() -> int:
        return 3

    assert altered(three, ACT) is three
    alter_stages(double)
    assert altered(three, ENV_STEP) is three
    changed = altered(three, ACT)
    assert changed() == 6
    assert changed.__name__ == "three"
    assert altered(changed, ACT)() == 6
    assert altered(changed, ENV_STEP) is three


def test_a_failure_leaves_the_function_alone() -> None:
    alter_stages(lambda function, stage: 1 // 0)
    assert altered(len, ACT) is len
    assert ENGINE.failures
