"""What plays now and then without learning from it: an evaluation."""

from __future__ import annotations

from goldsplit.model.stage import EVAL
from goldsplit.model.usual_names import stage_of_function
from goldsplit.naming.code_facts import MODULE
from goldsplit.naming.decision import Decision, searches
from goldsplit.naming.vocabulary import means


def evaluate(d: Decision) -> None:
    """What plays without learning, now and then."""
    playing = [
        one
        for one in d.functions
        if d.stepping & d.program.reached(one)
        and one not in d.stepping
        and one not in d.inside_env
        and not d.learning & d.program.reached(one)
        and not searches(one)
    ]
    chosen = []
    for function in playing:
        sites = d.program.callers.get(function, [])
        if sites and all(call.now_and_then and d.goes_on_without(function, caller) for caller, call in sites):
            chosen.append((function, "it plays only now and then, and does not learn"))
    left = [one for one in playing if one not in {function for function, _ in chosen}]
    for function in left:
        named = stage_of_function(function.name) == EVAL or means(function.name, "evaluation")
        others = [one for one in left if one is not function and one not in d.program.reached(function)]
        apart = any(function not in d.program.reached(one) for one in others if one in d.loops)
        if named and (apart or any(loop.qualname == MODULE or loop not in playing for loop in d.loops)):
            chosen.append((function, "a word in its name; it plays and does not learn"))
    for function, reason in chosen:
        d.name(function, EVAL, reason)
