"""How the rules are compiled: no counting of references to arrays, no doors for Python where none enters.

The rules are many small functions that share two tuples of arrays. Numba counts references to each array at
every access, which takes most of the time of such functions, and nothing here makes or keeps an array: the
caller holds them all. It also wraps each function for calls from Python, which takes much of the time to
compile. Both switches are Numba's own; where a version lacks one, the rules are the same and only slower.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit
from numba.core import cpu

Decorator = Callable[[Callable[..., Any]], Any]

_KNOWN = getattr(cpu, "CPUTargetOptions", None)


def _accepted(**options: bool) -> dict[str, bool]:
    """Those options that this version of Numba knows."""
    return {name: value for name, value in options.items() if hasattr(_KNOWN, name)}


kernel: Decorator = njit(**_accepted(_nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True))
"""For functions that only compiled code calls."""
entry: Decorator = njit(cache=True, **_accepted(_nrt=False, no_cfunc_wrapper=True))
"""For functions that Python calls: their code is kept on disk."""
