"""Explain a recording with another mapping than it was recorded with: nobody trains anew to fix a name.

A function's samples always get the new stage. Its spans do where all spans of their old stage are of
functions that get the same new one: what a span kept is its stage, not its function. Else the span's time
stays exact, and the samples inside it divide it.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import defaultdict
from collections.abc import Mapping

from goldsplit.model.named_code import BY_PURPOSE, NamedFunction
from goldsplit.model.recording import Frame, ProcessRecord, Recording, StackChunk
from goldsplit.model.stack_frames import FRAME_PREFIX
from goldsplit.model.stage import ACT, ACT_PREDICT, ACT_VALUE, LEARN_FORWARD
from goldsplit.model.wire import COUNT_CALLS, COUNTED, PROGRESS, UNSTAGED, Header
from goldsplit.store.run_functions import FunctionKey, RunFunction, RunFunctions

REASON = "your mapping"
#: So many targets are named in a note.
MOST_NAMED = 4
#: What a forward pass can be; which one it was, its span does not tell.
_OF_FORWARD_PASSES = (ACT, ACT_PREDICT, ACT_VALUE, LEARN_FORWARD)

Stages = dict[FunctionKey, str]
"""The new stages; "" for none."""


def remapped(recording: Recording, mapping: Mapping[str, str]) -> Recording:
    """The same recording with a mapping's stages, and with notes that say so. The mapping that it was
    recorded with counts too, where this one does not say otherwise."""
    given = recording.run.get(Header.STAGES)
    recorded = {str(target): str(stage) for target, stage in given.items()} if isinstance(given, dict) else {}
    if not mapping and not recorded:
        return recording
    functions = RunFunctions(recording)
    stages: Stages = {}
    notes: list[str] = []
    for target, stage in {**recorded, **mapping}.items():
        function = functions.find(target)
        if stage == PROGRESS or stage.startswith(COUNT_CALLS):
            if target not in recorded:
                notes.append(f"calls of {target} were not counted: that takes a new recording")
        elif function is not None:
            stages[function.file, function.function] = "" if stage == UNSTAGED else stage
        elif target in mapping and target not in recorded:
            notes.append(_not_found(target, functions))
    renamed = renamed_spans(recording, functions, stages)
    if mapping:
        notes += [_explained_with(stages, functions, mapping), *_divided(stages, functions, renamed)]
    frames, chunks = _Stacks(recording, stages, renamed).result()
    return dataclasses.replace(
        recording,
        run={**recording.run, Header.NOTES: [*recording.run.get(Header.NOTES, []), *notes]},
        processes=[_process(process, renamed) for process in recording.processes],
        frames=frames,
        chunks=chunks,
        named=_named(recording.named, functions, stages),
        read_files=recording.read_files,
    )


def renamed_spans(recording: Recording, functions: RunFunctions, stages: Stages) -> dict[str, str]:
    """Old stage → new stage, for those whose spans are all of functions that get that new stage."""
    wanted: dict[str, set[str | None]] = defaultdict(set)
    compiled = any(process.codes for process in recording.processes)  # else it was not written which they are
    for key, function in functions.by_key.items():
        for stage in function.spans:
            wanted[stage].add(stages.get(key))
        if function.named is not None and not function.spans:  # perhaps a span with a frame of its own
            wanted[function.named.stage].add(stages.get(key) if compiled else None)
    if BY_PURPOSE in wanted:
        for stage in _OF_FORWARD_PASSES:
            wanted[stage].add(None)
    for mark, inner in _own_frames(recording):
        wanted[mark.function.removeprefix(FRAME_PREFIX)].add(stages.get((inner.file, inner.function)))
    only = {stage: next(iter(new)) for stage, new in wanted.items() if len(new) == 1}
    return {stage: new for stage, new in only.items() if new is not None and new != stage}


def _own_frames(recording: Recording) -> set[tuple[Frame, Frame]]:
    """Frames of spans that are in Python, each with the frame that it called."""
    frames = recording.frames
    stacks = {stack.frames for chunk in recording.chunks for stack in chunk.stacks}
    pairs = {pair for stack in stacks for pair in itertools.pairwise(stack) if max(pair) < len(frames)}
    found = {(frames[outer], frames[inner]) for outer, inner in pairs}
    return {(mark, inner) for mark, inner in found if mark.file and mark.function.startswith(FRAME_PREFIX)}


def _process(process: ProcessRecord, renamed: dict[str, str]) -> ProcessRecord:
    """Its spans under their new names; one without a stage belongs to the stage around it."""
    if not renamed:
        return process
    return dataclasses.replace(
        process,
        nodes={
            key: dataclasses.replace(node, stage=renamed[node.stage] or COUNTED)
            if node.stage in renamed
            else node
            for key, node in process.nodes.items()
        },
        codes=[
            dataclasses.replace(code, stage=renamed.get(code.stage, code.stage)) for code in process.codes
        ],
    )


def _named(named: list[NamedFunction], functions: RunFunctions, stages: Stages) -> list[NamedFunction]:
    kept = [one for one in named if (one.file, one.function) not in stages]
    for key, stage in stages.items():
        function = functions.by_key[key]
        if stage:
            before = function.named or NamedFunction(*key, function.first, function.last, stage, REASON)
            same = stage == before.stage
            kept.append(before if same else dataclasses.replace(before, stage=stage, reason=REASON))
    return kept


class _Stacks:
    """The stacks of a recording, changed so that they tell the new stages."""

    def __init__(self, recording: Recording, stages: Stages, renamed: dict[str, str]) -> None:
        self.recording = recording
        self.stages = stages
        self.renamed = renamed
        self.before = recording.frames
        self.frames = [
            dataclasses.replace(frame, named=stages[frame.file, frame.function])
            if (frame.file, frame.function) in stages
            else frame
            for frame in recording.frames
        ]
        self.places: dict[Frame, int] = {}

    def result(self) -> tuple[list[Frame], list[StackChunk]]:
        changed: dict[tuple[int, ...], tuple[int, ...]] = {}
        chunks = []
        for chunk in self.recording.chunks:
            for stack in chunk.stacks:
                if stack.frames not in changed:
                    changed[stack.frames] = self._changed(stack.frames)
            stacks = tuple(dataclasses.replace(one, frames=changed[one.frames]) for one in chunk.stacks)
            chunks.append(dataclasses.replace(chunk, stacks=stacks))
        return self.frames, chunks

    def _changed(self, stack: tuple[int, ...]) -> tuple[int, ...]:
        result: list[int] = []
        spans: list[str] = []
        mark = ""  # of the span whose function comes next
        for place in stack:
            frame = self.before[place] if place < len(self.before) else Frame("?", "?", 0)
            if frame.function.startswith(FRAME_PREFIX):
                old = frame.function.removeprefix(FRAME_PREFIX)
                new = self.renamed.get(old, old)
                if new:
                    spans.append(new)
                    result.append(place if new == old else self._place(Frame(FRAME_PREFIX + new, "", 0)))
                mark = "" if old in self.renamed else old
                continue
            stage = self.stages.get((frame.file, frame.function))
            if mark and stage is not None and stage != mark:
                # The span keeps its stage; the function inside it tells the finer one, behind a frame that
                # stands for no stage, as the frame next to a mark counts as the span itself.
                finer = stage or (spans[-2] if len(spans) > 1 else "")
                result.append(self._place(Frame(FRAME_PREFIX + COUNTED, "", 0)))
                result.append(self._place(dataclasses.replace(frame, named=finer)))
            else:
                result.append(place)
            mark = ""
        return tuple(result)

    def _place(self, frame: Frame) -> int:
        if frame not in self.places:
            self.places[frame] = len(self.frames)
            self.frames.append(frame)
        return self.places[frame]


def _not_found(target: str, functions: RunFunctions) -> str:
    nearest = functions.nearest(target)
    hint = f"; nearest: {', '.join(nearest)}" if nearest else ""
    return f"mapping: this run has no function {target}, so that line does nothing{hint}"


def _explained_with(stages: Stages, functions: RunFunctions, mapping: Mapping[str, str]) -> str:
    changed = [
        f"{functions.target(functions.by_key[key])} is {stage or 'in no stage'}"
        for key, stage in stages.items()
        if stage not in stages_before(functions.by_key[key])
    ]
    if not changed:
        return f"explained with a mapping of {len(mapping)} lines, which changes nothing"
    more = f" and {len(changed) - MOST_NAMED} more" if len(changed) > MOST_NAMED else ""
    return f"explained with a mapping, not as it was recorded: {', '.join(changed[:MOST_NAMED])}{more}"


def stages_before(function: RunFunction) -> set[str]:
    """What a function was before a mapping: "" for no stage."""
    if function.spans:
        return function.spans
    return {function.named.stage if function.named is not None else ""}


def _divided(stages: Stages, functions: RunFunctions, renamed: dict[str, str]) -> list[str]:
    """Spans that could not be renamed, in words."""
    notes = []
    for key, stage in stages.items():
        function = functions.by_key[key]
        left = sorted(old for old in function.spans if old != stage and old not in renamed)
        if left:
            target = functions.target(function)
            notes.append(
                f"spans of {target} were recorded as {', '.join(left)}, as those of other functions: samples "
                "tell its part, not clocks; record with the mapping for exact times"
            )
    return notes
