"""torch: top-level forward passes, backward, optimizer, saving, batches of a DataLoader, scalar reads."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import sys
import weakref
from collections.abc import Callable
from types import FrameType, ModuleType
from typing import Any

from goldsplit.model.fact_wire import FactKind
from goldsplit.model.stack_frames import FRAME_PREFIX
from goldsplit.model.stage import (
    CHECKPOINT,
    LEARN_BACKWARD,
    LEARN_FORWARD,
    LEARN_OPTIMIZER,
    REPLAY_SAMPLE,
    TRANSFER,
)
from goldsplit.model.wire import Counter
from goldsplit.record.inside import frameless_calls
from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.calling_loop import loop_place
from goldsplit.record.inside.core import (
    begin_backward,
    count_update,
    counted_call,
    enter_forward,
    forward_call,
    leave_forward,
    leave_forwards_to,
    leave_updates_to,
    this_thread,
)
from goldsplit.record.inside.core.counting import LOOK_EVERY
from goldsplit.record.inside.device import wait_hooks
from goldsplit.record.inside.engine import ENGINE, ThreadState, clock
from goldsplit.record.inside.facts import add_fact, users_place
from goldsplit.record.inside.hooks import learning_functions
from goldsplit.record.inside.hooks.patching import stage_attribute, stage_methods
from goldsplit.record.inside.node import Node
from goldsplit.record.inside.own_failures import is_programs_own, safely
from goldsplit.record.inside.span_wrapping import staged

_READS = ("item", "tolist", "__bool__", "__int__", "__float__", "__index__", "numpy")


def install() -> None:
    """Wait for torch."""
    when_imported("torch", _stage_torch)
    when_imported("torch.utils.data.dataloader", _stage_dataloader)


def _stage_torch(torch: ModuleType) -> None:
    _stage_forward(torch)
    _stage_backward(torch)
    _stage_optimizers(torch)
    for module in (torch.nn.utils, torch.nn.utils.clip_grad):
        stage_methods(module, {"clip_grad_norm_": LEARN_OPTIMIZER, "clip_grad_value_": LEARN_OPTIMIZER})
    stage_attribute(torch, "save", CHECKPOINT)
    _leave_optimizers_reads_alone(torch)
    for name in _READS:
        _count_reads(torch.Tensor, name)
    if torch.version.cuda or getattr(torch.version, "hip", None):
        for name in ("cpu", "cuda", "to"):
            _stage_transfer(torch, name)


def _stage_backward(torch: ModuleType) -> None:
    """`Tensor.backward` comes through `torch.autograd.backward`; the program cannot have taken either yet."""
    for name, before in (("backward", _before_backward), ("grad", _before_gradients)):
        setattr(torch.autograd, name, staged(getattr(torch.autograd, name), LEARN_BACKWARD, before=before))
        frameless_calls.placed(torch.autograd, name)


def _before_backward(state: ThreadState) -> None:
    _count_backward(state, Counter.BACKWARD, sys._getframe(1))
    state.in_forward = False  # a network's method that turns out to be an update
    begin_backward(state)


def _before_gradients(state: ThreadState) -> None:
    _count_backward(state, Counter.GRADIENTS, sys._getframe(1))
    begin_backward(state)


def _count_backward(state: ThreadState, kind: str, frame: FrameType | None) -> None:
    """Count backward passes by their places, as optimizers are counted one by one: losses of actor and critic
    may have one each. Where no optimizer's step is seen, they are the updates."""
    if state.current.stage == LEARN_BACKWARD:  # a backward pass's own: it asks for gradients again
        return
    while frame is not None and frame.f_back is not None and _is_torchs(frame.f_code.co_filename):
        frame = frame.f_back
    place = (0, 0) if frame is None else (id(frame.f_code), frame.f_lasti)
    key = _backward_keys.get((kind, *place))
    if key is None:
        key = _backward_keys[(kind, *place)] = f"{kind}{len(_backward_keys)}"
        _backward_codes.append(frame and frame.f_code)
    state.counts[key] = state.counts.get(key, 0) + 1


def _is_torchs(file: str) -> bool:
    return "/torch/" in file or "/goldsplit/record/" in file


_backward_keys: dict[tuple[str, int, int], str] = {}
_backward_codes: list[Any] = []
"""Kept, so that their identities are not used again."""


def _stage_forward(torch: ModuleType, is_compiling: Callable[[], bool] | None = None) -> None:
    """Stage `Module.__call__` at the outermost module only; inner ones only read the thread's state.

    We skip a function of torch that only looks for a compiled module, so that a network of many small layers
    is hardly slower than without us. Only a program that compiles is asked whether it is compiling now.
    """
    real = inspect.unwrap(torch.nn.Module.__call__)
    has_known_call = real is getattr(torch.nn.Module, "_wrapped_call_impl", None)
    is_grad_enabled, pool_size = torch.is_grad_enabled, torch.get_num_threads

    @safely
    def look_at_forward(stage: str, given: Any) -> None:
        _look_at_forward(stage, given, pool_size())

    def goldsplit_forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        if is_compiling is not None and is_compiling():
            return real(self, *args, **kwargs)
        node = enter_forward(is_grad_enabled)
        if node is False:  # inside another one
            if has_known_call and self._compiled_call_impl is None:
                return self._call_impl(*args, **kwargs)
            return real(self, *args, **kwargs)
        look, seen = ENGINE.on_forward, None
        if look is not None:
            this_thread().in_forward = False  # the deep look wants to see every layer
            seen = look.begin_forward(self, args)
        try:
            if has_known_call and self._compiled_call_impl is None:
                return self._call_impl(*args, **kwargs)
            return real(self, *args, **kwargs)
        finally:
            count = leave_forward(node)
            if seen is not None:
                look.end_forward(seen)
            if count % LOOK_EVERY == 1:
                look_at_forward(node.stage, args[0] if args else None)

    code = goldsplit_forward.__code__
    goldsplit_forward.__code__ = code.replace(
        co_name=FRAME_PREFIX + "forward", co_qualname=FRAME_PREFIX + "forward"
    )
    goldsplit_forward.__wrapped__ = real  # type: ignore[attr-defined]
    if has_known_call and is_compiling is None:
        frameless_calls.write_down(torch.nn.Module._call_impl.__code__, "forward")
        torch.nn.Module.__call__ = forward_call(goldsplit_forward, is_grad_enabled, look_at_forward)
    else:
        torch.nn.Module.__call__ = goldsplit_forward


def _look_at_forward(stage: str, given: Any, pool_size: int) -> None:
    """Count what a forward pass was given, and with how many threads torch computes."""
    add_fact(FactKind.TORCH_POOL, str(pool_size))
    if stage != LEARN_FORWARD or given is None:
        return
    try:
        rows = _rows_of(given)
    except Exception as error:  # a dict of tensors, a library's own batch, a nested tensor: nothing to count
        if is_programs_own(error):
            raise
        return
    add_fact(FactKind.FORWARD_ROWS, amount=float(rows), place=users_place())


def _rows_of(tensor: Any) -> int:
    """How many observations a tensor holds. Without a second dimension, floats are one observation,
    and integers are one each."""
    shape = tuple(tensor.shape)
    if len(shape) < 2 and tensor.is_floating_point():
        return 1
    if type(shape[0]) is not int:  # torch traces the call: sizes are tensors, and converting one warns
        raise TypeError("no number")
    return shape[0]


def _stage_optimizers(torch: ModuleType) -> None:
    optimizer = torch.optim.Optimizer
    real_hook = optimizer.profile_hook_step

    def profile_hook_step(step: Any) -> Any:
        """torch passes every optimizer class's `step` through here once."""
        return staged(real_hook(step), LEARN_OPTIMIZER, count_update)

    optimizer.profile_hook_step = staticmethod(profile_hook_step)
    stage_attribute(optimizer, "zero_grad", LEARN_OPTIMIZER)


def _leave_optimizers_reads_alone(torch: ModuleType) -> None:
    """An optimizer reads its own step counter for each parameter. The program does not ask for these reads,
    and counting them would be a large part of what our hooks cost in an update."""
    tensor, real_read, is_compiling = torch.Tensor, torch.Tensor.item, torch.compiler.is_compiling
    modules = [module for name, module in sys.modules.items() if name.startswith("torch.optim.")]
    for module in modules:
        real = vars(module).get("_get_value")
        if real is not None and getattr(real, "__module__", "") == "torch.optim.optimizer":

            def _get_value(x: Any, real: Any = real) -> Any:
                return real_read(x) if isinstance(x, tensor) and not is_compiling() else real(x)

            _own_readers.append((module, real))
            module._get_value = _get_value  # type: ignore[attr-defined]


_own_readers: list[tuple[ModuleType, Any]] = []


def unusual_update(state: ThreadState, node: Node, args: tuple[Any, ...], result: Any) -> None:
    """Count updates per optimizer, because actor and critic may have one each: the first of an optimizer and
    a few others; `core.count_update` does the rest without us. Those that first step through the same calls
    count as one: each round of a self-play has a new one, each agent of many its own."""
    key = _update_keys.get(id(args[0]) if args else 0)
    if key is None:
        key = _counter_of(args[0] if args else None, state, sys._getframe(1))
    state.counts[key] = state.counts.get(key, 0) + 1
    state.forward_ns = 0
    ENGINE.last_step_ns = clock()
    if ENGINE.on_beat is not None:
        ENGINE.on_beat(state, 0)
    if node.count % LOOK_EVERY == 1:
        add_fact(FactKind.UPDATE, place=loop_place(sys._getframe(1)))


def _counter_of(optimizer: Any, state: ThreadState, frame: FrameType) -> str:
    """The counter of an optimizer that has stepped for the first time.

    It goes on with that of one that has ended: the optimizer of the next phase. One that first steps when
    another has made a single step there is its fellow in a list, and steps in turn with it.
    """
    chain = learning_functions.chain_of(frame)
    keys, _ = _first_steps.setdefault(tuple((id(code), at) for code, at in chain), ([], chain))
    if not keys or state.counts.get(keys[-1], 0) == 1:
        keys.append(_ended.pop() if _ended else f"{Counter.OPTIMIZER}{next(_numbers)}")
    key = min(reversed(keys), key=lambda name: state.counts.get(name, 0))
    identity = id(optimizer) if optimizer is not None else 0
    with contextlib.suppress(TypeError):
        _endings[identity] = weakref.ref(optimizer, lambda _: _after_end(identity))
    _update_keys[identity] = key
    return key


def _after_end(identity: int) -> None:
    """An optimizer has ended; another one may get its identity."""
    key = _update_keys.pop(identity, None)
    if key is not None and key not in _update_keys.values() and key not in _ended:
        _ended.append(key)


_update_keys: dict[int, str] = {}
_endings: dict[int, Any] = {}
_ended: list[str] = []
"""Counters whose optimizers have all ended."""
_numbers = itertools.count()
_first_steps: dict[tuple[tuple[int, int], ...], tuple[list[str], learning_functions.Chain]] = {}
"""By the calls that led to the first step of an optimizer: their counters, and the codes, which are kept, so
that their identities are not used again."""
leave_updates_to(unusual_update, _update_keys)
leave_forwards_to(*learning_functions.ANSWERS)


def make_way_for_compiling(torch: ModuleType) -> None:
    """From now on torch.compile may look at any code: none of our wrappers may be in its way.

    It warns about methods of tensors that it does not know, so the real ones are put back.
    """
    wait_hooks.remove()
    for name, own in _real_reads.items():
        if own is None:
            delattr(torch.Tensor, name)
        else:
            setattr(torch.Tensor, name, own)
    _real_reads.clear()
    for module, real in _own_readers:
        module._get_value = real  # type: ignore[attr-defined]
    _own_readers.clear()
    if not _has_made_way:
        _has_made_way.append(True)
        frameless_calls.make_way_for_compiling()
        _stage_forward(torch, torch.compiler.is_compiling)


_has_made_way: list[bool] = []
_real_reads: dict[str, Any] = {}


def _count_reads(tensor: Any, name: str) -> None:
    _real_reads[name] = vars(tensor).get(name)
    setattr(tensor, name, counted_call(getattr(tensor, name), Counter.TENSOR_READS + name.strip("_")))


def _stage_transfer(torch: ModuleType, name: str) -> None:
    """Stage copies that may cross between host and device; only in builds that have a device."""
    setattr(torch.Tensor, name, staged(getattr(torch.Tensor, name), TRANSFER))


def _stage_dataloader(module: ModuleType) -> None:
    stage_attribute(module._BaseDataLoaderIter, "__next__", REPLAY_SAMPLE)
