"""Properties that do work: `view = orchard.view` calls what is behind it, as `view = orchard.see()` does.

What is called is written down as a call, so that all later questions find it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsplit.naming.reading.code_facts import Call, Function

if TYPE_CHECKING:
    from goldsplit.naming.calls import Program


def follow_properties(program: Program) -> bool:
    """Write down the properties that functions read. Whether there are such."""
    found = False
    for function in program.functions:
        for name, call in function.attributes.items():
            getters = _getters(program, function, name, call)
            if getters:
                program.behind[call] = getters
                _write_down(function, name, call)
                found = True
    return found


def _getters(program: Program, function: Function, name: str, call: Call) -> tuple[Function, ...]:
    """The properties that an attribute may be; where nothing is known of the object, the only one of that
    name."""
    owners = sorted(program.types_of(function, call.receiver), key=lambda one: (one.file, one.name))
    methods = [one for kind in owners if (one := program.method(kind, call.name)) is not None]
    named = program.methods_named(name) if not owners else methods
    found = [one for one in named if one.is_property and one is not function]
    return tuple(found) if owners or len(named) == 1 else ()


def _write_down(function: Function, name: str, call: Call) -> None:
    function.calls.append(call)
    for one in function.assignments:
        for value in (one.value, *one.elements):
            if value.name == name:
                value.calls = (*value.calls, call)
        if one.value.name == name and one.direct is None and not one.each:
            one.direct = call
    for other in function.calls:
        for place, names in enumerate(other.arguments):
            if names == {name} and not other.made[place]:
                other.made = (*other.made[:place], name, *other.made[place + 1 :])
                other.inner = (*other.inner, call)
