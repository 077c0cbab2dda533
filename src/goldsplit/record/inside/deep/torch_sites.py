"""Lines that read tensors back, run tensor operations, modules or distributions.

Operators are not called through a name that could be replaced, so torch itself is asked: a torch-function
mode, which belongs to one thread, is entered for the length of a burst. Where torch.compile is in use there
is none: it would have the program compiled again. Modules are seen by the wrapper that they have anyway:
another one for each window would make all of torch's Python code slower for good, because the interpreter
forgets what it had learnt about these classes.
"""

from __future__ import annotations

import sys
from threading import get_ident
from types import FrameType, ModuleType
from typing import Any

from goldsplit.model.deep_files.deep_wire import SiteKind
from goldsplit.record.inside.deep.call_watch import clock
from goldsplit.record.inside.deep.site_table import bytes_of, size_of
from goldsplit.record.inside.deep.sites import Note, Sites
from goldsplit.record.inside.deep.values import KeyMaker, NotComparable, short
from goldsplit.record.inside.engine import ENGINE
from goldsplit.record.inside.hooks.torch import _real_reads

_READS = frozenset(
    ["item", "cpu", "numpy", "tolist", "__bool__", "__int__", "__float__", "__index__", "__array__"]
)
_CONVERSIONS = frozenset(
    ["float", "double", "half", "int", "long", "to", "type", "byte", "as_tensor", "from_numpy"]
)
_NEW = frozenset(
    ["zeros", "ones", "empty", "full", "tensor", "zeros_like", "ones_like", "cat", "stack", "arange", "eye"]
)
#: Asking a tensor for its properties costs too little for a line in the report.
_QUESTIONS = frozenset(
    [
        "__get__",
        "size",
        "dim",
        "numel",
        "is_floating_point",
        "stride",
        "__len__",
        "requires_grad_",
        "ndimension",
        "element_size",
        "nelement",
        "data_ptr",
        "is_contiguous",
        "__repr__",
        "__format__",
        "__hash__",
        "detach",
        "backward",
        "__set__",
        "__delete__",
        "get_device",
    ]
)
_MOST_FRAMES = 6
#: After so many calls of torch, user code must have made at least this share of them.
ENOUGH_CALLS, LEAST_OWN = 300, 0.03

Looking = tuple[str, FrameType, Note, int, int, int]
"""A module's class, its caller, what distinguishes the call, and the clocks when it began."""


class TorchSites:
    """The mode of the thread that is looked at, and the stand-ins for modules and distributions."""

    def __init__(self, sites: Sites) -> None:
        self.sites = sites
        self.mode: Any = None
        self.mode_ns = 0
        self.calls = self.users_calls = 0
        self.entered_by = 0
        self.last_input: dict[int, Any] = {}
        self.depth = 0

    def replace(self) -> None:
        """Put stand-ins in place for a window."""
        torch = sys.modules.get("torch")
        if torch is None or not hasattr(torch, "nn"):
            return
        ENGINE.on_forward = self
        distributions = sys.modules.get("torch.distributions.distribution")
        if distributions is not None:
            base = distributions.Distribution
            self.sites.replace(base, "__init__", self._distribution(base.__init__))

    def restore(self) -> None:
        """Stop looking at modules; the stand-ins are taken away with all others."""
        ENGINE.on_forward = None

    def enter(self) -> None:
        """Have torch report the calls of this thread, from now on."""
        torch = sys.modules.get("torch")
        if torch is None or not hasattr(torch, "overrides") or self.entered_by or compiles(torch):
            return
        if self.calls > ENOUGH_CALLS and self.users_calls < LEAST_OWN * self.calls:
            return  # all of torch's work is done by a library: nothing to see, at a high cost
        if self.mode is None:
            self.mode = make_mode(torch, self)
            self.mode_ns = mode_cost_ns(torch, self.mode)
        self.mode.__enter__()
        self.entered_by = get_ident()

    def leave(self) -> None:
        """Stop that; only if the innermost mode is ours: the program may be inside one of its own."""
        torch = sys.modules.get("torch")
        if self.entered_by != get_ident() or torch is None:
            return
        depth = torch._C._len_torch_function_stack()
        if depth and torch._C._get_function_stack_at(depth - 1) is self.mode:
            self.mode.__exit__(None, None, None)
            self.entered_by = 0

    def leave_late(self, state: Any, steps: float) -> None:
        """At a beat after the window's end: only the thread that entered the mode can leave it."""
        self.leave()
        if not self.entered_by:
            ENGINE.on_beat = None

    def saw(self, function: Any, args: Any, kwargs: Any) -> Any:
        """One call of torch, at any depth; the mode is off while it runs."""
        watch = self.sites.watch
        if watch.ident != get_ident():
            return function(*args, **kwargs)
        watch.set_profile(None)
        begun, lost, name, frame = clock(), watch.lost_ns, "", None
        try:
            name = getattr(function, "__name__", "")
            frame = None if name in _QUESTIONS else self._caller(sys._getframe(2))
            if name in _real_reads:
                function = real_read(
                    name
                )  # our own counter, which torch finds by name, has counted this read
        except Exception as error:
            watch.failed(self.saw, error)
        called = clock()
        try:
            result = function(*args, **kwargs)
        except BaseException:
            self.sites.close_call(begun, lost, clock() - called)
            raise
        taken = clock() - called
        self.calls += 1
        try:
            if frame is not None:
                self.users_calls += 1
                kind = kind_of(name)
                note = read_operation(kind, name, args, result)
                self.sites.add(kind, callee_of(function, name), frame, (taken, 0), note)
        except Exception as error:
            watch.failed(self.saw, error)
        self.sites.close_call(begun, lost, taken)
        watch.spend(self.mode_ns)
        return result

    def _caller(self, frame: FrameType | None) -> FrameType | None:
        """The user's frame that made the call, if nothing but our own code lies between."""
        for _ in range(_MOST_FRAMES):
            if frame is None:
                return None
            if "/goldsplit/record/" not in frame.f_code.co_filename:
                return frame if self.sites.is_users(frame.f_code) else None
            frame = frame.f_back
        return None

    def begin_forward(self, module: Any, args: tuple[Any, ...]) -> Looking | None:
        """A module is called, perhaps by user code: what `end_forward` needs if the call is looked at."""
        watch, sites = self.sites.watch, self.sites
        if watch.ident != get_ident() or self.depth:
            return None
        begun = clock()
        frame = sys._getframe(2)
        if not sites.is_users(frame.f_code):
            return None
        watch.set_profile(None)
        lost = watch.lost_ns
        try:
            note = self._read_forward(module, args)
        except Exception as error:
            watch.failed(self._read_forward, error)
            return None
        sites.close_call(begun, lost, 0)
        self.depth = 1
        return type(module).__name__, frame, note, clock(), watch.lost_ns, watch.events

    def end_forward(self, looking: Looking) -> None:
        """The module has returned, or raised."""
        self.depth = 0
        watch, sites = self.sites.watch, self.sites
        name, frame, note, begun, lost, events = looking
        taken = (clock() - begun - (watch.lost_ns - lost), watch.events - events)
        watch.set_profile(None)
        try:
            sites.add(SiteKind.FORWARD, name, frame, taken, note)
        except Exception as error:
            watch.failed(self.end_forward, error)
        sites.close_call(begun, lost, taken[0])

    def _read_forward(self, module: Any, args: tuple[Any, ...]) -> Note:
        """An input is new unless it equals the last input of this module and no update came between."""
        try:
            key = (self.sites.watch.updates, KeyMaker().key(args))
        except NotComparable:
            return None, None, type(module).__name__
        if len(self.last_input) > 200:
            self.last_input.clear()
        before = self.last_input.get(id(module))
        self.last_input[id(module)] = key
        seen = ("same",) if before == key else key
        return seen, _elements(args), type(module).__name__

    def _distribution(self, real: Any) -> Any:
        watch, sites = self.sites.watch, self.sites

        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
            if watch.ident != get_ident():
                real(self, *args, **kwargs)
                return
            frame: FrameType | None = sys._getframe(1)
            while frame is not None and "/torch/distributions/" in frame.f_code.co_filename:
                frame = frame.f_back
            begun, lost, events = clock(), watch.lost_ns, watch.events
            real(self, *args, **kwargs)
            taken = (clock() - begun - (watch.lost_ns - lost), watch.events - events)
            watch.set_profile(None)
            try:
                if frame is not None and sites.is_users(frame.f_code):
                    note = (None, None, "validated" if self._validate_args else "")
                    sites.add(SiteKind.DISTRIBUTION, type(self).__name__, frame, taken, note)
            except Exception as error:
                watch.failed(sites.add, error)
            sites.close_call(begun, lost, taken[0])

        __init__.__wrapped__ = real  # type: ignore[attr-defined]
        return __init__


def read_operation(kind: str, name: str, args: Any, result: Any) -> Note:
    """Elements of the largest tensor; for a conversion, and where a part is taken, both shapes as well."""
    elements = _elements(args)
    if kind == SiteKind.ALLOCATION:
        return None, bytes_of(result), short(result)
    if kind == SiteKind.CONVERSION and args:
        return None, elements, f"{short(args[0])} to {short(result)}"
    if kind == SiteKind.TENSOR_OP:
        made = float(result.numel()) if type(result).__name__ == "Tensor" else None
        shapes = f"{short(args[0])} to {short(result)}" if name == "__getitem__" and args else ""
        return None, made if made is not None else elements, shapes
    return None, elements, ""


def _elements(args: Any) -> float | None:
    sizes = [
        size_of(value)
        for value in args
        if type(value).__module__ in ("torch", "numpy") and hasattr(value, "shape")
    ]
    return max((size for size in sizes if size is not None), default=None)


def kind_of(name: str) -> str:
    """What kind a call of torch is, by its name."""
    if name in _READS:
        return SiteKind.TENSOR_READ
    if name in _CONVERSIONS:
        return SiteKind.CONVERSION
    return SiteKind.ALLOCATION if name in _NEW else SiteKind.TENSOR_OP


def callee_of(function: Any, name: str) -> str:
    """As the user writes it."""
    is_method = hasattr(function, "__objclass__") or name.startswith("__")
    return f"Tensor.{name}" if is_method else f"torch.{name}"


def real_read(name: str) -> Any:
    """Torch's own method behind the one that counts reads."""
    torch = sys.modules["torch"]
    return _real_reads.get(name) or getattr(torch._C.TensorBase, name)


def compiles(torch: ModuleType) -> bool:
    """Whether torch.compile has compiled something in this process."""
    counters = getattr(sys.modules.get("torch._dynamo.utils"), "counters", None)
    return bool(counters and counters.get("frames"))


def mode_cost_ns(torch: ModuleType, mode: Any, calls: int = 30) -> int:
    """What torch spends on reporting a call, beside what we clock: best of three rounds."""
    tensor = torch.empty(1)
    best = {True: 1 << 62, False: 1 << 62}
    for on in (False, True) * 3:
        if on:
            mode.__enter__()
        begun = clock()
        for _ in range(calls):
            tensor.neg()
        taken = clock() - begun
        if on:
            mode.__exit__(None, None, None)
        best[on] = min(best[on], taken)
    return max(0, (best[True] - best[False]) // calls)


def make_mode(torch: ModuleType, seen_by: TorchSites) -> Any:
    """The mode, made once torch is there."""

    class GoldsplitMode(torch.overrides.TorchFunctionMode):  # type: ignore[name-defined,misc]
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return seen_by.saw(func, args, kwargs or {})

    return GoldsplitMode()
