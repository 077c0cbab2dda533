"""What gives a step its action acts; what that is shown observes, or tells what is allowed."""

from __future__ import annotations

from goldsplit.model.named_code import BY_PURPOSE
from goldsplit.model.stage import ACT, ACT_SEARCH, ACT_VALUE, ENV_MASK, ENV_OBSERVE, ENV_RESET
from goldsplit.naming.code_facts import Call, Function
from goldsplit.naming.decision import Decision, searches
from goldsplit.naming.vocabulary import means, words_in

#: How the driver's process hands actions to another one.
_SENDING = words_in("send put put_nowait send_bytes submit apply_async map starmap remote")


def act_and_observe(d: Decision) -> None:
    for step in d.steps:
        for caller, call in step.sites:
            if caller in d.stepping or caller in d.inside_env:
                continue
            _actions_for(d, caller, call, elsewhere=False)
    acts = any(stage in (ACT, ACT_SEARCH, BY_PURPOSE) for stage, _ in d.stages.values())
    if d.steps and not acts and not any(d.program.callers.get(loop) for loop in d.loops):
        for function in d.program.functions:  # the loops are handed to other processes
            if function not in d.loops and function not in d.inside_env:
                for call in function.calls:
                    if call.name in _SENDING and call.loops and call.receiver:
                        _actions_for(d, function, call, elsewhere=True)


def _actions_for(d: Decision, caller: Function, call: Call, elsewhere: bool) -> None:
    """Name what gives a step its arguments: what acts, and what that gets in turn."""
    given = frozenset().union(frozenset(), *call.arguments)
    result = next((one.targets for one in caller.assignments if one.direct is call), ())
    states = given & frozenset(result)  # `state, … = play(state, move)`: the state goes round
    for at, source in d.flow.sources(caller, states):
        for function in d.program.resolve(at, source):
            if function not in d.stepping and not source.loops[len(call.loops) - 1 :]:
                d.name(function, ENV_RESET, "it makes the first state")
    if states:
        d.threading |= set(d.program.resolve(caller, call))
    given -= states
    chosen = [(caller, inner) for inner in call.inner if d.program.resolve(caller, inner)]
    chosen += d.flow.sources(caller, given, into_callers=elsewhere)
    pairs = [(at, source, one) for at, source in chosen for one in d.program.resolve(at, source)]
    acting = [pair for pair in pairs if _is_outside(d, pair[2])]
    for at, source, function in acting:
        _name_acting(d, function)
        _observers(d, at, source, function)
        _judging(d, at, source, function)
    for at, source, function in pairs:
        if not elsewhere and function.owner in d.env_classes and function not in d.stages:
            if acting or means(function.name, "mask"):
                _name_seeing(d, function, at, source, "")
            elif function.returns:
                d.name(function, ACT, "it gives a step its action")


def _judging(d: Decision, where: Function, acting: Call, function: Function) -> None:
    """What is shown the same things as the choice, and gives no action: it estimates their value."""
    seen = frozenset().union(frozenset(), *acting.arguments)
    for call in where.calls:
        same = seen & frozenset().union(frozenset(), *call.arguments)
        for other in d.program.resolve(where, call):
            beside = other is not function and other.owner == function.owner and bool(other.owner)
            alike = call.loops == acting.loops and same and len(call.arguments) == 1
            if beside and alike and other.returns and _has_two_purposes(d, other):
                d.name(other, BY_PURPOSE, "it is shown what the choice is shown, and an update calls it too")
            elif beside and alike and other.returns and other not in d.learning:
                d.name(other, ACT_VALUE, "it is shown what the choice is shown, and gives no action")


def _is_outside(d: Decision, function: Function) -> bool:
    """Not a part of the environment, and not what plays or learns."""
    return (
        function.owner not in d.env_classes
        and function not in d.stepping
        and function not in d.learning
        and function not in d.loops
        and not d.stepping & d.program.reached(function) - _search_only(d, function)
    )


def _search_only(d: Decision, function: Function) -> set[Function]:
    """A search steps the game itself, on a state that it is given: that makes it no loop that plays."""
    return d.stepping if searches(function) or function.parameters else set()


def _name_acting(d: Decision, function: Function) -> None:
    if _has_two_purposes(d, function):
        d.name(function, BY_PURPOSE, "it gives a step its action, and an update calls it too")
    elif d.stepping & d.program.reached(function):
        d.name(function, ACT_SEARCH, "it gives a step its action, and plays moves itself to find it")
    elif searches(function):
        d.name(function, ACT_SEARCH, "it gives a step its action, and is named like a search")
    else:
        d.name(function, ACT, "it gives a step its action")


def _has_two_purposes(d: Decision, function: Function) -> bool:
    """Whether an update may call it too: it does, or it is a method of a network."""
    kind = d.program.class_of(function)
    is_network = kind is not None and any(base.rpartition(".")[2] == "Module" for base in kind.bases)
    return is_network or any(function in d.program.reached(one) for one in d.learning)


def _observers(d: Decision, at: Function, call: Call, acting: Function) -> None:
    """What gives an acting function its arguments: observations and masks."""
    for place, names in enumerate(call.arguments):
        parameter = acting.parameters[place] if place < len(acting.parameters) else ""
        found = [(at, inner) for inner in call.inner if d.program.resolve(at, inner)]
        found += [(where, source) for where, source in d.flow.sources(at, names)]
        for where, source in found:
            for function in d.program.resolve(where, source):
                if function.owner and function.owner == acting.owner:
                    continue
                if function not in d.stages and function not in d.stepping and _sees(d, function):
                    _name_seeing(d, function, where, source, parameter)


def _sees(d: Decision, function: Function) -> bool:
    return function not in d.learning and function not in d.loops and bool(function.returns)


def _name_seeing(d: Decision, function: Function, where: Function, call: Call, parameter: str) -> None:
    targets = next((one.targets for one in where.assignments if one.direct is call), ())
    hints = [function.name, parameter if len(targets) < 2 else "", *targets]
    if any(means(name, "mask") for name in hints):
        d.name(function, ENV_MASK, "it gives the choice of an action what is allowed")
    elif not (d.stepping & d.program.reached(function)):
        d.name(function, ENV_OBSERVE, "it gives the choice of an action what it sees")
