"""Does a forward pass act or learn? The calls around it tell: below a function that learns it is part of an
update. Which functions learn is found out from backward passes (`hooks/learning_functions.py`, asked rarely).
Where one function does both, what follows tells: a backward pass follows learning, an environment step
follows acting.

What `act_or_learn.c` does, in Python, held to the same tests.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

from goldsplit.record.inside.core.failures import swallow
from goldsplit.record.inside.core.spans import begin_span, close_span, enter, leave, this_thread
from goldsplit.record.inside.core.state_fields import OPEN, SURE, CallSite, Shared

_clock = time.perf_counter_ns
#: Call sites of forward passes between two votes; more than these get no vote.
MOST_UNDECIDED = 64
#: So many calls around a forward pass make its site.
DEEPEST_CALL = 64
#: More sites than these (a recursion with many ways) are one.
MOST_SITES = 4096
#: So many passes with gradients that neither a backward pass nor a step followed were not for learning.
MOST_UNPROVED = 128
#: Backward passes that are looked at for one site, and steps, one after the other; then one step in so many.
MOST_TRIES, MOST_VAIN_LOOKS, THEN_LOOK_EVERY = 4, 8, 256


def set_up_act_or_learn(forward_in: dict[str, str], act: str, learn_forward: str, learn_loss: str) -> None:
    """Say what a forward pass is by the stage that it runs in (elsewhere its site tells), and the stages."""
    Shared.forward_in = forward_in
    Shared.act, Shared.learn_forward, Shared.learn_loss = act, learn_forward, learn_loss


def leave_forwards_to(
    first_guess: Callable[..., Any], saw_backward: Callable[..., bool], saw_step: Callable[..., bool]
) -> None:
    """The hook that knows which functions learn; what was known of call sites is forgotten."""
    Shared.first_guess, Shared.saw_backward = staticmethod(first_guess), staticmethod(saw_backward)
    Shared.saw_step = staticmethod(saw_step)
    Shared.sites.clear()


def enter_forward(is_grad_enabled: Callable[[], bool] | None, acting: str | None = None) -> Any:
    """The span of a forward pass: False inside another one, None inside a span of the same stage.

    Without a question for gradients the call is for acting unless the calls around it say otherwise. `acting`
    is the stage if it acts.
    """
    try:
        return _begin_forward(is_grad_enabled, acting)
    except Exception as error:
        if not swallow("the start of a forward pass", error):
            raise
        return False


def _begin_forward(is_grad_enabled: Callable[[], bool] | None, acting: str | None) -> Any:
    state = this_thread()
    if state.in_forward:
        return False
    has_grad, site = is_grad_enabled is not None and is_grad_enabled(), None
    stage = Shared.forward_in.get(state.current.stage)
    if stage is None:
        site = _site_of(sys._getframe(3), has_grad)
        stage = site.stage
        if site.kind == OPEN and site.passes >= MOST_UNPROVED:
            stage = Shared.act
    if acting is not None and stage == Shared.act:
        stage = acting
    node = enter(stage)
    state.in_forward = True
    if site is not None:
        _remember(state, site)
    if node is not None:
        node.has_grad, node.cost_from_ns = has_grad, 0
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
    if node.has_grad and node.parent.parent is None:  # a loss may follow
        state.forward_ns, state.forward_top_ns = state.ended_ns, state.top_ns
    return int(node.count)


def watch_forward(flag: bool) -> None:
    """Whether the deep look wants to see every layer. Here the wrapper of a module's call does that."""


def _site_of(frame: FrameType | None, has_grad: bool) -> CallSite:
    """The site of the calls that led to a frame, by their identities; a recursion counts once."""
    key: list[Any] = [has_grad]
    walk, code, at, room = frame, None, 0, DEEPEST_CALL
    while walk is not None and room:
        before, before_at, code, at = code, at, walk.f_code, walk.f_lasti
        if code is not before or at != before_at:
            key += (id(code), at)  # by identity: a code's hash goes through all that is in it
        walk, room = walk.f_back, room - 1
    chain = tuple(key)
    site = Shared.sites.get(chain)
    if site is None:
        if len(Shared.sites) >= MOST_SITES:
            chain = (has_grad,)
            site = Shared.sites.get(chain)
        if site is None:
            site = Shared.sites[chain] = _new_site(frame, has_grad)
    return site


def _new_site(frame: FrameType | None, has_grad: bool) -> CallSite:
    try:
        calls, kind, learning, in_turn = Shared.first_guess(frame, has_grad)
    except Exception:
        calls, kind, learning, in_turn = (), OPEN, has_grad, False
    return CallSite(calls, kind, _stage(learning), has_grad, in_turn)


def _stage(learning: bool) -> str:
    return Shared.learn_forward if learning else Shared.act


def _remember(state: Any, site: CallSite) -> None:
    """What follows a pass tells what it was for."""
    if site.has_grad:
        state.last_grad = site
    if site.kind == SURE:
        if site.stage == Shared.learn_forward:
            state.unproved = True
        return
    site.passes += 1
    if site.passes == 1 and len(state.undecided) < MOST_UNDECIDED:
        state.undecided.append(site)


def settle_forward(learning: bool) -> None:
    """A backward pass or an environment step tells what the forward passes before it were for."""
    state = this_thread()
    last = state.last_grad
    for site in state.undecided:
        vote = _vote(site, last) if learning else -1
        site.passes = 0
        if vote:
            site.balance += vote
            site.stage = _stage(site.balance > 0)
    state.undecided.clear()
    if not learning and state.unproved:
        _look_at_step(state, sys._getframe(1))
    state.unproved = False
    state.last_grad = None


def _vote(site: CallSite, last: CallSite | None) -> int:
    """What a backward pass says about a pass before it: it most likely is that of the last with gradients."""
    if last is None:
        return 0
    if site.kind == OPEN:
        return 0 if not site.has_grad else 1 if last.kind == OPEN else -1
    return -1 if site.in_turn and site.passes > max(1, last.passes) else 1


def _look_at_step(state: Any, frame: FrameType | None) -> None:
    state.vain_looks += 1
    if state.vain_looks > MOST_VAIN_LOOKS and state.vain_looks % THEN_LOOK_EVERY:
        return
    try:
        if Shared.saw_step(frame):
            state.vain_looks = 0
            Shared.sites.clear()
    except Exception:
        return


def begin_backward(state: Any) -> None:
    """The forward passes before it were for learning; the loss is what ran since the last of them.

    It is counted only where no stage encloses both: inside one (SB3's `train`) that time is the stage's.
    """
    if state.in_forward:
        return
    last = state.last_grad
    if last is not None and last.kind == OPEN and last.tries < MOST_TRIES:
        last.tries += 1
        try:
            before = [(site.chain, site.passes) for site in state.undecided]
            if Shared.saw_backward(sys._getframe(1), last.chain, before):
                Shared.sites.clear()
        except Exception:
            last.tries = MOST_TRIES
    settle_forward(True)
    since, state.forward_ns = state.forward_ns, 0
    root = state.current
    if not since or root.parent is not None:
        return
    now = _clock()
    node = state.child(root, Shared.learn_loss)
    begin_span(state, node, since + state.top_ns - state.forward_top_ns)
    close_span(state, node, now)
