"""What a thread waits for after it has asked an event loop, from the source lines that asked.

A suspended coroutine is on no stack: the loop's thread only shows that it idles. But the thread that asked
still stands at the line that handed the coroutine over, as in ``self.ask(self.battle.step(action))``, and the
call that made the coroutine is an operand there. Where no line tells, the wait stays unexplained.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from goldsplit.analyse.stacks.frame_stages import stage_of_frame
from goldsplit.analyse.stacks.source_heat import ReadSource
from goldsplit.model.recording import Frame, Recording
from goldsplit.model.stack_frames import is_library
from goldsplit.model.usual_names import stage_of_function
from goldsplit.model.wire import Header

#: Where an event loop runs.
_LOOPS = ("/asyncio/base_events.py", "/nest_asyncio.py")
#: Methods of a future that wait for it.
_FUTURE_WAITS = frozenset({"result", "exception"})
#: Functions that take coroutines (or futures of them) and give a future or a coroutine back.
_TAKES_COROUTINES = frozenset(
    {"run_coroutine_threadsafe", "create_task", "ensure_future", "wait_for", "gather", "shield"}
)


def in_event_loop(frames: list[Frame]) -> bool:
    """Whether a stack is that of a running event loop, idle or not."""
    return any(frame.file.endswith(_LOOPS) for frame in frames)


def runs_coroutine(frames: list[Frame]) -> bool:
    """Whether a stack is of an event loop that runs user code, not its own machinery."""
    inside = itertools.dropwhile(lambda frame: not in_event_loop([frame]), frames)
    return any(not is_library(frame.file) for frame in inside)


def asks_event_loop(frames: list[Frame], loop_beside: bool) -> bool:
    """Whether a waiting stack waits at a future while another thread runs an event loop, or in an event loop
    of its own. A lock or a queue does not count."""
    tail = list(itertools.takewhile(lambda frame: is_library(frame.file), reversed(frames)))
    at_future = any(
        frame.file.endswith("/concurrent/futures/_base.py") and _last(frame.function) in _FUTURE_WAITS
        for frame in tail
    )
    return (at_future and loop_beside) or in_event_loop(tail)


class Asked:
    """Reads the source of the user's own frames, each file once."""

    def __init__(self, recording: Recording, read: ReadSource) -> None:
        self._frames = recording.frames
        self._started = float(recording.run.get(Header.STARTED) or 0.0)
        self._read = read
        self._texts: dict[str, str] = {}
        self._coroutines: set[str] | None = None
        self._known: dict[tuple[int, ...], str | None] = {}

    def stage(self, places: tuple[int, ...]) -> str | None:
        """The stage of the coroutine that a waiting stack (places of frames) has asked for, if it shows."""
        if places not in self._known:
            self._known[places] = self._stage([self._frames[i] for i in places if i < len(self._frames)])
        return self._known[places]

    def _stage(self, frames: list[Frame]) -> str | None:
        """From the wait outwards, up to the first function whose own name tells the stage."""
        for place in range(len(frames) - 2, -1, -1):
            frame = frames[place]
            if is_library(frame.file):
                continue
            stage = self._handed_over(frame, frames[place + 1])
            if stage is not None:
                return stage
            if stage_of_frame(frame) is not None:
                return None
        return None

    def _handed_over(self, frame: Frame, inner: Frame) -> str | None:
        """The stage of what a frame's line hands to the function that it has called (`inner`); None where
        the line calls it more than once, for different stages."""
        statement, scope = _statement(_parse(self._text(frame.file)), frame.line)
        callee, library = _last(inner.function), is_library(inner.file)
        found: set[str | None] = set()
        for call in _calls(statement) if statement is not None else ():
            if _last(_name(call)) != callee:
                continue
            making = Making(scope, frame.line, self._is_coroutine)
            if library and callee in _FUTURE_WAITS:
                given = [call.func.value] if isinstance(call.func, ast.Attribute) else []
            else:
                given = arguments(call)
            found.add(making.stage_of_any(given, certain=library and "asyncio" in inner.file))
        return found.pop() if len(found) == 1 else None

    def _is_coroutine(self, name: str) -> bool:
        """Whether the user's own files define a coroutine function of this name."""
        if self._coroutines is None:
            files = {frame.file for frame in self._frames if frame.file and not is_library(frame.file)}
            self._coroutines = {name for file in files for name in _coroutines(self._text(file))}
        return name in self._coroutines

    def _text(self, file: str) -> str:
        """A file as it was when it was recorded; empty where it is gone or was changed since."""
        if file not in self._texts:
            try:
                lines, changed = self._read(file)
            except OSError:
                lines, changed = [], 0.0
            fresh = not self._started or changed <= self._started
            self._texts[file] = "\n".join(lines) if fresh else ""
        return self._texts[file]


@lru_cache(maxsize=64)
def _parse(text: str) -> ast.Module:
    """Source as a tree; an empty one where another Python wrote it."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


@lru_cache(maxsize=64)
def _coroutines(text: str) -> frozenset[str]:
    """The names of the coroutine functions in a source."""
    return frozenset(n.name for n in ast.walk(_parse(text)) if isinstance(n, ast.AsyncFunctionDef))


class Making:
    """Follows an expression to the call that made the coroutine in it, inside one function."""

    def __init__(self, scope: ast.AST, line: int, is_coroutine: Callable[[str], bool]) -> None:
        self.scope = scope
        self.line = line
        self.is_coroutine = is_coroutine
        self._seen: set[str] = set()

    def stage_of_any(self, expressions: Iterable[ast.expr], certain: bool = False) -> str | None:
        """The first stage that one of them tells."""
        return next((s for s in (self.stage(one, certain) for one in expressions) if s is not None), None)

    def stage(self, expression: ast.expr, certain: bool = False) -> str | None:
        """The stage of the coroutine that an expression is. `certain`: it is one, whatever its name. What a
        plain function returns is not followed: it may have waited itself, and return what came of it."""
        match expression:
            case ast.Name(id=name) if name not in self._seen:
                self._seen.add(name)
                given = _last_given(self.scope, name, self.line)
                return self.stage(given, certain) if given is not None else None
            case ast.Call():
                return self._stage_of_call(expression, certain)
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                return self.stage_of_any(parts, certain)
            case ast.ListComp(elt=part) | ast.GeneratorExp(elt=part) | ast.Starred(value=part):
                return self.stage(part, certain)
            case ast.IfExp(body=body, orelse=orelse):
                return self.stage_of_any((body, orelse), certain)
        return None

    def _stage_of_call(self, call: ast.Call, certain: bool) -> str | None:
        name = _name(call)
        if _last(name) in _TAKES_COROUTINES:
            return self.stage_of_any(arguments(call), certain=True)
        if not certain and not self.is_coroutine(_last(name)):
            return None
        return stage_of_function(name) or self.stage_of_any(arguments(call))


def arguments(call: ast.Call) -> list[ast.expr]:
    """All that a call hands over."""
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _statement(tree: ast.Module, line: int) -> tuple[ast.stmt | None, ast.AST]:
    """The innermost statement at a line, and the function (or module) that it belongs to."""
    found: ast.stmt | None = None
    scope: ast.AST = tree
    inside: Iterator[ast.AST] = ast.iter_child_nodes(tree)
    while True:
        nodes = [node for node in inside if _holds(node, line)]
        if not nodes:
            return found, scope
        node = nodes[0]
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            scope = node
        if isinstance(node, ast.stmt):
            found = node
        elif isinstance(node, ast.expr):  # statements lie in no expression
            return found, scope
        inside = ast.iter_child_nodes(node)


def _holds(node: ast.AST, line: int) -> bool:
    if isinstance(node, ast.stmt | ast.expr | ast.ExceptHandler):
        return node.lineno <= line <= (node.end_lineno or node.lineno)
    if isinstance(node, ast.match_case):
        return any(_holds(child, line) for child in ast.iter_child_nodes(node))
    return False


def _calls(statement: ast.stmt) -> Iterator[ast.Call]:
    """The calls of a statement itself, not of the statements in its body."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Call):
            yield node
        waiting += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]


def _last_given(scope: ast.AST, name: str, line: int) -> ast.expr | None:
    """What was assigned to a name last, above a line."""
    best: tuple[int, ast.expr] | None = None
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr):
            targets = [node.target]
        else:
            continue
        named = any(isinstance(target, ast.Name) and target.id == name for target in targets)
        if named and node.value is not None and node.lineno < line and (not best or node.lineno > best[0]):
            best = (node.lineno, node.value)
    return best[1] if best else None


def _name(call: ast.Call) -> str:
    """What is called, with dots; empty where it is no plain name."""
    return ast.unparse(call.func) if isinstance(call.func, ast.Attribute | ast.Name) else ""


def _last(name: str) -> str:
    return name.rpartition(".")[2]
