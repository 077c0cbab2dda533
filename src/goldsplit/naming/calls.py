"""Which function does a call mean? Found by the classes of objects, as far as the source shows them.

An object's class is known where it was made (`game = Caravan(2)`, `self.game = …`), handed on as an
argument, or taken out of a list of such objects. Where it is not known, a method's name decides if it is
rare enough.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from goldsplit.model.usual_names import looks_like_timer
from goldsplit.naming.code_facts import MODULE, Assignment, Call, Class, Function, SourceFile
from goldsplit.naming.vocabulary import means, parts_of, words_in

#: Methods that lists, dictionaries, arrays and tensors have too: their name alone says nothing.
_COMMON = words_in(
    """
    add all any append choice clear clone close copy count detach eval extend format get index insert
    item items join keys match max mean min next numpy open pop put read recv remove reshape result
    round run sample search send set size sort split start step stop submit sum to tolist train update
    values view wait write
    """
)
_ROUNDS = 3
#: Functions with more lines than this do more than measuring time.
_LONGEST_CLOCK = 16


class Program:
    """All functions of a program, and what its calls mean."""

    def __init__(self, files: list[SourceFile]) -> None:
        self.files = files
        self.functions = [function for file in files for function in file.functions]
        self.classes: dict[str, list[Class]] = defaultdict(list)
        self._methods: dict[str, list[Function]] = defaultdict(list)
        self._plain: dict[tuple[str, str], Function] = {}
        self._imports = {file.file: file.imports for file in files}
        self._file_of_module = {Path(file.file).stem: file.file for file in files}
        for file in files:
            package = Path(file.file).parent.name
            if Path(file.file).stem == "__init__":
                self._file_of_module[package] = file.file
            for kind in file.classes:
                self.classes[kind.name].append(kind)
                for name, function in kind.methods.items():
                    self._methods[name].append(function)
            for function in file.functions:
                if not function.owner:
                    self._plain[file.file, function.name] = function
        #: (function or class, name of a variable or attribute) → names of its classes
        self._types: dict[tuple[object, str], set[str]] = defaultdict(set)
        #: (function, name of a parameter) → functions that are handed over in it
        self._handed: dict[tuple[Function, str], set[Function]] = defaultdict(set)
        self._resolved: dict[Call, tuple[Function, ...]] = {}
        self._clocks: dict[Function, bool] = {}
        for _ in range(_ROUNDS):
            self._resolved.clear()
            for function in self.functions:
                for assignment in function.assignments:
                    self._learn_types(function, assignment)
            for function in self.functions:
                for call in function.calls:
                    self._hand_over(function, call)
        self._resolved.clear()
        self.callers: dict[Function, list[tuple[Function, Call]]] = defaultdict(list)
        for function in self.functions:
            for call in function.calls:
                for target in self.resolve(function, call):
                    self.callers[target].append((function, call))
        self._reached: dict[Function, frozenset[Function]] = {}

    def class_of(self, function: Function) -> Class | None:
        """The class that a method belongs to."""
        return next(
            (kind for kind in self.classes.get(function.owner, ()) if kind.file == function.file), None
        )

    def resolve(self, function: Function, call: Call) -> tuple[Function, ...]:
        """The user's functions that a call in `function` may mean, without the program's own clocks."""
        if call not in self._resolved:
            found = (one for one in self._find(function, call) if not self.is_clock(one))
            self._resolved[call] = tuple(dict.fromkeys(found))
        return self._resolved[call]

    def is_clock(self, function: Function) -> bool:
        """Whether a function only measures time: a short one that reads a clock, or that is named so."""
        if function not in self._clocks:
            self._clocks[function] = False  # where it calls itself
            imports = self._imports[function.file]
            times = [
                one for one in function.calls if imports.get(one.receiver or one.name, ("",))[0] == "time"
            ]
            reads = any(one.name != "sleep" for one in times)
            short = function.last - function.first < _LONGEST_CLOCK and function.qualname != MODULE
            works = any(
                self.is_class(function, call)
                or any(not self.is_clock(one) for one in self._find(function, call))
                for call in function.calls
            )
            self._clocks[function] = (reads and short and not works) or looks_like_timer(function.qualname)
        return self._clocks[function]

    def types_of(self, function: Function, name: str) -> set[str]:
        """The classes of an object that a function has under this name."""
        if not name:
            return set()
        if function.self_name and name == function.self_name:
            return {function.owner}
        found = set(self._types.get((function, name), ()))
        first, _, rest = name.partition(".")
        if rest:
            inner = self.types_of(function, first)
            for part in rest.split("."):
                inner = {kind for owner in inner for kind in self._attribute_types(owner, part)}
            found |= inner
        elif not found and function.qualname != MODULE:
            outer = self._plain.get((function.file, MODULE))
            found |= self._types.get((outer, name), set())
            imported = self._imports[function.file].get(name)
            if imported is not None:
                file = self._file_of_module.get(imported[0].rpartition(".")[2])
                found |= self._types.get((self._plain.get((file or "", MODULE)), imported[1]), set())
        return found

    def is_class(self, function: Function, call: Call) -> str:
        """The name of the user's class that a call makes an object of; "" for another call."""
        return self._class_named(function, call.name)

    def _class_named(self, function: Function, name: str) -> str:
        original = self._imports[function.file].get(name, ("", ""))[1] or name.rpartition(".")[2]
        return original if original in self.classes else ""

    def reached(self, function: Function) -> frozenset[Function]:
        """All functions that a function calls, directly or not."""
        if function not in self._reached:
            found: set[Function] = set()
            waiting = [function]
            while waiting:
                one = waiting.pop()
                for call in one.calls:
                    for target in self.resolve(one, call):
                        if target not in found:
                            found.add(target)
                            waiting.append(target)
            self._reached[function] = frozenset(found)
        return self._reached[function]

    def _attribute_types(self, owner: str, name: str) -> set[str]:
        found: set[str] = set()
        for kind in self._with_bases(owner):
            found |= self._types.get((kind.file, f"{kind.name}.{name}"), set())
        return found

    def _with_bases(self, name: str, depth: int = 0) -> list[Class]:
        found: list[Class] = []
        for kind in self.classes.get(name, ()):
            found.append(kind)
            if depth < 6:
                for base in kind.bases:
                    found += self._with_bases(base.rpartition(".")[2], depth + 1)
        return found

    def _method(self, owner: str, name: str) -> Function | None:
        return next((kind.methods[name] for kind in self._with_bases(owner) if name in kind.methods), None)

    def _find(self, function: Function, call: Call) -> list[Function]:
        if not call.receiver:
            return self._find_plain(function, call.name)
        owners = self.types_of(function, call.receiver)
        if call.receiver == "?" and call.inner:  # `self.make().play()`, `super().step()`
            owners = {self.is_class(function, call.inner[0])} - {""}
        found = [method for owner in sorted(owners) if (method := self._method(owner, call.name))]
        if found or owners:
            return found or self._called_objects(self.types_of(function, f"{call.receiver}.{call.name}"))
        if call.receiver == "?" and call.inner and call.inner[0].name == "super":
            bases = [
                base.rpartition(".")[2]
                for kind in self.classes.get(function.owner, ())
                for base in kind.bases
            ]
            return [method for base in bases if (method := self._method(base, call.name))]
        imported = self._imports[function.file].get(call.receiver)
        if imported is not None:
            module = imported[1] or imported[0].rpartition(".")[2]
            file = self._file_of_module.get(module)
            found = [self._plain[file, call.name]] if file and (file, call.name) in self._plain else []
            if found or file is None:
                return found
        candidates = self._methods.get(call.name, [])
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
        plays = means(last, "environment") and "reset" in getattr(self.class_of(method), "methods", {})
        return bool(both) or plays

    def _find_plain(self, function: Function, name: str) -> list[Function]:
        handed = self._handed.get((function, name))
        if handed:
            return sorted(handed, key=lambda one: (one.file, one.first))
        local = self._plain.get((function.file, name))
        if local is not None and local.qualname != MODULE:
            return [local]
        module, original = self._imports[function.file].get(name, ("", ""))
        file = self._file_of_module.get(module.rpartition(".")[2])
        if file is not None and (file, original) in self._plain:
            return [self._plain[file, original]]
        return self._called_objects(self.types_of(function, name))

    def _called_objects(self, kinds: set[str]) -> list[Function]:
        """What a call of an object means: of a network, its forward pass."""
        named = [self._method(kind, name) for kind in sorted(kinds) for name in ("__call__", "forward")]
        return [method for method in named if method is not None]

    def _learn_types(self, function: Function, assignment: Assignment) -> None:
        if assignment.elements:
            for target, element in zip(assignment.targets, assignment.elements, strict=True):
                self._add_types(function, target, self._types_in(function, element.name, element.calls))
        elif len(assignment.targets) == 1 or assignment.direct is None:
            kinds = self._types_in(function, assignment.value.name, assignment.value.calls)
            if not kinds and assignment.each and len(assignment.value.names) == 1:
                kinds = self.types_of(function, *assignment.value.names)  # `for key, brain in brains.items()`
            if not kinds and assignment.direct is not None and len(assignment.targets) == 1:
                for made_by in self.resolve(function, assignment.direct):
                    for returned in made_by.returns:
                        kinds |= self._types_in(made_by, returned[0].name, returned[0].calls)
            for target in assignment.targets:
                self._add_types(function, target, kinds)

    def _types_in(self, function: Function, name: str, calls: tuple[Call, ...]) -> set[str]:
        nested = {inner for call in calls for inner in call.inner}
        made = {kind for call in calls if call not in nested and (kind := self.is_class(function, call))}
        return made or self.types_of(function, name)

    def _add_types(self, function: Function, target: str, kinds: set[str]) -> None:
        if not target or not kinds:
            return
        first, _, rest = target.partition(".")
        if function.self_name and first == function.self_name and rest and "." not in rest:
            self._types[function.file, f"{function.owner}.{rest}"] |= kinds
        elif not rest:
            self._types[function, target] |= kinds

    def _hand_over(self, function: Function, call: Call) -> None:
        """What is given as an argument has its class (or is that function) inside the called one too."""
        targets = self.resolve(function, call)
        made = self.is_class(function, call)
        if made and (init := self._method(made, "__init__")):
            targets = (*targets, init)
        for target in targets:
            plain = len(call.arguments) - len(call.keywords)
            for place, names in enumerate(call.arguments):
                keyword = call.keywords[place - plain] if place >= plain else ""
                parameter = keyword or (target.parameters[place] if place < len(target.parameters) else "")
                if not parameter or parameter not in target.parameters:
                    continue
                kind = self._class_named(function, call.made[place]) if call.made[place] else ""
                if kind:
                    self._types[target, parameter].add(kind)
                if kind or len(names) != 1:
                    continue
                (name,) = names
                self._types[target, parameter] |= self.types_of(function, name)
                owner, _, last = name.rpartition(".")
                handed: list[Function] = []
                if owner and last in self._methods and last not in _COMMON:
                    handed = self._methods[last]
                elif not owner:
                    handed = [one for one in self._find_plain(function, name) if one.qualname != MODULE]
                self._handed[target, parameter] |= set(handed)
