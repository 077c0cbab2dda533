"""Where user code spends each stage: library code counts for the user's line that called it."""

from __future__ import annotations

from collections import Counter, defaultdict

from goldsplit.analyse.stacks.hotspots import is_ours
from goldsplit.analyse.stacks.samples import Sampled
from goldsplit.model.finding import Place
from goldsplit.model.profile import UserLine
from goldsplit.model.recording import Frame
from goldsplit.model.stack_frames import is_library

MOST = 60
LEAST_SHARE = 0.002


def user_lines(weighted: list[tuple[Sampled, float]], frames: list[Frame]) -> list[UserLine]:
    """The user's most expensive functions by stage; `weighted` stacks stand for shares of wall time."""
    shares: dict[tuple[str | None, str, str], float] = defaultdict(float)
    with_callees: dict[tuple[str | None, str, str], float] = defaultdict(float)
    lines: dict[tuple[str | None, str, str], Counter[int]] = defaultdict(Counter)
    for row, share in weighted:
        stack = [frames[i] for i in row.frames if i < len(frames)]
        inner = innermost_own(stack)
        if inner is not None:
            for file, function in {(f.file, f.function) for f in stack}:
                with_callees[row.meaning.stage, file, function] += share
            key = (row.meaning.stage, inner.file, inner.function)
            shares[key] += share
            lines[key][inner.line] += row.count
    ranked = sorted(shares.items(), key=lambda item: -item[1])
    return [
        UserLine(
            place=Place(file, lines[key].most_common(1)[0][0], function),
            stage=stage,
            share=min(1.0, share),
            samples=sum(lines[key].values()),
            with_callees=min(1.0, with_callees[key]),
        )
        for key, share in ranked[:MOST]
        if share >= LEAST_SHARE
        for stage, file, function in [key]
    ]


def innermost_own(frames: list[Frame]) -> Frame | None:
    """The innermost frame of user code; None if there is none, or the recorder was at work."""
    if not frames or is_ours(frames[-1]):
        return None
    return next((f for f in reversed(frames) if f.file and not is_library(f.file) and not is_ours(f)), None)
