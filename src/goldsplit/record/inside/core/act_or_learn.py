"""Does a forward pass act or learn? What follows it tells: a backward pass follows learning, an environment
step follows acting. Each call site (two frames deep) keeps those votes.

What `act_or_learn.c` does, in Python, held to the same tests.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from goldsplit.record.inside.core.failures import swallow
from goldsplit.record.inside.core.spans import close_span, enter, leave, open_span, this_thread
from goldsplit.record.inside.core.state_fields import CallSite, Shared

_clock = time.perf_counter_ns
#: An update has a few forward passes (a target network's, both critics'); earlier ones were for another.
MOST_UNDECIDED = 8


def set_up_act_or_learn(forward_in: dict[str, str], act: str, learn_forward: str, learn_loss: str) -> None:
    """Say what a forward pass is by the stage that it runs in (elsewhere its site tells), and the stages."""
    Shared.forward_in = forward_in
    Shared.act, Shared.learn_forward, Shared.learn_loss = act, learn_forward, learn_loss


def enter_forward(is_grad_enabled: Callable[[], bool]) -> Any:
    """The span of a forward pass: False inside another one, None inside a span of the same stage."""
    try:
        return _begin_forward(is_grad_enabled)
    except Exception as error:
        if not swallow("the start of a forward pass", error):
            raise
        return False


def _begin_forward(is_grad_enabled: Callable[[], bool]) -> Any:
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
    try:
        return _end_forward(node)
    except Exception as error:
        if not swallow("the end of a forward pass", error):
            raise
        return 0


def _end_forward(node: Any) -> int:
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
    """Whether the deep look wants to see every layer. Here the wrapper of a module's call does that."""


def call_site(learning: bool) -> CallSite:
    """Where the wrapper that asks was called, by the two frames that led to it."""
    frame = sys._getframe(4)
    outer = frame.f_back
    code, outer_code = frame.f_code, outer and outer.f_code
    # By identity: the hash of a code object goes through all that is in it.
    key = (id(code), frame.f_lasti, id(outer_code), outer and outer.f_lasti)
    site = Shared.sites.get(key)
    if site is None:
        site = Shared.sites[key] = CallSite(_stage(learning), (code, outer_code))
    return site


def _stage(learning: bool) -> str:
    return Shared.learn_forward if learning else Shared.act


def settle_forward(learning: bool) -> None:
    """A backward pass or an environment step tells what the forward passes before it were for."""
    undecided = this_thread().undecided
    for site in undecided:
        site.balance += 1 if learning else -1
        site.stage = _stage(site.balance > 0)
    undecided.clear()


def begin_backward(state: Any) -> None:
    """The forward passes before it were for learning; the loss is what ran since the last of them.

    It is counted only where no stage encloses both: inside one (SB3's `train`) that time is the stage's.
    """
    settle_forward(True)
    since, state.forward_ns = state.forward_ns, 0
    root = state.current
    if not since or root.parent is not None:
        return
    now = _clock()
    node = state.child(root, Shared.learn_loss)
    open_span(state, node, since + state.top_ns - state.forward_top_ns)
    close_span(state, node, now)
