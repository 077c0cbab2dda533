"""Compare the arguments and results of a function's calls by value: which calls repeat an earlier one?

Only part of the calls is looked at, in bursts of consecutive ones; what was seen is remembered over the whole
run, up to a limit.
"""

from __future__ import annotations

import re
from types import CodeType
from typing import Any

from goldsplit.record.inside.deep.values import MOST_VALUES, KeyMaker, NotComparable, can_be_key, short
from goldsplit.record.inside.deep.watched.argument_groups import ArgumentGroups

#: Single values that the remembered keys of one function may hold together; then all are forgotten.
MOST_REMEMBERED = 30_000
MOST_RESULTS = 50
#: One call in so many is checked again at its end: did it change its arguments?
MUTATION_EVERY = 8
#: Arguments are no longer compared where that costs more than this many times the calls themselves.
TOO_EXPENSIVE = 12.0
EXPENSIVE_NS = 150_000
ENOUGH_TO_JUDGE = 40
#: After so many compared calls of which none repeats another, more of them will hardly tell anything.
ENOUGH_TO_TELL = 16
#: An argument that was too large so often is not tried again.
ENOUGH_FAILURES = 2

Call = tuple[Any, bool, list[Any] | None]
"""A call's key, whether it has everything by value, and now and then its arguments themselves, to see whether
the call changes them."""


class Comparison:
    """What is known about the calls of one function."""

    __slots__ = (
        "by_identity", "call_ns", "calls", "compared", "differing", "distinct", "given_up", "groups",
        "hashable", "in_step", "judged_ns", "key_ns", "mutated", "names", "parameters", "partial",
        "remembered", "repeat_ns", "repeats", "repeats_in_step", "result_text", "results", "seen", "step",
        "too_large", "with_self",
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
        self.repeat_ns = self.key_ns = self.call_ns = self.judged_ns = 0
        self.results: set[Any] = set()
        self.result_text = ""
        self.seen: dict[Any, Any] = {}
        self.partial: set[Any] = set()
        """Keys in which something stands for itself: they tell calls apart, but never that two are equal."""
        self.in_step: set[Any] = set()
        self.remembered = 0
        self.step: Any = None
        self.too_large: dict[int, int] = {}
        """By place of an argument: how often it was too large to compare."""
        self.groups = ArgumentGroups(int(self.with_self))
        self.hashable: bool | None = None

    def begins(self, arguments: list[Any], step: Any) -> Call:
        """A call with these arguments begins in this environment step."""
        if step != self.step:
            self.step = step
            self.in_step.clear()
            self.groups.end_step()
        self.calls += 1
        if self.given_up:
            return None, False, None
        if self.hashable is not False and self.calls % MUTATION_EVERY == 1:
            self.hashable = all(map(can_be_key, arguments[self.with_self :]))
        key, whole = self._key(arguments)
        self.groups.add(key)
        return key, whole, arguments if whole and self.calls % MUTATION_EVERY == 1 else None

    def new_burst(self) -> None:
        """The calls that follow do not follow on those before."""
        self.step = None
        self.in_step.clear()
        self.groups.end_step()

    def _key(self, arguments: list[Any]) -> tuple[tuple[Any, ...], bool]:
        parts, whole = [], True
        for place, value in enumerate(arguments):
            part = self._part(place, value)
            if part is None:
                part, whole = stand_for(value), whole and bool(self.with_self and place == 0)
            parts.append(part)
        return tuple(parts), whole

    def _part(self, place: int, value: Any) -> Any:
        """One argument's key, in a tuple; None if it is too large. Then the object that a method belongs to
        is known by its identity: only equal results count."""
        if self.too_large.get(place, 0) < ENOUGH_FAILURES:
            maker = KeyMaker(self.names)
            try:
                part = (maker.key(value),)
            except (NotComparable, RuntimeError):
                self.too_large[place] = self.too_large.get(place, 0) + 1
            else:
                self.remembered += MOST_VALUES - maker.left + 1
                return part
        self.by_identity = self.by_identity or (self.with_self and place == 0)
        return None

    def ends(self, call: Call, result: Any, elapsed_ns: int) -> None:
        """Count one call that has returned."""
        if self.compared > 20 and elapsed_ns > 50 * self.call_ns // self.compared:
            elapsed_ns = self.call_ns // self.compared  # the machine was busy with something else
        self.call_ns += elapsed_ns
        self.judged_ns += elapsed_ns
        key, whole, arguments = call
        maker = KeyMaker()
        try:
            answer = maker.key(result)
        except (NotComparable, RuntimeError):
            return
        self.compared += 1
        self._add_result(result, answer)
        if arguments is not None:
            self.mutated += self._key(arguments)[0] != key
        if not whole:
            self._add_partial(key)
            return
        self._forget_some(MOST_VALUES - maker.left + 1)
        before = self.seen.get(key, self)
        if before is self:
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

    def _add_result(self, result: Any, answer: Any) -> None:
        if len(self.results) < MOST_RESULTS:
            if not self.results:
                self.result_text = short(result)
            self.results.add(answer)

    def _add_partial(self, key: Any) -> None:
        if key is not None and key not in self.partial:
            self._forget_some(len(key))
            self.partial.add(key)
            self.distinct += 1

    def _forget_some(self, values: int) -> None:
        self.remembered += values
        if self.remembered > MOST_REMEMBERED:
            self.remembered = 0
            self.seen.clear()
            self.partial.clear()
            self.in_step.clear()

    def is_promising(self) -> bool:
        """Whether comparing more calls may show that work is repeated: not yet known, or some calls have
        something in common, and the function is not called for its effect."""
        if self.compared < ENOUGH_TO_TELL:
            return True
        if self.mutated or self.differing or self.result_text == "None":
            return False
        return bool(self.repeats or len(self.results) == 1 or self.groups.rows())

    def judge(self) -> None:
        """Compare results only where the arguments' keys cost far more than the calls; first by giving up
        the object, which is the largest argument of most methods."""
        if self.calls < ENOUGH_TO_JUDGE or self.key_ns < EXPENSIVE_NS * self.calls:
            return
        if self.key_ns > TOO_EXPENSIVE * max(1, self.judged_ns):
            is_last_resort = self.by_identity or not self.with_self
            self.given_up = self.given_up or is_last_resort
            self.by_identity = self.with_self
            self.too_large[0] = ENOUGH_FAILURES
            self.calls = 0
            self.key_ns = self.judged_ns = 0


def stand_for(value: Any) -> Any:
    """What stands in a key for a value that is too large: an object is known by its identity. What may be
    made anew for every call (lists, arrays) is not: another one can have the same identity."""
    kind = type(value)
    lasting = kind.__module__ != "builtins" and kind.__module__.partition(".")[0] not in ("numpy", "torch")
    return ("the same", id(value)) if lasting else "large"


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
