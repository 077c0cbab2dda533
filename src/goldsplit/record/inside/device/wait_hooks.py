"""Calls that wait for the device, as spans: reads of its tensors, blocking copies, `synchronize`.

They are put in place when the program has begun to use the device, never before, and taken away again where
torch.compile must see plain methods.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

from goldsplit.model.fact_wire import FactKind
from goldsplit.model.stack_frames import FRAME_PREFIX
from goldsplit.model.stage import TRANSFER, TRANSFER_WAIT
from goldsplit.record.inside.core import enter, enter_wait, leave, swallow
from goldsplit.record.inside.core.counting import LOOK_EVERY
from goldsplit.record.inside.engine import clock
from goldsplit.record.inside.facts import add_fact, users_place
from goldsplit.record.inside.own_failures import harmless, safely
from goldsplit.record.inside.span_wrapping import unstaged

_READS = ("item", "tolist", "__bool__", "__int__", "__float__", "__index__")
_replaced: list[tuple[Any, str, Any]] = []
"""Owner, name, and what was there before."""
_gone: list[bool] = []
"""Not empty: torch.compile is in use, so that they must not come back."""


def install(torch: Any) -> None:
    """Put them in place, once."""
    if _replaced or _gone:
        return
    tensor = torch.Tensor
    for name in _READS:
        _replace(tensor, name, _waiting(getattr(tensor, name), name.strip("_"), _is_on_device))
    blocking = _Blocking(torch)
    for name in ("cpu", "cuda", "to", "copy_"):
        real = getattr(tensor, name)
        _replace(tensor, name, _copying(real, name, getattr(blocking, name)))
    for name in ("as_tensor", "tensor"):
        _replace(torch, name, _copying(getattr(torch, name), name, blocking.made))
    for owner, label in ((torch.cuda, ""), (torch.cuda.Stream, "Stream."), (torch.cuda.Event, "Event.")):
        _replace(owner, "synchronize", _waiting(owner.synchronize, f"{label}synchronize", _always))


def remove() -> None:
    """Put back what was there: torch.compile knows only torch's own methods."""
    _gone.append(True)
    while _replaced:
        owner, name, before = _replaced.pop()
        with harmless("taking a wait away"):
            if before is None:
                delattr(owner, name)
            else:
                setattr(owner, name, before)


def _replace(owner: Any, name: str, by: Any) -> None:
    if isinstance(owner, ModuleType):  # pickled by its name
        by.__module__, by.__qualname__ = owner.__name__, name
    _replaced.append((owner, name, vars(owner).get(name)))
    setattr(owner, name, by)


def _is_on_device(self: Any, args: Any, kwargs: Any) -> bool:
    return bool(self.is_cuda)


def _always(self: Any, args: Any, kwargs: Any) -> bool:
    return True


Waits = Callable[[Any, Any, Any], bool]


def _waiting(real: Any, name: str, waits: Waits) -> Any:
    """A call that waits for the device if `waits` says so."""
    wait = _waits_in(real, name, TRANSFER_WAIT, None)

    def read(*args: Any, **kwargs: Any) -> Any:
        return (wait if _asked(waits, args, kwargs) else real)(*args, **kwargs)

    return _named_as(real, read)


def _copying(staged: Any, name: str, waits: Waits) -> Any:
    """A copy between host and device: inside it, the wait for all that the device has to do before."""
    copy = _waits_in(unstaged(staged), name, TRANSFER_WAIT, TRANSFER)

    def move(*args: Any, **kwargs: Any) -> Any:
        return (copy if _asked(waits, args, kwargs) else staged)(*args, **kwargs)

    return _named_as(unstaged(staged), move)


def _asked(waits: Waits, args: Any, kwargs: Any) -> bool:
    try:
        return waits(args[0] if args else None, args, kwargs)
    except Exception as error:  # not a tensor, or one of a library's own: the real call says it better
        if not swallow("a question about a copy", error):
            raise
        return False


def _waits_in(real: Any, name: str, stage: str, around: str | None) -> Any:
    """The real call as a wait, in a frame that has its stage's name; `around`: a stage around it."""

    def wait(*args: Any, **kwargs: Any) -> Any:
        outer = None if around is None else enter(around)
        node = enter_wait(stage)
        begun = clock()
        try:
            return real(*args, **kwargs)
        finally:
            if node is not None:
                leave(node)
                if node.count % LOOK_EVERY == 1:
                    _tell(name, clock() - begun)
            if outer is not None:
                leave(outer)

    wait.__code__ = wait.__code__.replace(co_name=FRAME_PREFIX + stage, co_qualname=FRAME_PREFIX + stage)
    return wait


@safely
def _tell(name: str, ns: int) -> None:
    add_fact(FactKind.DEVICE_WAIT, name, ns / 1e9, place=users_place())


def _named_as(real: Any, wrapper: Any) -> Any:
    """With the real one's name and place, so that it can be pickled and inspected as before."""
    return functools.update_wrapper(wrapper, real)


class _Blocking:
    """Which copies wait: those between host and device that are not asked to go on by themselves."""

    def __init__(self, torch: Any) -> None:
        self._tensor, self._device = torch.Tensor, torch.device

    def cpu(self, tensor: Any, args: Any, kwargs: Any) -> bool:
        return bool(tensor.is_cuda)

    def cuda(self, tensor: Any, args: Any, kwargs: Any) -> bool:
        return not tensor.is_cuda and not (kwargs.get("non_blocking") or (len(args) > 2 and args[2]))

    def copy_(self, tensor: Any, args: Any, kwargs: Any) -> bool:
        source = args[1] if len(args) > 1 else kwargs.get("src")
        if not isinstance(source, self._tensor) or source.is_cuda == tensor.is_cuda:
            return False
        return not (kwargs.get("non_blocking") or (len(args) > 2 and args[2]))

    def to(self, tensor: Any, args: Any, kwargs: Any) -> bool:
        target = kwargs.get("device", args[1] if len(args) > 1 else None)
        on_device = self._is_device(target)
        if on_device is None or on_device == bool(tensor.is_cuda):
            return False
        return not (kwargs.get("non_blocking") or any(one is True for one in args[2:3]))

    def made(self, data: Any, args: Any, kwargs: Any) -> bool:
        """A tensor made of the host's data."""
        on_device = self._is_device(kwargs.get("device"))
        return bool(on_device) and not getattr(data, "is_cuda", False)

    def _is_device(self, target: Any) -> bool | None:
        """Whether a target is the device (True) or the host (False); None: it names neither."""
        if isinstance(target, self._device):
            return bool(target.type != "cpu")
        if isinstance(target, str):
            return not target.startswith("cpu")
        if isinstance(target, self._tensor):
            return bool(target.is_cuda)
        return True if type(target) is int else None
