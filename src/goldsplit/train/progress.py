"""What a running training tells: a bar in a terminal, a line now and then elsewhere, TensorBoard scalars."""

from __future__ import annotations

import sys
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import IO, Any, NamedTuple, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from goldsplit.train.options import TrainOptions
from goldsplit.train.worlds import Episode

RECENT = 100
"""Games that the running figures are taken over."""
PACE_SECONDS = 5.0
"""Steps per second are those of this time back, so that a training that slows down shows it."""
QUIET_SECONDS = 10.0
"""Where no terminal is: a line at most this often."""


class Point(NamedTuple):
    """One point of the learning curve; None where no game has ended yet, or none has a winner."""

    steps: int
    seconds: float
    updates: int
    steps_per_second: float
    mean_return: float | None
    win_rate: float | None


class Recent:
    """Return and win rate over the last games."""

    def __init__(self, episodes: Iterable[Episode] = ()) -> None:
        self.episodes: deque[Episode] = deque(episodes, maxlen=RECENT)
        self.count = 0

    def add(self, episodes: Iterable[Episode]) -> None:
        for episode in episodes:
            self.episodes.append(episode)
            self.count += 1

    @property
    def mean_return(self) -> float | None:
        if not self.episodes:
            return None
        return sum(episode.total for episode in self.episodes) / len(self.episodes)

    @property
    def win_rate(self) -> float | None:
        wins = [episode.won for episode in self.episodes if episode.won is not None]
        return sum(wins) / len(wins) if wins else None


class Pace:
    """Steps per second now: over the last seconds, not since the start."""

    def __init__(self, steps: int) -> None:
        self._seen = deque([(0.0, steps)])

    def now(self, seconds: float, steps: int) -> float:
        """The pace at this moment of the training's own time."""
        while len(self._seen) > 1 and self._seen[1][0] <= seconds - PACE_SECONDS:
            self._seen.popleft()
        before, done = self._seen[0]
        self._seen.append((seconds, steps))
        return (steps - done) / max(1e-9, seconds - before)


def described(point: Point, all_steps: int) -> str:
    """The figures of a point in one short line."""
    parts = [f"{point.steps_per_second:,.0f} steps/s"]
    if point.mean_return is not None:
        parts.append(f"return {point.mean_return:.2f}")
    if point.win_rate is not None:
        parts.append(f"wins {point.win_rate:.0%}")
    parts.append(f"{point.updates / max(1, point.steps):.3f} updates/step")
    if point.steps_per_second > 0 and all_steps > point.steps:
        parts.append(f"{duration((all_steps - point.steps) / point.steps_per_second)} left")
    return " · ".join(parts)


def duration(seconds: float) -> str:
    """12 s, 3:05, 2:03:05."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes}:{rest:02}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


class Telling:
    """Shows how a training goes: as a bar, or as lines; with a folder, points also go to TensorBoard."""

    def __init__(
        self,
        options: TrainOptions,
        *,
        quiet: bool = False,
        stream: IO[str] | None = None,
        clock: Callable[[], float] = time.monotonic,
        first_step: int = 0,
    ) -> None:
        self._options, self._quiet, self._clock = options, quiet, clock
        self._console = Console(file=stream or sys.stderr)
        self._bar: Progress | None = None
        self._task: Any = None
        self._last_line = clock()
        self._scalars: Any = None
        if options.folder and options.tensorboard:
            self._scalars = scalars_to(options.folder, first_step)
            if self._scalars is None:
                self.say("TensorBoard is not installed: no scalars (pip install tensorboard)")

    def __enter__(self) -> Self:
        if not self._quiet and self._console.is_terminal:
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(bar_width=20),
                TaskProgressColumn(),
                TextColumn("{task.fields[told]}"),
                console=self._console,
            )
            self._bar.start()
            name = f"{self._options.game} ({self._options.surroundings})"
            self._task = self._bar.add_task(name, total=self._options.steps, told="")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        if self._scalars is not None:
            self._scalars.close()

    def tick(self, point: Point) -> None:
        """How it stands now: asked for several times a second, shown as often as the place allows."""
        told = described(point, self._options.steps)
        if self._bar is not None:
            self._bar.update(self._task, completed=point.steps, told=told)
        elif not self._quiet and self._clock() - self._last_line >= QUIET_SECONDS:
            self._last_line = self._clock()
            self.say(f"{point.steps:,} of {self._options.steps:,} steps · {told}")

    def point(self, point: Point, figures: dict[str, float]) -> None:
        """A new point of the curve, with the trainer's own figures (losses and the like)."""
        self.scalars(
            "train",
            point.steps,
            {
                "steps_per_second": point.steps_per_second,
                "updates_per_env_step": point.updates / max(1, point.steps),
                "return": point.mean_return,
                "win_rate": point.win_rate,
                **figures,
            },
        )

    def scalars(self, group: str, step: int, figures: dict[str, Any]) -> None:
        """Figures for TensorBoard; what was not measured is left out."""
        if self._scalars is not None:
            for name, value in figures.items():
                if value is not None:
                    self._scalars.add_scalar(f"{group}/{name}", value, step)

    def say(self, text: str) -> None:
        """A line, above the bar where there is one."""
        if not self._quiet:
            console = self._bar.console if self._bar is not None else self._console
            console.print(text, markup=False, highlight=False, soft_wrap=True)


def scalars_to(folder: str, first_step: int) -> Any:
    """TensorBoard's writer, or None where it is not installed; hides later points of an earlier run."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of its own imports
            from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(folder, purge_step=first_step + 1 if first_step else None)
