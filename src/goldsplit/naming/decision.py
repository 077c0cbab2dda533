"""What is known about a program while it is decided what its functions are for."""

from __future__ import annotations

from goldsplit.model.named_code import NOT_SAID, NamedFunction
from goldsplit.model.stage import (
    ENV_MASK,
    ENV_OBSERVE,
    ENV_OPPONENT,
    ENV_REWARD,
    ENV_STEP,
    REPLAY_ADD,
    VEC_COPY,
)
from goldsplit.model.usual_names import stage_of_function
from goldsplit.naming.calls import Program
from goldsplit.naming.flow import Flow
from goldsplit.naming.judging.choices_sent import ANSWERS, asks, behind_messages, games_told, sends_and_takes
from goldsplit.naming.judging.collecting import collects
from goldsplit.naming.judging.generators import games_of, only_makes
from goldsplit.naming.judging.library_games import is_of_library
from goldsplit.naming.reading.code_facts import MODULE, Call, Class, Function
from goldsplit.naming.searching.copies import gives_another_game, without_tries
from goldsplit.naming.simulated import leave_out_tries, of_a_search, simulated
from goldsplit.naming.steps import StepFunction, find_steps, judge_all
from goldsplit.naming.vocabulary import means, parts_of, words_in

#: Stages whose functions a game may call thousands of times in a step.
_OF_THE_GAME = frozenset({ENV_MASK, ENV_OBSERVE, ENV_OPPONENT, ENV_REWARD})


#: How a process takes what another one has sent.
_FROM_PIPES = words_in("recv recv_bytes")


def talks(program: Program, function: Function) -> bool:
    """Whether a function sends messages and takes answers."""
    return sends_and_takes(function, *program.reached(function))


def takes_messages(function: Function) -> bool:
    """Whether a function itself takes messages out of pipes: what it gives was made elsewhere."""
    return any(call.name in _FROM_PIPES and call.receiver for call in function.calls)


def is_facade(program: Program, step: StepFunction, others: list[StepFunction]) -> bool:
    """Whether a function only hands actions on to workers, in which another one steps."""
    inside = program.reached(step.function)  # without itself: what a pool runs hands nothing to it
    for other in others:
        if other is step:
            continue
        handed = {one for one in inside if one in program.passed}
        if any(other.function is one or other.function in program.reached(one) for one in handed):
            return True  # a pool runs it
        workers = [caller for caller, _ in program.callers.get(other.function, ())]
        answered = asks(step.function) and ANSWERS in other.reasons
        if answered or (talks(program, step.function) and any(map(sends_and_takes, workers))):
            return other.function not in program.reached(step.function)
    return False


class Decision:
    """One program's functions and what has been decided about them so far."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.flow = Flow(program)
        self.stages: dict[Function, tuple[str, str]] = {}
        self.functions = [
            one for one in program.functions if one.qualname != MODULE and not program.is_clock(one)
        ]
        backward = {one for one in self.functions if any(call.name == "backward" for call in one.calls)}
        judged = judge_all(program, self.flow, backward)
        found = behind_messages(program, self.flow, judged, find_steps(program, self.flow, judged))
        for step in found:
            leave_out_tries(program, self.flow, step)
            without_tries(program, step)
        found = [step for step in found if not of_a_search(program, self.flow, step, found)]
        tried = simulated(program, self.flow, judged, found)
        self.rules = {step.function for step in tried}
        """Moves that a search tries, and the real step makes: rules of the game, no steps of the training."""
        found = [step for step in found if step not in tried]
        self.facades = [step for step in found if is_facade(program, step, found)]
        """What looks like a step to the loop, and hands the actions to workers that step."""
        self.steps = [step for step in found if step not in self.facades]
        for step in self.steps if self.facades else ():
            self._where_workers_step(step)
        self.stepping = {step.function for step in self.steps}
        self.env_classes = self._game_classes()
        self.wrapping = {
            caller for step in self.steps for caller, call in step.sites if hands_on(caller, call)
        }
        """Steps around another step: wrappers of a game, which are no loops that play."""
        self.loops = self._loops()
        """The functions that have the loops which play, without those of the environment itself."""
        self.collecting = [one for one in self.functions if is_step_by_name(one) and collects(one)]
        """Of a trainer or a runner: named like a step, and a loop around another one."""
        self.inside_env = self._inside_env()
        self.backward = backward
        self.learning: set[Function] = set()
        """What learns."""
        self.taught: set[Function] = set()
        """What learns without a framework."""
        self.inside_acting: set[Function] = set()
        self.begun: list[StepFunction] = []
        """Steps whose games are counted by their beginnings."""
        self.rounds: dict[Call, int] = {}
        """Calls of steps whose results end only a round → how many loops are around the game's own."""
        self.begun_again: set[Function] = set()
        """What begins a game once, and then only where the last one is over."""
        self.library_steps: set[Function] = set()
        """Steps that no loop of the program calls, but a library's."""
        self.told: list[tuple[Function, Call]] = []
        """What loops tell the game in each turn, beside its step."""
        self.lines: list[NamedFunction] = []
        """Lines whose stage is another one than that of the function they call."""
        self.readers: dict[str, set[Function]] = {}
        """Attribute → the functions that read it, of whatever object."""
        for one in program.functions:
            for statement in (*one.body, *one.statements):
                for part in statement.parts:
                    self.readers.setdefault(part, set()).add(one)
        self.threading: set[Function] = set()
        """Steps whose first result is the next state, which is given to them again."""
        self._carriers = {
            carrier
            for caller in program.functions
            for call in caller.calls
            if any(
                one in self.stepping
                for inner in call.inner
                if not inner.sent and not only_makes(program, caller, inner)
                for one in program.resolve(caller, inner)
            )
            for carrier in program.resolve(caller, call)
        }
        """What a step's result, or its coroutine, is handed to at once: it is for more than one purpose.
        Not what is shown the answer of a generator."""
        for step in self.steps:
            self.name(step.function, ENV_STEP, ", ".join(step.reasons) or "its name")
        for wrapper in self.wrapping:
            self.name(wrapper, ENV_STEP, "it gives another step its own action")
        for step in self.facades:
            reason = "it hands the actions to workers that step, and their answers on"
            self.name(step.function, VEC_COPY, reason)
            for beside in self.methods_beside(step.function) if step.function.kind is not None else ():
                around = {beside, *program.reached(beside)} & {step.function, *self.loops, *backward}
                if talks(program, beside) and not around:  # not what plays or trains by the same object
                    self.name(beside, VEC_COPY, "it asks the workers for something, beside their steps")

    def name(self, function: Function, stage: str, reason: str) -> None:
        """Give a function its stage, unless it has one; a forward pass is told by its caller."""
        if function.qualname == MODULE or function.name.startswith("__") or function.name == "forward":
            return
        if function in self._carriers and function not in self.stepping:
            return
        if stage in (ENV_MASK, ENV_OBSERVE) and gives_another_game(self.program, function):
            return
        if stage not in _OF_THE_GAME or not is_accessor(function):
            self.stages.setdefault(function, (stage, reason))

    def _game_classes(self) -> set[Class]:
        """The classes whose objects are games: those with a step, what they are derived from, and what is
        derived from a library's."""
        stepping = {
            kind for step in self.steps if not searches(step.function) for kind in self.games_of(step)
        }
        stepping |= {one.kind for one in self.rules if one.kind is not None}
        found = {base for kind in stepping for base in self.program.with_bases(kind)}
        for kind in self.program.classes:
            bases = self.program.with_bases(kind)
            if is_of_library(self.program, kind) or stepping & set(bases):
                found.add(kind)
        return found

    def _where_workers_step(self, step: StepFunction) -> None:
        """A worker that is sent the choices plays as well, whoever else does: its loop is over messages, not
        over the turns of a game (`for game, move in zip(games, pipe.recv()): game.play(move)`)."""
        known = {call for _, call in step.sites}
        step.sites += [
            (caller, call)
            for caller, call in self.program.callers.get(step.function, ())
            if call not in known and call.loops and call.arguments and sends_and_takes(caller)
        ]

    def games_of(self, step: StepFunction) -> set[Class]:
        """The classes whose objects are the game of a step; of a server's own method, what that plays on."""
        told = games_told(self.program, step.function) if ANSWERS in step.reasons else set()
        return told or games_of(self.program, step.function)

    def _loops(self) -> list[Function]:
        found: dict[Function, None] = {}
        for step in (*self.steps, *self.facades):
            for caller, _ in step.sites:
                if caller not in self.stepping and caller not in self.wrapping:
                    found[caller] = None
        return list(found)

    def _inside_env(self) -> set[Function]:
        """What runs only because a step or a reset does; a function that the loop calls too is not of
        these."""
        reached: set[Function] = set()
        for step in self.steps:
            reached |= self.program.reached(step.function)
        return reached - self.stepping - set(self.loops)

    def methods_beside(self, function: Function) -> list[Function]:
        """The other methods of its class; of a plain function, those beside it in its file."""
        kind = function.kind
        if kind is not None:
            return [
                one for name, one in kind.methods.items() if one is not function and not name.startswith("__")
            ]
        return [
            one
            for one in self.functions
            if one.file == function.file and not one.owner and one is not function
        ]

    def may_learn(self, function: Function) -> bool:
        """Whether a function that is called can belong to the learner: it is in no other part."""
        return (
            function not in self.inside_env
            and function not in self.inside_acting
            and function.kind not in self.env_classes
            and function not in self.stages
            and function not in self.loops
            and not self.stepping & self.program.reached(function)
            and bool(self.program.callers.get(function))
        )

    def stores(self, function: Function) -> bool:
        """Whether a function belongs to a memory of transitions."""
        if not function.owner:
            return False
        beside = self.methods_beside(function)
        return means(function.owner, "memory") or any(
            self.stages.get(one, ("",))[0] == REPLAY_ADD for one in beside
        )

    def calls_own(self, function: Function) -> bool:
        """Whether a function calls other functions of the user."""
        return any(self.program.resolve(function, call) for call in function.calls)

    def goes_on_without(self, function: Function, caller: Function) -> bool:
        """Whether a caller learns, or plays in another way too."""
        called = {target for call in caller.calls for target in self.program.resolve(caller, call)}
        handed = self.program.passed_by(caller)  # to a pool
        others = (called | handed) - {function}
        reached = others.union(*(self.program.reached(one) for one in others))
        return bool(reached & (self.learning | self.stepping)) or caller in self.loops

    def stage_of(self, function: Function) -> str:
        """The stage that a function has so far; "" for none."""
        return self.stages[function][0] if function in self.stages else ""

    def result(self) -> list[NamedFunction]:
        """All functions that have a stage."""
        ends = {
            step.function: NOT_SAID
            if step in self.begun
            else step.asked
            if step.asked and (step.ends_at == NOT_SAID or step.in_rounds)
            else NOT_SAID
            if step.in_rounds
            else step.ends_at
            for step in self.steps
            if not step.is_hub
        }
        counted = self.begun_again | self.library_steps | set(ends)
        return [
            NamedFunction(
                one.file, one.qualname, one.first, one.last, stage, reason, one in counted, ends.get(one)
            )
            for one, (stage, reason) in self.stages.items()
        ]


def is_step_by_name(function: Function) -> bool:
    """Whether everybody would call a step so."""
    return stage_of_function(function.name) == ENV_STEP


def hands_on(function: Function, call: Call) -> bool:
    """Whether a step gives another one its own action: each of a few times, perhaps."""
    given = frozenset().union(frozenset(), *call.arguments)
    return is_step_by_name(function) and bool(given & set(function.parameters))


def is_network(kind: Class | None) -> bool:
    """Whether a class is a network's."""
    return kind is not None and any(base.rpartition(".")[2] == "Module" for base in kind.bases)


def asks_network(d: Decision, function: Function) -> bool:
    """Whether a function is a network's, or asks one."""
    reached = d.program.reached(function)
    asked = any(one.name == "forward" or is_network(one.kind) for one in reached)
    without = any(call.no_grad for one in (function, *reached) for call in one.calls)
    return asked or is_network(function.kind) or without


def tells_allowed(function: Function) -> bool:
    """Whether a function gives a list of yes and no, which it has made itself."""
    given = {value.name for elements in function.returns if len(elements) == 1 for value in elements}
    return bool(given & function.flags)


def is_accessor(function: Function) -> bool:
    """Whether a function only hands out or sets a value: measuring it would cost more than it does."""
    if function.loop_names or function.calls or function.last - function.first >= 4:
        return False
    named = parts_of(function.name)[:1] in (("get",), ("set",), ("is",), ("has",))
    return named or bool(function.returns and all("." in one[0].name for one in function.returns))


def searches(function: Function) -> bool:
    """Whether a function is named like a search."""
    return means(function.name, "search") or means(function.owner, "search")
