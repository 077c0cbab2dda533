"""Profilers of the program itself: there can be only one at a time, and the program's goes first."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from goldsplit.record.inside.own_failures import harmless

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
