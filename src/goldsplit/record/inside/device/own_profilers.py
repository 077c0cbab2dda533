"""Profilers of the program itself: there can be only one at a time, and the program's goes first."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from goldsplit.record.inside.own_failures import harmless

#: By this, torch's profiler decides whether to let the device's profiling interface go after a window. Where
#: it stays, every later launch of a kernel costs more (on an H200 a loop bound by launches took 1.07x to 1.1x
#: as long).
_LET_GO = "TEARDOWN_CUPTI"
#: The first CUDA in which letting go is safe beside captured graphs.
_LETS_GO_SINCE = (12, 6)

#: Set by tools that have taken CUDA's profiling interface (CUPTI) before the program began.
_TAKEN = ("CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "NSYS_PROFILING_SESSION_ID")


def why_none(torch: Any) -> str:
    """Why torch's profiler cannot see the device here; "" where it can."""
    taken = [name for name in _TAKEN if os.environ.get(name)]
    if taken:
        return f"another profiler has taken the device ({taken[0]} is set)"
    try:
        activities = {str(one) for one in torch.profiler.supported_activities()}
    except Exception:
        return "this torch has no profiler that sees the device"
    return "" if any("CUDA" in one for one in activities) else "this torch's profiler does not see the device"


def let_go_between_windows(torch: Any) -> None:
    """So that a window costs nothing once it is over. Whoever runs the program may have decided otherwise."""
    version = str(getattr(getattr(torch, "version", None), "cuda", None) or "0").split(".")
    if tuple(int(part) for part in version[:2] if part.isdigit()) >= _LETS_GO_SINCE:
        os.environ.setdefault(_LET_GO, "1")


def before_programs_own(torch: Any, make_way: Callable[[], None], ours: Callable[[], bool]) -> None:
    """Call `make_way` before the program starts a profiler of its own; `ours` tells one of ours."""
    kind = torch.autograd.profiler.profile
    real = kind._prepare_trace

    def _prepare_trace(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not ours():
            with harmless("making way for a profiler"):
                make_way()
        return real(self, *args, **kwargs)

    kind._prepare_trace = _prepare_trace
