"""What begins a game: a method beside the step, or making the game itself."""

from __future__ import annotations

from goldsplit.model.stage import ENV_RESET
from goldsplit.model.usual_names import stage_of_function
from goldsplit.naming.code_facts import Call, Function
from goldsplit.naming.decision import Decision
from goldsplit.naming.vocabulary import means


def resets(d: Decision) -> None:
    """Name the methods beside a step that begin a game."""
    for step in d.steps:
        inner_loops = {(caller, call.loops) for caller, call in step.sites}
        for function in d.methods_beside(step.function):
            sites = [site for site in d.program.callers.get(function, ()) if site[0] not in d.inside_env]
            plays = function in d.loops or bool(d.stepping & d.program.reached(function))
            plays |= any(caller in d.stepping for caller, _ in d.program.callers.get(function, ()))
            if not sites or plays or function in d.stepping:
                continue
            in_play = any(
                (caller, call.loops) in inner_loops and not call.conditional for caller, call in sites
            )
            asked = any(
                call in calls
                for caller, _ in sites
                for calls in caller.loop_calls.values()
                for _, call in sites
            )
            usual = stage_of_function(function.name) == ENV_RESET
            named = means(function.name, "reset") and not in_play
            if (usual or named) and not means(function.name, "observe"):
                d.name(function, ENV_RESET, "a word in its name; called where no episode runs")
            elif not in_play and not asked and _begins(d, function, sites):
                d.name(function, ENV_RESET, "called on the same object before the loop that plays")


def made_anew(d: Decision) -> None:
    """A game that is made for each episode: making it is the reset."""
    resets = {one.owner for one, (stage, _) in d.stages.items() if stage == ENV_RESET}
    for step in d.steps:
        kind = d.program.class_of(step.function)
        init = kind.methods.get("__init__") if kind is not None else None
        if kind is None or init is None or kind.name in resets:
            continue
        plays = {(caller, call.loops[:-1]) for caller, call in step.sites if call.loops}
        made = [
            call
            for caller, around in plays
            for call in caller.calls
            if d.program.is_class(caller, call) == kind.name
            and call.loops[: len(around)] == around
            and (around or any(one.loops for _, one in d.program.callers.get(caller, ())))
        ]
        if made:
            d.stages.setdefault(init, (ENV_RESET, "the game is made anew for each episode"))


def _begins(d: Decision, function: Function, sites: list[tuple[Function, Call]]) -> bool:
    """Whether a method without a word for it is a reset: a statement, or what gives the first
    observation."""
    if means(function.name, "done") or means(function.name, "output") or means(function.name, "render"):
        return False
    plays = [(caller, call) for caller, call in sites if caller in d.loops or _calls_loop(d, caller)]
    return (
        not function.parameters and bool(function.assignments) and any(_is_before(d, *one) for one in plays)
    )


def _is_before(d: Decision, caller: Function, call: Call) -> bool:
    """Whether a call comes before the steps of its function, or inside their loop."""
    steps = [one for step in d.steps for where, one in step.sites if where is caller]
    return not steps or any(call.order < one.order or call.loops[:1] == one.loops[:1] != () for one in steps)


def _calls_loop(d: Decision, function: Function) -> bool:
    return any(function in {caller for caller, _ in d.program.callers.get(loop, ())} for loop in d.loops)
