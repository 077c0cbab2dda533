"""What each function of a program is for: the whole decision, from the step outwards.

First what learns (a backward pass in it) and what steps. Then, along the data: what gives a step its action
acts, what gives that its input observes, what gets the outcome stores it or learns from it. What is called
inside a step belongs to the environment, whatever its name. Names decide only between what the structure
leaves open.
"""

from __future__ import annotations

from goldsplit.model.named_code import BY_PURPOSE, NamedFunction
from goldsplit.model.stage import (
    ACT,
    ACT_PREDICT,
    ACT_SEARCH,
    ACT_VALUE,
    CHECKPOINT,
    ENV,
    ENV_MASK,
    ENV_OBSERVE,
    ENV_OPPONENT,
    ENV_RENDER,
    ENV_RESET,
    ENV_REWARD,
    ENV_STEP,
    EVAL,
    LEARN_LOSS,
    LEARN_RETURNS,
    REPLAY_ADD,
    REPLAY_SAMPLE,
    REPLAY_UPDATE,
    ROLLOUT,
)
from goldsplit.model.usual_names import stage_of_function
from goldsplit.naming.calls import Program
from goldsplit.naming.flow import Flow
from goldsplit.naming.source import MODULE, Call, Function, SourceFile
from goldsplit.naming.steps import find_steps, outcome_names
from goldsplit.naming.vocabulary import means, parts_of, words_in

#: Classes that a game of a known library is derived from.
_GAME_BASES = words_in(
    """
    AECEnv ActionWrapper Env Environment ObservationWrapper ParallelEnv RewardWrapper VecEnv
    VecEnvWrapper Wrapper
    """
)
#: How the driver's process hands actions to another one.
_SENDING = frozenset(
    {"send", "put", "put_nowait", "send_bytes", "submit", "apply_async", "map", "starmap", "remote"}
)
#: A longer function does more than saving.
_LONGEST_SAVING = 25
_SAVING = frozenset(
    {("torch", "save"), ("pickle", "dump"), ("np", "save"), ("numpy", "save"), ("np", "savez")}
)


def decide(files: list[SourceFile]) -> list[NamedFunction]:
    """The functions of a program that have a stage."""
    return _Decision(Program(files)).result()


class _Decision:
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
        self.learning = self._learning(backward)
        self.inside_acting: set[Function] = set()
        self.threading: set[Function] = (
            set()
        )  # steps whose first result is the next state, given to them again
        for step in self.steps:
            self._name(step.function, ENV_STEP, ", ".join(step.reasons) or "its name")
        self._resets()
        self._made_anew()
        self._act_and_observe()
        self._store()
        self._learn()
        self._evaluate()
        self._inside_steps()
        self._by_name()
        self._siblings()
        for function in self.loops:
            if not any(call.name == "backward" for call in function.calls):
                self._name(function, ROLLOUT, "the loop that plays is in it")

    def result(self) -> list[NamedFunction]:
        ends = {step.function: step.ends_at for step in self.steps}
        return [
            NamedFunction(
                one.file, one.qualname, one.first, one.last, stage, reason, one in ends, ends.get(one)
            )
            for one, (stage, reason) in self.stages.items()
        ]

    def _name(self, function: Function, stage: str, reason: str) -> None:
        if function.qualname != MODULE and not function.name.startswith("__") and function.name != "forward":
            self.stages.setdefault(function, (stage, reason))

    def _siblings(self) -> None:
        """Methods of one name that the same call may mean serve the same purpose."""
        for caller in self.program.functions:
            for call in caller.calls:
                meant = self.program.resolve(caller, call)
                known = {self.stages[one][0] for one in meant if one in self.stages}
                if len(meant) > 1 and len(known) == 1:
                    (stage,) = known
                    for one in meant:
                        self._name(one, stage, "the same call means it and another one that is known")

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

    def _learning(self, backward: set[Function]) -> set[Function]:
        """What learns: functions with a backward pass, and those around them up to the loop that plays."""
        found = {
            one for one in backward if not self.stepping & self.program.reached(one) and one not in self.loops
        }
        waiting = list(found)
        while waiting:
            for caller, _ in self.program.callers.get(waiting.pop(), ()):
                plays = caller in self.loops or self.stepping & self.program.reached(caller)
                repeated = any(call.loops for _, call in self.program.callers.get(caller, ()))
                named = means(caller.name, "learn")
                if caller.qualname != MODULE and caller not in found and not plays and (repeated or named):
                    found.add(caller)
                    waiting.append(caller)
        return found

    def _resets(self) -> None:
        for step in self.steps:
            inner_loops = {(caller, call.loops) for caller, call in step.sites}
            for function in self._methods_beside(step.function):
                sites = [
                    site for site in self.program.callers.get(function, ()) if site[0] not in self.inside_env
                ]
                plays = function in self.loops or self.stepping & self.program.reached(function)
                if not sites or plays or function in self.stepping:
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
                named = stage_of_function(function.name) == ENV_RESET or means(function.name, "reset")
                if named and not in_play and not means(function.name, "observe"):
                    self._name(function, ENV_RESET, "a word in its name; called where no episode runs")
                elif not in_play and not asked and self._begins(function, sites):
                    self._name(function, ENV_RESET, "called on the same object before the loop that plays")

    def _made_anew(self) -> None:
        """A game that is made for each episode: making it is the reset."""
        resets = {one.owner for one, (stage, _) in self.stages.items() if stage == ENV_RESET}
        for step in self.steps:
            kind = self.program.class_of(step.function)
            init = kind.methods.get("__init__") if kind is not None else None
            if kind is None or init is None or kind.name in resets:
                continue
            plays = {(caller, call.loops[:-1]) for caller, call in step.sites if call.loops}
            made = [
                call
                for caller, around in plays
                for call in caller.calls
                if self.program.is_class(caller, call) == kind.name and call.loops[: len(around)] == around
            ]
            if made:
                self.stages.setdefault(init, (ENV_RESET, "the game is made anew for each episode"))

    def _begins(self, function: Function, sites: list[tuple[Function, Call]]) -> bool:
        """Whether a method without a word for it is a reset: a statement, or what gives the first
        observation."""
        if means(function.name, "done") or means(function.name, "output") or means(function.name, "render"):
            return False
        plays = [(caller, call) for caller, call in sites if caller in self.loops or self._calls_loop(caller)]
        return bool(plays) and not function.parameters and bool(function.assignments)

    def _calls_loop(self, function: Function) -> bool:
        return any(
            function in {caller for caller, _ in self.program.callers.get(loop, ())} for loop in self.loops
        )

    def _methods_beside(self, function: Function) -> list[Function]:
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

    def _act_and_observe(self) -> None:
        for step in self.steps:
            for caller, call in step.sites:
                if caller in self.stepping or caller in self.inside_env:
                    continue
                self._actions_for(caller, call, elsewhere=False)
        acts = any(stage in (ACT, ACT_SEARCH, BY_PURPOSE) for stage, _ in self.stages.values())
        if self.steps and not acts and not any(self.program.callers.get(loop) for loop in self.loops):
            for function in self.program.functions:  # the loops are handed to other processes
                if function not in self.loops and function not in self.inside_env:
                    for call in function.calls:
                        if call.name in _SENDING and call.loops and call.receiver:
                            self._actions_for(function, call, elsewhere=True)

    def _actions_for(self, caller: Function, call: Call, elsewhere: bool) -> None:
        """Name what gives a step its arguments: what acts, and what that gets in turn."""
        given = frozenset().union(frozenset(), *call.arguments)
        result = next((one.targets for one in caller.assignments if one.direct is call), ())
        states = given & frozenset(result)  # `state, … = play(state, move)`: the state goes round
        for at, source in self.flow.sources(caller, states):
            for function in self.program.resolve(at, source):
                if function not in self.stepping and not source.loops[len(call.loops) - 1 :]:
                    self._name(function, ENV_RESET, "it makes the first state")
        if states:
            self.threading |= set(self.program.resolve(caller, call))
        given -= states
        chosen = [(caller, inner) for inner in call.inner if self.program.resolve(caller, inner)]
        chosen += self.flow.sources(caller, given, into_callers=elsewhere)
        pairs = [(at, source, one) for at, source in chosen for one in self.program.resolve(at, source)]
        acting = [pair for pair in pairs if self._is_outside(pair[2])]
        for at, source, function in acting:
            self._name_acting(function)
            self._observers(at, source, function)
            self._judging(at, source, function)
        for at, source, function in pairs:
            if not elsewhere and function.owner in self.env_classes and function not in self.stages:
                if acting or means(function.name, "mask"):
                    self._name_seeing(function, at, source, "")
                elif function.returns:
                    self._name(function, ACT, "it gives a step its action")

    def _judging(self, where: Function, acting: Call, function: Function) -> None:
        """What is shown the same things as the choice, and gives no action: it estimates their value."""
        seen = frozenset().union(frozenset(), *acting.arguments)
        for call in where.calls:
            same = seen & frozenset().union(frozenset(), *call.arguments)
            for other in self.program.resolve(where, call):
                beside = other is not function and other.owner == function.owner and bool(other.owner)
                alike = call.loops == acting.loops and same and len(call.arguments) == 1
                if beside and alike and other.returns and self._has_two_purposes(other):
                    self._name(
                        other, BY_PURPOSE, "it is shown what the choice is shown, and an update calls it too"
                    )
                elif beside and alike and other.returns and other not in self.learning:
                    self._name(other, ACT_VALUE, "it is shown what the choice is shown, and gives no action")

    def _is_outside(self, function: Function) -> bool:
        """Not a part of the environment, and not what plays or learns."""
        return (
            function.owner not in self.env_classes
            and function not in self.stepping
            and function not in self.learning
            and function not in self.loops
            and not self.stepping & self.program.reached(function) - self._search_only(function)
        )

    def _search_only(self, function: Function) -> set[Function]:
        """A search steps the game itself, on a state that it is given: that makes it no loop that plays."""
        return self.stepping if _searches(function) or function.parameters else set()

    def _name_acting(self, function: Function) -> None:
        if self._has_two_purposes(function):
            self._name(function, BY_PURPOSE, "it gives a step its action, and an update calls it too")
        elif self.stepping & self.program.reached(function):
            self._name(function, ACT_SEARCH, "it gives a step its action, and plays moves itself to find it")
        elif _searches(function):
            self._name(function, ACT_SEARCH, "it gives a step its action, and is named like a search")
        else:
            self._name(function, ACT, "it gives a step its action")

    def _has_two_purposes(self, function: Function) -> bool:
        """Whether an update may call it too: it does, or it is a method of a network."""
        kind = self.program.class_of(function)
        is_network = kind is not None and any(base.rpartition(".")[2] == "Module" for base in kind.bases)
        return is_network or any(function in self.program.reached(one) for one in self.learning)

    def _observers(self, at: Function, call: Call, acting: Function) -> None:
        """What gives an acting function its arguments: observations and masks."""
        for place, names in enumerate(call.arguments):
            parameter = acting.parameters[place] if place < len(acting.parameters) else ""
            found = [(at, inner) for inner in call.inner if self.program.resolve(at, inner)]
            found += [(where, source) for where, source in self.flow.sources(at, names)]
            for where, source in found:
                for function in self.program.resolve(where, source):
                    if function.owner and function.owner == acting.owner:
                        continue
                    if function not in self.stages and function not in self.stepping and self._sees(function):
                        self._name_seeing(function, where, source, parameter)

    def _sees(self, function: Function) -> bool:
        return function not in self.learning and function not in self.loops and bool(function.returns)

    def _name_seeing(self, function: Function, where: Function, call: Call, parameter: str) -> None:
        targets = next((one.targets for one in where.assignments if one.direct is call), ())
        hints = [function.name, parameter if len(targets) < 2 else "", *targets]
        if any(means(name, "mask") for name in hints):
            self._name(function, ENV_MASK, "it gives the choice of an action what is allowed")
        elif not (self.stepping & self.program.reached(function)):
            self._name(function, ENV_OBSERVE, "it gives the choice of an action what it sees")

    def _learn(self) -> None:
        for function in self.learning:
            self._name(function, LEARN_LOSS, "a backward pass is in it")
        for function, (stage, _) in list(self.stages.items()):
            if stage.startswith(ENV):
                self.inside_env |= self.program.reached(function) - self.stepping - set(self.loops)
            elif stage in (ACT, ACT_SEARCH):
                self.inside_acting |= self.program.reached(function)
        has_torch = bool(self.learning) or any(
            call.name == "backward" for one in self.program.functions for call in one.calls
        )
        outside = [one for one in self.functions if self._may_learn(one)]
        for function in outside:
            named = stage_of_function(function.name)
            if function.counts_backward and (
                named == LEARN_RETURNS or means(function.name, "returns") or not self._calls_own(function)
            ):
                self._name(function, LEARN_RETURNS, "it goes through an episode backward")
            elif named == LEARN_RETURNS:
                self._name(function, LEARN_RETURNS, "its name")
            elif (
                not has_torch
                and means(function.name, "learn")
                and (function.parameters or function.changes_attributes)
            ):
                self._name(function, LEARN_LOSS, "a word in its name; it does not play itself")
        if not has_torch:
            self._name_generations()
        for function in self.learning:
            for call in function.calls:
                self._name_replay(function, call)
        for function in self.program.functions:
            for call in function.calls:
                for target in self.program.resolve(function, call):
                    if target in self.learning and function not in self.learning:
                        names = frozenset().union(frozenset(), *call.arguments)
                        for where, source in self.flow.sources(function, names):
                            self._name_replay(where, source)
                        self._name_told(function, call)

    def _is_told(self, function: Function) -> bool:
        """Whether a function is given rewards: then it learns from them, even beside another learner."""
        return function.changes_attributes and any(means(name, "reward") for name in function.parameters)

    def _name_generations(self) -> None:
        """Without gradients: what makes the next population out of the last one, beside what plays."""
        for function in self.program.functions:
            for one in function.assignments:
                call = one.direct
                if call is None or not call.loops or one.unpacked:
                    continue
                given = frozenset().union(frozenset(), *call.arguments)
                for target in self.program.resolve(function, call):
                    if (
                        one.targets[0] in given
                        and self._may_learn(target)
                        and self._goes_on_without(target, function)
                    ):
                        self._name(target, LEARN_LOSS, "it makes the next generation out of the last one")

    def _name_told(self, function: Function, update: Call) -> None:
        """A memory that is told what an update gave: its priorities."""
        given = {target for one in function.assignments if one.direct is update for target in one.targets}
        for call in function.calls:
            if given & frozenset().union(frozenset(), *call.arguments):
                for target in self.program.resolve(function, call):
                    if self._stores(target) and self._may_learn(target):
                        self._name(target, REPLAY_UPDATE, "it is told what an update gave")

    def _stores(self, function: Function) -> bool:
        """Whether a function belongs to a memory of transitions."""
        if not function.owner:
            return False
        beside = self._methods_beside(function)
        return means(function.owner, "memory") or any(
            self.stages.get(one, ("",))[0] == REPLAY_ADD for one in beside
        )

    def _may_learn(self, function: Function) -> bool:
        return (
            function not in self.inside_env
            and function not in self.inside_acting
            and function.owner not in self.env_classes
            and function not in self.stages
            and function not in self.loops
            and not self.stepping & self.program.reached(function)
            and bool(self.program.callers.get(function))
        )

    def _calls_own(self, function: Function) -> bool:
        return any(self.program.resolve(function, call) for call in function.calls)

    def _name_replay(self, where: Function, call: Call) -> None:
        """What gives an update its batch draws it from a memory; what it tells the memory after it updates
        that."""
        for function in self.program.resolve(where, call):
            stored = self._stores(function)
            used = any(one.direct is call or call in one.value.calls for one in where.assignments)
            if not self._may_learn(function):
                continue
            if (stored or means(function.name, "sample")) and (used or function.returns):
                self._name(function, REPLAY_SAMPLE, "it gives an update its batch")
            elif stored and function.parameters:
                self._name(function, REPLAY_UPDATE, "an update tells the memory something by it")

    def _evaluate(self) -> None:
        """What plays without learning, now and then."""
        playing = [
            one
            for one in self.functions
            if self.stepping & self.program.reached(one)
            and one not in self.stepping
            and one not in self.inside_env
            and not self.learning & self.program.reached(one)
            and not _searches(one)
        ]
        chosen = []
        for function in playing:
            sites = self.program.callers.get(function, [])
            if sites and all(
                call.now_and_then and self._goes_on_without(function, caller) for caller, call in sites
            ):
                chosen.append((function, "it plays only now and then, and does not learn"))
        left = [one for one in playing if one not in {function for function, _ in chosen}]
        for function in left:
            named = stage_of_function(function.name) == EVAL or means(function.name, "evaluation")
            others = [
                one for one in left if one is not function and one not in self.program.reached(function)
            ]
            apart = any(function not in self.program.reached(one) for one in others if one in self.loops)
            if named and (
                apart or any(loop.qualname == MODULE or loop not in playing for loop in self.loops)
            ):
                chosen.append((function, "a word in its name; it plays and does not learn"))
        for function, reason in chosen:
            self._name(function, EVAL, reason)

    def _goes_on_without(self, function: Function, caller: Function) -> bool:
        """Whether a caller learns, or plays in another way too."""
        others = {
            target
            for call in caller.calls
            for target in self.program.resolve(caller, call)
            if target is not function
        }
        reached = others.union(*(self.program.reached(one) for one in others))
        return bool(reached & (self.learning | self.stepping)) or caller in self.loops

    def _store(self) -> None:
        """What is told the action and its outcome stores it, or learns from it at once."""
        for step in self.steps:
            for caller, call in step.sites:
                outcome = outcome_names(caller, call)
                if not outcome or caller in self.stepping or caller in self.inside_env:
                    continue
                action = frozenset().union(frozenset(), *call.arguments) - outcome
                for other in caller.calls:
                    told = frozenset().union(frozenset(), *other.arguments)
                    knows = (told & action and told & outcome) or len(told & outcome) >= 2
                    if other is not call and knows:
                        for function in self.program.resolve(caller, other):
                            self._name_storing(function)

    def _name_storing(self, function: Function) -> None:
        if function in self.stages or function in self.learning or function in self.loops:
            return
        if function.owner in self.env_classes:
            return
        if function.changes_attributes and means(function.name, "learn"):
            self._name(function, LEARN_LOSS, "it is told each outcome, and changes its own weights")
        elif not self.learning & self.program.reached(function) and not means(function.name, "output"):
            self._name(function, REPLAY_ADD, "it is told the action and its outcome")

    def _inside_steps(self) -> None:
        """What a step or a reset calls: observation, mask and reward by what they return, the opponent by
        name."""
        outer = [one for one, (stage, _) in self.stages.items() if stage in (ENV_STEP, ENV_RESET)]
        for function in outer:
            for elements in function.returns:
                for place, value in enumerate(elements):
                    self._name_returned(function, place, len(elements), value.names, value.calls)
        inside = self.inside_env | {one for function in outer for one in self.program.reached(function)}
        for function in sorted(inside - self.stepping, key=lambda one: (one.file, one.first)):
            self._name_inside(function)

    def _name_returned(
        self, function: Function, place: int, many: int, names: frozenset[str], calls: tuple[Call, ...]
    ) -> None:
        sources = [(function, call) for call in calls]
        sources += self.flow.sources(function, names, farthest=1)
        targets = {one: None for where, call in sources for one in self.program.resolve(where, call)}
        for target in targets:
            if target in self.stepping or target in self.stages or self._is_opponent(target):
                continue
            is_reward = any(means(name, "reward") for name in names) and self._is_for_steps(target)
            if means(target.name, "reward") or is_reward:
                self._name(target, ENV_REWARD, "a step returns its result as the reward")
            elif means(target.name, "mask") or any(means(name, "mask") for name in names):
                self._name(target, ENV_MASK, "a step returns its result as the mask")
            elif self._returns_sight(function, place, many, names) and target.returns:
                self._name(target, ENV_OBSERVE, "a step returns its result as the observation")

    def _is_for_steps(self, function: Function) -> bool:
        """Whether only steps and resets call a function."""
        callers = {caller for caller, _ in self.program.callers.get(function, ())}
        return all(self.stages.get(caller, ("",))[0] in (ENV_STEP, ENV_RESET) for caller in callers)

    def _returns_sight(self, function: Function, place: int, many: int, names: frozenset[str]) -> bool:
        """Whether this place of what a step or a reset returns is the observation's, not the next state."""
        if any(means(name, "done") for name in names) or function in self.threading:
            return False
        return (place == 0 and many >= 2) or (many == 1 and self.stages[function][0] == ENV_RESET)

    def _name_inside(self, function: Function) -> None:
        usual = stage_of_function(function.name)
        if function in self.stages:
            return
        if self._is_opponent(function) or usual in (ACT, ENV_OPPONENT):
            self._name(function, ENV_OPPONENT, "a word in its name or class; a step calls it")
        elif usual is not None and usual.startswith(ENV) and usual not in (ENV_STEP, ENV_RESET):
            self._name(function, usual, "its name")
        elif means(function.name, "reward") and function.returns:
            self._name(function, ENV_REWARD, "a word in its name; a step calls it")
        elif means(function.name, "render"):
            self._name(function, ENV_RENDER, "a word in its name")

    def _is_opponent(self, function: Function) -> bool:
        """Whether a function is the other side's move: of a class, on an object, or with a name that say
        so."""
        if means(function.name, "opponent") and (len(parts_of(function.name)) > 1):
            return (
                any(means(function.name, word) for word in ("step", "choose", "learn"))
                or not function.returns
            )
        sites = self.program.callers.get(function, [])
        for caller, call in sites:  # `self.guards = patrol(…)` in a step
            given = frozenset().union(frozenset(), *call.arguments)
            names = [
                one.targets[0] for one in caller.assignments if call in one.value.calls and not one.unpacked
            ]
            moved = [name.rpartition(".")[2] for name in names if name in given or "." in name]
            if caller in self.stepping and any(means(name, "opponent") for name in moved):
                return True
        sites = [site for site in sites if site[0].owner != function.owner]
        if function.owner and means(function.owner, "opponent"):
            return bool(sites)
        return any(
            means(call.receiver.rpartition(".")[2], "opponent") and not function.returns
            for _, call in sites
            if call.receiver
        )

    def _by_name(self) -> None:
        """What is left: usual names where they do not contradict the structure, masks and values by a
        word."""
        searching = [one for one, (stage, _) in self.stages.items() if stage == ACT_SEARCH]
        within_search = {target for one in searching for target in self.program.reached(one)}
        self._name_predicting(within_search)
        for function in self.functions:
            if function in self.stages or function in self.loops or function in self.inside_env:
                continue
            plays = bool(self.stepping & self.program.reached(function)) and function not in within_search
            usual = stage_of_function(function.name)
            saves = any((call.receiver.rpartition(".")[2], call.name) in _SAVING for call in function.calls)
            if function.owner in self.env_classes:
                self._name_of_game(function, within_search)
            elif _searches(function) and (self.stepping & self.program.reached(function)):
                self._name(function, ACT_SEARCH, "named like a search; it steps the game itself")
            elif plays:
                continue
            elif saves and function.last - function.first < _LONGEST_SAVING:
                self._name(function, CHECKPOINT, "it writes a file of weights")
            elif usual is not None and not usual.startswith(ENV):
                self._name(function, usual, "its name")
            elif (
                self._may_learn(function)
                and means(function.name, "value")
                and means(function.owner, "network")
            ):
                self._name(function, ACT_VALUE, "a word in its name")

    def _name_predicting(self, within_search: set[Function]) -> None:
        """What asks a network inside a search."""
        for function in within_search:
            asked = [one for call in function.calls for one in self.program.resolve(function, call)]
            if function.owner not in self.env_classes and any(
                one.name in ("forward", "__call__") for one in asked
            ):
                self._name(function, ACT_PREDICT, "the search asks the network by it")

    def _name_of_game(self, function: Function, within_search: set[Function]) -> None:
        """A method of the game that is no step: what the search or the loop asks it for."""
        usual = stage_of_function(function.name)
        if usual is not None and usual.startswith(ENV):
            self._name(function, usual, "its name, in a class that is a game")
        sites = [site for site in self.program.callers.get(function, ()) if site[0].owner != function.owner]
        for caller, call in sites:
            if function.returns:
                targets = next((one.targets for one in caller.assignments if one.direct is call), ())
                hints = [function.name, *targets]
                if any(means(name, "mask") for name in hints):
                    self._name(function, ENV_MASK, "it tells what is allowed")
                elif any(means(name, "observe") for name in hints):
                    self._name(function, ENV_OBSERVE, "it tells what is seen")
            if caller in within_search or self.stages.get(caller, ("",))[0] == ACT_SEARCH:
                self._name(function, ENV_STEP, "the search asks the game's rules")


def _searches(function: Function) -> bool:
    return means(function.name, "search") or means(function.owner, "search")
