"""Whose code a frame of a stack is: the user's own, a library's, or the recorder's."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from goldsplit.model.recording import Frame
from goldsplit.model.stack_frames import FRAME_PREFIX, is_library, is_recorder

#: Where the code of a started process begins.
_PROCESS_FILE = "multiprocessing/process.py"


def is_ours(frame: Frame) -> bool:
    """Whether a frame belongs to the recorder."""
    return frame.function.startswith(FRAME_PREFIX) or is_recorder(frame.file)


@lru_cache(maxsize=1 << 16)
def is_users(frame: Frame) -> bool:
    """Whether a frame is the user's own code."""
    return bool(frame.file) and not is_library(frame.file) and not is_ours(frame)


def kind_of(file: str) -> str:
    """Whether it is user code: that answers "can I optimise it?"."""
    return "library" if is_library(file) else "yours"


def innermost_own(frames: Sequence[Frame]) -> Frame | None:
    """The innermost frame of user code; None if there is none, or the recorder was at work."""
    if not frames or is_ours(frames[-1]):
        return None
    return next((frame for frame in reversed(frames) if is_users(frame)), None)


def since_fork(frames: list[Frame]) -> list[Frame]:
    """A stack without what a forked worker has of its parent's: where that was when it started the worker (in
    a pool's `submit`, say) does not say where the worker is."""
    for place in range(len(frames) - 1, -1, -1):
        if frames[place].function.endswith("_bootstrap") and frames[place].file.endswith(_PROCESS_FILE):
            return frames[place + 1 :]
    return frames
