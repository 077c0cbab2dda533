"""The windows that a trend may be read from: since learning began, whole rounds of it, without stalls."""

from __future__ import annotations

import dataclasses
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from goldsplit.model.progress import Prefill, Stalls, Window
from goldsplit.model.stage import CHECKPOINT, EVAL, LOG

#: Steps before the first update are a first rollout, not a prefill, if later pauses between updates are
#: nearly as long.
LIKE_A_PAUSE = 1.5
#: Fewer windows after the first update say nothing about learning.
LEAST_LEARNING = 2
#: Joining windows stops once updates per env step are so much alike in all of them, or so few are left.
ALIKE, LEAST_JOINED = 0.1, 12
#: A stall: so much slower than the windows around it, while the driver computed hardly more per env step.
SLOWER, COMPUTED_MORE = 1.5, 1.25
#: Or the driver had no core for so much of the window, and so much more than in most of them.
NO_CORE, MORE_THAN_USUAL, DELAYED_SLOWER = 0.2, 0.15, 1.15
NEIGHBOURS = 4
LEAST_FOR_STALLS = 6
#: More stalled windows than this are how the run is.
MOST_STALLED = 0.3
#: What a program does from time to time, on purpose.
NOW_AND_THEN = (EVAL, CHECKPOINT, LOG)


@dataclasses.dataclass(frozen=True, slots=True)
class TrendWindows:
    """Some windows, and which of them were stalls."""

    steady: list[Window]
    stalled: list[Window]
    stalls: Stalls | None


def trend_windows(windows: Sequence[Window]) -> TrendWindows:
    """The windows since learning began, joined to whole rounds; stalls apart."""
    rounds = whole_rounds(windows[learning_begins(windows) :])
    flags = stalled(rounds)
    quiet = [window for window, stall in zip(rounds, flags, strict=True) if not stall]
    stops = [window for window, stall in zip(rounds, flags, strict=True) if stall]
    return TrendWindows(quiet, stops, _stalls(rounds, flags) if stops else None)


def learning_begins(windows: Sequence[Window]) -> int:
    """The first window after the first update; 0 where nothing is learnt, where learning goes on from the
    start, and where the steps before the first update are a rollout like those that follow."""
    first = next((i for i, w in enumerate(windows) if w.updates), 0)
    after = windows[first + 1 :]
    if first == 0 or len(after) < LEAST_LEARNING:
        return 0
    pauses = _pauses(after)
    all_the_time = sum(1 for w in after if w.updates and w.env_steps) >= len(after) / 2
    before = sum(w.env_steps or 0 for w in windows[: first + 1])
    if (not pauses and not all_the_time) or before <= LIKE_A_PAUSE * max(pauses, default=0):
        return 0
    return first + 1


def _pauses(windows: Sequence[Window]) -> list[int]:
    """Env steps from one window with updates to the next, where there is one without between them."""
    found, steps, pausing = [], 0, False
    for window in windows:
        steps += window.env_steps or 0
        if not window.updates:
            pausing = True
        else:
            found += [steps] if pausing else []
            steps, pausing = 0, False
    return found  # one that goes on at the end has no known length


def prefill(windows: Sequence[Window]) -> Prefill | None:
    """What came before learning, if anything did."""
    before = windows[: learning_begins(windows)]
    if not before:
        return None
    seconds = sum(w.seconds for w in before)
    steps = _total([w.env_steps for w in before])
    return Prefill(
        round(seconds, 3),
        steps,
        _total([w.episodes for w in before]),
        steps / seconds if steps is not None and seconds > 0 else None,
    )


def _total(numbers: Sequence[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


def whole_rounds(windows: Sequence[Window]) -> list[Window]:
    """Windows joined until each has env steps and its part of the updates: where a program collects for some
    seconds and then learns, a window with one of both has no cost per env step."""
    rounds = list(_until_learnt(windows)) if any(w.updates for w in windows) else list(windows)
    rounds = list(_with_steps(rounds))
    size = 1
    joined = rounds
    while len(joined) > LEAST_JOINED and _uneven(joined) > ALIKE:
        size += 1
        if len(rounds) // size < LEAST_JOINED:
            break
        joined = [join(rounds[i : i + size]) for i in range(0, len(rounds) - size + 1, size)]
    return joined


def _until_learnt(windows: Sequence[Window]) -> Iterator[Window]:
    """Each up to the end of a burst of updates; what is left at the end is no whole round."""
    part: list[Window] = []
    for i, window in enumerate(windows):
        part.append(window)
        if window.updates and (i + 1 == len(windows) or not windows[i + 1].updates or _goes_on(windows, i)):
            yield join(part)
            part = []


def _goes_on(windows: Sequence[Window], i: int) -> bool:
    """Whether a window and the next have both steps and updates: no burst, but learning all the time."""
    return all(w.updates and w.env_steps for w in windows[i : i + 2])


def _with_steps(windows: Sequence[Window]) -> Iterator[Window]:
    """Windows without an env step (an evaluation) belong to the next that has some."""
    part: list[Window] = []
    for window in windows:
        part.append(window)
        if window.env_steps:
            yield join(part)
            part = []


def _uneven(windows: Sequence[Window]) -> float:
    """How far updates per env step differ between windows."""
    ratios = [(w.updates or 0) / (w.env_steps or 1) for w in windows]
    mean = sum(ratios) / len(ratios)
    return statistics.pstdev(ratios) / mean if mean > 0 else 0.0


def join(windows: Sequence[Window]) -> Window:
    """Some windows that follow each other as one."""
    if len(windows) == 1:
        return windows[0]
    seconds = sum(w.seconds for w in windows)
    steps = _total([w.env_steps for w in windows])
    stages: dict[str, float] = defaultdict(float)
    calls: dict[str, int] = defaultdict(int)
    spent: dict[str, float] = defaultdict(float)
    for window in windows:
        for stage, share in window.stages.items():
            stages[stage] += share * window.seconds / seconds
        for stage, number in window.calls.items():
            calls[stage] += number
            spent[stage] += window.call_us.get(stage, 0.0) * number
    cores = [w.cpu_seconds for w in windows if w.cpu_seconds is not None]
    return dataclasses.replace(
        windows[-1],
        start=windows[0].start,
        seconds=seconds,
        env_steps=steps,
        env_steps_per_second=steps / seconds if steps is not None and seconds > 0 else None,
        episodes=_total([w.episodes for w in windows]),
        updates=_total([w.updates for w in windows]),
        stages=dict(stages),
        calls=dict(calls),
        call_us={stage: spent[stage] / number for stage, number in calls.items() if number},
        env_steps_before=windows[0].env_steps_before,
        delayed_seconds=sum(w.delayed_seconds for w in windows),
        cpu_seconds=sum(cores) if len(cores) == len(windows) else None,
    )


def stalled(windows: Sequence[Window]) -> list[bool]:
    """Which windows were stalls."""
    nothing = [False] * len(windows)
    if len(windows) < LEAST_FOR_STALLS or not all(w.env_steps and w.seconds > 0 for w in windows):
        return nothing
    delayed = [w.delayed_seconds / w.seconds for w in windows]
    usual = statistics.median(delayed)
    found = [
        _stands_still(windows, i)
        or (
            delayed[i] > max(NO_CORE, usual + MORE_THAN_USUAL)
            and _cost(windows[i]) > DELAYED_SLOWER * _around(windows, i, _cost)
        )
        for i in range(len(windows))
    ]
    return found if sum(found) <= MOST_STALLED * len(windows) else nothing


def _stands_still(windows: Sequence[Window], i: int) -> bool:
    usual = _around(windows, i, _cost)
    if _cost(windows[i]) < SLOWER * usual or any(w.cpu_seconds is None for w in windows):
        return False
    extra = windows[i].seconds - usual * (windows[i].env_steps or 0)
    on_purpose = sum(windows[i].stages.get(stage, 0.0) for stage in NOW_AND_THEN) * windows[i].seconds
    return _computed(windows[i]) < COMPUTED_MORE * _around(windows, i, _computed) and on_purpose < extra / 2


def _cost(window: Window) -> float:
    return window.seconds / (window.env_steps or 1)


def _computed(window: Window) -> float:
    return (window.cpu_seconds or 0.0) / (window.env_steps or 1)


def _around(windows: Sequence[Window], i: int, figure: Callable[[Window], float]) -> float:
    """A figure's median in the windows on both sides; at the ends of a run, on one."""
    near = [*windows[max(0, i - NEIGHBOURS) : i], *windows[i + 1 : i + 1 + NEIGHBOURS]]
    return statistics.median(figure(window) for window in near)


def _stalls(windows: Sequence[Window], flags: Sequence[bool]) -> Stalls:
    places = [i for i, flag in enumerate(flags) if flag]
    lost = sum(
        max(0.0, windows[i].seconds - _around(windows, i, _cost) * (windows[i].env_steps or 0))
        for i in places
    )
    return Stalls(
        count=sum(1 for i in places if i == 0 or not flags[i - 1]),
        seconds=round(sum(windows[i].seconds for i in places), 3),
        lost_seconds=round(lost, 3),
    )
