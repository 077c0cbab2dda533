"""Stage functions of the script itself as soon as it has defined them.

The script is never imported, so no import tells of its functions. From the end of its last import to its last
definition its own lines are traced, and nothing else; so the first call of a function is seen already. Where
that cannot be (a debugger traces, the source cannot be read), a short poll has to do.
"""

from __future__ import annotations

import ast
import atexit
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from goldsplit.record.inside import snapshot_thread
from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.own_failures import harmless, safely
from goldsplit.record.own_source import script_of

POLL_SECONDS = 0.002
POLL_LIMIT_SECONDS = 120.0
END_SECONDS = 1.0
#: A script that does so much before its last definition is left to the poll. An optimizer of torch that is
#: made between two functions imports some 600,000 calls' worth.
MOST_EVENTS = 1_000_000
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

InScript = Callable[[ModuleType, str], bool]
"""Stages a target of the script's module; False where it is not defined yet."""


def watch_script(targets: dict[str, InScript]) -> None:
    """Stage targets of the script as soon as it has defined them."""
    if not targets:
        return
    running = bool(_WATCHED.targets)
    _WATCHED.targets += targets.items()
    if running:
        return
    _WATCHED.start()
    with harmless("watching the script's lines"):
        script = script_of(list(getattr(sys, "orig_argv", [])), Path.cwd())
        if script is not None and script.is_file():
            _Lines(_WATCHED, str(script), ast.parse(script.read_bytes())).start()


class Watched:
    """Targets that are not defined yet. Two threads look after them, one at a time."""

    def __init__(self) -> None:
        self.targets: list[tuple[str, InScript]] = []
        self._lock = snapshot_thread.new_lock()
        self._goes_on = snapshot_thread.new_lock()

    def start(self) -> None:
        """Look at short intervals, in a thread that ends before the interpreter does: one that wakes up in
        its last moments would need a library that a program without free file descriptors cannot load."""
        self._goes_on.acquire()
        thread = snapshot_thread.SnapshotThread(safely(self.poll))
        thread.start()

        def end() -> None:
            self._goes_on.release()
            thread.join(END_SECONDS)

        atexit.register(safely(end))

    def look(self) -> None:
        """Stage what has been defined meanwhile."""
        module = sys.modules.get("__mp_main__") or sys.modules.get("__main__")
        if module is None or not self._lock.acquire(blocking=False):
            return
        try:
            for target in list(self.targets):
                path, stage = target
                if stage(module, path):
                    self.targets.remove(target)
        finally:
            self._lock.release()

    def poll(self) -> None:
        """Look again and again, until all targets are defined."""
        waited, pause = 0.0, POLL_SECONDS
        while self.targets and waited < POLL_LIMIT_SECONDS:
            self.look()
            if self._goes_on.acquire(timeout=pause):
                return
            waited += pause
            pause = min(0.05, pause * 1.02)


_WATCHED = Watched()


class _Lines:
    """Traces the script's own lines between its last import and its last definition."""

    def __init__(self, watched: Watched, script: str, tree: ast.Module) -> None:
        self.watched = watched
        self.script = script
        self.imports = list(imports_of(tree.body))
        self.definitions = [one for one in tree.body if isinstance(one, _DEFINITIONS)]
        self.events = 0

    def start(self) -> None:
        """Trace now, or after the last import that is still to come: importing must stay as fast as it is."""
        missing = {module for _, module in self.imports if module not in sys.modules}
        if not missing:
            self._trace(None)
        for module in missing:
            when_imported(module, self._after_import)

    def _after_import(self, module: ModuleType) -> None:
        frame: FrameType | None = sys._getframe()
        while frame is not None and frame.f_code.co_name != "<module>":
            frame = frame.f_back
        if frame is None or not self._is_script(frame):  # imported by another import, which goes on
            return
        if all(name in sys.modules for line, name in self.imports if line >= frame.f_lineno):
            self._trace(frame)

    def last_line(self) -> int:
        """Where the last function or class ends that is still waited for; 0: none is."""
        names = {path.split(".")[0] for path, _ in self.watched.targets}
        found = (one.end_lineno or one.lineno for one in self.definitions if one.name in names)
        return max(found, default=0)

    def _trace(self, frame: FrameType | None) -> None:
        if sys.gettrace() is not None or snapshot_thread.this_one() is not threading.main_thread():
            return
        if frame is not None:
            frame.f_trace = self._line
        sys.settrace(self._call)

    def _is_script(self, frame: FrameType) -> bool:
        code = frame.f_code
        return code.co_name == "<module>" and os.path.abspath(code.co_filename) == self.script  # noqa: PTH100

    def _call(self, frame: FrameType, event: str, arg: Any) -> Any:
        """A call of anything; only the script's own lines are of interest."""
        self.events += 1
        if self.events > MOST_EVENTS:
            sys.settrace(None)
        return self._line if self._is_script(frame) else None

    def _line(self, frame: FrameType, event: str, arg: Any) -> Any:
        """The script is about to execute a line: what came before it is defined."""
        self.events += 1
        with harmless("looking at the script's definitions"):
            self.watched.look()
        done = event == "return" or frame.f_lineno > self.last_line()
        if done or self.events > MOST_EVENTS:
            sys.settrace(None)
            return None
        return self._line


def imports_of(body: Iterable[ast.stmt]) -> Iterator[tuple[int, str]]:
    """The imports that a script makes on its way, line and module; not those that it makes perhaps."""
    for statement in body:
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                yield statement.lineno, alias.name
        elif isinstance(statement, ast.ImportFrom):
            if statement.module and not statement.level:
                yield statement.lineno, statement.module
        elif isinstance(statement, ast.Try | ast.With):
            yield from imports_of(statement.body)
