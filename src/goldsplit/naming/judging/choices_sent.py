"""Games that another thread or process plays: the choice travels as a message, and the answer comes back.

`state = self.ask(cmd="choose", action=move)` looks like a step to the loop, and only sends; the step is what
the other side gives `message["action"]`.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from goldsplit.model.named_code import NOT_SAID
from goldsplit.naming.flow import given_as
from goldsplit.naming.reading.code_facts import Call, Class, Function
from goldsplit.naming.reading.expressions import called, dotted, names_in, targets_of
from goldsplit.naming.vocabulary import words_in

if TYPE_CHECKING:
    from goldsplit.naming.calls import Program
    from goldsplit.naming.flow import Flow
    from goldsplit.naming.steps import StepFunction

#: How messages are sent, and how they are taken in the same way: by pipes and queues, by streams and sockets.
_WAYS = (
    (
        words_in("send send_bytes send_json send_str send_string send_text send_pyobj put put_nowait"),
        words_in("recv recv_bytes recv_json recv_string recv_pyobj receive receive_json receive_text get"),
    ),
    (words_in("write writelines sendall"), words_in("readline readexactly readuntil recv recv_into")),
)
#: What makes a message of the text that came: of `for line in self.rfile`, say.
_DECODING = words_in("loads unpackb")
ANSWERS = "another thread or process sends it the choice, and gets the answer"


def sends_and_takes(*functions: Function) -> bool:
    """Whether functions send messages and take some in the same way."""
    calls = (call for one in functions for call in one.calls)
    names = {call.name for call in calls if call.receiver and not _looks_up(call)}
    return any(names & sending and names & taking for sending, taking in _WAYS)


def _looks_up(call: Call) -> bool:
    """`table.get(key)` takes nothing out of a queue; `queue.get(timeout=1)` does."""
    return call.name == "get" and len(call.arguments) > len(call.keywords)


def is_brought(function: Function, names: Collection[str]) -> bool:
    """Whether names hold what a message brought: `order, moves = pipe.recv()`."""
    taking = frozenset().union(*(way[1] for way in _WAYS))
    return any(
        call.name in taking and call.receiver and not _looks_up(call)
        for one in function.assignments
        if set(one.targets) & set(names)
        for call in one.value.calls
    )


def asks(function: Function) -> bool:
    """Whether a function sends something, and gives back what comes as the answer."""
    for sending, taking in _WAYS:
        sent = [call.order for call in function.calls if call.receiver and call.name in sending]
        taken = [call for call in function.calls if call.receiver and call.name in taking]
        taken = [call for call in taken if not _looks_up(call)]
        if sent and taken and function.returns and min(sent) <= max(one.order for one in taken):
            return True
    return False


def behind_messages(
    program: Program, flow: Flow, judged: list[StepFunction], found: list[StepFunction]
) -> list[StepFunction]:
    """Steps, with those that are given choices by messages; without what asks for other things too where it
    is not known who answers: its calls would be counted."""
    real = _answering(program, flow, found)
    if not real:
        return [step for step in found if not _is_for_more(program, step)]
    known = {step.function for step in found}
    for caller, call in real:
        for step in judged:
            if step.function in program.resolve(caller, call) and step.function not in known:
                known.add(step.function)
                step.sites, step.reasons = [(caller, call)], [ANSWERS]
                step.ends_at = NOT_SAID if step.ends_at is None else step.ends_at
                found = [*found, step]
    return found


def _answering(program: Program, flow: Flow, found: list[StepFunction]) -> list[tuple[Function, Call]]:
    """The calls that carry out, on the other side, the choices which steps among these only send."""
    keys = {
        key
        for step in found
        if asks(step.function)
        for caller, call in step.sites
        for key in _sent_under(program, flow, caller, call)
    }
    calls = [site for taker in _takers(program, found) for site in _given_key(program, taker, keys)]
    return list(dict.fromkeys(calls))


def _is_for_more(program: Program, step: StepFunction) -> bool:
    """Whether what asks is asked for other things too, so that its calls are not the steps."""
    return asks(step.function) and len(program.callers.get(step.function, ())) > len(step.sites)


def takers_of(program: Program, function: Function) -> list[Function]:
    """What takes the messages and answers them, for a function that is called there."""
    return [one for one in program.functions if _answers(one) and _is_at(program, one, function)]


def games_told(program: Program, function: Function) -> set[Class]:
    """The classes of what a function hands its parameters on to: the game of a server's own method."""
    found: set[Class] = set()
    for call in function.calls:
        for target in program.resolve(function, call):
            given = [given_as(target, one, call) for one in target.parameters]
            if target.kind not in (None, function.kind) and any(g & set(function.parameters) for g in given):
                found |= {target.kind} if target.kind is not None and _changes(target) else set()
    return found


def _is_at(program: Program, taker: Function, function: Function) -> bool:
    return taker is function or function in program.reached(taker)


def _answers(function: Function) -> bool:
    """Whether a function takes messages again and again, and sends something back."""
    decodes = any(call.name in _DECODING and call.loops for call in function.calls)
    sends = any(call.name in way[0] and call.receiver for call in function.calls for way in _WAYS)
    return bool(function.loop_names) and (sends_and_takes(function) or (decodes and sends))


def _takers(program: Program, found: list[StepFunction]) -> list[Function]:
    """What takes messages and answers them, with all that it calls; not the side that asks, nor what
    learns."""
    asking = {one.function for one in found if asks(one.function)}
    learns = {one for one in program.functions if any(call.name == "backward" for call in one.calls)}
    heads = [one for one in program.functions if one not in asking and _answers(one)]
    heads = [one for one in heads if not (asking | learns) & {one, *program.reached(one)}]
    inside = {other for one in heads for other in (one, *program.reached(one))}
    return sorted(inside, key=lambda one: (one.file, one.first))


def _sent_under(program: Program, flow: Flow, caller: Function, call: Call) -> set[str]:
    """The words under which a choice stands in the message that a call sends."""
    given = frozenset().union(frozenset(), *call.arguments)
    chosen = {name for name in given if _is_choice(flow, caller, frozenset({name}))}
    for at, source in flow.sources(caller, given):
        chosen |= {
            name for one in at.assignments if one.direct is source and at is caller for name in one.targets
        }
    plain = len(call.arguments) - len(call.keywords)
    keys = {word for place, word in enumerate(call.keywords, plain) if call.arguments[place] & chosen}
    keys |= _keys_with(caller, chosen)
    for target in program.resolve(caller, call):
        handed = {one for one in target.parameters if given_as(target, one, call) & chosen}
        keys |= _keys_with(target, handed)
    return keys - {""}


def _is_choice(flow: Flow, caller: Function, names: frozenset[str]) -> bool:
    return bool(flow.sources(caller, names)) or flow.is_drawn(caller, names)


def _nodes(function: Function) -> Iterator[ast.AST]:
    for statement in function.source:
        yield from ast.walk(statement)


def _keys_with(function: Function, names: set[str]) -> set[str]:
    """The keys of dictionaries in a function under which one of these names stands."""
    found = set()
    for node in _nodes(function):
        if isinstance(node, ast.Dict):
            pairs = [
                (key.value, value)
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Constant)
            ]
        elif isinstance(node, ast.Call) and dotted(node.func) == "dict":
            pairs = [(one.arg, one.value) for one in node.keywords]
        else:
            continue
        found |= {key for key, value in pairs if isinstance(key, str) and names_in(value) & names}
    return found


def _given_key(program: Program, function: Function, keys: set[str]) -> list[tuple[Function, Call]]:
    """The call in a function that is given what a message has under one of these words, and changes
    something by it; the last one of several."""
    held: set[str] = set()
    for node in _nodes(function):
        if isinstance(node, ast.Assign) and _has_part(node.value, keys):
            held |= {name for target in node.targets for name in targets_of(target)}
    lines = {
        (node.lineno, *called(node))
        for node in _nodes(function)
        if isinstance(node, ast.Call)
        for given in (*node.args, *(one.value for one in node.keywords))
        if _has_part(given, keys) or names_in(given) & held
    }
    calls = [
        call
        for call in function.calls
        if (call.line, call.receiver, call.name) in lines
        and any(_changes(one, program) for one in program.resolve(function, call))
    ]
    return [(function, max(calls, key=lambda one: one.order))] if calls else []


def _has_part(node: ast.AST, keys: set[str]) -> bool:
    """Whether an expression takes a part of a message: `message["action"]`, `message.get("action")`."""
    for one in ast.walk(node):
        key = one.slice if isinstance(one, ast.Subscript) else None
        if isinstance(one, ast.Call) and called(one)[1] == "get" and one.args:
            key = one.args[0]
        if isinstance(key, ast.Constant) and key.value in keys:
            return True
    return False


def _changes(function: Function, program: Program | None = None) -> bool:
    """Whether a function, or what it calls, sets anything that outlives it."""
    inside = (function, *program.reached(function)) if program is not None else (function,)
    return any("." in target for one in inside for made in one.assignments for target in made.targets)
