"""Which functions are one step of the game? Decided by how they are called and what their result is used for.

The strongest evidence needs no names: the result ends the loop that plays (`while not over: … over = f(a)`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from goldsplit.model.named_code import NOT_SAID, WHOLE_RESULT, denied
from goldsplit.model.stage import ENV_STEP
from goldsplit.model.usual_names import stage_of_function
from goldsplit.naming.calls import Program
from goldsplit.naming.flow import Flow, choices_put_in, telling
from goldsplit.naming.judging.asked_ends import (
    asked_apart,
    begun_when,
    changed_by,
    ends_together,
    is_asked,
    is_gone_through,
    over_as_asked,
    taken_apart,
    taken_each,
)
from goldsplit.naming.judging.before_loops import begins_only
from goldsplit.naming.judging.choices_sent import asks, is_brought
from goldsplit.naming.judging.collecting import collects
from goldsplit.naming.judging.hubs import FOR_EACH, end_for_each
from goldsplit.naming.judging.inner_games import without_inner
from goldsplit.naming.judging.library_games import without_inside
from goldsplit.naming.judging.records import asked_parts, end_in_record
from goldsplit.naming.judging.returned import judge_returns
from goldsplit.naming.judging.same_choice import given_the_same_choice
from goldsplit.naming.reading.code_facts import MODULE, Assignment, Call, Function
from goldsplit.naming.searching.next_states import chosen_apart, goes_round
from goldsplit.naming.searching.players import plays
from goldsplit.naming.vocabulary import means

LEAST_EVIDENCE = 4
ASKED = "the loop asks the same object whether the game is over"
CHOSEN = "it is given what another function chose"
DRAWN = "it is given what was drawn, or was the best"
BROUGHT = "it is given what a message brought"
PUT_IN = "a choice is put into the game before it"


@dataclass(slots=True)
class StepFunction:
    """A function that seems to be a step of the game."""

    function: Function
    evidence: int = 0
    reasons: list[str] = field(default_factory=list)
    ends_at: int | str | None = None
    sites: list[tuple[Function, Call]] = field(default_factory=list)
    """Where it is called in a loop that plays."""
    chosen_in: set[Function] = field(default_factory=set)
    """The callers that choose an action for it themselves."""
    asked: str = ""
    """Where its loop asks the game itself whether it is over: what holds then (`self.loser is not None`)."""
    in_rounds: bool = False
    """Its result ends only a part of a game."""
    is_hub: bool = False
    """It steps each of several games by another step: that one is counted."""
    told_by: set[Function] = field(default_factory=set)
    """By what the choice is put into the game before it: those are no steps."""


def judge_all(program: Program, flow: Flow, learns: set[Function]) -> list[StepFunction]:
    """All functions that do not learn or collect, each with the evidence for its being a step."""
    judged = []
    for function in program.functions:
        if function.qualname == MODULE or function.name.startswith("__") or function in learns:
            continue
        if collects(function):
            continue
        if learns & program.reached(function):
            continue
        judged.append(_judge(program, flow, function))
    return judged


def find_steps(program: Program, flow: Flow, judged: list[StepFunction]) -> list[StepFunction]:
    """Of these the functions that are steps, with most evidence first."""
    found = [step for step in judged if step.evidence >= _least(step)] or _by_usual_name(judged)
    found = without_inner(program, flow, without_inside(program, found))
    hubs = {caller for step in found if FOR_EACH in step.reasons for caller, _ in step.sites}
    for step in found:
        step.is_hub = step.function in hubs
    found = [
        step for step in found if DRAWN in step.reasons or step.chosen_in or not plays(program, step, found)
    ]
    if any(step.ends_at != NOT_SAID and step.evidence > LEAST_EVIDENCE for step in found):
        # A clock can end a loop as well; not where the game itself is asked (`while not game.over`).
        found = [step for step in found if step.ends_at != NOT_SAID or step.asked]
    by_others = {one for step in found for one in step.told_by}
    found = [step for step in found if step.function not in by_others]
    found = [step for step in found if not begins_only(step, found)]
    found = [step for step in found if not _draws(program, step, found)]
    chosen = [step for step in found if not plays(program, step, found)]
    chosen = [step for step in chosen if not _is_part_of_one(program, step, chosen)]
    for step in chosen:
        step.sites += given_the_same_choice(program, flow, step)
        step.asked = step.asked or next(filter(None, (over_as_asked(*one) for one in step.sites)), "")
    return sorted(chosen, key=lambda step: -step.evidence)


def _least(step: StepFunction) -> int:
    """What evidence a step needs: more where nothing tells when a game is over."""
    told = step.ends_at is not None or step.asked or means(step.function.name, "step")
    return LEAST_EVIDENCE if told else LEAST_EVIDENCE + 1


def _by_usual_name(judged: list[StepFunction]) -> list[StepFunction]:
    """Where the structure shows no step at all: what everybody calls so, and is called in a loop; or else the
    only one with a word for it that is given a choice there."""
    usual = [one for one in judged if stage_of_function(one.function.name) == ENV_STEP and one.sites]
    given = [one for one in judged if one.chosen_in and one.sites and means(one.function.name, "step")]
    return usual or (given if len(given) == 1 else [])


def _draws(program: Program, step: StepFunction, others: list[StepFunction]) -> bool:
    """Whether a function draws what was played before, rewards and ends too: it is given the same each time,
    while another step is given a choice; or its class is told what another step gave."""
    if stage_of_function(step.function.name) == ENV_STEP or step.chosen_in:
        return False
    same = bool(step.sites) and not any(_varies(caller, call) for caller, call in step.sites)
    return any((same and one.chosen_in) or _is_told(program, step, one) for one in others if one is not step)


def _varies(caller: Function, call: Call) -> bool:
    """Whether a call is given something that its loop sets."""
    given = {name.partition(".")[0] for names in call.arguments for name in names}
    bound = {target for one in caller.assignments if one.each for target in one.targets}
    return bool(call.inner) or bool(given & (caller.set_in_loops | bound))


def _is_told(program: Program, step: StepFunction, other: StepFunction) -> bool:
    """Whether a method of the class of `step` is given the outcome of another step."""
    kind = step.function.kind
    if kind is None or kind is other.function.kind:
        return False
    for caller, call in other.sites:
        outcome = outcome_names(caller, call)
        for told in caller.calls:
            given = frozenset().union(frozenset(), *told.arguments)
            if len(given & outcome) >= 2 and any(one.kind is kind for one in program.resolve(caller, told)):
                return True
    return False


def _is_part_of_one(program: Program, step: StepFunction, others: list[StepFunction]) -> bool:
    """Whether a step of another name is made of it (a message that a step sends), or is handed to it."""
    if stage_of_function(step.function.name) == ENV_STEP or FOR_EACH in step.reasons:
        return False
    usual = {one.function for one in others if stage_of_function(one.function.name) == ENV_STEP}
    given = {one for at, call in step.sites for inner in call.inner for one in program.resolve(at, inner)}
    return bool(usual & given) or any(step.function in program.reached(one) for one in usual)


def _judge(program: Program, flow: Flow, function: Function) -> StepFunction:
    step = StepFunction(function)
    best = -9
    for caller, call in program.callers.get(function, ()):
        evidence, reasons, ends_at = _judge_site(flow, caller, call)
        if CHOSEN in reasons:
            step.chosen_in.add(caller)
        if evidence > best:
            best, step.reasons = evidence, reasons
        if evidence >= 2:
            for asked in (over_as_asked, begun_when, asked_apart):
                step.asked = step.asked or asked(caller, call)
            if PUT_IN in reasons:
                step.told_by |= telling(flow, caller, call)
            step.sites.append((caller, call))
            if step.ends_at is None:
                step.ends_at = ends_at
    if function.flags & {value.name for elements in function.returns for value in elements}:
        best = 0  # a list of yes and no: it tells what is allowed
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
    evidence, place = judge_returns(function)
    step.evidence += evidence
    if evidence:
        step.reasons.append("it returns a reward or whether the game is over")
    if step.ends_at is None:
        step.ends_at = place
    if function in program.passed and function.returns:
        step.evidence += 1
        step.reasons.append("a pool or another process runs it")
    is_sent = any(call.sent for _, call in step.sites)  # a generator gets its choices without parameters
    if not function.parameters and PUT_IN not in step.reasons and not is_sent:
        step.evidence -= 3
    return step


def _judge_site(flow: Flow, caller: Function, call: Call) -> tuple[int, list[str], int | str | None]:
    """Evidence from one call, and where in the result it is said that the episode is over."""
    own = caller.owner and call.receiver.partition(".")[0] == caller.self_name and "." not in call.receiver
    if own and not any(asks(one) for one in flow.program.resolve(caller, call)):
        return 0, [], None  # a helper of the same object, which sends no choice to where the game is
    assignment = next((one for one in caller.assignments if one.direct is call), None)
    evidence, ends_at = 0, None
    reasons: list[str] = []
    if assignment is not None:
        evidence, reasons, ends_at = _judge_result(caller, call, assignment)
    put_in = choices_put_in(flow, caller, call) if assignment is None or evidence else []
    if not evidence and (call.arguments or put_in) and is_asked(flow, caller, call):
        evidence, reasons, ends_at = 2, [ASKED], NOT_SAID
    if not evidence and begun_when(caller, call):
        evidence, reasons, ends_at = 2, [ASKED], NOT_SAID
    given_game = changed_by(flow.program, caller, call) if not evidence else set()
    if given_game and is_asked(flow, caller, call, given_game):
        evidence, reasons, ends_at = 2, [ASKED], NOT_SAID
    if not evidence and put_in and caller.is_loop:
        evidence, reasons, ends_at = 2, ["its object is told a choice, and then to go on"], NOT_SAID
    if not evidence:
        return 0, [], None
    if put_in:
        return evidence + 2, [*reasons, CHOSEN, PUT_IN], ends_at
    evidence += 1 if call.loops or caller in flow.program.passed else -2
    given = frozenset().union(frozenset(), *call.arguments)
    program = flow.program
    results = frozenset(assignment.targets if assignment is not None else ())
    sources = [(caller, inner) for inner in call.inner] + flow.sources(caller, given - results)
    chosen = {one for at, source in sources for one in program.resolve(at, source)}
    chosen -= set(program.resolve(caller, call))  # what it gave before is the state that goes round
    chosen = {one for one in chosen if not one.is_property}  # a value of an object, nothing decides there
    drawn = flow.is_drawn(caller, given) or any(flow.chooses(caller, one) for one in call.inner)
    apart = bool(own and chosen)
    brought = not chosen and is_brought(caller, given)
    if ends_at == NOT_SAID and not (
        drawn or apart or brought or chosen_apart(flow, caller, call, assignment)
    ):
        return 0, [], None  # the game's own values, not a choice
    if given_game and reasons == [ASKED] and not chosen:
        return 0, [], None  # it may change anything of the game, by what was drawn
    if ends_at is not None and _begins_anew(caller, call, assignment):
        evidence += 1
        reasons.append("its object is begun anew where the result says so")
    if chosen or drawn or brought:
        evidence += 1
        reasons.append(CHOSEN if chosen else DRAWN if drawn else BROUGHT)
    return evidence, reasons, ends_at


def _begins_anew(caller: Function, call: Call, assignment: Assignment | None) -> bool:
    """Whether the object of a call is told something, without arguments, only where the result says so:
    `reward, over = game.play(move)`, `if over: game.deal()`."""
    told = set(assignment.targets) if assignment is not None else set()
    later = [one for one in caller.calls if one is not call and one.order > call.order]
    return bool(begun_when(caller, call)) or any(
        one.receiver == call.receiver != "" and not one.arguments and one.behind & told for one in later
    )


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


def _judge_result(
    caller: Function, call: Call, assignment: Assignment
) -> tuple[int, list[str], int | str | None]:
    evidence, ends_at = 0, None
    reasons: list[str] = []
    targets = assignment.targets
    if not assignment.unpacked and (apart := taken_apart(caller, targets[0])) is not None:
        assignment = apart  # of a list of results: what each of them has
        targets = apart.targets
    of_each = end_for_each(caller, call, assignment) if assignment.unpacked else None
    if of_each is not None:
        return 3, [FOR_EACH], of_each
    inside = [(place, part) for place, target in enumerate(targets) for part in asked_parts(caller, target)]
    if assignment.unpacked and inside:  # `views, gains, over = …; if over["all"]:`
        place, part = inside[0]
        said = _as_asked(caller, f"{targets[place]}.{part}", f"{place}.{part}")
        return 3, ["its result tells that the episode is over"], said
    asked = [place for place, target in enumerate(targets) if target in caller.ends]
    named = [place for place, target in enumerate(targets) if means(target, "done")]
    told_in = None if assignment.unpacked else end_in_record(caller, targets[0])
    if told_in is None and not assignment.unpacked:
        told = (end_in_record(caller, each) for each in taken_each(caller, targets[0]))
        told_in = next((one for one in told if one is not None), None)
    if told_in is not None:
        return 3, ["its result tells that the episode is over"], told_in
    if asked and not assignment.unpacked and is_gone_through(caller, targets[0]):
        asked = []  # whether there is anything in a list: what may be chosen, say
    if asked and (
        assignment.unpacked
        or assignment.is_part
        or means(targets[0], "done")
        or (call.loops and targets[0] in caller.leaves)
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
        ends_at = _as_asked(caller, targets[places[0]], places[0] if assignment.unpacked else WHOLE_RESULT)
        if ends_at == places[0] and stage_of_function(call.name) != ENV_STEP:
            ends_at = ends_together(caller, targets, places[0])
    given = frozenset().union(frozenset(), *call.arguments)
    deciding = (
        frozenset().union(*(caller.loop_names[loop] for loop in call.loops)) if call.loops else frozenset()
    )
    asked_of = {*deciding, *(caller.over_when if call.loops else ())}  # also `state["winner"] is None`
    goes_on = not assignment.unpacked and any(name.startswith(f"{targets[0]}.") for name in asked_of)
    if not evidence and goes_on:
        return 2, ["the loop goes on as its result tells"], NOT_SAID
    alone = not assignment.unpacked and targets[0] in deciding and targets[0] in given
    if not evidence and (alone or goes_round(caller, call, assignment)):
        evidence += 2
        ends_at = NOT_SAID
        reasons.append("it makes the next state in a loop that ends with the state")
    return evidence, reasons, ends_at


def _as_asked(caller: Function, name: str, place: int | str) -> int | str:
    """Where a result tells the end; the other way round where the loop ends when it does not hold."""
    return denied(place) if caller.over_when.get(name) == "not {}" else place
