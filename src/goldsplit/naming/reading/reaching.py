"""Which of a name's values can be there where it is used: scripts use short names again and again."""

from __future__ import annotations

from goldsplit.naming.reading.code_facts import Assignment, Call

#: A block and its branch. Both ways of an `if` together always give a name its value; others only may.
Blocks = tuple[tuple[int, int], ...]
IF, ELSE, OTHER, LAST = 0, 1, 2, 3

#: A place that surely gives a name a value: its order, and the blocks and the loops around it.
_Place = tuple[int, Blocks, tuple[int, ...]]


def reaching(known: list[Assignment], name: str, use: Assignment | Call | None) -> list[Assignment]:
    """Those of a name's assignments in one function whose value can be there at a use; all of them where none
    is surely made before it."""
    last = _last_before(known, name, use) if use is not None else None
    if use is None or last is None:
        return known
    since, _, loops = last
    return [
        one
        for one in known
        if since <= one.order < use.order or (one.order >= use.order and _comes_round(one, use, loops))
    ]


def _last_before(known: list[Assignment], name: str, use: Assignment | Call) -> _Place | None:
    """The last place before a use that always gives the name a new value."""
    places: set[_Place] = {
        (one.order, one.blocks, one.loops)
        for one in known
        if name in one.whole and not one.added and one.order < use.order and _is_bound_for(one, use)
    }
    around = {block for block, _ in use.blocks}
    while True:
        paths = {blocks for _, blocks, _ in places}
        both = {
            (blocks[-1][0], blocks[:-1], loops)
            for _, blocks, loops in places
            if blocks and blocks[-1][1] == IF and (*blocks[:-1], (blocks[-1][0], ELSE)) in paths
        }
        new = {place for place in both if place[0] not in around} - places
        if not new:
            return max((one for one in places if use.blocks[: len(one[1])] == one[1]), default=None)
        places |= new


def _is_bound_for(one: Assignment, use: Assignment | Call) -> bool:
    """Whether an assignment before a use was made: a loop without a turn binds nothing."""
    return not one.each or len(use.loops) > len(one.loops)


def _comes_round(one: Assignment, use: Assignment | Call, renewed_in: tuple[int, ...]) -> bool:
    """Whether the value of a later assignment is still there in the next turn of the innermost loop around
    both: not if that loop gives the name a new value before the use."""
    shared = [mine for mine, other in zip(one.loops, use.loops, strict=False) if mine == other]
    return bool(shared) and shared[-1] not in renewed_in
