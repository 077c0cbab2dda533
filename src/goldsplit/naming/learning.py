"""What learns, what is learned from, and the memory between playing and learning."""

from __future__ import annotations

from goldsplit.model.stage import (
    ACT,
    ACT_SEARCH,
    ENV,
    ENV_REWARD,
    LEARN_LOSS,
    LEARN_RETURNS,
    REPLAY_ADD,
    REPLAY_SAMPLE,
    REPLAY_UPDATE,
)
from goldsplit.model.usual_names import stage_of_function
from goldsplit.naming.decision import Decision, talks
from goldsplit.naming.flow import choices_put_in
from goldsplit.naming.judging.choices_sent import sends_and_takes
from goldsplit.naming.judging.keeping import draws_kept, keeps_for
from goldsplit.naming.reading.code_facts import MODULE, Call, Function
from goldsplit.naming.rewarding import read_of_game, results
from goldsplit.naming.steps import outcome_names
from goldsplit.naming.vocabulary import means
from goldsplit.naming.weights import name_changing_weights


def learning(d: Decision, backward: set[Function]) -> set[Function]:
    """What learns: functions with a backward pass, and those around them up to the loop that plays."""
    found = {
        one
        for one in backward
        if not d.stepping & d.program.reached(one) and one not in d.loops and _is_update(d, one)
    }
    waiting = list(found)
    while waiting:
        for caller, _ in d.program.callers.get(waiting.pop(), ()):
            plays = caller in d.loops or d.stepping & d.program.reached(caller) or _asks_workers(d, caller)
            repeated = any(call.loops for _, call in d.program.callers.get(caller, ()))
            named = means(caller.name, "learn")
            if caller.qualname != MODULE and caller not in found and not plays and (repeated or named):
                found.add(caller)
                waiting.append(caller)
    return found


def _asks_workers(d: Decision, function: Function) -> bool:
    """Whether a function, or what it calls, sends messages and takes the answers of workers that step."""
    workers = [one for one in d.functions if sends_and_takes(one) and d.stepping & d.program.reached(one)]
    return bool(workers) and talks(d.program, function)


def _is_update(d: Decision, function: Function) -> bool:
    """Whether a function with a backward pass is one update, and not the whole training: it is called again
    and again, or nobody is seen to call it."""
    return d.program.is_repeated(function) or not d.program.callers.get(function)


def learn(d: Decision) -> None:
    for function, (stage, _) in list(d.stages.items()):
        if stage.startswith(ENV):
            d.inside_env |= d.program.reached(function) - d.stepping - set(d.loops)
        elif stage in (ACT, ACT_SEARCH):
            d.inside_acting |= d.program.reached(function)
    has_torch = bool(d.learning) or any(
        call.name == "backward" for one in d.program.functions for call in one.calls
    )
    outside = [one for one in d.functions if d.may_learn(one)]
    for function in outside:
        named = stage_of_function(function.name)
        if function.counts_backward and (
            named == LEARN_RETURNS or means(function.name, "returns") or not d.calls_own(function)
        ):
            d.name(function, LEARN_RETURNS, "it goes through an episode backward")
        elif named == LEARN_RETURNS:
            d.name(function, LEARN_RETURNS, "its name")
        elif (
            not has_torch
            and means(function.name, "learn")
            and (function.parameters or function.changes_attributes)
        ):
            d.name(function, LEARN_LOSS, "a word in its name; it does not play itself")
    if not has_torch:
        name_changing_weights(d)
        _name_generations(d)
        _name_learning_at_once(d)
    _name_replays(d)
    for function in d.program.functions:
        for call in function.calls:
            for target in d.program.resolve(function, call):
                if target in d.learning and function not in d.learning:
                    names = frozenset().union(frozenset(), *call.arguments)
                    for where, source in d.flow.sources(function, names):
                        _name_replay(d, where, source)
                    _name_told(d, function, call)
    for function, (stage, _) in list(d.stages.items()):
        for one in d.methods_beside(function) if stage == REPLAY_SAMPLE and function.owner else ():
            _name_keeping(d, one, function)
    _name_replays(d)  # what tells a memory something is known now that the memory is


def _name_replays(d: Decision) -> None:
    """What updates draw from memories, and tell them."""
    for function in d.learning:
        for call in function.calls:
            _name_replay(d, function, call)
    for function in d.backward - d.learning:  # the update stands in the lines of a loop
        loops = {call.loops[-1] for call in function.calls if call.name == "backward" and call.loops}
        for call in function.calls:
            if call.loops and call.loops[-1] in loops:
                _name_replay(d, function, call)


def _name_keeping(d: Decision, function: Function, drawing: Function) -> None:
    """A method that is called from outside, and keeps what `drawing` draws from, itself or by a helper."""
    asked = any(caller.kind is not function.kind for caller, _ in d.program.callers.get(function, ()))
    helpers = [one for one in d.program.reached(function) if one.kind is function.kind]
    if asked and d.may_learn(function) and any(keeps_for(one, drawing) for one in (function, *helpers)):
        d.name(function, REPLAY_ADD, "it keeps what an update's batch is drawn from")


def _is_told(d: Decision, function: Function) -> bool:
    """Whether a function is given rewards: then it learns from them, even beside another learner."""
    return function.changes_attributes and any(means(name, "reward") for name in function.parameters)


def _name_generations(d: Decision) -> None:
    """Without gradients: what makes the next population out of the last one, beside what plays."""
    for function in d.program.functions:
        for one in function.assignments:
            call = one.direct
            if call is None or not call.loops or one.unpacked:
                continue
            given = frozenset().union(frozenset(), *call.arguments)
            for target in d.program.resolve(function, call):
                if one.targets[0] in given and d.may_learn(target) and d.goes_on_without(target, function):
                    d.name(target, LEARN_LOSS, "it makes the next generation out of the last one")


def _name_learning_at_once(d: Decision) -> None:
    """Where nothing else learns, what is told each outcome and changes its own numbers does."""
    if any(stage == LEARN_LOSS for stage, _ in d.stages.values()):
        return
    for function, (stage, _) in list(d.stages.items()):
        if stage == REPLAY_ADD and function.changes_attributes:
            d.stages[function] = (LEARN_LOSS, "it is told each outcome, and nothing else learns")


def _name_told(d: Decision, function: Function, update: Call) -> None:
    """A memory that is told what an update gave: its priorities."""
    given = {target for one in function.assignments if one.direct is update for target in one.targets}
    for call in function.calls:
        if given & frozenset().union(frozenset(), *call.arguments):
            for target in d.program.resolve(function, call):
                if d.stores(target) and d.may_learn(target):
                    d.name(target, REPLAY_UPDATE, "it is told what an update gave")


def _name_replay(d: Decision, where: Function, call: Call) -> None:
    """What gives an update its batch draws it from a memory; what it tells the memory after it updates
    that."""
    for function in d.program.resolve(where, call):
        stored = d.stores(function) or draws_kept(function, d.methods_beside(function))
        used = any(one.direct is call or call in one.value.calls for one in where.assignments)
        if not d.may_learn(function):
            continue
        if (stored or means(function.name, "sample")) and (used or function.returns):
            d.name(function, REPLAY_SAMPLE, "it gives an update its batch")
        elif stored and function.parameters:
            d.name(function, REPLAY_UPDATE, "an update tells the memory something by it")


def store(d: Decision) -> None:
    """What is told the action and its outcome stores it, or learns from it at once."""
    for step in (*d.steps, *d.facades):
        for caller, call in step.sites:
            outcome = outcome_names(caller, call) or read_of_game(caller, call)
            if not outcome or caller in d.stepping or caller in d.inside_env:
                continue
            given = frozenset().union(frozenset(), *call.arguments)
            action = given - outcome
            action |= {
                name for one in choices_put_in(d.flow, caller, call) for name in results(caller, one[1])
            }
            for other in caller.calls:
                told = frozenset().union(frozenset(), *other.arguments)
                told |= {name.partition(".")[0] for name in told} & outcome  # `answer.over`
                knows = (told & action and told & outcome) or len(told & outcome) >= 2
                news = told & outcome - given  # the state that goes round is known before the move, too
                if other is not call and knows:
                    for function in d.program.resolve(caller, other):
                        if news or not function.returns:
                            _name_storing(d, function)


def _name_storing(d: Decision, function: Function) -> None:
    if function in d.stages or function in d.learning or function in d.loops:
        return
    if function.kind in d.env_classes:
        return
    if means(function.name, "reward") and function.returns:
        d.name(function, ENV_REWARD, "a word in its name; it is told what a step gave")
    elif means(function.name, "learn") and (function.changes_attributes or not d.backward):
        d.name(function, LEARN_LOSS, "it is told each outcome, and changes its own weights")
    elif not d.learning & d.program.reached(function) and not means(function.name, "output"):
        d.name(function, REPLAY_ADD, "it is told the action and its outcome")
