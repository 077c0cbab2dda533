"""Where values come from, inside one function and through its object's attributes."""

from __future__ import annotations

from collections import defaultdict

from goldsplit.naming.calls import Program
from goldsplit.naming.judging.generators import only_makes
from goldsplit.naming.reading.code_facts import Assignment, Call, Class, Function, Value
from goldsplit.naming.reading.expressions import PUTTING
from goldsplit.naming.reading.reaching import reaching
from goldsplit.naming.vocabulary import CHOOSING, means

#: A value is followed through at most this many assignments.
_FARTHEST = 5

#: With a key, these pick one of several things.
_BEST = frozenset({"max", "min"})
#: What a loop tells the game beside going on.
_ASIDE = ("render", "output", "reset", "done")


class Flow:
    """Follows names back to the calls that gave them their values."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._attributes: dict[tuple[Class | None, str], list[tuple[Function, Assignment]]] = defaultdict(
            list
        )
        self._local: dict[tuple[Function, str], list[Assignment]] = defaultdict(list)
        for function in program.functions:
            for assignment in function.assignments:
                for target in filter(None, assignment.targets):
                    self._local[function, target].append(assignment)
                    owner, _, attribute = target.rpartition(".")
                    for kind in self._owners(function, owner):
                        self._attributes[kind, attribute].append((function, assignment))

    def sources(
        self,
        function: Function,
        names: frozenset[str],
        farthest: int = _FARTHEST,
        into_callers: bool = False,
        use: Call | None = None,
    ) -> list[tuple[Function, Call]]:
        """The calls of the user's functions whose results these names hold, each with where it is; a value is
        followed to the first such call only, and to what callers give as a parameter if that is wanted. With
        a `use`: what they hold there."""
        found: dict[Call, Function] = {}
        seen: set[tuple[Function, str, Assignment | Call | None]] = set()
        waiting: list[tuple[Function, str, int, Assignment | Call | None]]
        waiting = [(function, name, 0, use) for name in sorted(names)]  # the same decision in every run
        while waiting:
            where, name, far, used = waiting.pop()
            if (where, name, used) in seen or far > farthest:
                continue
            seen.add((where, name, used))
            for at, assignment in self._assignments(where, name, used):
                value = element_for(assignment, name)
                users = [call for call in value.calls if self.program.resolve(at, call)]
                if assignment.direct is not None and only_makes(self.program, at, assignment.direct):
                    continue  # a generator: what it gives comes when it goes on
                inner = {nested for call in users for nested in call.inner}
                for call in users:
                    if call not in inner:
                        found[call] = at
                if not users:
                    waiting += [(at, one, far + 1, assignment) for one in sorted(value.names)]
            if self._is_made_with(where, name):
                waiting.append((where, name.rpartition(".")[0], far + 1, used))
            if into_callers and name in where.parameters:
                for caller, call in self.program.callers.get(where, ()):
                    waiting += [(caller, one, far + 1, call) for one in sorted(given_as(where, name, call))]
        return [(at, call) for call, at in found.items()]

    def _is_made_with(self, function: Function, name: str) -> bool:
        """Whether an attribute gets its value while its object is made: `root.children` of `root =
        self.search(game)`."""
        owner = name.rpartition(".")[0]
        calls = (
            [one.direct for one in self._local[function, owner] if one.direct is not None] if owner else []
        )
        makers = {one for call in calls for one in self.program.resolve(function, call)}
        inside = makers.union(*(self.program.reached(one) for one in makers))
        return any(writer in inside for writer, _ in self.written(function, name) if inside)

    def choices_in(self, function: Function, value: Value) -> list[tuple[Function, Call]]:
        """The outermost calls of the user's functions that an expression has, or whose results it uses."""
        users = [call for call in value.calls if self.program.resolve(function, call)]
        nested = {inner for call in users for inner in call.inner}
        found = [(function, call) for call in users if call not in nested]
        return found or self.sources(function, value.names)

    def is_drawn(self, function: Function, names: frozenset[str]) -> bool:
        """Whether names hold a choice that no function of the user's made: the best of something, a random
        one, the answer of a network."""
        seen: set[str] = set()
        waiting = [(name, 0) for name in sorted(names)]
        while waiting:
            name, far = waiting.pop()
            if name in seen or far > _FARTHEST:
                continue
            seen.add(name)
            for at, assignment in self._assignments(function, name):
                value = element_for(assignment, name)
                if any(self.chooses(at, call) for call in value.calls):
                    return True
                if at is function:
                    waiting += [(one, far + 1) for one in value.names]
        return False

    def chooses(self, function: Function, call: Call) -> bool:
        """Whether a call is such a choice."""
        if call.name in CHOOSING or (call.name in _BEST and "key" in call.keywords):
            return True
        if self.program.resolve(function, call) or self.program.is_class(function, call):
            return False
        objects = {*function.parameters, *(name for one in function.assignments for name in one.targets)}
        own = function.self_name
        is_attribute = bool(own) and (call.receiver == own or call.name.startswith(f"{own}."))
        return (not call.receiver and call.name in objects) or is_attribute

    def is_chosen_by(self, function: Function, source: Call) -> bool:
        """Whether a choice is drawn from what a call gave: `best = argmax(worth(views))`, `choices(moves,
        weights=tally)`. Then the call has rated, and has chosen nothing yet."""
        held = {name for one in function.assignments if one.direct is source for name in one.targets}
        return any(
            call.name in CHOOSING and (source in call.inner or any(names & held for names in call.arguments))
            for call in function.calls
        )

    def _owners(self, function: Function, owner: str) -> set[Class]:
        """The classes of an object, and what they are derived from: an attribute may be set there."""
        kinds = self.program.types_of(function, owner) if owner else set()
        return {base for kind in kinds for base in self.program.with_bases(kind)}

    def written(self, function: Function, name: str) -> list[tuple[Function, Assignment]]:
        """Where an attribute of an object is given a value, in whatever function: `game.view`."""
        owner, _, attribute = name.rpartition(".")
        found = [pair for kind in self._owners(function, owner) for pair in self._attributes[kind, attribute]]
        return sorted(dict.fromkeys(found), key=lambda pair: (pair[0].file, pair[0].first, pair[1].order))

    def _assignments(
        self, function: Function, name: str, use: Assignment | Call | None = None
    ) -> list[tuple[Function, Assignment]]:
        here = self._local[function, name]
        return self.written(function, name) or [(function, one) for one in reaching(here, name, use)]


def given_as(function: Function, parameter: str, call: Call) -> frozenset[str]:
    """The names that a call gives as one of the function's parameters."""
    plain = len(call.arguments) - len(call.keywords)
    if parameter in call.keywords:
        return call.arguments[plain + call.keywords.index(parameter)]
    place = function.parameters.index(parameter)
    return call.arguments[place] if place < plain else frozenset()


def element_for(assignment: Assignment, name: str) -> Value:
    """The part of an assignment's value that this name gets."""
    if assignment.elements and name in assignment.targets:
        return assignment.elements[assignment.targets.index(name)]
    return assignment.value


def choices_put_in(flow: Flow, caller: Function, call: Call) -> list[tuple[Function, Call]]:
    """The calls whose results are put into the object of a call without arguments, before it in its loop:
    `ship.wanted = choice; ship.advance()`."""
    if call.arguments or not call.receiver or call.conditional or not call.loops or _is_aside(call):
        return []
    found: list[tuple[Function, Call]] = []
    inside = f"{call.receiver}."
    for one in caller.assignments:
        put = any(target.startswith(inside) for target in one.targets)
        if put and one.loops == call.loops and one.order < call.order:
            found += flow.choices_in(caller, one.value)
    for other in caller.calls:
        before = other.loops == call.loops and other.order < call.order and other.arguments
        told = other.receiver == call.receiver or other.receiver.startswith(inside)
        if before and told and _only_notes(flow, caller, call, other):
            given = frozenset().union(frozenset(), *other.arguments)
            found += [(caller, one) for one in other.inner if flow.program.resolve(caller, one)]
            found += flow.sources(caller, given)
    own = {one.kind for one in flow.program.resolve(caller, call)}
    return [
        (at, one)
        for at, one in found
        if any(function.kind not in own for function in flow.program.resolve(at, one))
    ]


def _only_notes(flow: Flow, caller: Function, call: Call, other: Call) -> bool:
    """Whether a call before another one only writes the choice down: told by a word, or it does no more than
    setting attributes while the other does."""
    if means(call.name, "step") != means(other.name, "step"):
        return means(call.name, "step")
    noting, going = flow.program.resolve(caller, other), flow.program.resolve(caller, call)
    works = any(len(_set_by(one)) > 1 or (_set_by(one) and one.calls) for one in going)
    return works and bool(noting) and all(_notes(one) for one in noting)


def _notes(function: Function) -> bool:
    """Whether a method only keeps what it is given: in attributes, or in a list of its own."""
    puts = [call for call in function.calls if call.name in PUTTING and call.receiver]
    plain = len(puts) == len(function.calls) and not function.loop_names and not function.returns
    return plain and bool(puts or function.assignments)


def _set_by(function: Function) -> list[Assignment]:
    """Where a method sets attributes of its own object."""
    own = f"{function.self_name}."
    return [one for one in function.assignments if any(target.startswith(own) for target in one.targets)]


def telling(flow: Flow, caller: Function, call: Call) -> set[Function]:
    """The methods by which a choice is put in (`game.press(key)` before `game.tick()`): no steps then."""
    return {
        function
        for other in caller.calls
        if other.loops == call.loops and other.order < call.order and other.receiver == call.receiver
        for function in flow.program.resolve(caller, other)
    }


def _is_aside(call: Call) -> bool:
    return any(means(call.name, word) for word in _ASIDE)
