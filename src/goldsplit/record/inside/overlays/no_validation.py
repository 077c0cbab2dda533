"""torch distributions do not check their arguments.

## What it changes

`torch.distributions` checks the arguments and values of every distribution, and with them reads tensors.
This overlay turns that off: for all distributions by default, and for those that ask for it with
`validate_args=True`.

## When it helps

Small networks, many actions: making a `Categorical` costs as much as the forward pass. On a GPU each
check waits for the device. The rule [distribution-validation](../rules/distribution-validation.md) says
how much.

## For good

`torch.distributions.Distribution.set_default_validate_args(False)` at the start of the program, or
`validate_args=False` where the distribution is made.

## When not

While you look for NaN: the checks are what finds them first.
"""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any

from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.overlays.changes import Changes


def install(changes: Changes, argument: str) -> None:
    """Wait for the base class of all distributions."""
    when_imported("torch.distributions.distribution", functools.partial(_change, changes))


def _change(changes: Changes, module: ModuleType) -> None:
    base = module.Distribution
    by_default = [bool(base._validate_args)]
    base.set_default_validate_args(False)
    real = base.__init__

    @functools.wraps(real)
    def make(self: Any, *args: Any, **kwargs: Any) -> None:
        wanted = kwargs.get("validate_args", args[2] if len(args) > 2 else None)
        if by_default[0] if wanted is None else wanted:
            changes.count("distributions made without validation")
        real(self, *args[:2], **{**kwargs, "validate_args": False})

    def set_default_validate_args(value: bool) -> None:
        by_default[0] = bool(value)  # what the program asks for is only remembered

    base.__init__ = make
    base.set_default_validate_args = staticmethod(set_default_validate_args)
