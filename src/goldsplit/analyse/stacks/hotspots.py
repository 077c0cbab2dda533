"""Functions by their share of the run's wall time.

Time belongs to the innermost function of the user's own: with the library code that it calls, which stands
beside it. A function that two stages use has a row in each, so it never has more than its stage.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from goldsplit.analyse.stacks.user_frames import innermost_own, is_ours, is_users, kind_of
from goldsplit.analyse.wall.account import LEAST_SAMPLES, Weight
from goldsplit.model.profile import Hotspot
from goldsplit.model.recording import Frame

MOST = 25
LEAST_SHARE = 0.001

_Key = tuple[str | None, str, str]
"""Stage, file, function."""


@dataclass(slots=True)
class _Function:
    own: float = 0.0
    total: float = 0.0
    samples: float = 0.0
    lines: Counter[int] = field(default_factory=Counter)
    libraries: dict[tuple[str, str], float] = field(default_factory=lambda: defaultdict(float))


def hotspots(weighted: Iterable[tuple[Weight, float]], frames: list[Frame]) -> list[Hotspot]:
    """The hottest functions; those on too few samples are not named."""
    functions: dict[_Key, _Function] = defaultdict(_Function)
    for weight, share in weighted:
        _add(functions, [frames[i] for i in weight.row.frames if i < len(frames)], weight, share)
    known = [
        (key, found)
        for key, found in functions.items()
        if found.own > LEAST_SHARE and round(found.samples) >= LEAST_SAMPLES
    ]
    ranked = sorted(known, key=lambda item: -item[1].own)
    return [_hotspot(key, found) for key, found in ranked[:MOST]]


def _hotspot(key: _Key, found: _Function) -> Hotspot:
    stage, file, function = key
    library, library_share = max(found.libraries.items(), key=lambda item: item[1], default=(("", ""), 0.0))
    inside = sum(found.libraries.values())
    yours = kind_of(file) == "yours"
    return Hotspot(
        function=function,
        file=file,
        line=found.lines.most_common(1)[0][0] if found.lines else 0,
        stage=stage,
        self_share=min(1.0, found.own),
        total_share=min(1.0, max(found.own, found.total)),
        samples=round(found.samples),
        calls_per_env_step=None,
        kind="yours" if yours and inside <= found.own / 2 else "library",
        library=library[0] if library_share > 0 else None,
        library_file=library[1] if library_share > 0 else None,
        library_share=min(found.own, library_share) if library_share > 0 else None,
    )


def _add(functions: dict[_Key, _Function], stack: list[Frame], weight: Weight, share: float) -> None:
    visible = [frame for frame in stack if not is_ours(frame)]
    if not visible or is_ours(stack[-1]):  # what the recorder costs is no function's time
        return
    for file, function in {(frame.file, frame.function) for frame in visible}:  # recursion counts once
        functions[weight.stage, file, function].total += share
    inner = innermost_own(stack) or visible[-1]
    found = functions[weight.stage, inner.file, inner.function]
    found.own += share
    found.samples += weight.samples
    if inner.line:  # 0: an instruction that belongs to no line
        found.lines[inner.line] += round(weight.samples)
    if is_users(inner) and inner is not visible[-1]:
        called = visible[len(visible) - visible[::-1].index(inner) :]
        public = next((f for f in called if not f.function.rpartition(".")[2].startswith("_")), called[0])
        found.libraries[public.function, public.file] += share
