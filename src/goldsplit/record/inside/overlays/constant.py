"""A function that always gave the same answer is not called any more.

## What it changes

The first 200 calls (`after=N`) of the function are computed and compared. If all answers were equal,
later calls get that answer without the function being called. If one differs before that, nothing is
changed, and the report says so.

## When it helps

A check that is true every time, a table that is built again and again, a property of a board that never
changes. The rule [constant-result](../rules/constant-result.md) names the function.

## Verified

About one call in 20 (`verify=N`: one in N) is computed anyway. If its answer differs from the kept one,
the run is stopped with exit code 4, and the message says with which arguments and both answers.

## For good

Compute the answer once, where what it depends on is made; or remove the call.

## When not

What the function *does* besides answering is not done any more: counting, drawing random numbers,
changing a board. Compare the trajectories (`--trajectory`), or the reward.
"""

from __future__ import annotations

from typing import Any

from goldsplit.model.overlays.overlay import VERIFIED_ANSWERS
from goldsplit.model.overlays.written import options_of
from goldsplit.record.inside.overlays import verification
from goldsplit.record.inside.overlays.changes import Changes
from goldsplit.record.inside.overlays.kept_answers import CannotKeep, copy_of, needs_copy
from goldsplit.record.inside.overlays.targets import replace
from goldsplit.record.inside.overlays.verification import Share, fingerprint
from goldsplit.record.inside.own_failures import count_failure

AFTER_HOOKS = True
#: So many equal answers, before the first is kept.
COMPARED_CALLS = 200

SPARED, VERIFIED = "calls answered without being made", VERIFIED_ANSWERS


def install(changes: Changes, argument: str) -> None:
    """Wait for the function."""
    target, options = options_of(argument)
    constants = _BY_TEXT[changes.text] = Constant(changes, target, options)
    replace(target, constants.around, changes)


class Constant:
    """The one answer of a function."""

    def __init__(self, changes: Changes, function: str, options: dict[str, int]) -> None:
        self.changes = changes
        self.function = function
        self.left = options.get("after", COMPARED_CALLS)
        self.share = Share(options.get("verify", verification.ONE_IN), first=0)
        self.given_up = False
        self.is_kept = False
        self.kept: Any = None
        self.known: Any = None
        """The kept answer's fingerprint; None before the first call."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return _again, (self.changes.text,)

    def around(self, function: Any) -> Any:
        """The function, which is called as long as its answer is not known."""
        constant = self

        def answer(*args: Any, **kwargs: Any) -> Any:
            if constant.is_kept and constant.spares():
                return copy_of(constant.kept)
            result = function(*args, **kwargs)
            if not constant.given_up:
                constant.computed(args, kwargs, result)
            return result

        return answer

    def spares(self) -> bool:
        """Whether the next call need not be made."""
        if self.share.takes():
            self.changes.see(VERIFIED)
            return False
        self.changes.count(SPARED)
        return True

    def computed(self, args: Any, kwargs: Any, result: Any) -> None:
        """Compare an answer that was computed; failures of ours end the overlay, not the program."""
        try:
            self._compare(args, kwargs, result)
        except Exception as error:
            self.given_up = True
            if not count_failure(self._compare, error):
                raise

    def _compare(self, args: Any, kwargs: Any, result: Any) -> None:
        answer = fingerprint(result)
        if self.is_kept:
            if answer != self.known:
                asked = (args, kwargs) if kwargs else args
                text = verification.differs(self.changes.text, self.function, asked, self.kept, result)
                verification.stop_the_run(text)
            return
        if self.known is None and answer is not None:
            try:
                self.kept, self.known = copy_of(result) if needs_copy(result) else result, (answer,)
            except CannotKeep:
                answer = None
        if answer is None:
            self._give_up("its answers cannot be compared")
        elif self.known != (answer,):
            self._give_up("its answer is not constant")
        else:
            self.left -= 1
            if self.left <= 0:
                self.known, self.is_kept = answer, True

    def _give_up(self, why: str) -> None:
        self.given_up = True
        self.changes.note(f"{self.function}: {why}")


def _again(text: str) -> Constant:
    """The same overlay in a process that was sent a function with it."""
    known = _BY_TEXT.get(text)
    if known is None:
        target, options = options_of(text.partition(":")[2])
        known = _BY_TEXT[text] = Constant(Changes(text), target, options)
    return known


_BY_TEXT: dict[str, Constant] = {}
