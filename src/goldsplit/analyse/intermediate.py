"""What both the profile and the closer look are made from, worked out once."""

from __future__ import annotations

from dataclasses import dataclass

from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.counts.steps_and_updates import Counting
from goldsplit.analyse.stacks.samples import Samples
from goldsplit.analyse.wall.causes import CauseFinder, ThreadKey
from goldsplit.analyse.wall.lanes import lanes
from goldsplit.analyse.wall.over_time import SteadyCauses
from goldsplit.analyse.wall.partition import Partition, partition
from goldsplit.analyse.wall.steady import Steady, find_driver, find_steady
from goldsplit.model.profile import Lane
from goldsplit.model.recording import Recording


@dataclass(frozen=True, slots=True)
class Groundwork:
    """A run whose processes recorded themselves, split over its steady phase."""

    recording: Recording
    series: dict[int, Series]
    driver: ThreadKey
    steady: Steady
    finder: CauseFinder
    samples: Samples
    counting: Counting
    split: Partition
    lanes: list[Lane]

    @property
    def own(self) -> Series:
        """The figures of the driver's process."""
        return self.series[self.driver[0]]

    @property
    def borders(self) -> tuple[int, int]:
        """Start and end of the steady phase."""
        return self.steady.start_ns, self.steady.end_ns

    @property
    def native_driver(self) -> tuple[int, int]:
        """The driver's process id and thread id as the operating system has them."""
        return self.driver[0], self.own.process.threads[self.driver[1]].native_id


def lay_groundwork(recording: Recording) -> Groundwork | None:
    """None where no process recorded itself long enough: stacks are all there is."""
    series = {process.pid: Series(process) for process in recording.processes}
    driver = find_driver(recording, series)
    steady = find_steady(recording, series[driver[0]]) if driver is not None else None
    if driver is None or steady is None:
        return None
    own, borders = series[driver[0]], (steady.start_ns, steady.end_ns)
    finder = SteadyCauses(recording.processes, driver, borders)
    samples = Samples(recording, *borders)
    split = partition(own, driver, borders, finder, samples)
    rows = lanes(recording, series, driver, borders, finder, split)
    counting = Counting(recording, series)
    return Groundwork(recording, series, driver, steady, finder, samples, counting, split, rows)
