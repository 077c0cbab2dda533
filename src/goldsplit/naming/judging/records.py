"""Where a record that a step gives says that the episode is over: `out.done`, or any of several parts.

`done = events.died or events.escaped`, `if events.died or events.escaped:`: each of them ends it.
"""

from __future__ import annotations

from goldsplit.model.named_code import NOT_SAID, denied
from goldsplit.naming.reading.code_facts import Function, Value
from goldsplit.naming.reading.conditions import ALWAYS
from goldsplit.naming.vocabulary import means

#: Between the parts of a record that each end an episode.
EITHER = " or "


def asked_parts(caller: Function, record: str) -> list[str]:
    """The parts of a record (`out.done`, `out["done"]`) that a condition asks for, by any name."""
    if not record:  # what a caller does not keep
        return []
    found = [name.rpartition(".")[2] for name in sorted(caller.ends) if name.rpartition(".")[0] == record]
    for assignment in caller.assignments:
        values = assignment.elements or (assignment.value,)
        for target, value in zip(assignment.targets, values, strict=False):
            owner, _, part = value.name.rpartition(".")
            if owner == record and target in caller.ends:
                found.append(part)
    return [part for part in found if not part.isdigit()]  # of a list: the end of one game of many


def end_in_record(caller: Function, record: str) -> int | str | None:
    """What tells in a record that the episode is over, by all the parts that one condition asks for; None
    where no condition asks for any, NOT_SAID where it asks for something else too."""
    if not record:
        return None
    found = [(name, *_in_record(told, record)) for name, told in _asked(caller, record)]
    found = [one for one in found if one[1]]
    if not found:
        return None
    # what leaves a loop tells it best, then a word
    leaving = [one for one in found if one[0] in caller.leaves]
    worded = [one for one in found if means(one[0], "done") or any(means(part, "done") for part in one[1])]
    _, parts, is_all = ([one for one in leaving if one in worded] or leaving or worded or found)[0]
    if not is_all:
        return NOT_SAID
    if any(part.isdigit() for part in parts):  # `out[2]`
        return int(parts[0]) if len(parts) == 1 else NOT_SAID
    return EITHER.join(parts)


def _asked(caller: Function, record: str) -> list[tuple[str, tuple[str, ...]]]:
    """Each condition that asks for parts of a record, and by which name: its own, or that of the value which
    it asks for."""
    own = [(next(iter(told), ""), told) for told in caller.conditions]
    given: dict[str, tuple[str, ...]] = {}
    for assignment in caller.assignments:
        values = assignment.elements or (assignment.value,)
        for target, value in zip(assignment.targets, values, strict=False):
            if target in caller.ends and not assignment.each:
                told = _when_over(caller, target, value)
                given[target] = (*given.get(target, ()), *(one for one in told if one != target))
    return [*own, *given.items()]


def _when_over(caller: Function, target: str, value: Value) -> tuple[str, ...]:
    """What holds of a value's parts when the episode is over; the other way round for `while alive:`."""
    if caller.over_when.get(target) != "not {}":
        return value.told
    if value.told in ((), (ALWAYS,)):  # a constant: `alive = True` at the beginning, `alive = False` at last
        return () if value.told else ("",)
    return (str(denied(value.told[0])),) if len(value.told) == 1 and value.told[0] else (*value.told, "")


def _in_record(told: tuple[str, ...], record: str) -> tuple[tuple[str, ...], bool]:
    """The parts of a record among what a condition asks for, and whether that is all it asks for."""
    of_it = [one for one in told if one.removeprefix("not ").rpartition(".")[0] == record]
    parts = dict.fromkeys(one.replace(f"{record}.", "", 1) for one in of_it)
    return tuple(parts), len(of_it) == len(told)
