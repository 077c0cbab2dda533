"""Calls that stand behind another call: `timed("play", game.play, move)`, `story.send(move)`.

What is really called is written down beside what the source shows, with the arguments that it gets, so that
all later questions (who gives whom what, in which loop) find it as if it were called directly.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from goldsplit.naming.judging.generators import generators_in
from goldsplit.naming.reading.code_facts import Assignment, Call, Function, Value
from goldsplit.naming.vocabulary import words_in

if TYPE_CHECKING:
    from goldsplit.naming.calls import Program

#: Functions of libraries that call what they are given, and give its result back.
_CALLING = words_in("to_thread run_in_executor run_sync run_coroutine_threadsafe partial submit")
#: Those that give it later, and how it is asked for then: `futures = [pool.submit(turn, one) …]`, and
#: `[one.result() for one in futures]`.
_LATER, _ASKING = words_in("submit run_coroutine_threadsafe"), "result"
#: How a generator goes on.
_GOING_ON = words_in("send asend")


def follow_through(program: Program) -> bool:
    """Write down the calls that stand behind others; what hands itself on to be called again is a loop.
    Whether there are such calls."""
    found = False
    for function in program.functions:
        if _calls_again(function):
            make_loop(function)
        new: dict[Call, Call] = {}
        for call in function.calls:
            behind = _handed_on(program, function, call) or _of_generator(program, function, call)
            if behind is not None:
                new[call] = behind
        if new:
            found = True
            promised = {call for call in new if call.name in _LATER}
            taken = _taken_later(function, {call: new[call] for call in promised})
            _write_down(function, new, promised & set(taken.values()))
            for assignment, call in taken.items():
                assignment.direct = new[call]
                assignment.value.calls = (*assignment.value.calls, new[call])
    return found


def _taken_later(function: Function, promised: dict[Call, Call]) -> dict[Assignment, Call]:
    """The assignments in which a function gets what was promised to it earlier, each with the promise."""
    futures = {
        target: one.direct for one in function.assignments if one.direct in promised for target in one.targets
    }
    for one in function.assignments:
        if one.each and len(one.targets) == 1 and (of := sorted(one.value.names & futures.keys())):
            futures[one.targets[0]] = futures[of[0]]
    return {
        one: futures[one.direct.receiver]
        for one in function.assignments
        if one.direct is not None and one.direct.name == _ASKING and one.direct.receiver in futures
    }


def _calls_again(function: Function) -> bool:
    """Whether a function hands itself to something that calls it later: `root.after(10, self.tick)`."""
    own = f"{function.self_name}.{function.name}" if function.self_name else function.name
    return any(names == {own} for call in function.calls for names in call.arguments)


def make_loop(function: Function) -> None:
    """Its body is one pass through a loop that stands nowhere."""
    loop = function.first
    for call in function.calls:
        call.loops = (loop, *call.loops)
    for assignment in function.assignments:
        assignment.loops = (loop, *assignment.loops)
    function.statements += [replace(one, loop=loop) for one in function.body]
    function.loop_names[loop], function.loop_calls[loop] = frozenset(), ()
    function.is_loop = True


def _handed_on(program: Program, function: Function, call: Call) -> Call | None:
    """The call of a function that is an argument, by what is called with it and with what it gets."""
    users = program.meant(function, call)
    for place, names in enumerate(call.arguments):
        if len(names) != 1 or call.made[place]:
            continue
        (name,) = names
        calls = [one for one in users if one.parameters[place : place + 1] == (one.hands_on,)]
        if not calls and (users or call.name not in _CALLING):
            continue
        if not (program.functions_of(function, name) or program.methods_named(name)):
            continue
        receiver, _, last = name.rpartition(".")
        after = slice(place + 1, None)
        return replace(
            call,
            name=last,
            receiver=receiver,
            arguments=call.arguments[after],
            made=call.made[after],
        )
    return None


def _of_generator(program: Program, function: Function, call: Call) -> Call | None:
    """The call that makes a generator, with what is sent to it: `story.send(move)`, `next(story)`."""
    sent = call.name in _GOING_ON and call.receiver
    if not sent and not (call.name == "next" and not call.receiver and call.arguments):
        return None
    names = {call.receiver} if sent else set(call.arguments[0])
    given = call.arguments if sent else ()
    for name in sorted(names):
        for where, made in generators_in(program, function, name):
            makers = [target for target in program.meant(where, made) if target.is_generator]
            if makers:
                receiver = made.receiver if where is function else ""
                behind = replace(call, name=made.name, receiver=receiver, arguments=given, sent=True)
                program.behind[behind] = tuple(makers)
                return behind
    return None


def _write_down(function: Function, new: dict[Call, Call], later: set[Call]) -> None:
    """Put the new calls beside the old ones, wherever a function's facts have these. What those of `later`
    give is taken elsewhere."""

    def both(calls: tuple[Call, ...]) -> tuple[Call, ...]:
        return tuple(one for call in calls for one in ((call, new[call]) if call in new else (call,)))

    def renew(value: Value) -> None:
        value.calls = both(value.calls)

    function.calls = list(both(tuple(function.calls)))
    for call in function.calls:
        call.inner = both(call.inner)
    for assignment in function.assignments:
        renew(assignment.value)
        for element in assignment.elements:
            renew(element)
        if assignment.direct in new and assignment.direct not in later:
            assignment.direct = new[assignment.direct]
    for elements in function.returns:
        for value in elements:
            renew(value)
    for statement in (*function.statements, *function.body):
        statement.calls = both(statement.calls)
    function.loop_calls = {loop: both(calls) for loop, calls in function.loop_calls.items()}
