"""What looking really costs here, from segments of the loop that were looked at and those that were not."""

from __future__ import annotations

import os
from threading import get_native_id

from goldsplit.model.wire import STEP
from goldsplit.record.inside.deep.call_watch import Watch, clock
from goldsplit.record.inside.process_figures import thread_cpu

MOST_KEPT = 400
ENOUGH = 5
#: A segment in which the thread stood ready but was not run for longer than this says nothing about times.
DISTURBED_NS, DISTURBED_SHARE = 100_000, 0.1
#: On a machine so busy that most segments are disturbed, disturbed ones are better than none.
PATIENCE = 5
#: Steps shorter than this are seldom disturbed, and checking costs more than they do.
SHORT_NS = 60_000


class Costs:
    """Lengths of segments, seen and unseen."""

    def __init__(self) -> None:
        self.plain: tuple[list[int], list[int]] = ([], [])
        self.seen: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
        """Length on the clock that stands still in our own code, and events."""
        self.usual = [0, 0]
        self.began = (0, 0, 0, 0)
        self.disturbed = 0
        self.undisturbed = 0

    def add_plain(self, kind: int, length_ns: int) -> None:
        """A segment that was not looked at."""
        kept = self.plain[kind]
        kept.append(length_ns)
        if len(kept) > MOST_KEPT:
            del kept[: MOST_KEPT // 2]
        if len(kept) % 16 == 5:
            self.usual[kind] = median(kept)

    def usual_ns(self, kind: int) -> int:
        """How long a segment of this kind takes when it is not looked at; 0: not known."""
        return self.usual[kind]

    def begin(self, watch: Watch, since_ns: int) -> None:
        """A segment that is looked at begins; what we did since then is our own cost."""
        delay = -1 if 0 < self.usual_ns(STEP) < SHORT_NS else delay_ns()
        watch.spend(clock() - since_ns)
        self.began = (delay, clock(), watch.lost_ns, watch.events)

    def end(self, kind: int, now: int, watch: Watch) -> bool:
        """The segment ends; whether its times can be trusted."""
        delay, began, lost, events = self.began
        waited = delay_ns() - delay if delay >= 0 else 0
        if waited > max(DISTURBED_NS, DISTURBED_SHARE * (now - began)):
            self.disturbed += 1
            return self.disturbed > PATIENCE and self.undisturbed < self.disturbed // 5
        self.undisturbed += 1
        if len(self.seen[kind]) < MOST_KEPT:
            self.seen[kind].append((now - began - (watch.lost_ns - lost), watch.events - events))
        return True

    def event_ns(self, calibrated_ns: int) -> int:
        """What an event costs beside what we clock: without this cost, segments that were looked at must take
        as long as those that were not. Medians and limits, because a busy machine makes outliers."""
        extra_ns = events = 0
        for kind, seen in enumerate(self.seen):
            usual_ns = self.usual_ns(kind)
            if len(seen) >= ENOUGH and usual_ns:
                extra_ns += len(seen) * (median([length for length, _ in seen]) - usual_ns)
                events += len(seen) * median([count for _, count in seen])
        if not events:
            return calibrated_ns
        return int(min(2 * calibrated_ns, max(0.6 * calibrated_ns, extra_ns / events)))


def median(values: list[int]) -> int:
    """The middle value; 0 if there are none."""
    return sorted(values)[len(values) // 2] if values else 0


def delay_ns() -> int:
    """How long this thread has stood ready without being run."""
    return thread_cpu(os.getpid(), get_native_id())[1]
