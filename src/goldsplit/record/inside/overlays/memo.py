"""Answers to equal arguments are kept within a step, an episode or the run.

## What it changes

The answer of each call is kept under its arguments, and a later call with equal arguments gets it without
the function being called. Arguments are compared by value: lists, arrays and objects by what they
contain, the object of a method by those of its attributes that the method can read. `@step` (the default)
forgets everything at the end of each environment step and each reset, `@episode` at each reset, `@run`
never. Containers and arrays are handed out as copies.

## When it helps

A function that is asked the same again and again: line of sight between the same cells, a path, an
observation that is built twice. The rules [repeated-calls](../rules/repeated-calls.md),
[built-twice-per-step](../rules/built-twice-per-step.md),
[over-cleared-cache](../rules/over-cleared-cache.md) and
[recomputed-property](../rules/recomputed-property.md) name the function.

## Verified

The first 20 kept answers and then about one in 20 (`verify=N`: one in N) are computed anyway. If an
answer differs from the kept one, the run is stopped with exit code 4, and the message says with which
arguments and both answers. A function that changes its arguments is left alone.

## For good

A dictionary of your own that is emptied where what it depends on changes, or
[goldsplit.fast.cache](../fast/cache.md), which checks itself. `functools.lru_cache` only where all
arguments are hashable and the function reads nothing else.

## When not

Comparing arguments costs time: for cheap functions more than it saves. What the function *does* besides
answering is not done any more. What it reads without naming it (a global board, say) is not compared:
only `verify` and a comparison of trajectories see that.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from goldsplit.model.overlays.overlay import VERIFIED_ANSWERS
from goldsplit.model.overlays.written import options_of
from goldsplit.record.inside.deep.values import KeyMaker, NotComparable
from goldsplit.record.inside.deep.watched.compare import names_within_reach
from goldsplit.record.inside.hooks.classes import is_users_module
from goldsplit.record.inside.overlays import scopes, verification
from goldsplit.record.inside.overlays.changes import Changes
from goldsplit.record.inside.overlays.kept_answers import CannotKeep, copy_of, needs_copy
from goldsplit.record.inside.overlays.targets import code_below, replace, user_codes
from goldsplit.record.inside.overlays.verification import MOST_VALUES, Share, fingerprint
from goldsplit.record.inside.own_failures import count_failure

AFTER_HOOKS = True
#: More answers than this are not kept: all are forgotten then.
MOST_ANSWERS = 100_000
#: Of the calls that are computed, so many first ones are looked at after it: did it change its arguments?
MUTATION_LOOKS = 20

KEPT, SPARED, VERIFIED = "answers kept", "calls answered without being made", VERIFIED_ANSWERS


def install(changes: Changes, argument: str) -> None:
    """Wait for the function."""
    memo = _again(changes.text)
    if memo.scope != scopes.RUN:
        scopes.watch_scopes()
    replace(memo.function, memo.around, changes)


class Call(NamedTuple):
    """One call that is being made: what it was asked, and the answer that is kept for it, if any."""

    key: Any
    kept: Any


class Answer(NamedTuple):
    """One kept answer."""

    known: Any
    """Its fingerprint."""
    value: Any
    must_copy: bool
    owner: Any
    """Lives as long as the key, which has only its identity."""


class Memo:
    """The kept answers of one function."""

    def __init__(self, changes: Changes, target: str, options: dict[str, int]) -> None:
        self.changes = changes
        self.function, _, scope = target.partition("@")
        self.scope = scope or scopes.STEP
        self.share = Share(options.get("verify", verification.ONE_IN))
        self.answers: dict[Any, Answer] = {}
        self.number = -1
        self.looks = MUTATION_LOOKS
        self.given_up = False
        self.has_self = False
        self.names: frozenset[str] | None = None
        self.is_ready = False
        self.by_identity = False

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return _again, (self.changes.text,)

    def around(self, function: Any) -> Any:
        """The function, which is called where no answer is kept."""
        memo = self

        def answer(*args: Any, **kwargs: Any) -> Any:
            if memo.given_up:
                return function(*args, **kwargs)
            call = memo.begin(function, args, kwargs)
            if call is None:
                return function(*args, **kwargs)
            if type(call) is not Call:
                return call[0]
            result = function(*args, **kwargs)
            memo.end(call, args, kwargs, result)
            return result

        return answer

    def begin(self, function: Any, args: Any, kwargs: Any) -> Any:
        """A call that has to be made, (the answer,) for one that has not, or None where nothing is known."""
        try:
            return self._begin(function, args, kwargs)
        except (NotComparable, RuntimeError, CannotKeep):
            self.changes.see("calls that could not be compared")
            return None
        except Exception as error:
            self.given_up = True
            if not count_failure(self._begin, error):
                raise
            return None

    def _begin(self, function: Any, args: Any, kwargs: Any) -> Any:
        if not self.is_ready:
            self._get_ready(function)
        number = scopes.number_of(self.scope)
        if number != self.number or len(self.answers) > MOST_ANSWERS:
            self.answers.clear()
            self.number = number
        key = self.key(args, kwargs)
        kept = self.answers.get(key)
        if kept is None or self.share.takes():
            return Call(key, kept)
        self.changes.count(SPARED)
        return (copy_of(kept.value) if kept.must_copy else kept.value,)

    def key(self, args: Any, kwargs: Any) -> Any:
        """The arguments of a call as a key."""
        maker = KeyMaker(self.names, MOST_VALUES)
        rest = maker.key(args[1:] if self.has_self and args else args)
        named = maker.key(kwargs) if kwargs else None
        return (self._key_of_self(args[0]) if self.has_self and args else None), rest, named

    def _key_of_self(self, owner: Any) -> Any:
        """The object of a method by what the method can read of it; if that is too much, by identity."""
        if not self.by_identity:
            try:
                return KeyMaker(self.names, MOST_VALUES).key(owner)
            except (NotComparable, RuntimeError):
                self.by_identity = True
                self.answers.clear()
                self.changes.note(f"the object of {self.function} is too large to be read: told by identity")
        return id(owner)

    def _get_ready(self, function: Any) -> None:
        """What the function can read, seen once, when the program is loaded."""
        self.is_ready = True
        code = code_below(function)
        if code is not None:
            self.has_self = code.co_varnames[:1] == ("self",) and code.co_argcount >= 1
            self.names = names_within_reach(code, user_codes(is_users_module))

    def end(self, call: Call, args: Any, kwargs: Any, result: Any) -> None:
        """Keep an answer that was computed, or compare it with the kept one."""
        try:
            self._end(call, args, kwargs, result)
        except Exception as error:
            self.given_up = True
            if not count_failure(self._end, error):
                raise

    def _end(self, call: Call, args: Any, kwargs: Any, result: Any) -> None:
        answer = fingerprint(result)
        if call.kept is not None:
            self.changes.see(VERIFIED)
            if answer != call.kept.known:
                asked = args[self.has_self :] if not kwargs else (args[self.has_self :], kwargs)
                text = verification.differs(self.changes.text, self.function, asked, call.kept.value, result)
                verification.stop_the_run(text)
            return
        if self.looks > 0:
            self.looks -= 1
            if self.key(args, kwargs) != call.key:
                self.given_up = True
                self.changes.note(f"{self.function} changes its arguments or its object: left alone")
                return
        if answer is None or scopes.number_of(self.scope) != self.number:
            self.changes.see("answers that could not be kept")
            return
        copies = needs_copy(result)
        try:
            kept = copy_of(result) if copies else result
        except CannotKeep:
            return
        owner = args[0] if self.by_identity and args else None
        self.answers[call.key] = Answer(answer, kept, copies, owner)
        self.changes.see(KEPT)


def _again(text: str) -> Memo:
    """The overlay of this text in this process; also where a function with it was sent from another."""
    known = _BY_TEXT.get(text)
    if known is None:
        target, options = options_of(text.partition(":")[2])
        known = _BY_TEXT[text] = Memo(Changes(text), target, options)
    return known


_BY_TEXT: dict[str, Memo] = {}
