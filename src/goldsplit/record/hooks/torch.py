"""torch: top-level forward passes, backward, optimizer, saving, batches of a DataLoader, scalar reads.

Whether a forward pass acts or learns is not written on it. What follows it tells: a backward pass follows
learning, an environment step follows acting. Each call site (two frames deep) keeps that vote.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from goldsplit.record.callers import every_so_often, loop_place
from goldsplit.record.engine import ENGINE, Node, ThreadState, clock
from goldsplit.record.facts import add_fact, users_place
from goldsplit.record.hooks.patching import stage_attribute, stage_methods
from goldsplit.record.imports import when_imported
from goldsplit.record.spans import staged

_LEARNING = frozenset({"learn.loss", "learn.forward", "learn.returns"})
_IN_FORWARD = frozenset({"learn.forward", "act", "act.value"})
_ACTING = frozenset({"rollout", "act", "act.value", "eval"})
_SCALAR_READS = ("item", "tolist", "numpy", "__bool__", "__int__", "__float__", "__index__")


class CallSite:
    """One place in the code that runs a forward pass, and what its calls were for."""

    __slots__ = ("act", "learn", "stage")

    def __init__(self, stage: str) -> None:
        self.stage = stage
        self.act = 0
        self.learn = 0

    def vote(self, learning: bool) -> None:
        if learning:
            self.learn += 1
        else:
            self.act += 1
        self.stage = "learn.forward" if self.learn > self.act else "act"


_sites: dict[Any, CallSite] = {}


def install() -> None:
    """Wait for torch."""
    when_imported("torch", _stage_torch)
    when_imported("torch.utils.data.dataloader", _stage_dataloader)


def _stage_torch(torch: ModuleType) -> None:
    _stage_forward(torch)
    torch.autograd.backward = _voting(staged(torch.autograd.backward, "learn.backward"), learning=True)
    stage_attribute(torch.autograd, "grad", "learn.backward")
    _stage_optimizers(torch)
    for module in (torch.nn.utils, torch.nn.utils.clip_grad):
        stage_methods(module, {"clip_grad_norm_": "learn.optimizer", "clip_grad_value_": "learn.optimizer"})
    stage_attribute(torch, "save", "checkpoint")
    for name in _SCALAR_READS:
        _count_reads(torch.Tensor, name)
    if torch.version.cuda or getattr(torch.version, "hip", None):
        for name in ("cpu", "cuda", "to"):
            _stage_transfer(torch, name)


def _stage_forward(torch: ModuleType) -> None:
    """Stage `Module.__call__` at the outermost module only; inner modules pay one comparison.

    For those, a function of torch's own is left out that only looks for a compiled module, so that a network
    of many small layers is hardly slower than without us.
    """
    real = torch.nn.Module.__call__
    has_known_call = real is getattr(torch.nn.Module, "_wrapped_call_impl", None)
    is_grad_enabled, is_compiling = torch.is_grad_enabled, torch.compiler.is_compiling
    due, pool_size = every_so_often(), torch.get_num_threads

    def goldsplit_forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        if is_compiling():
            return real(self, *args, **kwargs)
        try:
            state = ENGINE.local.state
        except AttributeError:
            state = ENGINE.state()
        parent = state.current
        stage = parent.stage
        if stage in _IN_FORWARD:
            if has_known_call and self._compiled_call_impl is None:
                return self._call_impl(*args, **kwargs)
            return real(self, *args, **kwargs)
        site = None
        has_grad = is_grad_enabled()
        if stage in _LEARNING:
            stage = "learn.forward"
        elif stage in _ACTING:
            stage = "act"
        else:
            site = _call_site(has_grad)
            stage = site.stage
        node = parent.children.get(stage) or state.child(parent, stage)
        state.current = node
        node.t0 = clock()
        try:
            return real(self, *args, **kwargs)
        finally:
            state.leave(node)
            state.last_forward = site
            if has_grad and parent is state.root:  # a loss may follow
                state.last_forward_ns = clock()
                state.last_forward_total_ns = top_level_total_ns(state)
            if due():
                _look_at_forward(node.stage, args, pool_size())

    code = goldsplit_forward.__code__
    goldsplit_forward.__code__ = code.replace(co_name="goldsplit:forward", co_qualname="goldsplit:forward")
    goldsplit_forward.__wrapped__ = real  # type: ignore[attr-defined]
    torch.nn.Module.__call__ = goldsplit_forward


def _look_at_forward(stage: str, args: tuple[Any, ...], pool_size: int) -> None:
    """Count what a forward pass was given, and with how many threads torch computes."""
    add_fact("torch_pool", str(pool_size))
    if stage != "learn.forward" or not args:
        return
    try:
        shape = tuple(args[0].shape)
    except Exception:  # a dict of tensors, a nested tensor: no rows that could be counted
        return
    add_fact("forward_rows", amount=float(shape[0] if len(shape) > 1 else 1), place=users_place())


def _call_site(learning: bool) -> CallSite:
    """The call site of the forward pass, by the two frames that led to it."""
    frame = sys._getframe(2)
    outer = frame.f_back
    key = (frame.f_code, frame.f_lasti, outer and outer.f_code, outer and outer.f_lasti)
    site = _sites.get(key)
    if site is None:
        site = _sites[key] = CallSite("learn.forward" if learning else "act")
    return site


def settle_forward(state: ThreadState, learning: bool) -> None:
    """A backward pass or an environment step has come: the forward before it now has a purpose."""
    site = state.last_forward
    if site is not None:
        site.vote(learning)
        state.last_forward = None


def _voting(fn: Any, learning: bool) -> Any:
    """`fn`, and before it the loss: what ran since the forward pass ended, if nothing else has."""

    def goldsplit_backward(*args: Any, **kwargs: Any) -> Any:
        state = ENGINE.state()
        settle_forward(state, learning)
        _book_loss(state)
        return fn(*args, **kwargs)

    goldsplit_backward.__wrapped__ = fn  # type: ignore[attr-defined]
    return goldsplit_backward


def _book_loss(state: ThreadState) -> None:
    """Book the time between the last forward pass and this backward pass as `learn.loss`.

    Only where no stage encloses both: inside one (SB3's `train`) that time already has its owner.
    """
    since, state.last_forward_ns = state.last_forward_ns, 0
    if not since or state.current is not state.root:
        return
    now = clock()
    owned_by_others = top_level_total_ns(state) - state.last_forward_total_ns
    node = state.child(state.root, "learn.loss")
    node.t0 = since + owned_by_others
    state.current = node
    state.close(node, now)


def top_level_total_ns(state: ThreadState) -> int:
    """All time that this thread's outermost stages own so far."""
    return sum(node.total_ns for node in list(state.root.children.values()))


def _stage_optimizers(torch: ModuleType) -> None:
    optimizer = torch.optim.Optimizer
    real_hook = optimizer.profile_hook_step

    def profile_hook_step(step: Any) -> Any:
        """torch passes every optimizer class's `step` through here once."""
        return staged(real_hook(step), "learn.optimizer", _after_update)

    optimizer.profile_hook_step = staticmethod(profile_hook_step)
    stage_attribute(optimizer, "zero_grad", "learn.optimizer")


def _after_update(state: ThreadState, node: Node, args: tuple[Any, ...], result: Any) -> None:
    """Count updates per optimizer, because actor and critic may have one each."""
    key = f"updates:{id(args[0]) if args else 0}"
    state.counts[key] = state.counts.get(key, 0) + 1
    state.last_forward_ns = 0
    ENGINE.last_step_ns = clock()
    if ENGINE.on_beat is not None:
        ENGINE.on_beat(state, 0)
    if _update_is_due():
        add_fact("update", place=loop_place(sys._getframe(1)))


_update_is_due = every_so_often()


def stop_counting_reads(tensor: Any) -> None:
    """Put the real methods back: torch.compile warns about methods that it does not know."""
    for name, own in _real_reads.items():
        if own is None:
            delattr(tensor, name)
        else:
            setattr(tensor, name, own)
    _real_reads.clear()


_real_reads: dict[str, Any] = {}


def _count_reads(tensor: Any, name: str) -> None:
    real = getattr(tensor, name)
    _real_reads[name] = vars(tensor).get(name)
    key = f"tensor_reads:{name.strip('_')}"

    def read(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            counts = ENGINE.local.state.counts
        except AttributeError:
            counts = ENGINE.state().counts
        counts[key] = counts.get(key, 0) + 1
        return real(self, *args, **kwargs)

    read.__name__, read.__qualname__, read.__doc__ = name, f"Tensor.{name}", real.__doc__
    setattr(tensor, name, read)


def _stage_transfer(torch: ModuleType, name: str) -> None:
    """Stage copies that may cross between host and device; only in builds that have a device."""
    setattr(torch.Tensor, name, staged(getattr(torch.Tensor, name), "transfer"))


def _stage_dataloader(module: ModuleType) -> None:
    stage_attribute(module._BaseDataLoaderIter, "__next__", "replay.sample")
