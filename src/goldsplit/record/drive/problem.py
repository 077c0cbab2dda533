"""What can go wrong with a user's environment: a message, a hint, and the user's part of the traceback."""

from __future__ import annotations

import os
import traceback
from pathlib import Path

_OURS = str(Path(__file__).parents[1]) + os.sep


class DriveError(Exception):
    """What happened, what to do, and the traceback of user code where that helps."""

    def __init__(self, message: str, hint: str = "", trace: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.trace = trace


def users_traceback(error: BaseException) -> str:
    """The traceback without our own frames; "" where nothing else is left."""
    told = traceback.TracebackException.from_exception(error)
    whole = told
    while told is not None:
        kept = [frame for frame in told.stack if not is_ours(frame.filename)]
        told.stack = traceback.StackSummary.from_list(kept)
        told = told.__cause__ or (None if told.__suppress_context__ else told.__context__)  # type: ignore[assignment]
    return "".join(whole.format()) if whole.stack else ""


def is_ours(file: str) -> bool:
    """Whether a frame's file belongs to the recorder or to Python's own way of importing and starting."""
    return file.startswith((_OURS, "<frozen")) or file.endswith("importlib/__init__.py")


def last_line(error: BaseException) -> str:
    """`ValueError: the message`, in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def where(error: BaseException) -> str:
    """The innermost place outside our own code, as `file:line`; "" if there is none."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{shown(error.filename)}:{error.lineno}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not is_ours(frame.filename)]
    own = [frame for frame in frames if "site-packages" not in frame.filename]
    chosen = (own or frames)[-1:]
    return "".join(f"{shown(frame.filename)}:{frame.lineno}" for frame in chosen)


def shown(file: str) -> str:
    """A path; relative where it lies below the working directory."""
    try:
        return str(Path(file).relative_to(Path.cwd()))
    except (ValueError, OSError):
        return file


def told_at(error: BaseException) -> str:
    """The last line of an error, and where it was raised."""
    place = where(error)
    return last_line(error) + (f" ({place})" if place else "")
