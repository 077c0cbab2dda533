"""What each function of a run was taken for, why, and how much of the samples it has."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from goldsplit.analyse.intermediate import work_out
from goldsplit.analyse.profile import without_silent_processes
from goldsplit.analyse.stacks.frame_stages import classify
from goldsplit.analyse.stacks.samples import Samples
from goldsplit.model.named_code import BY_PURPOSE, FunctionRow, KnownBy
from goldsplit.model.recording import Frame, Recording
from goldsplit.model.stack_frames import FRAME_PREFIX, is_library
from goldsplit.model.stage import WAITING, stage_named_after
from goldsplit.model.wire import COUNTED
from goldsplit.store.run_functions import FunctionKey, RunFunction, RunFunctions

#: A function without a stage is named only from here on.
LEAST_SHARE = 0.02
LEAST_SAMPLES = 8
_MAPPABLE = re.compile(r"[^\W\d][\w.]*:[^\W\d][\w.]*")


@dataclass(slots=True)
class _Seen:
    """The samples that have a function in their stack."""

    samples: int = 0
    unnamed: int = 0
    """In no stage at all."""
    around: Counter[str] = field(default_factory=Counter)
    """Stage of what called it → samples."""


def user_functions(recording: Recording) -> list[FunctionRow]:
    """The functions of a run, those with the largest share first."""
    recording = without_silent_processes(recording)
    functions = RunFunctions(recording)
    seen, at_work = samples_of(recording)
    rows = [
        row
        for key, function in functions.by_key.items()
        if (row := _row(function, functions, seen.get(key, _Seen()), at_work)) is not None
    ]
    return sorted(rows, key=lambda row: (-(row.share or 0.0), row.file, row.line, row.function))


def samples_of(recording: Recording) -> tuple[dict[FunctionKey, _Seen], int]:
    """Each function's samples in the training loop, and all samples in which a thread was at work."""
    found = work_out(recording)
    samples = Samples(recording, 0, 1 << 62) if found is None else found.samples
    seen: dict[FunctionKey, _Seen] = defaultdict(_Seen)
    at_work = 0
    for row in samples.rows:
        if row.meaning.waiting or row.meaning.stage in WAITING:
            continue
        at_work += row.count
        frames = [samples.frames[place] for place in row.frames if place < len(samples.frames)]
        counted: set[FunctionKey] = set()
        for place, frame in enumerate(frames):
            key = (frame.file, frame.function)
            if not frame.file or frame.function.startswith(FRAME_PREFIX) or key in counted:
                continue
            counted.add(key)  # recursion counts once
            one = seen[key]
            one.samples += row.count
            around = _stage_around(frames[:place])
            if around is not None:
                one.around[around] += row.count
            elif row.meaning.stage is None:
                one.unnamed += row.count
    return seen, at_work


def _stage_around(frames: list[Frame]) -> str | None:
    return classify(frames).stage if frames else None


def _row(function: RunFunction, functions: RunFunctions, seen: _Seen, at_work: int) -> FunctionRow | None:
    """A function's row; None where it says nothing: cold and in no stage, or a library's and not seen."""
    share = seen.samples / at_work if at_work else None
    hot = seen.samples >= LEAST_SAMPLES and share is not None and share >= LEAST_SHARE
    stage, reason = _stage_and_reason(function)
    library = is_library(function.file)
    inside = suggested = None
    if library and (stage is None or (at_work and not seen.samples)):
        return None
    target = functions.target(function)
    mappable = None if library or _MAPPABLE.fullmatch(target) is None else target
    if stage is None:
        if not hot:
            return None
        inside = _inside(seen)
        loop = inside is None and 2 * seen.unnamed < seen.samples
        if "<" in function.function and (inside or loop):
            return None  # a comprehension, a lambda: its function has the row; a script's top level
        suggested = stage_named_after(function.function) if mappable and not loop else None
        unknown = "the stages are inside it" if loop else "nothing in the source tells what it is for"
        reason = f"called in {inside}, and belongs to it" if inside else unknown
    known = KnownBy.SAMPLES if seen.samples else KnownBy.NOTHING
    return FunctionRow(
        stage=stage,
        function=function.function,
        file=function.file,
        line=function.first,
        reason=reason,
        known_by=KnownBy.SPANS if function.spans - {COUNTED} else known,
        share=share,
        samples=seen.samples,
        target=mappable,
        inside=inside,
        suggested=suggested,
    )


def _stage_and_reason(function: RunFunction) -> tuple[str | None, str]:
    named = function.named
    stages = sorted(function.spans - {COUNTED})
    if named is not None and (not stages or named.stage in stages or named.stage == BY_PURPOSE):
        return named.stage, named.reason
    if not stages:
        return None, ""
    if is_library(function.file):
        return stages[0], f"hook: {package_of(function.file)}"
    return stages[0], "hook: the shape of its class, or its name"


def _inside(seen: _Seen) -> str | None:
    """The stage of what calls a function, where most of its samples have one."""
    around = seen.around.most_common(1)
    return around[0][0] if around and 2 * sum(seen.around.values()) >= seen.samples else None


def package_of(file: str) -> str:
    """The library that a file belongs to: `torch`, `multiprocessing`."""
    inner = re.split(r"/lib/python3[^/]*/(?:(?:site|dist)-packages/)?|/(?:site|dist)-packages/", file)[-1]
    return inner.split("/")[0].removesuffix(".py")
