"""Whether a forward pass acts or learns is not written on it. What follows it tells: a backward pass follows
learning, an environment step follows acting. Each call site (two frames deep) keeps those votes.
"""

from __future__ import annotations

import sys
from typing import Any

from goldsplit.record.engine import ThreadState


class CallSite:
    """One place in the code that runs a forward pass, and what its calls were for."""

    __slots__ = ("balance", "codes", "stage")

    def __init__(self, stage: str, codes: tuple[Any, ...] = ()) -> None:
        self.stage = stage
        self.codes = codes
        """Kept, so that their identities, by which the site is found, are not given again."""
        self.balance = 0
        """Calls that were for learning less those that were for acting."""

    def vote(self, learning: bool) -> None:
        self.balance += 1 if learning else -1
        self.stage = "learn.forward" if self.balance > 0 else "act"


_sites: dict[Any, CallSite] = {}


def call_site(learning: bool) -> CallSite:
    """Where the wrapper that asks was called, by the two frames that led to it."""
    frame = sys._getframe(2)
    outer = frame.f_back
    code, outer_code = frame.f_code, outer and outer.f_code
    # By identity: the hash of a code object goes through all that is in it.
    key = (id(code), frame.f_lasti, id(outer_code), outer and outer.f_lasti)
    site = _sites.get(key)
    if site is None:
        site = CallSite("learn.forward" if learning else "act", (code, outer_code))
        _sites[key] = site
    return site


def settle_forward(state: ThreadState, learning: bool) -> None:
    """A backward pass or an environment step has come: the forward passes before it now have a purpose."""
    for site in state.undecided:
        site.vote(learning)
    state.undecided.clear()
