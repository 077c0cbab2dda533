"""What begins a game: a method beside the step, or making the game itself."""

from __future__ import annotations

import re

from goldsplit.model.named_code import NOT_SAID, WHOLE_RESULT
from goldsplit.model.stage import ENV_OPPONENT, ENV_RESET, ENV_STEP, EVAL
from goldsplit.model.usual_names import stage_of_function
from goldsplit.naming.decision import Decision
from goldsplit.naming.judging.asked_ends import beginnings
from goldsplit.naming.judging.before_loops import is_before
from goldsplit.naming.judging.choices_sent import ANSWERS, takers_of
from goldsplit.naming.judging.generators import games_of
from goldsplit.naming.judging.rounds import around_game, in_play, only_asks, turn_loops, written_by
from goldsplit.naming.reading.code_facts import Call, Class, Function
from goldsplit.naming.steps import StepFunction, outcome_names
from goldsplit.naming.vocabulary import goes_on, means

#: A value is followed through at most this many assignments.
_FARTHEST = 3


def resets(d: Decision) -> None:
    """Name the methods beside a step that begin a game."""
    for step in d.steps:
        ended = {name for caller, call in step.sites for name in outcome_names(caller, call)}
        for function in d.methods_beside(step.function):
            sites = [site for site in d.program.callers.get(function, ()) if site[0] not in d.inside_env]
            plays = function in d.loops or bool(d.stepping & d.program.reached(function))
            inside = [call for caller, call in d.program.callers.get(function, ()) if caller in d.stepping]
            again = means(function.name, "reset") and all(
                _is_when_over(step.function, call, ended | _told_by(step)) for call in inside
            )
            plays |= bool(inside) and not again  # a step may begin the next game itself
            if not sites or plays or function in d.stepping:
                continue
            playing = any(
                any(in_play(d, one, caller, call) for one in d.steps) and not _is_at_the_end(call, ended)
                for caller, call in sites
            )
            asked = any(
                call in calls
                for caller, _ in sites
                for calls in caller.loop_calls.values()
                for _, call in sites
            )
            usual = stage_of_function(function.name) == ENV_RESET
            apart = [site for site in sites if not _is_in_another_branch(step, *site)]
            named = means(function.name, "reset") and (
                not playing
                or not any(in_play(d, step, *site) and not _is_at_the_end(site[1], ended) for site in apart)
            )
            if (usual or named) and not means(function.name, "observe"):
                d.name(function, ENV_RESET, "a word in its name; called where no episode runs")
            elif not playing and not asked and _begins(d, step, function, sites):
                d.name(function, ENV_RESET, "called on the same object before the loop that plays")
        for function in d.methods_beside(step.function):
            if (
                function in _beginning_anew(d, step)
                and not only_asks(d, function)
                and not means(function.name, "opponent")
            ):
                d.name(function, ENV_RESET, "the loop tells the game so where that says that it is over")
            if _begins_each(d, step, function, ended | _told_by(step)):
                d.name(function, ENV_RESET, "what begins all games calls it, and a step where one is over")


def _beginning_anew(d: Decision, step: StepFunction) -> set[Function]:
    """What loops tell a step's game where that says that it is over."""
    return {
        function
        for caller, call in step.sites
        for one, _ in beginnings(caller, call)
        for function in d.program.resolve(caller, one)
    }


def ended_later(d: Decision, step: StepFunction) -> bool:
    """Whether the rest of a turn may end the game as well (`game.play(move); game.foes(); if game.over:
    game.deal()`), so that games are better counted by what begins the next one. Where nothing does only that,
    their ends are not known."""
    asked = {one.removeprefix("not ").removeprefix("self.") for one in step.asked.split(" or ")}
    begins = {one for caller, call in step.sites for one, _ in beginnings(caller, call)}
    later = any(
        asked & written_by(d, function)
        for caller, call in step.sites
        for other in caller.calls
        if other.receiver == call.receiver and other.order > call.order and other not in begins
        for function in d.program.resolve(caller, other)
    )
    if not step.asked or not begins or not later:
        return False
    if any(begun_when_over(d, one) for one in _beginning_anew(d, step)):
        return True
    step.asked = ""
    return False


def _begins_each(d: Decision, step: StepFunction, function: Function, over: set[str]) -> bool:
    """Whether a method begins one of many games: what begins all of them calls it, and the step does only
    where one is over."""
    sites = d.program.callers.get(function, ())
    inside = [call for caller, call in sites if caller is step.function]
    begins = any(d.stage_of(caller) == ENV_RESET and caller.kind is function.kind for caller, _ in sites)
    alone = all(caller is step.function or d.stage_of(caller) == ENV_RESET for caller, _ in sites)
    ended = all(_is_for_those_over(step.function, call, over) for call in inside)
    return bool(inside) and begins and alone and ended and bool(function.assignments)


def made_anew(d: Decision) -> None:
    """A game that is made for each episode: making it is the reset."""
    resets = {one.kind for one, (stage, _) in d.stages.items() if stage == ENV_RESET}
    for step in d.steps:
        kinds = sorted(d.games_of(step), key=lambda one: (one.file, one.name))
        for kind in kinds:
            init = kind.methods.get("__init__")
            if init is not None and kind not in resets and _is_made_for_episodes(d, step, kind):
                d.stages.setdefault(init, (ENV_RESET, "the game is made anew for each episode"))


def _is_made_for_episodes(d: Decision, step: StepFunction, kind: Class) -> bool:
    if any(d.program.is_class(step.function, call) is kind for call in step.function.calls):
        return False  # each step makes one: most of them begin nothing
    plays = {
        (caller, around)
        for caller, call in step.sites
        if call.loops and ((around := around_game(d, caller, call)) or turn_loops(caller, call) == call.loops)
    }  # many games beside each other in a process's only loop are made once
    if ANSWERS in step.reasons:  # another message may begin the game, which another function takes
        heads = takers_of(d.program, step.function)
        inside = {one for head in heads for one in (head, *d.program.reached(head))}
        plays |= {(one, ()) for one in inside - d.program.reached(step.function)}
    return any(
        d.program.is_class(caller, call) is kind
        and call.loops[: len(around)] == around
        and (bool(around) or d.program.is_repeated(caller) or (ANSWERS in step.reasons and call.loops))
        for caller, around in plays
        for call in caller.calls
    )


def first_answers(d: Decision) -> None:
    """Name what gives, before the loop of a game, what its step gives there: it begins the game."""
    for step in d.steps:
        for caller, call in step.sites:
            before = [one for one in caller.calls if is_before(caller, one, caller, call) and not one.sent]
            for function in {one: None for other in before for one in d.program.resolve(caller, other)}:
                games = games_of(d.program, function) & games_of(d.program, step.function)
                begun = any(d.stage_of(kind.methods.get("__init__", function)) == ENV_RESET for kind in games)
                if games:  # where making the game is the reset, it is the game's first part
                    stage = ENV_STEP if begun else ENV_RESET
                    d.name(function, stage, "it gives what the loop of a game begins with")


def begins_counted(d: Decision, step: StepFunction) -> bool:
    """Whether games are better counted by their beginnings: the loop of one game can end in other ways than
    by what the step tells (`while not crashed and car.t < 500`), and just before it the game begins."""
    sites = [site for site in step.sites if site[1].loops and not site[1].now_and_then]
    return bool(sites) and all(
        (call in d.rounds or (call.loops[-1] in caller.other_ends and turn_loops(caller, call) == call.loops))
        and _begins_before(d, step, caller, call)
        for caller, call in sites
    )


def begun_when_over(d: Decision, function: Function) -> bool:
    """Whether what begins a game does so once, and then only in the loop of the turns, where the last game is
    over (`if over: world.new_game()`): from then on each call tells of a game that has ended."""
    if d.stage_of(function) != ENV_RESET:
        return False
    turns = [site for step in d.steps for site in step.sites if site[1].loops]
    ended = {name for caller, call in turns for name in outcome_names(caller, call)}
    sites = [site for site in _sites_of(d, function) if d.stage_of(site[0]) != EVAL]
    again = [
        (caller, call)
        for caller, call in sites
        if any(caller is at and call.loops == one.loops for at, one in turns) and _is_at_the_end(call, ended)
    ]
    first = [site for site in sites if site not in again]
    first = [site for site in first if not any(_is_in_another_branch(step, *site) for step in d.steps)]
    return bool(again) and not any(
        _is_begun_often(d, caller)
        or any(caller is at and call.loops[:1] == one.loops[:1] for at, one in turns)
        for caller, call in first
    )


def _is_begun_often(d: Decision, caller: Function) -> bool:
    """Whether a function runs more than once in a process: what a process is started with does not."""
    handed = d.program.passed.get(caller, [])
    started = handed and all(call.name == "Process" for _, call in handed)
    return not (started and not d.program.callers.get(caller)) and d.program.is_repeated(caller)


def _sites_of(d: Decision, function: Function) -> list[tuple[Function, Call]]:
    """Where a function is called; where its object is made, if that calls it."""
    found = []
    for caller, call in d.program.callers.get(function, ()):
        if caller.name == "__init__" and caller.kind is function.kind:
            found += [
                (maker, one)
                for maker in d.program.functions
                for one in maker.calls
                if d.program.is_class(maker, one) is function.kind
            ]
        else:
            found.append((caller, call))
    return found


def ended_by_others(d: Decision, step: StepFunction) -> bool:
    """Whether the other side makes its moves by the same step, in a turn of its own that the loop calls: its
    moves are not counted, and one of them may have ended the game."""
    return any(
        stage == ENV_OPPONENT
        and not one.returns
        and one not in d.inside_env
        and step.function in d.program.reached(one)
        for one, (stage, _) in d.stages.items()
    )


def _begins_before(d: Decision, step: StepFunction, caller: Function, call: Call) -> bool:
    around = around_game(d, caller, call)
    for other in caller.calls:
        made = d.program.is_class(caller, other)
        init = made.methods.get("__init__") if made is not None else None
        begun = [*d.program.resolve(caller, other), *([init] if init is not None else [])]
        begun += d.program.reached(init) if init is not None else ()  # it may begin the game by a method
        resets = any(d.stage_of(one) == ENV_RESET for one in begun)
        if resets and other.order < call.order and other.loops == around and not other.conditional:
            return bool(around) or d.program.is_repeated(caller)
    return False


def _is_at_the_end(call: Call, ended: set[str]) -> bool:
    """Whether a call stands behind the question whether the game is over, with yes as the answer. `ended`:
    names that a step gives."""
    denied = {name.removeprefix("not ") for name in call.behind if name.startswith("not ")}
    return (
        any(map(goes_on, denied))
        or any(not name.startswith("not ") for name in call.behind)
        or bool({name for name in denied - ended if not means(name, "done")})
    )


def _told_by(step: StepFunction) -> set[str]:
    """What tells that the game is over in a step's own code: of its result, or what the loop asks for."""
    returned = {
        name
        for elements in step.function.returns
        for place, value in enumerate(elements)
        if step.ends_at in (place, WHOLE_RESULT)
        for name in value.names
    }
    return returned | set(re.findall(r"self\.\w+", step.asked))


def _is_when_over(step: Function, call: Call, over: set[str]) -> bool:
    """Whether a step makes a call only where its game is over, or for each that is (`for i in done.nonzero():
    self.deal(i)`); not where something else holds, as in `if self.stock: self.deal()`: a game may have many
    deals."""
    return _is_for_those_over(step, call, over) or any(
        goes_on(name.removeprefix("not ")) for name in call.behind
    )


def _is_for_those_over(step: Function, call: Call, over: set[str]) -> bool:
    """Whether a call stands behind the question whether a game is over, or is made for each that is."""
    behind = {name.removeprefix("not ") for name in call.behind}
    if any(name.removeprefix("not ") in over for name in call.behind if name.startswith("not ")):
        return False
    loops = [one for one in step.assignments if one.each and one.order < call.order]
    own = max((one for one in loops if one.loops == call.loops[:-1]), key=lambda one: one.order, default=None)
    given = set(own.value.names) if own is not None and set(own.targets) & _used(call) else set()
    asked = behind | _made_of(step, call, given | _used(call))
    ended = any(name in over or means(name.rpartition(".")[2], "done") for name in asked)
    return ended or any(
        name.startswith("not ") and goes_on(name.removeprefix("not ")) for name in call.behind
    )


def _used(call: Call) -> set[str]:
    return set().union(*call.arguments)


def _made_of(step: Function, call: Call, names: set[str]) -> set[str]:
    """These names, and those that their values before a call were made of."""
    found = set(names)
    for _ in range(_FARTHEST):
        found |= {
            name
            for one in step.assignments
            if one.order < call.order
            and set(one.targets) & found
            and not any("." in part for part in one.targets)
            for name in one.value.names
        }
    return found


def _is_in_another_branch(step: StepFunction, caller: Function, call: Call) -> bool:
    """Whether a call stands in another branch than each call of a step: `if order == "begin": …` and `elif
    order == "move": …` in a worker's loop over messages."""
    steps = [one for where, one in step.sites if where is caller]
    return bool(steps) and all(
        any(
            place == other and branch != taken for place, branch in call.blocks for other, taken in one.blocks
        )
        for one in steps
    )


def _begins(d: Decision, step: StepFunction, function: Function, sites: list[tuple[Function, Call]]) -> bool:
    """Whether a method without a word for it is a reset: a statement, or what gives the first
    observation."""
    if any(means(function.name, word) for word in ("done", "opponent", "output", "render")):
        return False
    told = {name for caller, call in step.sites for name in outcome_names(caller, call)}
    if step.asked and step.ends_at == NOT_SAID and any(call.behind & told for _, call in sites):
        return False  # the step's result tells something else than the game's end
    plays = [(caller, call) for caller, call in sites if caller in d.loops or _calls_loop(d, caller)]
    if function.kind is not None and only_asks(d, function):  # a plain function may make the first state
        return False
    wraps = any(call.name == function.name and call.receiver for call in function.calls)
    begins = not function.parameters and (bool(function.assignments) or wraps)
    return begins and any(_is_before(d, *one) for one in plays)


def _is_before(d: Decision, caller: Function, call: Call) -> bool:
    """Whether a call comes before the steps of its function, or inside their loop."""
    steps = [one for step in d.steps for where, one in step.sites if where is caller]
    return not steps or any(call.order < one.order or call.loops[:1] == one.loops[:1] != () for one in steps)


def _calls_loop(d: Decision, function: Function) -> bool:
    return any(function in {caller for caller, _ in d.program.callers.get(loop, ())} for loop in d.loops)
