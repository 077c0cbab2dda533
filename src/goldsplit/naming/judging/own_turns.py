"""A turn of the game in a method of the one who plays: `gain, over = self.turn(move)`, or `boss.beat()`.

`turn` gives the move to the game (`over = self.table.poke(move)`) and does more beside it: it asks for a
reward, looks at the table. What it calls is written down beside its own call, as if the loop called it
directly: with the arguments that the loop gives, and with the names in which the loop gets the answer.

It may be given the game as well (`self.turn(game, move)`).

`beat` is given nothing: it chooses and plays by itself, and is one pass through the loop that calls it, which
ends by what that loop asks for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from goldsplit.naming.reading.code_facts import Assignment, Call, Function, Value
from goldsplit.naming.through import make_loop

if TYPE_CHECKING:
    from goldsplit.naming.calls import Program


def follow_own_turns(program: Program) -> bool:
    """Write down what methods of the same object do with what a loop gives them. Whether there are such."""
    found = False
    for function in program.functions:
        for call in list(function.calls):
            if function.self_name and call.loops and call.arguments and call.receiver == function.self_name:
                for helper in program.resolve(function, call):
                    found |= _write_down(program, function, call, helper)
    return found


def follow_passes(program: Program) -> bool:
    """Make loops of what is one pass through a loop elsewhere. Whether there is such."""
    found = False
    for function in program.functions:
        for call in [one for one in function.calls if one.loops and one.receiver and not one.arguments]:
            for one in program.resolve(function, call):
                if one is not function and _is_pass(program, one):
                    make_loop(one)
                    _end_with(function, call, one)
                    found = True
    return found


def _is_pass(program: Program, function: Function) -> bool:
    """Whether a method without a loop of its own gives something to objects of other classes."""
    plain = not function.loop_names and not function.is_generator and not function.is_loop
    if not plain or function.kind is None or any(call.name == "backward" for call in function.calls):
        return False
    return any(
        call.arguments
        and call.receiver
        and (targets := program.resolve(function, call))
        and all(
            one.kind not in (None, function.kind) and one.name not in ("forward", "__call__")
            for one in targets
        )
        for call in function.calls
    )


def _end_with(function: Function, call: Call, single: Function) -> None:
    """Its loop ends as the one around its call does, as far as that asks its object."""
    loop, around = single.first, call.loops[-1]

    def own(name: str) -> str:
        inside = name.removeprefix(f"{call.receiver}.")
        return f"{single.self_name}.{inside}" if inside != name else ""

    def own_all(names: Iterable[str]) -> frozenset[str]:
        return frozenset(map(own, names)) - {""}

    single.loop_names[loop] = own_all(function.loop_names[around])
    asking = [one for one in function.loop_calls[around] if own(f"{one.receiver}.")]
    single.loop_calls[loop] = tuple(
        replace(one, receiver=own(f"{one.receiver}.").rstrip(".")) for one in asking
    )
    single.leaving[loop] = own_all(function.leaving.get(around, ()))
    single.ends |= own_all(function.ends)
    single.leaves |= own_all(function.leaves)
    said = {own(name): what for name, what in function.over_when.items() if own(name)}
    single.over_when = said | single.over_when


def _write_down(program: Program, function: Function, call: Call, helper: Function) -> bool:
    """Write down, beside a call of a helper, what that calls once with what it was given; of a game that it
    was given, all that it tells that."""
    if helper is function or helper.loop_names or helper.kind is None or helper.is_generator:
        return False
    turns = [
        (inner, _answer(function, call, helper, inner))
        for inner in helper.calls
        if _is_turn(program, function, helper, inner)
    ]
    own = [(inner, answer) for inner, answer in turns if answer and inner.receiver not in helper.parameters]
    games = {inner.receiver for inner, answer in turns if answer} & set(helper.parameters)
    for inner, answer in own:
        _write(program, function, call, helper, inner, answer)
    for game in sorted(games):
        if len(_in_loop(function, call, helper, game)) != 1:
            continue  # one of several, `self.games[i]`: no name in the loop stands for it
        for inner in helper.calls:
            if inner.receiver == game and program.resolve(helper, inner):
                _write(program, function, call, helper, inner, _answer(function, call, helper, inner))
        _write_attributes(function, call, helper, game)
    return bool(own or games)


def _is_turn(program: Program, function: Function, helper: Function, inner: Call) -> bool:
    """Whether a call in a helper gives what that was given to an object of another class, which it has or was
    given too."""
    targets = program.resolve(helper, inner)
    given = frozenset().union(frozenset(), *inner.arguments) & set(helper.parameters)
    others = bool(targets) and all(one.kind not in (None, function.kind) for one in targets)
    network = any(one.name in ("forward", "__call__") for one in targets)
    held = inner.receiver in helper.parameters or inner.receiver.startswith(f"{helper.self_name}.")
    return bool(given - {inner.receiver}) and others and not network and held


def _write(
    program: Program, function: Function, call: Call, helper: Function, inner: Call, answer: tuple[str, ...]
) -> None:
    lifted = _lifted(function, call, helper, inner)
    program.behind[lifted] = tuple(program.resolve(helper, inner))
    function.calls.append(lifted)
    if not answer:
        return
    names = frozenset().union(frozenset(), *lifted.arguments)
    several = any(one.unpacked for one in function.assignments if one.direct is call)
    function.assignments.append(
        Assignment(
            targets=answer,
            unpacked=len(answer) > 1,
            value=Value(names, (lifted,)),
            order=call.order,
            direct=lifted,
            loops=call.loops,
            blocks=call.blocks,
            whole=frozenset(answer),
            is_part=several and len(answer) == 1,
        )
    )


def _write_attributes(function: Function, call: Call, helper: Function, game: str) -> None:
    """Write down what the loop gets of the game itself: `over` of `gain, over = self.turn(game, move)`, where
    the helper gives `gain, game.over`."""
    outer = next((one for one in function.assignments if one.direct is call and one.unpacked), None)
    (name,) = _in_loop(function, call, helper, game)
    for elements in helper.returns if outer is not None else ():
        for target, value in zip(outer.targets if outer is not None else (), elements, strict=False):
            if target and value.name.startswith(f"{game}."):
                held = value.name.replace(game, name, 1)
                function.assignments.append(
                    Assignment(
                        targets=(target,),
                        unpacked=False,
                        value=Value(frozenset({held}), (), held),
                        order=call.order,
                        loops=call.loops,
                        blocks=call.blocks,
                        whole=frozenset({target}),
                    )
                )


def _lifted(function: Function, call: Call, helper: Function, inner: Call) -> Call:
    """The inner call as it would stand in the place of the outer one."""
    arguments = tuple(
        frozenset().union(frozenset(), *(_in_loop(function, call, helper, name) for name in names))
        for names in inner.arguments
    )
    if inner.receiver in helper.parameters:
        (receiver,) = _in_loop(function, call, helper, inner.receiver)
    else:
        receiver = inner.receiver.replace(helper.self_name, function.self_name, 1)
    return replace(
        call,
        name=inner.name,
        receiver=receiver,
        arguments=arguments,
        picked=inner.picked,
        made=("",) * len(arguments),
        keywords=inner.keywords,
    )


def _in_loop(function: Function, call: Call, helper: Function, name: str) -> frozenset[str]:
    """What a name of the helper is in the loop: what was given for it, or the same attribute; a name of its
    own is nothing there."""
    if name in helper.parameters:
        plain = len(call.arguments) - len(call.keywords)
        place = helper.parameters.index(name)
        if name in call.keywords:
            return call.arguments[plain + call.keywords.index(name)]
        return call.arguments[place] if place < plain else frozenset()
    own = f"{helper.self_name}."
    if name.startswith(own):
        return frozenset({f"{function.self_name}.{name.removeprefix(own)}"})
    return frozenset()


def _answer(function: Function, call: Call, helper: Function, inner: Call) -> tuple[str, ...]:
    """The names in which the loop gets what the inner call gave; none where it does not get it."""
    outer = next((one for one in function.assignments if one.direct is call), None)
    kept = next((one for one in helper.assignments if one.direct is inner), None)
    found = []
    for name in kept.targets if kept is not None else ("",):
        places = [
            place
            for elements in helper.returns
            for place, value in enumerate(elements)
            if (name and value.name == name) or (kept is None and value.calls[:1] == (inner,))
        ]
        many = {len(elements) for elements in helper.returns}
        if name.startswith(f"{helper.self_name}."):
            found.append(name.replace(helper.self_name, function.self_name, 1))
        elif outer is None or not places or len(set(places)) > 1 or len(many) > 1:
            found.append("")
        elif many == {1}:
            found += outer.targets if not outer.unpacked or kept is None else [""]
        elif outer.unpacked and places[0] < len(outer.targets):
            found.append(outer.targets[places[0]])
        else:
            found.append("")
    return tuple(found) if any(found) else ()
