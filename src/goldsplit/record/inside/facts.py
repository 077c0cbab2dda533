"""Facts: countable things that a hook sees beside time, as counters with speaking names.

Kinds so far (add yours here); amounts are sums, counts are how often:

- ``message`` (sent): a message through a multiprocessing connection; bytes.
- ``command`` (its name, as in ``step`` or ``env_method:action_masks``): a message (command, argument), at
  the user's line that first sent it.
- ``info``, ``info_us``: a worker's info pickled alone; bytes, and microseconds to pickle and unpickle it. The
  place is the environment's ``step``.
- ``info_key`` (the key): the largest values of one info; bytes.
- ``process_start`` (the target): a process was started through multiprocessing, at the user's line.
- ``torch_threads`` (how many): `torch.set_num_threads` was called, at the user's line.
- ``import`` (the package): importing it for the first time in this process; seconds, at the user's line.
- ``torch_pool`` (how many threads): a forward pass was seen with torch's pool so large; every 67th.
- ``forward_rows``: a forward pass that learns, every 67th; rows of its batch, at the user's line.
- ``update``: an optimizer's step, every 67th; at the innermost own line that lies in a loop.
- ``pool_submit`` (thread or process): work was handed to a pool of `concurrent.futures`, every 67th; at the
  user's line.
- ``loop_submit``: a coroutine was handed to another thread's event loop, every 67th; at the user's line.
- ``kept_bytes``: allocated during a short look with tracemalloc and still there after it; bytes, at the
  user's line.
- ``memory_look``: such a look; seconds.
- ``timer_call``: a method of a class of the user's own that is named like a timer was called; at its ``def``.
- ``output`` (print, logging, tensorboard): something was written out, at the user's line.
"""

from __future__ import annotations

import sys
from types import FrameType

from goldsplit.model.naming import FACT_SEPARATOR, is_library
from goldsplit.record.inside.core import this_thread


def add_fact(kind: str, detail: str = "", amount: float = 0.0, count: float = 1.0, place: str = "") -> None:
    """Count one fact in the calling thread; `place` is what `place_of` gives."""
    counts = this_thread().counts
    name = FACT_SEPARATOR.join((kind, detail, place))
    counts["fact_n:" + name] = counts.get("fact_n:" + name, 0) + count
    if amount:
        counts["fact_sum:" + name] = counts.get("fact_sum:" + name, 0) + amount


def place_of(frame: FrameType) -> str:
    """A frame as text: file, line and function."""
    code = frame.f_code
    return f"{code.co_filename}:{frame.f_lineno}:{code.co_qualname}"


def users_place() -> str:
    """The innermost frame of the user's own code that led here; empty if there is none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not is_library(file) and "/goldsplit/fast/" not in file:
            return place_of(frame)
        frame = frame.f_back
    return ""
