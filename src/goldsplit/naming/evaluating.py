"""What plays now and then without learning from it: an evaluation."""

from __future__ import annotations

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.stage import EVAL, REPLAY_ADD
from goldsplit.model.usual_names import stage_of_function
from goldsplit.naming.decision import Decision, is_network, searches
from goldsplit.naming.judging.learned_from import is_test, keeps_inside
from goldsplit.naming.reading.code_facts import MODULE, Call, Function, Statement
from goldsplit.naming.reading.expressions import PUTTING
from goldsplit.naming.searching.contests import contests
from goldsplit.naming.vocabulary import means


def evaluate(d: Decision) -> None:
    """What plays without learning, now and then."""
    playing = [
        one
        for one in d.functions
        if (d.stepping | d.rules) & d.program.reached(one)
        and one not in d.stepping | d.rules
        and one not in d.inside_env
        and not d.learning & d.program.reached(one)
        and not searches(one)
    ]
    chosen = []
    for function in playing:
        sites = [*d.program.callers.get(function, []), *d.program.passed.get(function, [])]
        tests = [site for site in sites if is_test(d, function, site, sites)]
        if tests and len(tests) == len(sites):
            chosen.append((function, "it plays only now and then, and does not learn"))
        elif tests and not keeps_inside(d, function):
            d.lines += [_line_of_test(caller, call) for caller, call in tests]
        elif sites and all(_is_beside_a_library(d, function, *site) for site in sites):
            chosen.append((function, "a library trains, and its callback plays now and then"))
        elif not sites and any("Callback" in name for name in _foreign_bases(d, function)):
            chosen.append((function, "a library trains, and calls this back: it plays, and does not learn"))
    alone = "nothing of its games is kept, while another one plays to learn"
    chosen += [(function, alone) for function in contests(d, playing)]
    left = [one for one in playing if one not in {function for function, _ in chosen}]
    for function in left:
        named = stage_of_function(function.name) == EVAL or means(function.name, "evaluation")
        others = [one for one in left if one is not function and one not in d.program.reached(function)]
        apart = any(function not in d.program.reached(one) for one in others if one in d.loops)
        if named and (apart or any(loop.qualname == MODULE or loop not in playing for loop in d.loops)):
            chosen.append((function, "a word in its name; it plays and does not learn"))
    for function, reason in chosen:
        d.name(function, EVAL, reason)


def _line_of_test(caller: Function, call: Call) -> NamedFunction:
    """The line in which a test is played by what plays for the training elsewhere."""
    reason = "what plays for the training is called here, and nothing is learned from the result"
    return NamedFunction(
        caller.file, caller.qualname, call.line, call.line, EVAL, reason, True, own_counters=()
    )


def evaluating_lines(d: Decision) -> list[NamedFunction]:
    """The lines of a loop that plays and learns in which it plays now and then, and does not learn."""
    found = []
    for function in d.loops:
        for one in function.statements:
            called = {target for call in one.calls for target in d.program.resolve(function, call)}
            plays = [call for call in one.calls if d.stepping & set(d.program.resolve(function, call))]
            deeper = any(len(call.loops) > 1 and one.loop in call.loops[:-1] for call in plays)
            learns = d.learning & called or any(call.name == "backward" for call in one.calls)
            trains = any(
                where is function and not one.first <= call.line <= one.last
                for step in d.steps
                for where, call in step.sites
            )
            if one.now_and_then and deeper and trains and not learns and not _is_kept(d, one):
                reason = "it plays only now and then there, and does not learn"
                found.append(
                    NamedFunction(
                        function.file, function.qualname, one.first, one.last, EVAL, reason, own_counters=()
                    )
                )
    return found


def _is_kept(d: Decision, statement: Statement) -> bool:
    """Whether several things of it are put into a memory, to learn from them later."""
    stored = {one.name for one, (stage, _) in d.stages.items() if stage == REPLAY_ADD}
    put = [call for call in statement.calls if call.receiver and call.name in PUTTING | stored]
    return any(len(names) > 1 for call in put for names in (frozenset().union(frozenset(), *call.arguments),))


def _is_beside_a_library(d: Decision, function: Function, caller: Function, call: Call) -> bool:
    """Whether a library calls the caller (a method of a class derived from one of its own): the library
    plays and learns, and what is played there besides is a test."""
    bases = [] if d.program.callers.get(caller) else _foreign_bases(d, caller)
    named = means(function.name, "evaluation") or any("Callback" in name for name in bases)
    return bool(bases) and (call.now_and_then or named)


def _foreign_bases(d: Decision, function: Function) -> list[str]:
    """The names of what the class of a method is derived from, if that is neither a game nor a network."""
    kind = function.kind
    if kind is None or kind in d.env_classes or is_network(kind):
        return []
    return [name.rpartition(".")[2] for one in d.program.with_bases(kind) for name in one.bases]
