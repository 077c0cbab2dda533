"""What both the profile and the detail are made from, worked out once."""

from __future__ import annotations

from dataclasses import dataclass

from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.counts.steps_and_updates import Counting
from goldsplit.analyse.device.device_causes import device_causes
from goldsplit.analyse.stacks.samples import Samples
from goldsplit.analyse.wall.account import threads_at_work_outside
from goldsplit.analyse.wall.causes import CauseFinder
from goldsplit.analyse.wall.lanes import ThreadLane, busy_outside_spans, lanes
from goldsplit.analyse.wall.over_time import SteadyCauses
from goldsplit.analyse.wall.partition import Partition, partition
from goldsplit.analyse.wall.steady import Steady, find_driver, find_steady
from goldsplit.model.recording import NativeThread, ProcessId, Recording, ThreadKey


@dataclass(frozen=True, slots=True)
class Intermediate:
    """A run whose processes recorded themselves, split over its steady phase."""

    recording: Recording
    series: dict[ProcessId, Series]
    driver: ThreadKey
    steady: Steady
    finder: CauseFinder
    samples: Samples
    counting: Counting
    split: Partition
    lanes: list[ThreadLane]

    @property
    def own(self) -> Series:
        """The figures of the driver's process."""
        return self.series[self.driver.process]

    @property
    def borders(self) -> tuple[int, int]:
        """Start and end of the steady phase."""
        return self.steady.start_ns, self.steady.end_ns

    @property
    def native_driver(self) -> NativeThread:
        """The driver as the operating system knows it."""
        return NativeThread(self.driver.process, self.own.process.threads[self.driver.thread].native_id)


def work_out(recording: Recording) -> Intermediate | None:
    """None where no process recorded itself long enough: stacks are all there is."""
    series = {process.id: Series(process) for process in recording.processes}
    driver = find_driver(recording, series)
    steady = find_steady(recording, series[driver.process]) if driver is not None else None
    if driver is None or steady is None:
        return None
    own, borders = series[driver.process], (steady.start_ns, steady.end_ns)
    samples = Samples(recording, *borders)
    outside = threads_at_work_outside(samples, driver, busy_outside_spans(series, borders))
    finder = SteadyCauses(recording.processes, driver, borders, outside)
    finder.device = device_causes(own.process, driver, borders)
    split = partition(own, driver, borders, finder, samples)
    rows = lanes(recording, series, driver, borders, finder, split, samples)
    counting = Counting(recording, series)
    return Intermediate(recording, series, driver, steady, finder, samples, counting, split, rows)
