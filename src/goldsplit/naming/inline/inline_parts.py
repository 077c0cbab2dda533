"""A game and its learner written into one loop, without functions: which lines are which.

Around two anchors: a network that is asked without gradients acts, and a backward pass learns. What writes
the network's input observes; what reads its answer afterwards, and is more than a line, is the step.
"""

from __future__ import annotations

from dataclasses import replace

from goldsplit.model.named_code import BY_PURPOSE, NamedFunction
from goldsplit.model.stage import (
    ACT,
    ACT_SEARCH,
    ACT_VALUE,
    ENV_OBSERVE,
    ENV_OPPONENT,
    ENV_RESET,
    ENV_STEP,
)
from goldsplit.model.usual_names import stage_of_function
from goldsplit.naming.decision import Decision, is_network
from goldsplit.naming.forward import is_forward
from goldsplit.naming.inline.inline_learning import (
    has_inside,
    learns,
    lines_around_updates,
    part_of,
    parts_of_learning,
)
from goldsplit.naming.inline.inline_policy import parts_of_policy
from goldsplit.naming.inline.update_blocks import parts_of_blocks
from goldsplit.naming.judging.choices_sent import ANSWERS
from goldsplit.naming.reading.code_facts import MODULE, Call, Function, Statement
from goldsplit.naming.reading.expressions import PUTTING
from goldsplit.naming.vocabulary import means, words_in

#: What lines that make an action may call.
_ACTING = (ACT, ACT_SEARCH, ACT_VALUE, BY_PURPOSE)
#: In a worker the action comes with a message: its lines make none.
_TAKING = words_in("get recv recv_bytes")


def inline_parts(d: Decision) -> list[NamedFunction]:
    """The parts of loops that learn in their own lines; and of loops that play, where no function is a
    step."""
    found: list[NamedFunction] = []
    for function in d.program.functions:
        acting = [one for one in function.statements if not d.steps and _asks_network(d, function, one)]
        inner = [one for one in acting if not has_inside(one, acting)]
        answered = [one for one in inner if _steps_after(function, one) or _step_by_call(function, one)]
        for statement in answered or inner:  # an answer that no step uses is only learned from
            found += _parts_of_play(function, statement)
        if not d.steps and not d.backward and not acting:
            found += parts_of_policy(function)
        found += parts_of_learning(d, function)
        found += parts_of_blocks(d, function) if function not in d.learning else []
        if d.taught:
            found += lines_around_updates(d, function)
    for step in (*d.steps, *d.facades):
        for caller, call in step.sites if ANSWERS not in step.reasons else ():
            if caller not in d.stepping and caller not in d.inside_env and call.loops:
                found += _choosing_lines(d, caller, call)
    for caller, call in d.told:
        found += _choosing_lines(d, caller, call)
    return list(dict.fromkeys(found))


def _choosing_lines(d: Decision, caller: Function, call: Call) -> list[NamedFunction]:
    """The lines before a step, in its loops, that make its action without a function of the user's."""
    wanted = frozenset(name.partition(".")[0] for names in call.arguments for name in names)
    for made in caller.assignments:  # `[game.play(k) for game, k in zip(games, choices)]`
        if made.each and set(made.targets) & wanted:
            wanted |= {name.partition(".")[0] for name in made.value.names}
    before = [one for one in caller.statements if one.loop in call.loops and one.last < call.line]
    found = []
    for one in sorted(before, key=lambda one: -one.first):
        called = [function for inner in one.calls for function in d.program.resolve(caller, inner)]
        acting = _ACTING if one.last > one.first else ()  # a block: its other lines act too
        own = any(not is_network(function.kind) and d.stage_of(function) not in acting for function in called)
        if one.writes & wanted and not own and not learns(one):
            wanted |= one.reads
            if not _is_plain(one):
                found.append(part_of(caller, one, ACT, "it makes the action of a step"))
    taking = [one for one in before if any(call.name in _TAKING for call in one.calls)]
    return found if not any(one.writes & wanted for one in taking) else []


def _is_plain(statement: Statement) -> bool:
    """Whether a statement only gives names to values."""
    return not statement.calls and not statement.is_long


def _asks_network(d: Decision, function: Function, statement: Statement) -> bool:
    asked = [call for call in statement.calls if call.no_grad and is_forward(d, function, call)]
    return bool(asked) and not any(call.name == "backward" for call in statement.calls)


def _parts_of_play(function: Function, acting: Statement) -> list[NamedFunction]:
    """The statements beside the one that acts, in the same loop."""
    beside = [one for one in function.statements if one.loop == acting.loop and one is not acting]
    before = [one for one in beside if one.last < acting.first]
    shown = frozenset().union(frozenset(), *(names for call in acting.calls for names in call.arguments))
    seeing = [one for one in before if one.writes & shown]
    steps = _steps_after(function, acting)
    others = [one for step in steps for one in _other_sides(function, step)]
    counters = max((own_counters(function, acting, one) for one in steps), default=("", ""))
    changed = frozenset().union(frozenset(), *(one.writes for one in steps))
    beginning = [one for one in before if one.is_long and one not in seeing and one.writes & changed]
    beginning = [one for one in beginning if not _goes_deeper(function, one)]
    return [
        part_of(function, acting, ACT, "a network is asked there without gradients"),
        *(part_of(function, one, ENV_OBSERVE, "it makes what the network is shown") for one in seeing),
        *(
            replace(part_of(function, one, ENV_STEP, "it uses the network's answer"), own_counters=counters)
            for one in steps
        ),
        *(part_of(function, one, ENV_OPPONENT, "it goes through the other side") for one in others),
        *(part_of(function, one, ENV_RESET, "it sets what a step changes") for one in beginning),
    ]


def _goes_deeper(function: Function, statement: Statement) -> bool:
    """Whether a loop has another one directly in it, behind no condition: it works for each game in each
    turn, and begins none anew (`for game in games: while game.has_children: …`)."""
    within = (one for one in function.statements if one.loop == statement.first)
    return any(one.first in function.loop_names for one in within)


def _steps_after(function: Function, acting: Statement) -> list[Statement]:
    """The statements after one that acts, in its loop, that use its answer for more than a line."""
    after = [one for one in function.statements if one.loop == acting.loop and one.first > acting.last]
    answer = acting.writes
    for one in sorted(after, key=lambda one: one.first):  # `move = int(draw(odds))`, `dx, dy = WAYS[move]`
        if not one.is_long and not _puts(one) and not _calls_step(one) and one.reads & answer:
            answer |= one.writes
    using = [one for one in after if one.is_long and one.reads & answer]
    return [one for one in using if not learns(one) and not one.goes_backward]


def _step_by_call(function: Function, acting: Statement) -> bool:
    """Whether a library's step is given the answer in the same loop: `envs.step(action.numpy())`."""
    after = [one for one in function.statements if one.loop == acting.loop and one.first > acting.last]
    return any(_calls_step(one) and one.reads & acting.writes for one in after)


def _calls_step(statement: Statement) -> bool:
    return any(stage_of_function(call.name) == ENV_STEP and call.arguments for call in statement.calls)


def _puts(statement: Statement) -> bool:
    """Whether a statement only keeps something in a collection."""
    return any(call.name in PUTTING and call.receiver for call in statement.calls)


def _other_sides(function: Function, step: Statement) -> list[Statement]:
    """The loops inside a step that go through the other side's pieces."""
    inside = [one for one in function.statements if step.first < one.first and one.last <= step.last]
    return [one for one in inside if any(means(name, "opponent") for name in one.about)]


def own_counters(function: Function, acting: Statement, step: Statement) -> tuple[str, str]:
    """The names in which a script itself counts its steps and its episodes; "": it does not."""
    if function.qualname != MODULE:
        return "", ""  # only a module's own names can be read while it runs
    totals = [one for one in function.increments if one.name not in function.set_in_loops]
    inside = [one for one in totals if step.first <= one.line <= step.last]
    beside = [one for one in totals if one.loops[-1:] == (acting.loop,) and one not in inside]
    many = step.first in function.loop_names  # a loop over games: each pass through it is a step
    counted = [one for one in inside if not one.conditional and one.by_one]
    counted = [one for one in counted if not many or step.first in one.loops]
    counted += [one for one in beside if not one.conditional and one.by_one != many]
    ended = [one for one in (*inside, *beside) if one.conditional and one.asked and one.by_one]
    if not counted:
        return "", ""
    counted.sort(key=lambda one: not means(one.name, "step"))
    return counted[0].name, ended[0].name if ended else ""
