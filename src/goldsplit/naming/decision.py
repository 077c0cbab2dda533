"""What is known about a program while it is decided what its functions are for."""

from __future__ import annotations

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.stage import (
    ENV_MASK,
    ENV_OBSERVE,
    ENV_OPPONENT,
    ENV_REWARD,
    ENV_STEP,
    REPLAY_ADD,
)
from goldsplit.naming.calls import Program
from goldsplit.naming.code_facts import MODULE, Function
from goldsplit.naming.flow import Flow
from goldsplit.naming.steps import find_steps
from goldsplit.naming.vocabulary import means, parts_of, words_in

#: Classes that a game of a known library is derived from.
_GAME_BASES = words_in(
    """
    AECEnv ActionWrapper Env Environment ObservationWrapper ParallelEnv RewardWrapper VecEnv
    VecEnvWrapper Wrapper
    """
)


#: Stages whose functions a game may call thousands of times in a step.
_OF_THE_GAME = frozenset({ENV_MASK, ENV_OBSERVE, ENV_OPPONENT, ENV_REWARD})


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
        self.steps = find_steps(program, self.flow, backward)
        self.stepping = {step.function for step in self.steps}
        self.env_classes = {step.function.owner for step in self.steps} - {""}
        self.env_classes |= {
            kind.name
            for kinds in program.classes.values()
            for kind in kinds
            if any(base.rpartition(".")[2] in _GAME_BASES for base in kind.bases)
        }
        self.loops = self._loops()
        self.inside_env = self._inside_env()
        self.backward = backward
        self.learning: set[Function] = set()
        """What learns."""
        self.inside_acting: set[Function] = set()
        self.threading: set[Function] = set()
        """Steps whose first result is the next state, which is given to them again."""
        self._carriers = {
            carrier
            for caller in program.functions
            for call in caller.calls
            if any(one in self.stepping for inner in call.inner for one in program.resolve(caller, inner))
            for carrier in program.resolve(caller, call)
        }
        """What a step's result, or its coroutine, is handed to at once: it is for more than one purpose."""
        for step in self.steps:
            self.name(step.function, ENV_STEP, ", ".join(step.reasons) or "its name")

    def name(self, function: Function, stage: str, reason: str) -> None:
        """Give a function its stage, unless it has one; a forward pass is told by its caller."""
        if function.qualname == MODULE or function.name.startswith("__") or function.name == "forward":
            return
        if function in self._carriers and function not in self.stepping:
            return
        if stage not in _OF_THE_GAME or not is_accessor(function):
            self.stages.setdefault(function, (stage, reason))

    def _loops(self) -> list[Function]:
        """The functions that have the loops which play, without those of the environment itself."""
        found: dict[Function, None] = {}
        for step in self.steps:
            for caller, _ in step.sites:
                if caller not in self.stepping:
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
        kind = self.program.class_of(function)
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
            and function.owner not in self.env_classes
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
        others = {
            target
            for call in caller.calls
            for target in self.program.resolve(caller, call)
            if target is not function
        }
        reached = others.union(*(self.program.reached(one) for one in others))
        return bool(reached & (self.learning | self.stepping)) or caller in self.loops

    def stage_of(self, function: Function) -> str:
        """The stage that a function has so far; "" for none."""
        return self.stages[function][0] if function in self.stages else ""

    def result(self) -> list[NamedFunction]:
        """All functions that have a stage."""
        ends = {step.function: step.ends_at for step in self.steps}
        return [
            NamedFunction(
                one.file, one.qualname, one.first, one.last, stage, reason, one in ends, ends.get(one)
            )
            for one, (stage, reason) in self.stages.items()
        ]


def is_accessor(function: Function) -> bool:
    """Whether a function only hands out or sets a value: measuring it would cost more than it does."""
    if function.loop_names or function.calls or function.last - function.first >= 4:
        return False
    named = parts_of(function.name)[:1] in (("get",), ("set",), ("is",), ("has",))
    return named or bool(function.returns and all("." in one[0].name for one in function.returns))


def searches(function: Function) -> bool:
    """Whether a function is named like a search."""
    return means(function.name, "search") or means(function.owner, "search")
