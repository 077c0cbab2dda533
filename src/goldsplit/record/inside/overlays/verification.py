"""Whether an overlay's kept answer is still what the program would compute; if not, the run is stopped."""

from __future__ import annotations

import os
import sys
from typing import Any

from goldsplit.model.overlays.overlay import STOPPED_EXIT_CODE
from goldsplit.model.wire import File, Variable
from goldsplit.record.inside.deep.values import KeyMaker, NotComparable
from goldsplit.record.inside.own_failures import harmless

#: Of the calls that get a kept answer, these first ones and then about one in so many are computed anyway.
FIRST = 20
ONE_IN = 20
#: Values that are read of arguments or of an answer; larger ones are not kept.
MOST_VALUES = 3000
MOST_SHOWN = 300


class Share:
    """Chooses some of many calls: the first ones, then one in `one_in` at irregular distances, so that a
    loop's own rhythm is not always met at the same place. The program's random numbers are left alone."""

    __slots__ = ("_left", "_random", "first", "one_in")

    def __init__(self, one_in: int = ONE_IN, first: int = FIRST) -> None:
        self.one_in = one_in
        self.first = first
        self._random = 0x9E3779B9
        self._left = 0

    def takes(self) -> bool:
        """Whether the next call is one of them."""
        if self.first > 0:
            self.first -= 1
            return True
        if self._left > 0:
            self._left -= 1
            return False
        self._random = (self._random * 1103515245 + 12345) & 0x7FFFFFFF
        self._left = (self._random >> 8) % (2 * self.one_in - 1)
        return True


def fingerprint(value: Any) -> Any:
    """A value as a key that is equal exactly when the value is; None where it cannot be read."""
    try:
        return KeyMaker(most=MOST_VALUES).key(value)
    except (NotComparable, RuntimeError, RecursionError):
        return None


def shown(value: Any) -> str:
    """A value for the message that stops a run; this may call the program's `__repr__`."""
    try:
        text = repr(value)
    except Exception:  # the user's own `__repr__`, of an object that is not ready
        text = f"a {type(value).__name__}"
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 1] + "…"


def differs(overlay: str, function: str, key: Any, kept: Any, computed: Any) -> str:
    """The message for the user."""
    return (
        f"overlay {overlay} stopped the run: {function} with {shown(key)} gives {shown(computed)}, "
        f"but the kept answer was {shown(kept)}"
    )


def stop_the_run(message: str) -> None:
    """End this process and leave the reason for the launcher, which ends the others."""
    with harmless("stopping the run"):
        path = os.path.join(os.environ[Variable.RUN_DIR], File.STOPPED)  # noqa: PTH118
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        os.write(descriptor, message.encode("utf-8", "replace"))
        os.close(descriptor)
    for stream in (sys.stdout, sys.stderr):
        with harmless("the output before the end"):
            stream.flush()
    os._exit(STOPPED_EXIT_CODE)
