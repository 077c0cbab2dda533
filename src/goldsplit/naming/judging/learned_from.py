"""The same function plays for the training and for a test: from whose results is something learned?

`rows = pool.map(play, jobs); learn(rows)`, and beside it `if n % 10 == 0: print(pool.map(play, tests))`.
"""

from __future__ import annotations

from goldsplit.model.stage import LEARN, REPLAY_ADD
from goldsplit.naming.decision import Decision
from goldsplit.naming.reading.code_facts import Call, Function
from goldsplit.naming.reading.expressions import PUTTING

Site = tuple[Function, Call]


def is_test(d: Decision, function: Function, site: Site, sites: list[Site]) -> bool:
    """Whether what plays is called, or handed to a pool, for a test there: only now and then, or while other
    calls of it in the same function are learned from; and nothing is learned from this one."""
    caller, call = site
    if call.now_and_then:
        return d.goes_on_without(function, caller) and not is_learned_from(d, caller, call, only_later=True)
    around = call.loops[:1]  # not what warms a pool up before the training
    others = [one for where, one in sites if where is caller and one is not call and one.loops[:1] == around]
    if not around:
        return False
    if is_learned_from(d, caller, call) or not _is_used(caller, call):
        return False
    return any(is_learned_from(d, caller, one) for one in others)


def is_learned_from(d: Decision, caller: Function, call: Call, only_later: bool = False) -> bool:
    """Whether what a call gives reaches something that learns or stores, inside its function; or leaves it,
    so that nobody knows."""
    after = call.order if only_later else -1
    held = _held_after(caller, call, after)
    if any(value.names & held for elements in caller.returns for value in elements):
        return True
    for one in caller.calls:
        given = frozenset().union({one.receiver}, *one.arguments)
        if one.order < after or not (given & held or call in one.inner):
            continue
        stages = {d.stage_of(target) for target in d.program.resolve(caller, one)}
        learns = one.name == "backward" or any(stage.startswith(LEARN) for stage in stages)
        if learns or REPLAY_ADD in stages or d.learning & set(d.program.resolve(caller, one)):
            return True
    return any("." in name for name in held)  # an attribute: read anywhere


def _held_after(caller: Function, call: Call, after: int) -> set[str]:
    """The names that hold what a call gave, or what was made of it. `after`: only from there on."""
    held: set[str] = set()
    while True:
        known = len(held)
        for one in caller.assignments:
            if one.order >= after and (call in one.value.calls or one.value.names & held):
                held |= set(one.targets) - {"", "_"}
        for told in caller.calls:
            given = frozenset().union(frozenset(), *told.arguments)
            if told.name in PUTTING and told.receiver and (given & held or call in told.inner):
                held |= {told.receiver} if told.order >= after else set()
        if len(held) == known:
            return held


def _is_used(caller: Function, call: Call) -> bool:
    """Whether anything is done with what a call gives: else it plays for what it does beside."""
    return any(call in one.value.calls for one in caller.assignments) or any(
        call in other.inner for other in caller.calls
    )


def keeps_inside(d: Decision, function: Function) -> bool:
    """Whether what plays puts what it has seen into a memory itself: then its result tells nothing."""
    for one in (function, *d.program.reached(function)):
        if d.stage_of(one) == REPLAY_ADD:
            return True
        local = {name for made in one.assignments for name in made.targets if "." not in name}
        for call in one.calls if one is function else ():
            several = len(frozenset().union(frozenset(), *call.arguments)) > 1
            if call.name in PUTTING and several and call.receiver and call.receiver not in local:
                return True
    return False
