"""Which function does a call mean? Found by the classes of objects, as far as the source shows them.

An object's class is known where it was made (`game = Caravan(2)`, `self.game = …`), handed on as an
argument, or taken out of a list of such objects. Where it is not known, a method's name decides if it is
rare enough.
"""

from __future__ import annotations

import math
import time
from collections import defaultdict

from goldsplit.model.usual_names import looks_like_timer
from goldsplit.naming.handing_over import follow
from goldsplit.naming.judging.own_turns import follow_own_turns, follow_passes
from goldsplit.naming.judging.properties import follow_properties
from goldsplit.naming.modules import Modules
from goldsplit.naming.reading.code_facts import MODULE, Call, Class, Function, SourceFile, in_order
from goldsplit.naming.reading.expressions import LOOKED_UP, PUTTING
from goldsplit.naming.through import follow_through
from goldsplit.naming.vocabulary import CHOOSING, means, parts_of, words_in

#: Methods that lists, dictionaries, arrays and tensors have too: their name alone says nothing.
_COMMON = words_in(
    """
    add all any append choice clear clone close copy count detach eval extend format get index insert
    item items join keys match max mean min next numpy open pop put read recv remove reshape result
    round run sample search send set size sort split start step stop submit sum to tolist train update
    values view wait write
    """
)
#: What a function is given to without being called by it.
_KEEPING = PUTTING | words_in("heappush put put_nowait")
#: So many questions between two looks at the clock.
_ASK_CLOCK_EVERY = 512
#: Classes are followed through at most this many bases.
_DEEPEST = 6
#: Libraries whose calls are work.
_OF_NUMBERS = words_in("jax numpy random scipy tensorflow torch")
#: Functions with more lines than this do more than measuring time.
_LONGEST_CLOCK = 16


class TooLongError(Exception):
    """The limit of processor time is reached."""


class Program:
    """All functions of a program, and what its calls mean."""

    def __init__(self, files: list[SourceFile], until: float = math.inf) -> None:
        """`until`: of the thread's processor time; behind it, a question raises TooLongError."""
        self.files = files
        self._until, self._questions = until, 0
        self.functions = [function for file in files for function in file.functions]
        self.classes: list[Class] = []
        self._classes: dict[tuple[str, str], Class] = {}
        self._methods: dict[str, list[Function]] = defaultdict(list)
        self._plain: dict[tuple[str, str], Function] = {}
        self._imports = {file.file: file.imports for file in files}
        self._modules = Modules(files)
        for file in files:
            for kind in file.classes:
                self.classes.append(kind)
                self._classes[file.file, kind.name] = kind
                for name, function in kind.methods.items():
                    self._methods[name].append(function)
            for function in file.functions:
                if not function.owner:
                    self._plain[file.file, function.name] = function
        #: (function or class, name of a variable or attribute) → its classes
        self.types: dict[tuple[object, str], set[Class]] = defaultdict(set)
        #: the same → functions that it holds
        self.handed: dict[tuple[object, str], set[Function]] = defaultdict(set)
        self._resolved: dict[Call, tuple[Function, ...]] = {}
        self._clocks: dict[Function, bool] = {}
        #: Calls that go on with a generator → what has made that
        self.behind: dict[Call, tuple[Function, ...]] = {}
        follow(self)
        if follow_properties(self) | follow_through(self) | follow_own_turns(self) | follow_passes(self):
            follow(self)  # what they give is known now
        self.callers: dict[Function, list[tuple[Function, Call]]] = defaultdict(list)
        for function in self.functions:
            for call in function.calls:
                for target in self.resolve(function, call):
                    self.callers[target].append((function, call))
        #: Function → who hands it to a library that calls it: `pool.map(play, jobs)`, `Process(target=play)`
        self.passed: dict[Function, list[tuple[Function, Call]]] = defaultdict(list)
        self._passes: dict[Function, set[Function]] = defaultdict(set)
        for function in self.functions:
            for call in function.calls:
                for target in self._handed_to_library(function, call):
                    self.passed[target].append((function, call))
                    self._passes[function].add(target)
        self._reached: dict[Function, frozenset[Function]] = {}

    def resolve(self, function: Function, call: Call) -> tuple[Function, ...]:
        """The user's functions that a call in `function` may mean, without the program's own clocks."""
        self._questions += 1
        if self._questions % _ASK_CLOCK_EVERY == 0 and time.thread_time() > self._until:
            raise TooLongError
        if call not in self._resolved:
            found = (one for one in self._find(function, call) if not self.is_clock(one))
            self._resolved[call] = tuple(dict.fromkeys(found))
        return self._resolved[call]

    def meant(self, function: Function, call: Call) -> list[Function]:
        """The same with the program's own clocks."""
        return self._find(function, call)

    def is_clock(self, function: Function) -> bool:
        """Whether a function only measures time: a short one that reads a clock, or that is named so."""
        if function not in self._clocks:
            self._clocks[function] = False  # where it calls itself
            times = [one for one in function.calls if self._is_of_time(function.file, one)]
            reads = any(one.name != "sleep" for one in times)
            short = function.last - function.first < _LONGEST_CLOCK and function.qualname != MODULE
            works = any(
                self.is_class(function, call)
                or call.no_grad
                or call.name in CHOOSING  # a choice with a clock around it
                or (call.name == "open" and not call.receiver)  # a line with its time: that is a log
                or any(not self.is_clock(one) for one in self._find(function, call))
                or self._computes(function.file, call)
                for call in function.calls
            )
            works = works or bool(function.loop_names)  # what times itself is more than a clock
            measures = bool(function.hands_on) or (reads and not works)
            self._clocks[function] = (short and measures) or looks_like_timer(function.qualname)
        return self._clocks[function]

    def _is_of_time(self, file: str, call: Call) -> bool:
        """Whether a call is one of the module `time`, also under a name of the file's own: `now =
        time.perf_counter`."""
        imports = self._imports[file]
        module = self._plain.get((file, MODULE))
        named = (
            [one.value.name for one in module.assignments if one.targets == (call.name,)] if module else []
        )
        asked = call.receiver or (named[0].partition(".")[0] if len(named) == 1 else call.name) or call.name
        return imports.get(asked, ("",))[0] == "time"

    def _computes(self, file: str, call: Call) -> bool:
        """Whether a call is of a library of numbers; waiting for a device is not computing."""
        module = self._imports[file].get(call.receiver.partition(".")[0], ("",))[0]
        return module.partition(".")[0] in _OF_NUMBERS and not call.name.startswith("sync")

    def types_of(self, function: Function, name: str) -> set[Class]:
        """The classes of an object that a function has under this name."""
        if not name:
            return set()
        if function.self_name and name == function.self_name:
            return {function.kind} if function.kind is not None else set()
        found = set(self.types.get((function, name), ()))
        first, _, rest = name.partition(".")
        if rest:
            inner = self.types_of(function, first)
            for part in rest.split("."):
                inner = {kind for owner in inner for kind in self._attribute_types(owner, part)}
            found |= inner
        elif not found and function.qualname != MODULE:
            outer = self._plain.get((function.file, MODULE))
            found |= self.types.get((outer, name), set())
            imported = self._imports[function.file].get(name)
            if imported is not None:
                file = self._modules.file(imported[0], function.file)
                found |= self.types.get((self._plain.get((file or "", MODULE)), imported[1]), set())
        return found

    def is_class(self, function: Function, call: Call) -> Class | None:
        """The user's class that a call makes an object of; None for another call."""
        if call.receiver:
            file = self._modules.module_named(function.file, call.receiver)
            return self._classes.get((file or "", call.name))
        return self.class_named(function.file, call.name)

    def class_named(self, file: str, name: str) -> Class | None:
        """The class that a file means by a name, perhaps with its module (`game.Board`)."""
        before, _, last = name.rpartition(".")
        if before:
            return self._classes.get((self._modules.module_named(file, before) or "", last))
        origin = self._modules.origin(file, last)
        return self._classes.get(origin) if origin is not None else None

    def reached(self, function: Function) -> frozenset[Function]:
        """All functions that a function calls, directly or not; also what makes objects."""
        if function not in self._reached:
            found: set[Function] = set()
            waiting = [function]
            while waiting:
                one = waiting.pop()
                called = [target for call in one.calls for target in self.resolve(one, call)]
                made = [kind for call in one.calls if (kind := self.is_class(one, call)) is not None]
                called += [init for kind in made if (init := self.method(kind, "__init__")) is not None]
                for target in (*called, *self._passes[one]):
                    if target not in found:
                        found.add(target)
                        waiting.append(target)
            self._reached[function] = frozenset(found)
        return self._reached[function]

    def is_repeated(self, function: Function, seen: frozenset[Function] = frozenset()) -> bool:
        """Whether a function is called again and again: in a loop, by a library, or by what is repeated."""
        sites = self.callers.get(function, [])
        if function in self.passed or any(call.loops for _, call in sites):
            return True
        seen |= {function}
        return any(self.is_repeated(caller, seen) for caller, _ in sites if caller not in seen)

    def _handed_to_library(self, function: Function, call: Call) -> list[Function]:
        """The user's functions among the arguments of a call that is none of the user's."""
        if self.resolve(function, call) or self.is_class(function, call) or call.name in _KEEPING:
            return []
        names = {name for names in call.arguments for name in names}
        return [one for name in sorted(names) for one in self.functions_of(function, name)]

    def functions_of(self, function: Function, name: str) -> list[Function]:
        """The functions that a name stands for, not their calls."""
        owner, _, last = name.rpartition(".")
        if not owner:
            if found := self.handed.get((function, name)):
                return in_order(found)
            if name in function.parameters or any(name in one.targets for one in function.assignments):
                return []  # a value of its own has that name
            if found := self.handed.get((self._plain.get((function.file, MODULE)), name)):
                return in_order(found)
            origin = self._modules.origin(function.file, name)
            plain = self._plain.get(origin) if origin is not None else None
            return [plain] if plain is not None else []
        kind = self.class_named(function.file, owner)
        owners = {kind} if kind is not None else self.types_of(function, owner)
        held = [self.handed.get((one, last), set()) for top in owners for one in self.with_bases(top)]
        found = set().union(*held)
        if not owners:  # `handlers["hit"]`
            return self.functions_of(function, owner)
        return self._methods_of(owners, last) or in_order(found)

    def module_of(self, function: Function) -> Function:
        """The code of the module that a function is in."""
        return self._plain.get((function.file, MODULE), function)

    def passed_by(self, function: Function) -> set[Function]:
        """What a function hands to a library that calls it."""
        return self._passes[function]

    def methods_named(self, name: str) -> list[Function]:
        """The methods that `something.name` may be, where nothing is known of the object."""
        owner, _, last = name.rpartition(".")
        return self._methods[last] if owner and last in self._methods and last not in _COMMON else []

    def looked_up(self, function: Function, call: Call) -> list[Function]:
        """The methods that `getattr(game, "on_" + kind)` may give."""
        wanted = call.name.removeprefix(LOOKED_UP)
        found = {
            method
            for owner in self.types_of(function, call.receiver)
            for kind in self.with_bases(owner)
            for name, method in kind.methods.items()
            if name == wanted or (wanted.endswith("*") and name.startswith(wanted[:-1]))
        }
        return in_order(found)

    def forget_calls(self) -> None:
        """What calls mean is found anew: more is known of objects now."""
        self._resolved.clear()

    def _attribute_types(self, owner: Class, name: str) -> set[Class]:
        found: set[Class] = set()
        for kind in self.with_bases(owner):
            found |= self.types.get((kind, name), set())
        return found

    def with_bases(self, kind: Class, depth: int = 0) -> list[Class]:
        """A class, and the user's own ones that it is derived from."""
        found = [kind]
        if depth < _DEEPEST:
            for base in self._bases(kind):
                found += self.with_bases(base, depth + 1)
        return found

    def _bases(self, kind: Class) -> list[Class]:
        named = (self.class_named(kind.file, base) for base in kind.bases)
        return [one for one in named if one is not None and one is not kind]

    def method(self, owner: Class, name: str) -> Function | None:
        return next((kind.methods[name] for kind in self.with_bases(owner) if name in kind.methods), None)

    def _methods_of(self, owners: set[Class], name: str) -> list[Function]:
        """The methods of this name, in the order of the files."""
        ordered = sorted(owners, key=lambda kind: (kind.name, kind.file))
        return [method for owner in ordered if (method := self.method(owner, name))]

    def _find(self, function: Function, call: Call) -> list[Function]:
        if call in self.behind or call.name.startswith(LOOKED_UP):
            return list(self.behind.get(call, ()))
        if not call.name and call.inner and call.inner[-1].name.startswith(LOOKED_UP):
            return self.looked_up(function, call.inner[-1])
        if not call.receiver:
            return self._find_plain(function, call.name)
        owners = self.types_of(function, call.receiver)
        if call.receiver == "?" and call.inner:  # `self.make().play()`, `super().step()`
            made = self.is_class(function, call.inner[0])
            owners = {made} if made is not None else set()
        found = self._methods_of(owners, call.name)
        if found or owners:
            dotted = f"{call.receiver}.{call.name}"
            held = self.functions_of(function, dotted)
            return found or held or self._called_objects(self.types_of(function, dotted))
        if call.receiver == "?" and call.inner and call.inner[0].name == "super":
            return self._methods_of(set(self._bases(function.kind)) if function.kind else set(), call.name)
        file = self._modules.module_named(function.file, call.receiver)
        if file is not None:
            return [self._plain[file, call.name]] if (file, call.name) in self._plain else []
        if call.receiver in self._imports[function.file]:
            imported = self.class_named(function.file, call.receiver)  # `Board.fresh()`
            return self._methods_of({imported}, call.name) if imported is not None else []
        candidates = [one for one in self._methods.get(call.name, []) if one is not function]  # another's
        if call.name.startswith("__"):
            return []
        if call.name in _COMMON:
            return [one for one in candidates if self._fits(call.receiver, one)]
        return candidates if len(candidates) <= 3 else []

    def _fits(self, receiver: str, method: Function) -> bool:
        """Whether an object of an unknown class may have this method: they share a word (`buffer` and
        ReplayBuffer), or both mean a game."""
        last = receiver.rpartition(".")[2]
        both = set(parts_of(last)) & set(parts_of(method.owner))
        plays = means(last, "environment") and "reset" in getattr(method.kind, "methods", {})
        return bool(both) or plays

    def _find_plain(self, function: Function, name: str) -> list[Function]:
        held = "." in name or (function, name) in self.handed  # `self.handlers[kind](…)`, `f(…)`
        if held and (found := self.functions_of(function, name)):
            return found
        local = self._plain.get((function.file, name))
        if local is not None and local.qualname != MODULE:
            return [local]
        origin = self._modules.origin(function.file, name)
        if origin is not None and origin in self._plain:
            return [self._plain[origin]]
        return self._called_objects(self.types_of(function, name))

    def _called_objects(self, kinds: set[Class]) -> list[Function]:
        """What a call of an object means: of a network, its forward pass."""
        return [*self._methods_of(kinds, "__call__"), *self._methods_of(kinds, "forward")]
