"""What each function of a program is for: the whole decision, from the step outwards.

First what learns (a backward pass in it) and what steps. Then, along the data: what gives a step its action
acts, what gives that its input observes, what gets the outcome stores it or learns from it. What is called
inside a step belongs to the environment, whatever its name. Names decide only between what the structure
leaves open.
"""

from __future__ import annotations

import math
import time

from goldsplit.model.named_code import BY_PURPOSE, NamedFunction
from goldsplit.model.stage import (
    ACT_SEARCH,
    ACT_VALUE,
    CHECKPOINT,
    ENV,
    LEARN_LOSS,
    LOG,
    ROLLOUT,
)
from goldsplit.model.usual_names import stage_of_function
from goldsplit.naming.acting import act_and_observe, act_without_gradients
from goldsplit.naming.calls import Program, TooLongError
from goldsplit.naming.decision import Decision, searches
from goldsplit.naming.evaluating import evaluate, evaluating_lines
from goldsplit.naming.game_side import games_of_libraries, inside_steps, name_of_game, rules_in_search
from goldsplit.naming.inline.inline_parts import inline_parts
from goldsplit.naming.judging.rounds import find_rounds
from goldsplit.naming.learning import learn, learning, store
from goldsplit.naming.reading.code_facts import Call, Function, SourceFile
from goldsplit.naming.resetting import (
    begins_counted,
    begun_when_over,
    ended_by_others,
    ended_later,
    first_answers,
    made_anew,
    resets,
)
from goldsplit.naming.rewarding import rewards_outside
from goldsplit.naming.searching.after_states import listed_moves
from goldsplit.naming.searching.copies import lines_of_tries
from goldsplit.naming.searching.predicting import predictions
from goldsplit.naming.turns import parts_of_turns, rest_of_turns
from goldsplit.naming.vocabulary import means

#: Processor time for one try at the decision.
MOST_SECONDS = 1.5
#: A longer function does more than saving.
_LONGEST_SAVING = 25
_SAVING = frozenset(
    {("torch", "save"), ("pickle", "dump")}
    | {(module, how) for module in ("np", "numpy") for how in ("save", "savez", "savez_compressed")}
)

_WRITING = frozenset({"write", "writelines", "writerow", "writerows"})
_WRITING_ROWS = frozenset({"writelines", "writerow", "writerows"})
#: What makes text, and what makes bytes, of something to be written.
_TEXTS = frozenset({"json.dumps", "str", "repr"})
_BYTES = frozenset({"getvalue", "packb", "tobytes", "to_bytes"})
_READING = frozenset({"read", "readline", "readlines", "recv", "drain"})


def decide_in_time(files: list[SourceFile]) -> dict[str, list[NamedFunction]]:
    """File → its functions that have a stage, within a limit of processor time: where all files take too
    long, those nearest to the script alone are there."""
    while files:
        try:
            decided = decide(files, time.thread_time() + MOST_SECONDS)
        except TooLongError:
            files = files[: len(files) // 4]
        else:
            return {one.file: [found for found in decided if found.file == one.file] for one in files}
    return {}


def decide(files: list[SourceFile], until: float = math.inf) -> list[NamedFunction]:
    """The functions of a program that have a stage. Raises TooLongError when the thread's processor time is
    behind `until`."""
    d = Decision(Program(files, until))
    for function in d.collecting:
        d.name(function, ROLLOUT, "it steps another environment in a loop, by what it chooses itself")
    d.learning = learning(d, d.backward - set(d.collecting))
    for function in d.learning:
        d.name(function, LEARN_LOSS, "a backward pass is in it")
    find_rounds(d)
    resets(d)
    made_anew(d)
    first_answers(d)
    parts_of_turns(d)
    act_and_observe(d)
    listed_moves(d)
    rest_of_turns(d)
    rewards_outside(d)
    store(d)
    learn(d)
    evaluate(d)
    act_without_gradients(d)
    uncertain = (begins_counted, ended_by_others, ended_later)
    d.begun = [step for step in d.steps if any(ends(d, step) for ends in uncertain)]
    d.begun_again = {function for function in d.stages if begun_when_over(d, function)}
    predictions(d)
    rules_in_search(d)
    games_of_libraries(d)
    inside_steps(d)
    _by_name(d)
    _siblings(d)
    for function in d.loops:
        if not any(call.name == "backward" for call in function.calls):
            d.name(function, ROLLOUT, "the loop that plays is in it")
    lines = [*inline_parts(d), *d.lines, *evaluating_lines(d), *lines_of_tries(d)]
    return list(dict.fromkeys([*d.result(), *lines]))


def _siblings(d: Decision) -> None:
    """Methods of one name that the same call may mean serve the same purpose."""
    for caller in d.program.functions:
        for call in caller.calls:
            meant = d.program.resolve(caller, call)
            known = {d.stages[one][0] for one in meant if one in d.stages}
            each = {target for one in caller.assignments if one.each for target in one.targets}
            parts = call.receiver in each and caller in (d.stepping | d.inside_env)  # `part.tick()`
            alike = len({one.name for one in meant}) == 1  # not `for phase in (play, learn): phase(all)`
            if len(meant) > 1 and len(known) == 1 and not parts and alike:
                (stage,) = known
                for one in meant:
                    d.name(one, stage, "the same call means it and another one that is known")


def _by_name(d: Decision) -> None:
    """What is left: usual names where they do not contradict the structure, masks and values by a
    word."""
    searching = [one for one, (stage, _) in d.stages.items() if stage == ACT_SEARCH]
    within_search = {target for one in searching for target in d.program.reached(one)}
    for function in d.functions:
        if function in d.stages or function in d.loops or function in d.inside_env:
            continue
        plays = bool(d.stepping & d.program.reached(function)) and function not in within_search
        usual = stage_of_function(function.name)
        saves = any((call.receiver.rpartition(".")[2], call.name) in _SAVING for call in function.calls)
        if function.kind in d.env_classes:
            name_of_game(d, function, within_search)
        elif searches(function) and (d.stepping & d.program.reached(function)):
            d.name(function, ACT_SEARCH, "named like a search; it steps the game itself")
        elif plays:
            continue
        elif saves and function.last - function.first < _LONGEST_SAVING:
            d.name(function, CHECKPOINT, "it writes a file of weights")
        elif _writes_out(d, function):
            if _is_named_like_saving(function):
                d.name(function, CHECKPOINT, "it writes a file, and its name says that it saves")
            elif not any(map(_writes_bytes, function.calls)):
                d.name(function, LOG, "it writes text to a file, and gives nothing back")
        elif _is_of_an_update(d, function) and _is_value(function, usual):
            if not all(caller in d.stages for caller, _ in d.program.callers.get(function, ())):
                d.name(function, BY_PURPOSE, "a word for a value; an update calls it too")
        elif usual is not None and not usual.startswith(ENV):
            d.name(function, usual, "its name")
        elif d.may_learn(function) and _is_value(function, usual):
            d.name(function, ACT_VALUE, "a word in its name")


def _is_value(function: Function, usual: str | None) -> bool:
    """Whether a function is named like the value that a network gives."""
    return usual == ACT_VALUE or (means(function.name, "value") and means(function.owner, "network"))


def _is_of_an_update(d: Decision, function: Function) -> bool:
    """Whether what learns calls a function, so that its calls there are no estimates while playing."""
    return any(function in d.program.reached(one) for one in d.learning)


def _is_named_like_saving(function: Function) -> bool:
    """Whether a function that writes a file saves what is learnt: `save_checkpoint`, `sauver`; rows and lines
    of text (`export_stats`) are output, if their names say no more."""
    if stage_of_function(function.name) == CHECKPOINT:
        return True
    is_text = means(function.name, "output") or any(
        call.name in _WRITING_ROWS or any(made in _TEXTS for made in call.made) for call in function.calls
    )
    return means(function.name, "save") and not is_text


def _writes_bytes(call: Call) -> bool:
    """Whether what is written was made as bytes, as `file.write(pickle.dumps(weights))`."""
    parts = (made.rpartition(".") for made in call.made)
    return call.name in _WRITING and any(
        how in _BYTES or (module, how) == ("pickle", "dumps") for module, _, how in parts
    )


def _writes_out(d: Decision, function: Function) -> bool:
    """Whether a short function does nothing but open a file, or use an open one, and write text to it."""
    written = any(call.name in _WRITING and call.receiver for call in function.calls)
    short = function.last - function.first < _LONGEST_SAVING
    reads = any(call.name in _READING for call in function.calls)
    return written and short and not function.returns and not reads and not d.calls_own(function)
