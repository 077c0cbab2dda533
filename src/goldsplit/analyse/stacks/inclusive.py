"""The user's functions by what they cost with all that they call: what removing their calls would save.

A hot spot tells where time is spent; this tells what a function causes, in which stages, and inside which
other functions. So two findings about a function and one that it calls are not counted twice.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import takewhile

from goldsplit.analyse.stacks.frame_stages import wilson
from goldsplit.analyse.stacks.user_frames import is_ours, is_users
from goldsplit.analyse.wall.account import LEAST_SAMPLES, Weight
from goldsplit.model.finding import Place
from goldsplit.model.hot_code.function_cost import FunctionCost
from goldsplit.model.recording import Frame

MOST = 60
MOST_LINES = 24
LEAST_SHARE = 0.005
#: Where torch checks what a distribution is made of, and what it is asked about.
_DISTRIBUTION = "/torch/distributions/distribution.py"
_CHECKS = frozenset({"__init__", "_validate_sample"})


def _shares() -> dict[str, float]:
    return defaultdict(float)


@dataclass(slots=True)
class _Function:
    own: float = 0.0
    checks: dict[str, float] = field(default_factory=_shares)
    check_counts: dict[str, float] = field(default_factory=_shares)
    library: float = 0.0
    stages: dict[str, float] = field(default_factory=_shares)
    counts: dict[str, float] = field(default_factory=_shares)
    within: dict[str, float] = field(default_factory=_shares)
    callers: dict[str, float] = field(default_factory=_shares)
    lines: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    own_lines: dict[int, float] = field(default_factory=lambda: defaultdict(float))


@dataclass(slots=True)
class _Stage:
    share: float = 0.0
    samples: float = 0.0


def function_costs(weighted: Iterable[tuple[Weight, float]], frames: list[Frame]) -> list[FunctionCost]:
    """The most expensive functions; those on too few samples are not named."""
    functions: dict[tuple[str, str], _Function] = defaultdict(_Function)
    stages: dict[str, _Stage] = defaultdict(_Stage)
    for weight, share in weighted:
        stack = [frames[i] for i in weight.row.frames if i < len(frames)]
        stage = stages[weight.stage or ""]
        stage.share += share
        stage.samples += weight.samples
        if stack and not is_ours(stack[-1]):  # what the recorder costs is no function's time
            _add(functions, stack, weight, share)
    made = [_cost(key, found, stages) for key, found in functions.items()]
    known = [one for one in made if one.share >= LEAST_SHARE and one.samples >= LEAST_SAMPLES]
    return sorted(known, key=lambda one: (-one.share, one.key))[:MOST]


def _add(
    functions: dict[tuple[str, str], _Function], stack: list[Frame], weight: Weight, share: float
) -> None:
    own = [frame for frame in stack if is_users(frame)]
    if not own:
        return
    visible = [frame for frame in stack if not is_ours(frame)]
    in_library = visible[-1] is not own[-1]
    seen: list[str] = []
    for place, frame in enumerate(own):
        key = f"{frame.file}:{frame.function}"
        if key in seen:  # recursion counts once
            continue
        found = functions[frame.file, frame.function]
        found.stages[weight.stage or ""] += share
        found.counts[weight.stage or ""] += weight.samples
        found.library += share if in_library else 0.0
        found.lines[frame.line] += share
        for outer in seen:
            found.within[outer] += share
        if place:
            found.callers[f"{own[place - 1].file}:{own[place - 1].function}"] += share
        seen.append(key)
    inner = functions[own[-1].file, own[-1].function]
    inner.own += share
    inner.own_lines[own[-1].line] += share
    if any(map(is_check, takewhile(lambda frame: not is_users(frame), reversed(visible)))):
        inner.checks[weight.stage or ""] += share
        inner.check_counts[weight.stage or ""] += weight.samples


def is_check(frame: Frame) -> bool:
    """Whether torch checks what a distribution was given: the base class makes nothing else."""
    return frame.file.endswith(_DISTRIBUTION) and frame.function.rpartition(".")[2] in _CHECKS


def _cost(key: tuple[str, str], found: _Function, stages: dict[str, _Stage]) -> FunctionCost:
    share = min(1.0, sum(found.stages.values()))
    low, high = _interval(found.stages, found.counts, stages)
    every = {stage: found.checks.get(stage, 0.0) for stage in found.stages}
    least, most = _interval(every, found.check_counts, stages)
    hottest = sorted(found.lines, key=lambda line: -found.lines[line])
    own = sorted(found.own_lines, key=lambda line: -found.own_lines[line])
    line = (own or hottest)[0]
    return FunctionCost(
        place=Place(key[0], line, key[1]),
        share=share,
        share_low=min(low, share),
        share_high=max(share, min(1.0, high)),
        samples=round(sum(found.counts.values())),
        self_share=min(share, found.own),
        library_share=min(share, found.library),
        stages=dict(found.stages),
        within=dict(found.within),
        callers=dict(sorted(found.callers.items(), key=lambda item: -item[1])),
        lines={line: found.lines[line] for line in hottest[:MOST_LINES]},
        own_lines={line: found.own_lines[line] for line in own[:MOST_LINES]},
        checks=dict(found.checks),
        checks_low=least,
        checks_high=min(share, most),
        checks_samples=round(sum(found.check_counts.values())),
    )


def _interval(
    parts: Mapping[str, float], counts: Mapping[str, float], stages: Mapping[str, _Stage]
) -> tuple[float, float]:
    """Each stage's time is exact; which part of it a function has, its samples tell."""
    share = sum(parts.values())
    below = above = 0.0
    for stage, part in parts.items():
        whole = stages[stage]
        count = counts.get(stage, 0.0)
        total = max(whole.samples, count)
        if total <= 0:
            continue
        low, high = wilson(count, total)
        below += (part - whole.share * min(low, count / total)) ** 2
        above += (whole.share * max(high, count / total) - part) ** 2
    return max(0.0, share - math.sqrt(below)), share + math.sqrt(above)
