"""Functions that overlays change by their stage, just before calls of them become spans."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from goldsplit.record.inside.own_failures import harmless

Alter = Callable[[Any, str], Any]
"""Takes a function and its stage; gives what is called instead, or the function itself."""

_alterations: list[Alter] = []
_plain: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
"""What was made here → the program's own function: one that gets another stage is changed only once."""


def alter_stages(alter: Alter) -> None:
    """Change every function that gets a stage from now on."""
    _alterations.append(alter)


def forget_alterations() -> None:
    """Change no function any more: for tests."""
    _alterations.clear()


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
