"""What gives a step its action acts; what is shown the same estimates its value."""

from __future__ import annotations

from goldsplit.model.named_code import BY_PURPOSE
from goldsplit.model.stage import (
    ACT,
    ACT_SEARCH,
    ACT_VALUE,
    ENV_MASK,
    ENV_OBSERVE,
    ENV_OPPONENT,
    ENV_RESET,
    VEC_COPY,
)
from goldsplit.naming.decision import (
    Decision,
    asks_network,
    is_network,
    searches,
)
from goldsplit.naming.flow import choices_put_in
from goldsplit.naming.forward import is_forward
from goldsplit.naming.judging.asked_ends import changed_by
from goldsplit.naming.judging.choices_sent import ANSWERS
from goldsplit.naming.judging.hubs import given_to_each
from goldsplit.naming.reading.code_facts import Call, Function
from goldsplit.naming.searching.listing import is_chosen_from, is_picked_from, lists_moves
from goldsplit.naming.seeing import name_seeing, observers
from goldsplit.naming.sides.two_sides import (
    Choice,
    name_beside_messages,
    name_other_side,
    name_other_turns,
    of_the_other_side,
)
from goldsplit.naming.vocabulary import means, words_in

#: A longer function does more than writing a choice in another way.
_LONGEST_CONVERTING = 6
#: How the driver's process hands actions to another one.
_SENDING = words_in("send put put_nowait send_bytes submit apply_async map starmap remote")


def act_and_observe(d: Decision) -> None:
    for step in (*d.steps, *d.facades):
        if ANSWERS in step.reasons:  # the agent's choices are made where the messages come from
            for caller, call in step.sites:
                name_beside_messages(d, step.function, _choices_for(d, caller, call, False)[1])
            continue
        sites = [site for site in step.sites if site[0] not in d.stepping and site[0] not in d.inside_env]
        choices = {call: _choices_for(d, caller, call, False)[1] for caller, call in sites}
        others = name_other_turns(d, sites, choices)
        for caller, call in sites:
            if call not in others:
                _actions_for(d, caller, call, elsewhere=False)
                for outer, hub in given_to_each(d.program, caller, call):
                    _actions_for(d, outer, hub, elsewhere=False)
    for caller, call in d.told:
        _actions_for(d, caller, call, elsewhere=False)
    acts = any(stage in (ACT, ACT_SEARCH, BY_PURPOSE) for stage, _ in d.stages.values())
    acts = acts or _is_drawn_beside(d)
    if d.steps and not acts and not any(d.program.callers.get(loop) for loop in d.loops):
        for function in d.program.functions:  # the loops are handed to other processes
            if function not in d.loops and function not in d.inside_env:
                for call in function.calls:
                    if call.name in _SENDING and call.loops and call.receiver:
                        _actions_for(d, function, call, elsewhere=True)


def act_without_gradients(d: Decision) -> None:
    """Where the data shows nothing that acts (the answer comes by a queue, by a future): what asks a network
    without gradients, and is no part of learning, of the game or of a test."""
    if any(stage in (ACT, ACT_SEARCH, BY_PURPOSE, VEC_COPY) for stage, _ in d.stages.values()):
        return
    learning = {target for one in d.learning for target in d.program.reached(one)} | d.learning
    for function in d.functions:
        asks = any(
            call.no_grad and not call.loops and is_forward(d, function, call) for call in function.calls
        )
        apart = function not in learning | d.backward | d.inside_env and function not in d.loops
        if asks and apart and not (d.stepping | d.learning) & d.program.reached(function):
            d.name(function, ACT, "it asks a network without gradients, and is no part of learning")
            for caller, call in d.program.callers.get(function, ()):
                if call.loops and caller not in learning:
                    observers(d, caller, call, function)


def _is_drawn_beside(d: Decision) -> bool:
    """Whether a loop that steps draws the action in its own lines."""
    sites = [site for step in d.steps for site in step.sites] + d.told
    return any(
        d.flow.is_drawn(caller, frozenset().union(frozenset(), *call.arguments)) for caller, call in sites
    )


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
    pairs, acting = _choices_for(d, caller, call, elsewhere)
    for bot in _beside_the_agent(d, acting):
        d.name(bot, ENV_OPPONENT, "a step is given what it chooses, or what the agent does, by the same call")
        acting = [pair for pair in acting if pair[2] is not bot]
    others = of_the_other_side(d, caller, acting)
    acting = [pair for pair in acting if pair not in others]
    name_other_side(d, others, acting)
    for at, source, function in pairs if acting else ():
        own = function.kind in d.env_classes or lists_moves(d, at, source, function)
        if own and is_picked_from(at, source, call):
            d.name(function, ENV_MASK, "the step gets one of those that it gives")
    for at, source, function in acting:
        _name_acting(d, function)
        observers(d, at, source, function)
        _judging(d, at, source, function)
    for at, source, function in pairs:
        if not elsewhere and function.kind in d.env_classes and function not in d.stages:
            if acting and means(function.name, "opponent") and not means(function.name, "mask"):
                d.name(function, ENV_OPPONENT, "the step is given its result beside the action")
            elif acting or means(function.name, "mask") or not _is_given_as_it_is(caller, call, source):
                name_seeing(d, function, at, source, "")
            elif function.returns:
                d.name(function, ACT, "it gives a step its action")


def _choices_for(
    d: Decision, caller: Function, call: Call, elsewhere: bool
) -> tuple[list[Choice], list[Choice]]:
    """What gives a step its arguments, but not the state that goes round; and what of it acts."""
    result = next((one.targets for one in caller.assignments if one.direct is call), ())
    given = frozenset().union(frozenset(), *call.arguments) - frozenset(result)
    game = changed_by(d.program, caller, call)
    given = given - game if given > game else given  # what it changes is the game
    chosen = [(caller, inner) for inner in _choosing(d, caller, call)]
    chosen += d.flow.sources(caller, given, into_callers=elsewhere, use=call)
    chosen += choices_put_in(d.flow, caller, call)
    chosen = [one for one in chosen if elsewhere or in_same_loop(caller, call, *one)]
    chosen = [one for one in chosen if not _is_for_update(call, *one)]
    pairs = [(at, source, one) for at, source in chosen for one in d.program.resolve(at, source)]
    pairs = [before for pair in pairs for before in _before_converting(d, *pair)]
    acting = [pair for pair in pairs if _is_outside(d, pair[2]) and not pair[2].is_property]
    return pairs, [pair for pair in acting if not is_chosen_from(d, call, pair, acting)]


def _beside_the_agent(d: Decision, acting: list[Choice]) -> list[Function]:
    """What one call may mean beside the agent: `players[seat].pick(view)`, where a class is called a bot."""
    return [
        function
        for at, source, function in acting
        if means(function.owner, "opponent")
        and any(
            where is at and call is source and not means(one.owner, "opponent") and asks_network(d, one)
            for where, call, one in acting
        )
    ]


def _is_for_update(step: Call, at: Function, source: Call) -> bool:
    """Whether a value is made in a loop that learns, and does not play: names are used again there."""
    learning = {one.loops[-1] for one in at.calls if one.name == "backward" and one.loops}
    return bool(set(source.loops) & learning - set(step.loops))


def _is_given_as_it_is(caller: Function, call: Call, source: Call) -> bool:
    """Whether a step gets a result as it is, and not what the loop itself made of it."""
    if source in call.inner:  # not `play(agent.pick(game.see()))`, where something of a library chooses
        return f"{source.receiver}.{source.name}".strip(".") in call.made
    given = frozenset().union(frozenset(), *call.arguments)
    return any(one.direct is source and set(one.targets) & given for one in caller.assignments)


def _choosing(d: Decision, caller: Function, call: Call) -> list[Call]:
    """Of the calls inside a step's arguments those that choose: in `play(pick(see(game)))` not `see`."""
    inner = [one for one in call.inner if d.program.resolve(caller, one)]
    deeper = {one for outer in inner for one in outer.inner}
    return [
        one
        for one in inner
        if one not in deeper or any(chooses(d, f) for f in d.program.resolve(caller, one))
    ]


def chooses(d: Decision, function: Function) -> bool:
    """Whether a function is a choice by its name or asks a network, so that it cannot be what is seen."""
    return asks_network(d, function) or means(function.name, "choose")


def in_same_loop(caller: Function, call: Call, at: Function, source: Call) -> bool:
    """Whether a value is made in a loop around a call, not once before it."""
    return at is not caller or not call.loops or bool(set(call.loops) & set(source.loops))


def _before_converting(
    d: Decision, at: Function, source: Call, function: Function
) -> list[tuple[Function, Call, Function]]:
    """What made the choice that a short function only writes in another way: `card_of(choose(seen))`."""
    short = function.last - function.first < _LONGEST_CONVERTING and not function.loop_names
    decides = asks_network(d, function) or any(d.flow.chooses(function, call) for call in function.calls)
    rates = d.flow.is_chosen_by(at, source)
    own = d.calls_own(function) or function.kind in d.env_classes
    if short and not decides and not rates and not own:
        names = frozenset().union(frozenset(), *source.arguments)
        before = [(at, inner) for inner in source.inner] + d.flow.sources(at, names)
        found = [(where, call, one) for where, call in before for one in d.program.resolve(where, call)]
        choosing = [pair for pair in found if _is_outside(d, pair[2]) and _is_shown_something(d, *pair)]
        if choosing:
            return choosing
    return [(at, source, function)]


def _is_shown_something(d: Decision, at: Function, source: Call, function: Function) -> bool:
    """Whether a call is given what another function made of the state: then it is a choice."""
    names = frozenset().union(frozenset(), *source.arguments)
    sources = [(at, inner) for inner in source.inner] + d.flow.sources(at, names)
    shown = {one for where, call in sources for one in d.program.resolve(where, call)}
    return bool({one for one in shown if one not in d.stages and one not in d.stepping and one.parameters})


def _judging(d: Decision, where: Function, acting: Call, function: Function) -> None:
    """What is shown the same things as the choice, and gives no action: it estimates their value."""
    seen = frozenset().union(frozenset(), *acting.arguments)
    for call in where.calls:
        same = seen & frozenset().union(frozenset(), *call.arguments)
        for other in d.program.resolve(where, call):
            beside = other is not function and other.kind is function.kind and other.kind is not None
            alike = call.loops == acting.loops and same and len(call.arguments) == 1
            if beside and alike and other.returns and _has_two_purposes(d, other):
                d.name(other, BY_PURPOSE, "it is shown what the choice is shown, and an update calls it too")
            elif beside and alike and asks_network(d, function) and not asks_network(d, other):
                if other.returns and other in d.program.reached(function):
                    d.name(other, ENV_OBSERVE, "the choice is made by what it gives, and asks it itself")
            elif beside and alike and other.returns and other not in d.learning:
                d.name(other, ACT_VALUE, "it is shown what the choice is shown, and gives no action")


def _is_outside(d: Decision, function: Function) -> bool:
    """Not a part of the environment, and not what plays or learns."""
    return (
        function.kind not in d.env_classes
        and function not in d.stepping
        and not any(step.function is function for step in d.facades)
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
    return is_network(function.kind) or any(function in d.program.reached(one) for one in d.learning)
