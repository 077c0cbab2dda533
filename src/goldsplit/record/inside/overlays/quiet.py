"""Printing and logging inside the training loop are left out.

## What it changes

From the first environment step on: `print` to the terminal, `logging` below WARNING, TensorBoard's
`SummaryWriter.add_...` and `dump` of Stable-Baselines3's logger do nothing. What is printed or logged
after the last step or update is shown when the process ends: a result at the end stays.

## When it helps

Output in each step costs more than it seems: formatting, writing, flushing. The rule
[output-in-loop](../rules/output-in-loop.md) says how much.

## For good

Print each hundredth step, log at DEBUG, write to TensorBoard once per rollout.

## When not

While you look for an error. Output that another program reads line by line is missing. In a process that
makes no step and no update itself (a trainer with a table, whose workers play) nothing is left out: where its
loop begins is not known.
"""

from __future__ import annotations

import atexit
import builtins
import functools
import io
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.engine import ENGINE, clock
from goldsplit.record.inside.overlays.changes import Changes
from goldsplit.record.inside.own_failures import safely

_MOST_HELD = 1000
NO_LOOP_HERE = (
    "what was printed or logged came from a process that makes no step and no update itself: where its loop "
    "begins is not known"
)
_WARNING = 30


def install(changes: Changes, argument: str) -> None:
    """Take the places of the usual ways of writing something out."""
    held = Held(changes)
    atexit.register(safely(held.show))
    builtins.print = _quiet_print(builtins.print, held)
    when_imported("logging", functools.partial(_quiet_logging, held))
    for name in ("torch.utils.tensorboard.writer", "tensorboardX.writer"):
        when_imported(name, functools.partial(_quiet_writer, changes))
    when_imported("stable_baselines3.common.logger", functools.partial(_quiet_dump, changes))


def in_loop() -> bool:
    """Whether the training has begun in this process."""
    return bool(ENGINE.first_step_ns or ENGINE.last_step_ns)


class Held:
    """What was written out since the last step or update: only the end of a run will show it."""

    def __init__(self, changes: Changes) -> None:
        self.changes = changes
        self.shows: list[tuple[int, str, Callable[[], Any]]] = []
        self.left_alone = False

    def add(self, what: str, show: Callable[[], Any]) -> None:
        """Hold one output; what was held before the last progress is dropped."""
        self.drop()
        self.shows.append((clock(), what, show))
        if len(self.shows) > _MOST_HELD:
            self.changes.count(self.shows.pop(0)[1])

    def drop(self) -> None:
        progress = ENGINE.last_step_ns
        while self.shows and self.shows[0][0] < progress:
            self.changes.count(self.shows.pop(0)[1])

    def show(self) -> None:
        """The process ends: what came after the last progress is written out after all."""
        if self.left_alone and not in_loop():
            self.changes.note(NO_LOOP_HERE)
        self.drop()
        shows, self.shows = self.shows, []
        for _, _, show in shows:
            show()


def _quiet_print(real: Any, held: Held) -> Any:
    @functools.wraps(real)
    def quiet_print(*args: Any, **kwargs: Any) -> None:
        file = kwargs.get("file")
        held.left_alone = True
        if not in_loop() or (file is not None and file not in (sys.stdout, sys.stderr)):
            real(*args, **kwargs)
            return
        text = io.StringIO()
        real(*args, **{**kwargs, "file": text, "flush": False})
        target = file or sys.stdout
        held.add("prints left out", functools.partial(target.write, text.getvalue()))

    return quiet_print


def _quiet_logging(held: Held, module: ModuleType) -> None:
    real = module.Logger.handle

    @functools.wraps(real)
    def handle(self: Any, record: Any) -> None:
        if in_loop() and record.levelno < _WARNING:
            held.add("log records left out", functools.partial(real, self, record))
        else:
            held.left_alone = True
            real(self, record)

    module.Logger.handle = handle


def _quiet_writer(changes: Changes, module: ModuleType) -> None:
    for name, real in list(vars(module.SummaryWriter).items()):
        if name.startswith("add_") and callable(real):
            setattr(module.SummaryWriter, name, _nothing(real, changes, "TensorBoard entries left out"))


def _quiet_dump(changes: Changes, module: ModuleType) -> None:
    module.Logger.dump = _nothing(module.Logger.dump, changes, "tables of the logger left out")


def _nothing(real: Any, changes: Changes, what: str) -> Any:
    @functools.wraps(real)
    def nothing(*args: Any, **kwargs: Any) -> Any:
        if not in_loop():
            return real(*args, **kwargs)
        changes.count(what)
        return None

    return nothing
