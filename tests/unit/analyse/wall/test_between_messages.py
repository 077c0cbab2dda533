"""Which gaps between the driver's spans belong to the messages around them."""

from __future__ import annotations

import pytest

from goldsplit.analyse.wall.between_messages import LONGEST_NS, handovers
from goldsplit.analyse.wall.ownership import Owner
from goldsplit.analyse.wall.timeline import GAP, Segment

US = 1000
SEND, WAIT, RECEIVE, ACT = 2, 3, 4, 5
OWNERS = {
    SEND: Owner("vec.send", False, "", ""),
    WAIT: Owner("wait", True, "t:8", ""),
    RECEIVE: Owner("vec.recv", False, "", ""),
    ACT: Owner("act", False, "", ""),
}


def charged(*parts: tuple[int, int]) -> list[tuple[int, str]]:
    """(microseconds, stage) of each gap that is charged, in a row of (node, microseconds)."""
    row, at = [], 0
    for node, us in parts:
        row.append(Segment(at, at + us * US, node))
        at += us * US
    return [((gap.end_ns - gap.start_ns) // US, stage) for gap, stage in handovers(row, OWNERS)]


def test_gaps_of_a_round_go_to_the_message_before_them() -> None:
    found = charged((SEND, 30), (GAP, 2), (SEND, 30), (GAP, 3), (WAIT, 500), (GAP, 4), (WAIT, 100), (ACT, 9))
    assert found == [(2, "vec.send"), (3, "vec.send"), (4, "vec.recv")]


def test_receiving_goes_on_after_its_wait() -> None:
    assert charged((SEND, 30), (WAIT, 500), (RECEIVE, 20), (GAP, 5), (RECEIVE, 20)) == [(5, "vec.recv")]


@pytest.mark.parametrize(
    "parts",
    [
        ((ACT, 30), (GAP, 2), (SEND, 30)),
        ((SEND, 30), (WAIT, 500), (GAP, 2), (ACT, 30)),
        ((GAP, 2), (SEND, 30), (GAP, 2)),
    ],
    ids=["before the first message", "after the last answer", "at the window's ends"],
)
def test_a_gap_with_a_message_on_one_side_only_is_not_between_messages(
    parts: tuple[tuple[int, int], ...],
) -> None:
    assert charged(*parts) == []


def test_a_gap_longer_than_the_messages_may_be_work() -> None:
    assert charged((SEND, 30), (GAP, 31), (SEND, 30), (GAP, 30), (SEND, 30)) == [(30, "vec.send")]


def test_a_long_gap_ends_the_round() -> None:
    long = LONGEST_NS // US + 1
    assert charged((SEND, 300), (GAP, long), (WAIT, 500), (GAP, 2), (WAIT, 500)) == []


def test_a_thread_that_only_takes_messages_has_no_rounds() -> None:
    """A consumer of a queue uses each thing before it takes the next one, however quickly."""
    assert charged((WAIT, 500), (GAP, 20), (WAIT, 500), (GAP, 20), (WAIT, 500)) == []


def test_work_between_ends_the_round() -> None:
    assert charged((SEND, 30), (WAIT, 500), (ACT, 100), (WAIT, 500), (GAP, 2), (WAIT, 500)) == []
