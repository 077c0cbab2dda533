"""What the choice of an action is shown: observations and masks, and what these are made of."""

from __future__ import annotations

from goldsplit.model.stage import ACT_SEARCH, ENV_MASK, ENV_OBSERVE
from goldsplit.naming.decision import Decision, asks_network, is_network, takes_messages, tells_allowed
from goldsplit.naming.reading.code_facts import Call, Function
from goldsplit.naming.searching.listing import put_together
from goldsplit.naming.searching.looking_ahead import tries_moves
from goldsplit.naming.vocabulary import means


def observers(d: Decision, at: Function, call: Call, acting: Function) -> None:
    """What gives an acting function its arguments: observations and masks."""
    for place, names in enumerate(call.arguments):
        parameter = acting.parameters[place] if place < len(acting.parameters) else ""
        found = [(at, inner) for inner in call.inner if d.program.resolve(at, inner)]
        found += d.flow.sources(at, names, use=call)
        for where, source in found:
            if where is acting or where in d.program.reached(acting):
                continue  # what a search keeps in its tree: it is not shown that, it has made it
            for function in d.program.resolve(where, source) if not _is_given_counts(where, source) else ():
                if function.kind is not None and function.kind is acting.kind:
                    continue
                if function not in d.stages and function not in d.stepping and _sees(d, function):
                    name_seeing(d, function, where, source, parameter)
                    _made_of(d, where, source, function)
                if d.stage_of(function) == ENV_OBSERVE:
                    d.lines += put_together(d, where, source)


def _is_given_counts(caller: Function, call: Call) -> bool:
    """Whether a function is only told how far the training is: `epsilon(steps)` sees nothing."""
    counts = {one.name for one in caller.increments}
    counts |= {
        target
        for one in caller.assignments
        if one.each and [made.name for made in one.value.calls] == ["range"]
        for target in one.targets
    }
    given = frozenset().union(frozenset(), *call.arguments)
    return not call.receiver and bool(given & counts) and all(one in counts or one.isupper() for one in given)


def _made_of(d: Decision, where: Function, seeing: Call, function: Function) -> None:
    """What gives an observation or a mask what it is made of: `mask(game.allowed())`."""
    stage = d.stage_of(function)
    if stage not in (ENV_OBSERVE, ENV_MASK):
        return
    names = frozenset().union(frozenset(), *seeing.arguments)
    sources = [(where, inner) for inner in seeing.inner] + d.flow.sources(where, names, farthest=1)
    for at, source in sources:
        for one in d.program.resolve(at, source) if at is where else ():
            if (
                one not in d.stages
                and one not in d.stepping
                and _sees(d, one)
                and _is_outside_learning(d, one)
            ):
                told = ENV_MASK if tells_allowed(one) else stage
                d.name(one, told, "it gives the observation or the mask what that is made of")


def _is_outside_learning(d: Decision, function: Function) -> bool:
    reached = d.program.reached(function)
    return not d.stepping & reached and not d.learning & reached and not is_network(function.kind)


def _sees(d: Decision, function: Function) -> bool:
    known = function in d.learning or function in d.loops or function in d.rules or takes_messages(function)
    return bool(function.returns) and not known and not means(function.name, "choose")


def name_seeing(d: Decision, function: Function, where: Function, call: Call, parameter: str) -> None:
    targets = next((one.targets for one in where.assignments if one.direct is call), ())
    hints = [function.name, parameter if len(targets) < 2 else "", *targets]
    if (d.rules & d.program.reached(function) and asks_network(d, function)) or tries_moves(
        d, function, where, call
    ):
        d.name(
            function, ACT_SEARCH, "a choice is made by what it gives, and it tries moves itself to find that"
        )
        return
    if any(means(name, "mask") for name in hints) or tells_allowed(function):
        d.name(function, ENV_MASK, "it gives the choice of an action what is allowed")
    elif not (d.stepping & d.program.reached(function)):
        d.name(function, ENV_OBSERVE, "it gives the choice of an action what it sees")
