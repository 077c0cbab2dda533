"""Learners without a framework: what changes the numbers that playing is given, or that acting reads.

No word and no backward pass is needed for that: `herd.couple(scores)` learns, because it changes
`herd.cats`, and these are what the games are played with.
"""

from __future__ import annotations

from goldsplit.model.named_code import BY_PURPOSE
from goldsplit.model.stage import ACT, ACT_SEARCH, LEARN_LOSS
from goldsplit.naming.decision import Decision
from goldsplit.naming.judging.plain_weights import name_changing_plain_weights
from goldsplit.naming.judging.worth import is_told_worth
from goldsplit.naming.reading.code_facts import Call, Class, Function, Value

#: A value is followed through at most this many assignments.
_FARTHEST = 4


def name_changing_weights(d: Decision) -> None:
    """Name what is told something, and changes what playing depends on."""
    used = _used(d) if d.steps else set()
    for function in d.functions:
        if function.kind is None or not function.parameters or not d.may_learn(function):
            continue
        beside = not any(
            caller in d.loops and _is_in_play(d, caller, call) for caller, call in _sites(d, function)
        )
        told = any(is_told_worth(d, *site) for site in _sites(d, function))
        names = _changed(function) if beside else _changed(function, only_added=True) if told else set()
        changed = {(function.kind, name) for name in names}
        if changed & used and d.program.is_repeated(function):
            d.name(function, LEARN_LOSS, "it changes the numbers that playing depends on")
            d.taught.add(function)
    name_changing_plain_weights(d)
    for one, (stage, _) in list(d.stages.items()):
        if stage == ACT and any(one in d.program.reached(learner) for learner in d.taught):
            d.stages[one] = (BY_PURPOSE, "it gives a step its action, and what learns calls it too")


def _sites(d: Decision, function: Function) -> list[tuple[Function, Call]]:
    return d.program.callers.get(function, [])


def _is_in_play(d: Decision, caller: Function, call: Call) -> bool:
    """Whether a call stands in the innermost loop of a step: there the game's own turns are."""
    return any(where is caller and one.loops == call.loops for step in d.steps for where, one in step.sites)


def _changed(function: Function, only_added: bool = False) -> set[str]:
    """The attributes of its own object that a method computes anew, also by another name (`for w, g in
    zip((self.a, self.b), grads): w -= g`). `only_added`: those that it adds to."""
    own = f"{function.self_name}."
    found: set[str] = set()
    for one in function.assignments:
        computed = bool(one.value.names or one.value.calls)
        for target in one.targets:
            if target.startswith(own) and computed and (one.added or not only_added):
                found.add(target.removeprefix(own))
            elif one.added and "." not in target:
                found |= {name.removeprefix(own) for name in _alias(function, target) if name.startswith(own)}
    return found


def _alias(function: Function, name: str) -> set[str]:
    """What a loop binds a name to, one after the other."""
    bound = [one.value.names for one in function.assignments if one.each and name in one.targets]
    return set().union(*bound)


def _used(d: Decision) -> set[tuple[Class, str]]:
    """The attributes, each with its class, that acting reads, and that playing is given."""
    found: set[tuple[Class, str]] = set()
    acting = [one for one, (stage, _) in d.stages.items() if stage in (ACT, ACT_SEARCH)]
    for function in (*acting, *d.inside_acting):
        found |= _attributes(d, function, _read_by(function))
    handed: dict[Call, list[Function]] = {}
    for target, sites in d.program.passed.items():
        for _, call in sites:
            handed.setdefault(call, []).append(target)
    for function in d.program.functions:
        for call in function.calls:
            if _plays(d, function, call, handed):
                given = _with_sources(function, frozenset().union(frozenset(), *call.arguments))
                found |= _attributes(d, function, given)
                makers = [
                    one
                    for at, source in d.flow.sources(function, given)
                    for one in d.program.resolve(at, source)
                ]
                for maker in (
                    *makers,
                    *(one for inner in call.inner for one in d.program.resolve(function, inner)),
                ):
                    found |= _attributes(d, maker, _read_by(maker))
    return found


def _plays(d: Decision, function: Function, call: Call, handed: dict[Call, list[Function]]) -> bool:
    """Whether a call plays, or hands what plays to a pool."""
    targets = {*d.program.resolve(function, call), *handed.get(call, ())}
    playing = {one for one in targets if one in d.loops or d.stepping & d.program.reached(one)}
    return bool(playing - d.stepping)


def _with_sources(function: Function, names: frozenset[str]) -> frozenset[str]:
    for _ in range(_FARTHEST):
        names |= {
            name for one in function.assignments if set(one.targets) & names for name in one.value.names
        }
    return names


def _read_by(function: Function) -> frozenset[str]:
    """The names that a function reads anywhere."""
    values: list[Value] = [one.value for one in function.assignments]
    values += [value for elements in function.returns for value in elements]
    given = [names for call in function.calls for names in call.arguments]
    return frozenset().union(frozenset(), *(value.names for value in values), *given)


def _attributes(d: Decision, function: Function, names: frozenset[str]) -> set[tuple[Class, str]]:
    """Of names those that are attributes of objects of the user's own classes."""
    found = set()
    for name in names:
        owner, _, last = name.rpartition(".")
        if owner:
            found |= {(kind, last) for kind in d.program.types_of(function, owner)}
    return found
