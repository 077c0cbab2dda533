"""The functions of a run by file and qualified name: named ones, staged ones, and those seen in stacks."""

from __future__ import annotations

import difflib
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import PurePath

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.recording import Recording, StagedCode
from goldsplit.model.stack_frames import FRAME_PREFIX, is_library
from goldsplit.model.wire import Header

SCRIPT = "__main__"

FunctionKey = tuple[str, str]
"""File and qualified name."""


@dataclass(slots=True)
class RunFunction:
    """One function, and how the run knows it."""

    file: str
    function: str
    first: int
    last: int
    """Its lines, as far as they are known."""
    named: NamedFunction | None = None
    spans: set[str] = field(default_factory=set)
    """Stages that its calls were spans of."""


class RunFunctions:
    """All functions of a run, and the names that a mapping has for them."""

    def __init__(self, recording: Recording) -> None:
        self.by_key: dict[FunctionKey, RunFunction] = {}
        for named in recording.named:
            if named.own_counters is not None:
                continue  # some lines of a function
            self._add(named.file, named.function, named.first, named.last).named = named
        for frame in recording.frames:
            if frame.file and not frame.function.startswith(FRAME_PREFIX):
                self._add(frame.file, frame.function, frame.line, frame.line)
        by_name: dict[tuple[str, str], list[RunFunction]] = defaultdict(list)
        for found in list(self.by_key.values()):
            by_name[found.file, found.function.rpartition(".")[2]].append(found)
        for code in staged_codes(recording):
            alike = [one for one in by_name[code.file, code.name] if _is_of(code, one)]
            for function in alike or [self._add(code.file, code.name, code.first, code.last)]:
                function.spans.add(code.stage)
        self._files = {file for file, _ in self.by_key} | recording.read_files
        self._script, self._folder = _script_of(recording, self._files)

    def _add(self, file: str, function: str, first: int, last: int) -> RunFunction:
        known = self.by_key.get((file, function))
        if known is None:
            known = self.by_key[file, function] = RunFunction(file, function, first, last)
        elif known.named is None:
            known.first, known.last = min(known.first, first), max(known.last, last)
        return known

    def target(self, function: RunFunction) -> str:
        """What a mapping calls a function: `core.env:Battle.step`."""
        return f"{self.module(function.file)}:{function.function}"

    def module(self, file: str) -> str:
        """The name that the program imports a file by; the file's own where that is not known."""
        path = PurePath(file)
        parts = [path.parent.name if path.stem == "__init__" else path.stem]
        if self._folder and file.startswith(self._folder):
            parts = list(PurePath(file.removeprefix(self._folder)).with_suffix("").parts)
            parts = parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts
        return ".".join(parts)

    def find(self, target: str) -> RunFunction | None:
        """The function that a mapping's target means."""
        module, _, path = target.partition(":")
        files = [file for file in self._files if self._is_module(file, module)]
        own_first = sorted(files, key=lambda file: (is_library(file), len(PurePath(file).parts), file))
        found = (self.by_key.get((file, path)) for file in own_first)
        return next((one for one in found if one is not None), None)

    def _is_module(self, file: str, module: str) -> bool:
        if module == SCRIPT:
            return file == self._script
        ending = "/" + module.replace(".", "/")
        return f"/{file}".endswith((f"{ending}.py", f"{ending}/__init__.py"))

    def nearest(self, target: str) -> list[str]:
        """Targets of this run that are spelt most like one that it does not have."""
        known = [self.target(one) for one in self.by_key.values() if not is_library(one.file)]
        known = [name for name in known if "<" not in name]
        return difflib.get_close_matches(target, known, n=3, cutoff=0.5)


def staged_codes(recording: Recording) -> list[StagedCode]:
    """The functions whose calls were spans to the end; a span may be taken back, or get another stage."""
    found: dict[StagedCode, None] = {}
    for process in recording.processes:
        last = {(code.file, code.name, code.first, code.last): code for code in process.codes}
        found |= dict.fromkeys(code for code in last.values() if code.stage)
    return list(found)


def _is_of(code: StagedCode, function: RunFunction) -> bool:
    if function.named is not None:
        return code.first == function.named.first
    return code.first <= function.first and function.last <= code.last


def _script_of(recording: Recording, files: set[str]) -> tuple[str, str]:
    """The program's script, and the folder that it imports its own modules from; "" for not known."""
    commands = [recording.run.get(Header.COMMAND, []), *(process.argv for process in recording.processes)]
    for command in commands:
        for ending, is_module in _endings([str(part) for part in command]):
            fitting = [file for file in files if f"/{file}".endswith(f"/{ending}")]
            if fitting:
                script = min(fitting, key=len)  # others of that name are deeper
                return script, script.removesuffix(ending if is_module else PurePath(script).name)
    return "", ""


def _endings(command: list[str]) -> list[tuple[str, bool]]:
    """How the path of a command's script ends, and whether it was given as a module."""
    if "-m" in command[:-1]:
        path = command[command.index("-m") + 1].replace(".", "/")
        return [(f"{path}.py", True), (f"{path}/__main__.py", True)]
    script = next((part for part in command if part.endswith(".py")), "")
    parts = [part for part in PurePath(script).parts if part not in ("/", "..", ".")]
    return [("/".join(parts), False)] if parts else []
