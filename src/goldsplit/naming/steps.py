"""Which functions are one step of the game? Decided by how they are called and what their result is used for.

The strongest evidence needs no names: the result ends the loop that plays (`while not over: … over = f(a)`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from goldsplit.model.named_code import NOT_SAID, WHOLE_RESULT
from goldsplit.model.stage import ENV_STEP
from goldsplit.model.usual_names import stage_of_function
from goldsplit.naming.calls import Program
from goldsplit.naming.code_facts import MODULE, Assignment, Call, Function
from goldsplit.naming.flow import Flow
from goldsplit.naming.vocabulary import means

LEAST_EVIDENCE = 4


@dataclass(slots=True)
class StepFunction:
    """A function that seems to be a step of the game."""

    function: Function
    evidence: int = 0
    reasons: list[str] = field(default_factory=list)
    ends_at: int | str | None = None
    sites: list[tuple[Function, Call]] = field(default_factory=list)
    """Where it is called in a loop that plays."""


def find_steps(program: Program, flow: Flow, learns: set[Function]) -> list[StepFunction]:
    """The functions that are steps, with most evidence first."""
    found = []
    for function in program.functions:
        if function.qualname == MODULE or function.name.startswith("__") or function in learns:
            continue
        if learns & program.reached(function):
            continue
        step = _judge(program, flow, function)
        if step.evidence >= LEAST_EVIDENCE:
            found.append(step)
    if any(step.ends_at != NOT_SAID and step.evidence > LEAST_EVIDENCE for step in found):
        found = [step for step in found if step.ends_at != NOT_SAID]  # a clock can end a loop as well
    chosen = [step for step in found if not _plays(program, step, found)]
    chosen = [step for step in chosen if not _is_part_of_one(program, step, chosen)]
    return sorted(chosen, key=lambda step: -step.evidence)


def _is_part_of_one(program: Program, step: StepFunction, others: list[StepFunction]) -> bool:
    """Whether a step of another name is made of it (a message that a step sends), or is handed to it."""
    if stage_of_function(step.function.name) == ENV_STEP:
        return False
    usual = {one.function for one in others if stage_of_function(one.function.name) == ENV_STEP}
    given = {one for at, call in step.sites for inner in call.inner for one in program.resolve(at, inner)}
    return bool(usual & given) or any(step.function in program.reached(one) for one in usual)


def _plays(program: Program, step: StepFunction, others: list[StepFunction]) -> bool:
    """Whether a function has a loop of its own around another step: it plays, it is no step."""
    for other in others:
        if other is step or other.evidence < 2:
            continue
        for caller, call in other.sites:
            inside = caller is step.function or caller in program.reached(step.function)
            if inside and call.loops and caller.owner != other.function.owner:
                return True
    return False


def _judge(program: Program, flow: Flow, function: Function) -> StepFunction:
    step = StepFunction(function)
    best = -9
    for caller, call in program.callers.get(function, ()):
        evidence, reasons, ends_at = _judge_site(flow, caller, call)
        if evidence > best:
            best, step.reasons = evidence, reasons
        if evidence >= 2:
            step.sites.append((caller, call))
            if step.ends_at is None:
                step.ends_at = ends_at
    step.evidence = max(best, 0)
    if stage_of_function(function.name) == ENV_STEP and (function.parameters or step.sites):
        step.evidence += 3
        step.reasons.append("its name")
        step.sites = step.sites or [site for site in program.callers.get(function, ()) if site[1].loops]
    elif means(function.name, "step"):
        step.evidence += 1
        step.reasons.append("a word in its name")
    if means(function.owner, "environment"):
        step.evidence += 1
    evidence, place = _judge_returns(function)
    step.evidence += evidence
    if evidence:
        step.reasons.append("it returns a reward or whether the game is over")
    if step.ends_at is None:
        step.ends_at = place
    if not function.parameters:
        step.evidence -= 3
    return step


def _judge_site(flow: Flow, caller: Function, call: Call) -> tuple[int, list[str], int | str | None]:
    """Evidence from one call, and where in the result it is said that the episode is over."""
    if caller.owner and call.receiver.partition(".")[0] == caller.self_name and "." not in call.receiver:
        return 0, [], None  # a helper of the same object
    assignment = next((one for one in caller.assignments if one.direct is call), None)
    evidence, ends_at = 0, None
    reasons: list[str] = []
    if assignment is not None:
        evidence, reasons, ends_at = _judge_result(caller, call, assignment)
    if not evidence and _is_asked(caller, call):
        evidence, reasons, ends_at = 2, ["the loop asks the same object whether the game is over"], NOT_SAID
    if not evidence:
        return 0, [], None
    evidence += 1 if call.loops else -2
    given = frozenset().union(frozenset(), *call.arguments)
    program = flow.program
    sources = [(caller, inner) for inner in call.inner] + flow.sources(caller, given)
    chosen = {one for at, source in sources for one in program.resolve(at, source)}
    own = {one.owner for one in program.resolve(caller, call)}
    if ends_at == NOT_SAID and not any(one.owner not in own for one in chosen):
        return 0, [], None  # the game's own values, not a choice
    if chosen:
        evidence += 1
        reasons.append("it is given what another function chose")
    return evidence, reasons, ends_at


def outcome_names(caller: Function, call: Call) -> frozenset[str]:
    """The names that hold what a call gave, also those that parts of it were given to."""
    direct = {target for one in caller.assignments if one.direct is call for target in one.targets if target}
    parts = {
        target
        for one in caller.assignments
        for target, value in zip(one.targets, one.elements or (one.value,), strict=False)
        if value.name.partition(".")[0] in direct and target
    }
    return frozenset(direct | parts)


def asked_parts(caller: Function, record: str) -> list[str]:
    """The parts of a record (`out.done`, `out["done"]`) that a condition asks for, by any name."""
    found = [name.rpartition(".")[2] for name in caller.ends if name.rpartition(".")[0] == record]
    for assignment in caller.assignments:
        values = assignment.elements or (assignment.value,)
        for target, value in zip(assignment.targets, values, strict=False):
            owner, _, part = value.name.rpartition(".")
            if owner == record and target in caller.ends:
                found.append(part)
    return found


def _is_asked(caller: Function, call: Call) -> bool:
    """Whether a loop around a call asks its object when to end: `while not game.over: game.play(move)`."""
    names = {name for loop in call.loops for name in caller.loop_names[loop]} | caller.ends
    asked = {one.receiver for loop in call.loops for one in caller.loop_calls[loop]}
    inside = any(name.startswith(call.receiver + ".") for name in names)
    return bool(call.receiver) and bool(call.arguments) and (inside or call.receiver in asked)


def _judge_result(
    caller: Function, call: Call, assignment: Assignment
) -> tuple[int, list[str], int | str | None]:
    evidence, ends_at = 0, None
    reasons: list[str] = []
    targets = assignment.targets
    asked = [place for place, target in enumerate(targets) if target in caller.ends]
    named = [place for place, target in enumerate(targets) if means(target, "done")]
    parts = asked_parts(caller, targets[0]) if not assignment.unpacked else []
    if parts:
        told = next((part for part in parts if means(part, "done")), parts[0])
        return 3, ["its result tells that the episode is over"], told
    if asked and (
        assignment.unpacked or means(targets[0], "done") or (call.loops and targets[0] in caller.leaves)
    ):
        evidence += 2
        reasons.append("its result tells that the episode is over")
    if named and assignment.unpacked:
        evidence += 2
    if assignment.unpacked and any(means(target, "reward") for target in targets):
        evidence += 1
        reasons.append("its result has a reward")
    places = [place for place in named if place in asked] or named or asked
    if places and (evidence or not assignment.unpacked):
        ends_at = places[0] if assignment.unpacked else WHOLE_RESULT
    given = frozenset().union(frozenset(), *call.arguments)
    deciding = (
        frozenset().union(*(caller.loop_names[loop] for loop in call.loops)) if call.loops else frozenset()
    )
    if not evidence and not assignment.unpacked and targets[0] in deciding and targets[0] in given:
        evidence += 2
        ends_at = NOT_SAID
        reasons.append("it makes the next state in a loop that ends with the state")
    return evidence, reasons, ends_at


def _judge_returns(function: Function) -> tuple[int, int | None]:
    """Evidence from what a function returns: several values, of them one that tells the end."""
    best, place = 0, None
    for elements in function.returns:
        if len(elements) < 2:
            continue
        ends = [i for i, value in enumerate(elements) if any(means(name, "done") for name in value.names)]
        rewards = any(means(name, "reward") for value in elements for name in value.names)
        evidence = 2 * bool(ends) + rewards
        if evidence > best:
            best, place = evidence, ends[0] if ends else place
    return min(best, 2), place
