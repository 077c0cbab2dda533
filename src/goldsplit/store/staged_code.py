"""Give stacks the frames that spans do not have.

A compiled span has no frame in a sampled stack. Its function has one, and the recording says which functions
those were. In front of each of them this puts the frame that a span in Python has. So whatever reads stacks
finds the same frames, however the spans were made.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict

from goldsplit.model.recording import Frame, Recording
from goldsplit.model.stack_frames import FRAME_PREFIX

Codes = dict[tuple[str, str], dict[tuple[int, int], str]]
"""File and name, first and last line → stage."""


def mark_staged_code(recording: Recording) -> None:
    """Put frames of spans into all stacks of a recording."""
    codes: Codes = defaultdict(dict)
    for process in recording.processes:
        for code in process.codes:  # the last one counts: a span may be taken back, or get another stage
            codes[code.file, code.name][code.first, code.last] = code.stage
    if not codes:
        return
    stages = [stage_of_frame(frame, codes) for frame in recording.frames]
    places: dict[str, int] = {}
    for stage in filter(None, stages):
        if stage not in places:
            places[stage] = len(recording.frames)
            recording.frames.append(Frame(FRAME_PREFIX + stage, "", 0))
    stages += [None] * (len(recording.frames) - len(stages))
    names = [frame.function for frame in recording.frames]
    marked: dict[tuple[int, ...], tuple[int, ...]] = {}
    for number, chunk in enumerate(recording.chunks):
        for stack in chunk.stacks:
            if stack.frames not in marked:
                marked[stack.frames] = with_marks(stack.frames, stages, places, names)
        stacks = tuple(dataclasses.replace(stack, frames=marked[stack.frames]) for stack in chunk.stacks)
        recording.chunks[number] = dataclasses.replace(chunk, stacks=stacks)


def stage_of_frame(frame: Frame, codes: Codes) -> str | None:
    """The stage of this frame's function, if its calls were spans."""
    found = codes.get((frame.file, frame.function.rpartition(".")[2]), {})
    stages = (stage for (first, last), stage in found.items() if stage and first <= frame.line <= last)
    return next(stages, None)


def with_marks(
    stack: tuple[int, ...], stages: list[str | None], places: dict[str, int], names: list[str]
) -> tuple[int, ...]:
    """A stack with a frame in front of each span; a call directly inside the same stage gets none."""
    marked: list[int] = []
    inside = ""
    for place in stack:
        name = names[place] if place < len(names) else ""
        stage = stages[place] if place < len(stages) else None
        if name.startswith(FRAME_PREFIX):
            inside = name.removeprefix(FRAME_PREFIX)
        elif stage is not None and stage != inside:
            marked.append(places[stage])
            inside = stage
        marked.append(place)
    return tuple(marked)
