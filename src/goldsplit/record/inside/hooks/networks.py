"""Methods of the user's own networks and agents that serve two purposes: acting in a loop, learning in an
update.

Besides calling its modules, such a method makes a distribution, a sample and its log-probability. With small
modules that costs as much as they do, and it has the same purpose. The purpose is found as for a single
forward pass: by the calls around it.
"""

from __future__ import annotations

import dis
import inspect
import itertools
import sys
from types import CodeType, FunctionType
from typing import Any

from goldsplit.model.stage import ACT, ACT_VALUE, LEARN
from goldsplit.model.usual_names import stage_of_function
from goldsplit.record.inside.core import enter_forward, leave_forward, this_thread
from goldsplit.record.inside.engine import ENGINE
from goldsplit.record.inside.framed_calls import named
from goldsplit.record.inside.own_failures import count_failure
from goldsplit.record.inside.span_wrapping import is_staged, staged

TWO_PURPOSES = (
    "act_and_value",
    "action_and_value",
    "get_action_and_log_prob",
    "get_action_and_logprob",
    "get_action_and_value",
    "get_action_and_values",
)
#: Names in the code of a method that is an update, or that turns gradients off.
_UPDATES = frozenset({"backward", "zero_grad"})
_NO_GRADIENTS = frozenset({"no_grad", "inference_mode"})
_RUNS_LATER = inspect.CO_COROUTINE | inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR


def stage_networks(cls: type) -> None:
    """Stage a class's own methods that act and learn; nothing where the program has no torch."""
    torch: Any = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "is_grad_enabled"):
        return
    is_module = any(
        base.__name__ == "Module" and base.__module__.startswith("torch.") for base in cls.__mro__
    )
    codes = _codes_of_methods(cls)
    layers = _set_in(codes["__init__"]) if is_module and "__init__" in codes else frozenset()
    training = _that_train(codes)
    for name, code in codes.items():
        if name.startswith("__") or name in training or is_staged(vars(cls)[name]):
            continue
        stage = stage_of_function(name)
        is_entry = stage is None and name != "forward" and _calls_one_of(code, layers)
        # One that turns gradients off itself, or is for acting by its name: before the call they say nothing.
        is_quiet = stage is not None or _is_without_gradients(vars(cls)[name], code)
        if name in TWO_PURPOSES or is_entry:
            setattr(cls, name, by_purpose(vars(cls)[name], None if is_quiet else torch.is_grad_enabled))
        elif stage in (ACT, ACT_VALUE):
            setattr(cls, name, by_purpose(vars(cls)[name], None, stage))


def _codes_of_methods(cls: type) -> dict[str, CodeType]:
    """The codes of a class's own plain methods, below their decorators."""
    plain = {
        name: inspect.unwrap(value) for name, value in vars(cls).items() if isinstance(value, FunctionType)
    }
    return {
        name: method.__code__
        for name, method in plain.items()
        if isinstance(method, FunctionType) and not method.__code__.co_flags & _RUNS_LATER
    }


def _set_in(constructor: CodeType) -> frozenset[str]:
    """The attributes of itself that a constructor sets: a module's layers are among them."""
    return frozenset(step.argval for step in dis.get_instructions(constructor) if step.opname == "STORE_ATTR")


def _that_train(codes: dict[str, CodeType]) -> set[str]:
    """Methods that make backward passes, or call one of the same class that does: those are updates."""
    training = {name for name, code in codes.items() if _UPDATES.intersection(code.co_names)}
    while more := {
        name for name, code in codes.items() if name not in training and training.intersection(code.co_names)
    }:
        training |= more
    return training


def _calls_one_of(code: CodeType, layers: frozenset[str]) -> bool:
    """Whether a method that is given something calls one of its own layers, as far as its code shows."""
    if code.co_argcount < 2 or not layers.intersection(code.co_names):
        return False
    steps = list(dis.get_instructions(code))
    return any(
        step.argval in layers
        and before.opname.startswith("LOAD_FAST")
        and before.argval == code.co_varnames[0]
        for before, step in itertools.pairwise(steps)
        if step.opname == "LOAD_METHOD" or (step.opname == "LOAD_ATTR" and "NULL|self" in step.argrepr)
    )


def _is_without_gradients(method: FunctionType, code: CodeType) -> bool:
    is_decorated = method.__code__ is not code and "/torch/" in method.__code__.co_filename
    return is_decorated or bool(_NO_GRADIENTS.intersection(code.co_names))


def by_purpose(method: FunctionType, wants_gradients: Any, acting: str | None = None) -> Any:
    """`method`, each call a span of `acting` (if None: `act`) or of `learn.forward`."""
    acting = None if acting is None else sys.intern(acting)

    def network(*args: Any, **kwargs: Any) -> Any:
        node = enter_forward(wants_gradients, acting)
        if node is False:  # inside another one
            return method(*args, **kwargs)
        if ENGINE.on_forward is not None:
            this_thread().in_forward = False  # the deep look wants to see every layer
        try:
            return method(*args, **kwargs)
        finally:
            leave_forward(node)

    return named(network, method, "forward")


def outside_learning(method: FunctionType) -> Any:
    """`method`, each call a span of `act`; none inside what learns, which it belongs to there. For programs
    without a framework: no gradients tell what a call is for."""
    acting = staged(method, ACT)

    def network(*args: Any, **kwargs: Any) -> Any:
        return (method if _is_learning() else acting)(*args, **kwargs)

    return named(network, method, "forward")


def _is_learning() -> bool:
    """Whether the thread is inside a span of the learner."""
    try:
        node = this_thread().current
        while node is not None and not node.stage.startswith(LEARN):
            node = node.parent
    except Exception as error:
        if not count_failure("what a call is for", error):
            raise
        return True
    return node is not None
