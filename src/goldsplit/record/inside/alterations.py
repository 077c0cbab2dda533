"""Functions that overlays change by their stage, just before calls of them become spans."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from goldsplit.record.inside.own_failures import harmless

Alter = Callable[[Any, str], Any]
"""Takes a function and its stage; gives what is called instead, or the function itself."""

_alterations: list[Alter] = []
_sometimes_left_out: set[str] = set()
"""Stages of which an overlay leaves calls out."""
_last = threading.local()
"""`was_left_out`: whether the last call of such a stage that ended in this thread was not made."""
_plain: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
"""What was made here → the program's own function: one that gets another stage is changed only once."""


def alter_stages(alter: Alter) -> None:
    """Change every function that gets a stage from now on."""
    _alterations.append(alter)


def forget_alterations() -> None:
    """Change no function any more: for tests."""
    _alterations.clear()
    _sometimes_left_out.clear()


def leaves_out(stage: str) -> None:
    """Some calls of a stage will not be made."""
    _sometimes_left_out.add(stage)


def call_ended(was_left_out: bool) -> None:
    """A call of such a stage ends now, in this thread."""
    _last.was_left_out = was_left_out


class UnlessLeftOut:
    """What is to be done after a call (a count, say), only if the call was made. It may be pickled."""

    def __init__(self, after: Callable[..., None]) -> None:
        self.after = after

    def __call__(self, *given: Any) -> None:
        if not getattr(_last, "was_left_out", False):
            self.after(*given)


def after_made_calls(after: Callable[..., None] | None, stage: str) -> Callable[..., None] | None:
    """`after`, which counts no call that an overlay has left out."""
    return after if after is None or stage not in _sometimes_left_out else UnlessLeftOut(after)


def altered(function: Any, stage: str) -> Any:
    """What calls of a function of this stage are to do."""
    if not _alterations:
        return function
    with harmless("an overlay by stage"):
        own = _plain.get(function, function)
        made = own
        for alter in _alterations:
            changed = alter(made, stage)
            made = made if changed is made else functools.update_wrapper(changed, made)
        if made is not own:
            _plain[made] = own
        return made
    return function
