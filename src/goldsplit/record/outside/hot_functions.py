"""The user's functions that stack samples show to be hot, told to the recorded processes in a small file.

Shares are inclusive: a function counts in every sample that it is on the stack of. Each kind of process has
its own ranking, because a worker's functions are little beside a busy driver's and yet hold it up; the file
has the first ones of every kind in turn.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from goldsplit.model.deep_files.deep_wire import Deep
from goldsplit.model.stack_frames import FRAME_PREFIX, is_library, is_waiting_frame
from goldsplit.model.wire import File
from goldsplit.record.outside.stack_folding import ChunkResult, read_threads

#: Functions of one kind of process at most; the share of its busy samples, and the samples, that they need.
MOST_OF_A_KIND, LEAST_SHARE, LEAST_SEEN = 24, 0.004, 2
#: Functions of all kinds at most.
MOST_FUNCTIONS = 40
#: With fewer busy samples than this a kind says nothing.
LEAST_SAMPLES = 8

Function = tuple[str, str]
"""File and name as the sampler tells them."""


class HotFunctions:
    """Samples by kind of process, and the file that tells what they show."""

    def __init__(self, run_dir: Path) -> None:
        self.run_dir = run_dir
        self.samples: Counter[str] = Counter()
        self.inclusive: dict[str, Counter[Function]] = defaultdict(Counter)
        self.lines: dict[Function, int] = {}
        self.written: list[list[Any]] = []

    def add(self, result: ChunkResult, kind: str) -> None:
        """Count the samples of one process of this kind."""
        frames = result.speedscope["shared"]["frames"]
        users = [function_of(frame) for frame in frames]
        waiting = [is_waiting_frame(frame["name"], frame["file"] or "") for frame in frames]
        for _, stacks in read_threads(result.speedscope["profiles"], frames, result.root_pid):
            for stack, number in Counter(stacks).items():
                if not stack or waiting[stack[-1]]:
                    continue
                self.samples[kind] += number
                found: dict[Function, int] = {}  # in the order of the stack: equals stay in it
                for place in stack:
                    if (function := users[place]) is not None:
                        found[function] = number
                        self.lines[function] = int(frames[place]["line"] or 0)
                self.inclusive[kind].update(found)

    def hottest(self) -> list[list[Any]]:
        """File, name and a line of the hot functions: the first of every kind, then the second ones."""
        ranked = [self._of_kind(kind) for kind in sorted(self.samples)]
        turns = [row[place] for place in range(MOST_OF_A_KIND) for row in ranked if place < len(row)]
        unique = list(dict.fromkeys(turns))[:MOST_FUNCTIONS]
        return [[*function, self.lines[function]] for function in unique]

    def _of_kind(self, kind: str) -> list[Function]:
        whole = self.samples[kind]
        if whole < LEAST_SAMPLES:
            return []
        rows = self.inclusive[kind].most_common()
        least = max(LEAST_SEEN, LEAST_SHARE * whole)
        return [function for function, number in rows if number >= least][:MOST_OF_A_KIND]

    def write(self) -> None:
        """Replace the file, if the list has changed; where that fails the processes look for themselves."""
        found = self.hottest()
        if not found or found == self.written:
            return
        self.written = found
        draft = self.run_dir / f"{File.HOT}.new"
        with contextlib.suppress(OSError):
            draft.write_text(json.dumps({Deep.FUNCTIONS: found}))
            os.replace(draft, self.run_dir / File.HOT)  # noqa: PTH105 - atomic


def function_of(frame: dict[str, Any]) -> Function | None:
    """A frame of the user's own function; None for all others, and for what has no name of its own."""
    name, file = str(frame["name"]), str(frame["file"] or "")
    nameless = name.rpartition(".")[2].startswith("<") or name.startswith(FRAME_PREFIX)
    return None if nameless or not file or is_library(file) else (file, name)
