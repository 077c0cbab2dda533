"""Games that are played for their result alone: one network against another, after each round of training.

No word is needed for that. Beside a player whose moves are kept to learn from them, another one keeps none:
only who has won is asked of it.
"""

from __future__ import annotations

from goldsplit.model.stage import ACT_SEARCH, LEARN, REPLAY
from goldsplit.naming.decision import Decision
from goldsplit.naming.reading.code_facts import Call, Function
from goldsplit.naming.reading.expressions import PUTTING
from goldsplit.naming.searching.next_states import leading_to

#: So many things of one turn that are kept are enough to learn from.
_LEAST_KEPT = 2
#: A result is followed through at most this many assignments.
_FARTHEST = 4


def contests(d: Decision, playing: list[Function]) -> list[Function]:
    """Of the functions that play and do not learn, those whose games nobody learns from, while another one's
    games are kept; again and again, beside the training."""
    searching = {one for one, (stage, _) in d.stages.items() if stage == ACT_SEARCH}
    searching |= {target for one in searching for target in d.program.reached(one)}
    loops = _playing_loops(d, searching)
    teaching = {one for one, calls in loops.items() if _is_taught_by(d, one, calls)}
    idle = {one for one, calls in loops.items() if not _may_keep(d, one, calls)}
    found = []
    for function in playing:
        inside = {one for one in loops if one is function or one in d.program.reached(function)}
        if inside and inside <= idle and teaching and function not in searching:
            found.append(function)
    return [one for one in found if _is_beside(d, one, found) and d.program.is_repeated(one)]


def _playing_loops(d: Decision, searching: set[Function]) -> dict[Function, list[Call]]:
    """Who has a loop around a step → its calls of steps; not the game itself, and not a search."""
    found: dict[Function, list[Call]] = {}
    for step in (*d.steps, *d.facades):
        for caller, call in d.program.callers.get(step.function, ()):
            if call.loops and caller not in searching | d.stepping | d.inside_env:
                found.setdefault(caller, []).append(call)
    return found


def _is_taught_by(d: Decision, caller: Function, steps: list[Call]) -> bool:
    """Whether what a loop sees and chooses is put together to be learned from."""
    known = _known(caller, steps)
    put = frozenset(name for call in _put(d, caller, steps) for names in call.arguments for name in names)
    kept = leading_to(caller, put)  # also rows that were made of them first: turned, mirrored
    rarely = [call.now_and_then for _, call in d.program.callers.get(caller, ())]
    return len(kept & known) >= _LEAST_KEPT and not (rarely and all(rarely))


def _may_keep(d: Decision, caller: Function, steps: list[Call]) -> bool:
    """Whether anything of a turn outlives it: in a collection that is used later, in an attribute, in an
    array."""
    known = _known(caller, steps)
    for call in _put(d, caller, steps):
        names = leading_to(caller, frozenset().union(frozenset(), *call.arguments))
        if names & known and (d.program.resolve(caller, call) or _is_used(d, caller, call)):
            return True
    for one in caller.assignments:
        if one.direct in steps or not _shares_loop(one.loops, steps):
            continue
        values = one.elements or (one.value,) * len(one.targets)
        for target, value in zip(one.targets, values, strict=False):
            written = "." in target and value.names & known
            if target not in known and (
                written or value.name in known
            ):  # `row.seen = view`, `moves[t] = move`
                return True
    return caller.is_generator


def _known(caller: Function, steps: list[Call]) -> set[str]:
    """What a step is given, and what that is made of."""
    given = frozenset(name for call in steps for names in call.arguments for name in names)
    return leading_to(caller, given)


def _put(d: Decision, caller: Function, steps: list[Call]) -> list[Call]:
    """What is put into collections, memories or a learner, in the loops of a step."""
    return [
        call
        for call in caller.calls
        if _shares_loop(call.loops, steps)
        and (
            call.name in PUTTING
            or any(d.stage_of(one).startswith((REPLAY, LEARN)) for one in d.program.resolve(caller, call))
        )
    ]


def _shares_loop(loops: tuple[int, ...], steps: list[Call]) -> bool:
    return any(step.loops[-1] in loops for step in steps)


def _is_used(d: Decision, caller: Function, put: Call) -> bool:
    """Whether a collection is given back, handed on, gone through, or not the function's own; not only
    shown."""
    name = put.receiver
    own = any(name in one.targets for one in caller.assignments) and "." not in name
    returned = any(name in value.names for elements in caller.returns for value in elements)
    through = any(name in one.value.names for one in caller.assignments)
    handed = any(
        name in names
        for call in caller.calls
        if call.name in PUTTING or d.program.resolve(caller, call)
        for names in call.arguments
    )
    return not own or returned or through or handed


def _is_beside(d: Decision, function: Function, found: list[Function]) -> bool:
    """Whether all that call a function are such ones too, or go on with the training and learn nothing from
    what it gives."""
    sites = d.program.callers.get(function, ())
    return bool(sites) and all(
        caller in found or (d.goes_on_without(function, caller) and not _is_learned_from(d, caller, call))
        for caller, call in sites
    )


def _is_learned_from(d: Decision, caller: Function, call: Call) -> bool:
    """Whether what a call gives reaches something that learns or stores."""
    held = {target for one in caller.assignments if call in one.value.calls for target in one.targets}
    for _ in range(_FARTHEST):
        held |= {target for one in caller.assignments if one.value.names & held for target in one.targets}
        held |= {
            one.receiver
            for one in caller.calls
            if one.name in PUTTING and (call in one.inner or any(names & held for names in one.arguments))
        }
    for one in caller.calls:
        learns = [
            target
            for target in d.program.resolve(caller, one)
            if target in d.learning | d.taught or d.stage_of(target).startswith((REPLAY, LEARN))
        ]
        if learns and (call in one.inner or any(names & held for names in one.arguments)):
            return True
    return False
