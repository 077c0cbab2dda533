"""Whether a forward pass acts or learns is not written on it. What follows it tells: a backward pass follows
learning, an environment step follows acting. Each call site (two frames deep) keeps those votes.

What `purpose.c` does, in Python, held to the same tests.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from goldsplit.model.stage import ACT, LEARN_FORWARD, LEARN_LOSS
from goldsplit.record.inside.core.fields import CallSite, Shared
from goldsplit.record.inside.core.spans import enter, leave, this_thread

_clock = time.perf_counter_ns
#: An update has a few forward passes (a target network's, both critics'); those before them were for another.
MOST_UNDECIDED = 8


def enter_forward(is_grad_enabled: Callable[[], bool]) -> Any:
    """The span of a forward pass: False inside another one, None where the enclosing span has its stage."""
    state = this_thread()
    if state.in_forward:
        return False
    has_grad, site = is_grad_enabled(), None
    stage = Shared.forward_in.get(state.current.stage)
    if stage is None:
        site = call_site(has_grad)
        stage = site.stage
    node = enter(stage)
    state.in_forward = True
    if node is not None:
        node.site, node.has_grad, node.cost_from_ns = site, has_grad, 0
    return node


def leave_forward(node: Any) -> int:
    """End what `enter_forward` began; how many there were at this place, 0 without a span."""
    state = this_thread()
    state.in_forward = False
    if node is None:
        return 0
    leave(node)
    if node.site is not None:
        state.undecided.append(node.site)
        del state.undecided[:-MOST_UNDECIDED]
    if node.has_grad and node.parent.parent is None:  # a loss may follow
        state.forward_ns, state.forward_top_ns = state.ended_ns, state.top_ns
    return int(node.count)


def watch_forward(flag: bool) -> None:
    """Whether somebody wants to see every layer; what stands in place of a module's call sees to it here."""


def call_site(learning: bool) -> CallSite:
    """Where the wrapper that asks was called, by the two frames that led to it."""
    frame = sys._getframe(3)
    outer = frame.f_back
    code, outer_code = frame.f_code, outer and outer.f_code
    # By identity: the hash of a code object goes through all that is in it.
    key = (id(code), frame.f_lasti, id(outer_code), outer and outer.f_lasti)
    site = Shared.sites.get(key)
    if site is None:
        site = Shared.sites[key] = CallSite(LEARN_FORWARD if learning else ACT, (code, outer_code))
    return site


def settle_forward(learning: bool) -> None:
    """A backward pass or an environment step has come: the forward passes before it now have a purpose."""
    undecided = this_thread().undecided
    for site in undecided:
        site.balance += 1 if learning else -1
        site.stage = LEARN_FORWARD if site.balance > 0 else ACT
    undecided.clear()


def begin_backward(state: Any) -> None:
    """The forward passes before it were for learning; the loss is what ran since the last of them.

    It is booked only where no stage encloses both: inside one (SB3's `train`) that time has its owner.
    """
    settle_forward(True)
    since, state.forward_ns = state.forward_ns, 0
    root = state.current
    if not since or root.parent is not None:
        return
    now = _clock()
    node = state.child(root, LEARN_LOSS)
    node.t0 = since + state.top_ns - state.forward_top_ns
    state.current = node
    state.close(node, now)
