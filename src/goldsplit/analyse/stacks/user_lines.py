"""Where user code spends each stage: library code counts for the user's line that called it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from goldsplit.analyse.stacks.user_frames import innermost_own
from goldsplit.analyse.wall.account import LEAST_SAMPLES, Weight
from goldsplit.model.finding import Place
from goldsplit.model.profile import UserLine
from goldsplit.model.recording import Frame

MOST = 60
LEAST_SHARE = 0.002


def user_lines(weighted: Iterable[tuple[Weight, float]], frames: list[Frame]) -> list[UserLine]:
    """The user's most expensive functions by stage; a function on too few samples is no place to name."""
    shares: dict[tuple[str | None, str, str], float] = defaultdict(float)
    with_callees: dict[tuple[str | None, str, str], float] = defaultdict(float)
    lines: dict[tuple[str | None, str, str], Counter[int]] = defaultdict(Counter)
    counts: dict[tuple[str | None, str, str], float] = defaultdict(float)
    for weight, share in weighted:
        stack = [frames[i] for i in weight.row.frames if i < len(frames)]
        inner = innermost_own(stack)
        if inner is not None:
            for file, function in {(f.file, f.function) for f in stack}:
                with_callees[weight.stage, file, function] += share
            key = (weight.stage, inner.file, inner.function)
            shares[key] += share
            counts[key] += weight.samples
            lines[key][inner.line] += round(weight.samples) or 1
    ranked = sorted(shares.items(), key=lambda item: -item[1])
    return [
        UserLine(
            place=Place(file, lines[key].most_common(1)[0][0], function),
            stage=stage,
            share=min(1.0, share),
            samples=round(counts[key]),
            with_callees=min(1.0, with_callees[key]),
        )
        for key, share in ranked[:MOST]
        if share >= LEAST_SHARE and round(counts[key]) >= LEAST_SAMPLES
        for stage, file, function in [key]
    ]
