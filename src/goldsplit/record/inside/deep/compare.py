"""Arguments and results of one function, call by call: which calls repeat, and do they return the same."""

from __future__ import annotations

import re
from types import CodeType, FrameType
from typing import Any

from goldsplit.record.inside.deep.values import KeyMaker, NotComparable, short

#: Keys kept per function and window.
MOST_KEYS = 4000
MOST_RESULTS = 200
#: One call in so many is checked again at its end: did it change its arguments?
MUTATION_EVERY = 8
#: A function whose keys cost more than this many times its own calls is given up.
TOO_EXPENSIVE = 12.0
EXPENSIVE_NS = 40_000
ENOUGH_TO_JUDGE = 40

Call = tuple[Any, list[Any] | None]
"""A call's key, and now and then its arguments themselves, to see whether the call changes them."""


class Comparison:
    """What is known about the calls of one function in all windows; keys are those of the present window."""

    __slots__ = (
        "by_identity", "call_ns", "calls", "compared", "differing", "distinct",
        "given_up", "in_step", "key_ns", "mutated", "names", "parameters", "repeat_ns", "repeats",
        "repeats_in_step", "result_text", "results", "seen", "with_self",
    )  # fmt: skip

    def __init__(self, code: CodeType) -> None:
        extra = bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
        self.parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + extra]
        self.with_self = self.parameters[:1] == ("self",)
        self.names: frozenset[str] | None = frozenset()
        """Attributes that the function can read, directly or through the functions that it calls."""
        self.by_identity = False
        self.given_up = False
        self.calls = self.compared = self.repeats = self.repeats_in_step = self.differing = 0
        self.distinct = self.mutated = 0
        self.repeat_ns = self.key_ns = self.call_ns = 0
        self.results: set[Any] = set()
        self.result_text = ""
        self.seen: dict[Any, Any] = {}
        self.in_step: set[Any] = set()

    def new_window(self) -> None:
        self.seen.clear()
        self.in_step.clear()

    def new_step(self) -> None:
        self.in_step.clear()

    def begins(self, call_of: FrameType | list[Any]) -> Call | None:
        """The call that a frame begins, or that has these arguments; None where they cannot be compared."""
        self.calls += 1
        if isinstance(call_of, list):
            arguments = call_of
        else:
            values = call_of.f_locals
            arguments = [values.get(name) for name in self.parameters]
        key = self._key(arguments)
        if key is None:
            return None
        return key, arguments if self.calls % MUTATION_EVERY == 1 else None

    def _key(self, arguments: list[Any]) -> Any:
        maker = KeyMaker(self.names)
        try:
            rest = tuple([maker.key(value) for value in arguments[self.with_self :]])
        except (NotComparable, RuntimeError):
            return None
        return (self._key_of_self(arguments[0]), rest) if self.with_self else rest

    def _key_of_self(self, owner: Any) -> Any:
        """The object by its attributes, or if it is too large by identity: then only equal results count."""
        if not self.by_identity:
            try:
                return KeyMaker(self.names).key(owner)
            except (NotComparable, RuntimeError):
                self.by_identity = True
        return id(owner)

    def ends(self, call: Call, result: Any, elapsed_ns: int) -> None:
        """Count one call that has returned."""
        if self.compared > 20 and elapsed_ns > 50 * self.call_ns // self.compared:
            elapsed_ns = self.call_ns // self.compared  # the machine was busy with something else
        self.call_ns += elapsed_ns
        key, arguments = call
        try:
            answer = KeyMaker().key(result)
        except (NotComparable, RuntimeError):
            return
        self.compared += 1
        if len(self.results) < MOST_RESULTS:
            if not self.results:
                self.result_text = short(result)
            self.results.add(answer)
        if arguments is not None:
            self.mutated += self._key(arguments) != key
        before = self.seen.get(key, self)
        if before is self:
            if len(self.seen) < MOST_KEYS:
                self.seen[key] = answer
                self.in_step.add(key)
                self.distinct += 1
            return
        self.repeats += 1
        self.repeat_ns += elapsed_ns
        if key in self.in_step:
            self.repeats_in_step += 1
        self.in_step.add(key)
        if before != answer:
            self.differing += 1
            self.seen[key] = answer

    def judge(self) -> None:
        """Compare the object by identity only, then give up, where keys cost far more than the calls."""
        if self.calls < ENOUGH_TO_JUDGE or self.key_ns < EXPENSIVE_NS * self.calls:
            return
        if self.key_ns > TOO_EXPENSIVE * max(1, self.call_ns):
            self.given_up = self.by_identity or not self.with_self
            self.by_identity = True
            self.calls = 0
            self.key_ns = self.call_ns = 0


#: Names of attributes that hold what was computed before.
CACHE_NAME = re.compile(r"cache|memo(?!ry)|lookup_table|already_computed", re.IGNORECASE)
#: Code that names one of these may read attributes that it does not name.
_READS_ANY = frozenset(
    [
        "getattr",
        "vars",
        "__dict__",
        "deepcopy",
        "copy",
        "asdict",
        "astuple",
        "eval",
        "exec",
        "pickle",
        "dumps",
        "__getattr__",
    ]
)


def names_within_reach(code: CodeType, all_codes: dict[str, list[CodeType]]) -> frozenset[str] | None:
    """Every name in a function's code, and in the code of functions that it mentions by name; None if it may
    read attributes without naming them. What is named like a cache is left out: its content must not matter.
    `all_codes`: all user functions by name."""
    found: set[str] = set()
    waiting = [code]
    done: set[CodeType] = set()
    while waiting:
        one = waiting.pop()
        if one in done:
            continue
        done.add(one)
        waiting += [const for const in one.co_consts if isinstance(const, CodeType)]
        for name in one.co_names:
            if name not in found:
                found.add(name)
                waiting += all_codes.get(name, ())
    if found & _READS_ANY:
        return None
    return frozenset(name for name in found if not CACHE_NAME.search(name))
