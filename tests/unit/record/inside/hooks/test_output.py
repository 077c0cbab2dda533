"""Output is counted by the user's line that makes it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from goldsplit.model.fact_wire import FACT_SEPARATOR
from goldsplit.record.inside.engine import ENGINE
from goldsplit.record.inside.hooks.output import PLACE_EVERY, _counting
from goldsplit.record.inside.span_wrapping import staged


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    ENGINE.forget()
    yield
    ENGINE.forget()


def test_lines_are_looked_up_now_and_then_and_counted_for_all() -> None:
    written: list[str] = []
    write = staged(written.append, "log", _counting("print"))
    for number in range(2 * PLACE_EVERY + 3):
        write(str(number))
    ((name, count),) = [(n, c) for n, c in ENGINE.state().counts.items() if n.startswith("fact_n:output")]
    assert name.startswith(FACT_SEPARATOR.join(("fact_n:output", "print", __file__)))
    assert count == 2 * PLACE_EVERY
    assert len(written) == 2 * PLACE_EVERY + 3
