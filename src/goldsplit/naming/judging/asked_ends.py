"""How a loop asks whether a game is over: by the step's result, by the game itself, by what decides it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from goldsplit.naming.flow import Flow, given_as
from goldsplit.naming.judging.records import EITHER
from goldsplit.naming.reading.code_facts import Assignment, Call, Function
from goldsplit.naming.reading.conditions import each_of
from goldsplit.naming.searching.copies import becomes
from goldsplit.naming.searching.next_states import asks_rules
from goldsplit.naming.vocabulary import goes_on, means

if TYPE_CHECKING:
    from goldsplit.naming.calls import Program

#: What only arranges anew what it is given: `views, gains, ends = zip(*results)`.
_ARRANGING = frozenset({"array", "list", "map", "stack", "tuple", "zip"})


def taken_apart(caller: Function, name: str) -> Assignment | None:
    """Where the results in a list are taken apart: `for seen, reward, over in results`, `zip(*results)`."""
    unpacked = (one for one in caller.assignments if one.unpacked and name and one.value.names == {name})
    return next((one for one in unpacked if one.direct is None or one.direct.name in _ARRANGING), None)


def taken_each(caller: Function, name: str) -> list[str]:
    """What loops call each thing in a list: `out` of `for game, out in zip(games, outs)`."""
    each = [one for one in caller.assignments if one.each and not one.unpacked and one.value.name == name]
    return list(dict.fromkeys(one.targets[0] for one in each)) if name else []


def is_gone_through(caller: Function, name: str) -> bool:
    """Whether a name holds a list whose elements a function goes through one by one."""
    return any(one.each and not one.unpacked and one.value.name == name != "" for one in caller.assignments)


def is_asked(flow: Flow, caller: Function, call: Call, also: Collection[str] = ()) -> bool:
    """Whether a loop around a call asks its object when to end: `while not game.over: game.play(move)`; also
    by a call, or by a name that a call gave (`over = lost(game)`). A copy may be the game afterwards."""
    names = {name for loop in call.loops for name in caller.loop_names[loop]} | caller.ends
    asking = [one for loop in call.loops for one in caller.loop_calls[loop]]
    asking += [one for loop in call.loops for one in caller.leaving_calls.get(loop, ()) if one is not call]
    asked = {one.receiver for one in asking if not asks_rules(caller, one)}
    for one in caller.assignments:
        if one.direct is not None and not one.unpacked and one.targets[0] in names:
            asked |= _only_asked(one.direct)
    names |= {
        name
        for one in caller.assignments
        for target, value in zip(one.targets, one.elements or (one.value,), strict=False)
        if target in caller.ends
        for name in ([value.name] if value.calls else value.names)  # also `over = game.day >= 60`
    }
    deciding = {name for loop in call.loops for name in caller.loop_names[loop]}
    for name in deciding:  # `while result is None: … if game.stuck > 20: result = 0`
        names |= caller.decided_by.get(name, frozenset())
    for question in asking:
        if question.receiver == caller.self_name != "":  # `while not self.over()`, which asks its game
            backs = [back for target in flow.program.resolve(caller, question) for back in target.returns]
            names |= {name for elements in backs for value in elements for name in value.names}
    objects = {call.receiver, *becomes(flow.program, caller, call)} - {"", "?"}
    objects |= set(also)
    inside = any(name.startswith(f"{one}.") for one in objects for name in names)
    return inside or bool(objects & asked)


def changed_by(program: Program, caller: Function, call: Call) -> set[str]:
    """What plain functions are given and change: `game` of `drop(game, column)`, which sets `game["over"]` or
    an element of it."""
    found: set[str] = set()
    for function in program.resolve(caller, call):
        owners = {
            target.partition(".")[0]
            for one in function.assignments
            for target in one.targets
            if "." in target
        }
        owners |= {target for one in function.assignments for target in one.targets if one.key}
        for parameter in owners.intersection(function.parameters) if function.kind is None else ():
            names = given_as(function, parameter, call)
            found |= names if len(names) == 1 else set()
    return found


def over_as_asked(caller: Function, call: Call) -> str:
    """What holds of a step's object when the loop around its call ends, as far as it asks the object for
    attributes: `self.lost or self.moves is None`."""
    called = {call.receiver, *map(each_of, _collections_of(caller, call.receiver))} - {""}
    found = [
        said.format("self." + name.rpartition(".")[2])
        for name, said in caller.over_when.items()
        if name.rpartition(".")[0] in called
    ]
    return " or ".join(found)


def begun_when(caller: Function, call: Call) -> str:
    """What holds of a call's object where it is begun anew later in the same loop: `self.lost` for
    `game.play(move)` before `if game.lost: game.deal()`."""
    return next((said for _, said in beginnings(caller, call)), "")


def beginnings(caller: Function, call: Call) -> Iterator[tuple[Call, str]]:
    """The calls that begin a call's object anew later in the same loop, each with what holds of it there."""
    asked = {
        one.targets[0]: one.value.name
        for one in caller.assignments
        if not one.unpacked and one.order >= call.order and one.value.name.rpartition(".")[0] == call.receiver
    }
    for one in caller.calls if call.receiver and call.arguments and call.loops else ():
        again = one.receiver == call.receiver and not one.arguments and one.loops == call.loops
        for name in sorted(one.behind - call.behind) if again and one.order > call.order else ():
            denied = name.startswith("not ")
            bare = name.removeprefix("not ")
            owner, _, attribute = asked.get(bare, bare).rpartition(".")
            if owner == call.receiver and denied == goes_on(attribute):
                yield one, f"not self.{attribute}" if denied else f"self.{attribute}"


def asked_apart(caller: Function, call: Call) -> str:
    """What holds of a call's object where the loop asks it alone for its end, somewhere beside the call:
    `self.over` for `game.play(move)` and, in another loop over the games, `if game.over:`."""
    for name in sorted(caller.ends):
        owner, _, attribute = name.rpartition(".")
        if owner == call.receiver != "" and means(attribute, "done"):
            return f"self.{attribute}"
    return ""


def _collections_of(caller: Function, name: str) -> set[str]:
    """What a loop takes a name out of: `games` of `for game, move in zip(games, moves)`."""
    return {one.value.name for one in caller.assignments if one.each and name in one.targets} - {""}


def _only_asked(call: Call) -> frozenset[str]:
    """The object that a call asks and tells nothing: `game` of `game.over()` and of `over(game)`."""
    if call.receiver and not call.arguments:
        return frozenset({call.receiver})
    return call.arguments[0] if len(call.arguments) == 1 and not call.inner else frozenset()


def ends_together(caller: Function, targets: tuple[str, ...], place: int) -> int | str:
    """The place in a result that tells the end, with the others that one condition asks for beside it: `if
    crashed or late:`."""
    asked = [one.value.told for one in caller.assignments if set(one.targets) & caller.ends]
    for told in (*caller.conditions, *asked):
        if targets[place] in told and len(told) > 1 and all(one in targets for one in told):
            return EITHER.join(str(targets.index(one)) for one in told)
    return place
