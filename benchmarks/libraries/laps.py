"""The clocks of the programs here: which of the program's own stages the main thread is in, exclusively, and
counts that survive any end of the process they were made in."""

import functools
import json
import mmap
import os
import struct
import time
from contextlib import contextmanager
from pathlib import Path

SECONDS = float(os.environ.get("WILD_SECONDS", 12))
TRUTH = os.environ.get("WILD_TRUTH")
NAMES = ("env_steps", "episodes", "updates")


class Laps:
    def __init__(self):
        self.restart()

    def restart(self):
        self.spent, self.open = {}, ["other"]
        self.begun = self.mark = time.perf_counter_ns()

    def _charge(self):
        now = time.perf_counter_ns()
        self.spent[self.open[-1]] = self.spent.get(self.open[-1], 0) + now - self.mark
        self.mark = now

    def enter(self, name):
        self._charge()
        self.open.append(name)

    def leave(self):
        self._charge()
        self.open.pop()

    @contextmanager
    def __call__(self, name):
        self.enter(name)
        try:
            yield
        finally:
            self.leave()

    def move(self, source, target, ns):
        """Give a part of one stage's time to another: what another thread's clock saw of it."""
        self.spent[source] = self.spent.get(source, 0) - ns
        self.spent[target] = self.spent.get(target, 0) + ns

    def now(self):
        """What was spent since the last start, without "other"; for a task of a worker."""
        self._charge()
        return dict(self.spent)

    def charge_wait(self, theirs):
        """Divide "wait" as the clocks of those waited for divide their time."""
        self._charge()
        waited, total = self.spent.pop("wait"), sum(theirs.values())
        for name, ns in theirs.items():
            self.spent[name] = self.spent.get(name, 0) + waited * ns / total

    def charge_elsewhere(self, key, *names):
        """Call some stages by one name."""
        self._charge()
        for name in names:
            self.spent[key] = self.spent.get(key, 0) + self.spent.pop(name, 0)

    def merge_since(self, before, name):
        """What other stages were given since then belongs to one that was around them."""
        for other, ns in list(self.spent.items()):
            if other != name and ns > before.get(other, 0):
                self.move(other, name, ns - before.get(other, 0))

    def over(self):
        return time.perf_counter_ns() - self.begun > SECONDS * 1e9

    def around(self, owner, **stages):
        """Clock some methods of a library's class."""
        for name, stage in stages.items():
            setattr(owner, name, self._around(getattr(owner, name), stage))

    def _around(self, fn, stage):
        @functools.wraps(fn)
        def lapped(*args, **kwargs):
            self.enter(stage)
            try:
                return fn(*args, **kwargs)
            finally:
                self.leave()

        return lapped

    def write(self, note, stages=None, wall=None):
        self._charge()
        wall = wall or (self.mark - self.begun) / 1e9
        stages = stages or {name: ns / 1e9 for name, ns in self.spent.items() if ns / 1e9 > wall / 2000}
        truth = {"wall_seconds": wall, "stages": stages, **COUNTS.everywhere(), "note": note}
        if TRUTH:
            Path(TRUTH).write_text(json.dumps(truth, indent=1))
        shares = {name: f"{100 * value / wall:.1f}%" for name, value in stages.items()}
        print(f"{wall:.1f}s", shares, {name: truth[name] for name in NAMES}, flush=True)


class Counts:
    """Counters of one process in a small file that outlives a SIGKILL."""

    def __init__(self):
        self.pid = 0

    def add(self, name, number=1):
        if self.pid != os.getpid():
            self._open()
        place = 8 * NAMES.index(name)
        (old,) = struct.unpack_from("q", self.map, place)
        struct.pack_into("q", self.map, place, old + int(number))

    def here(self):
        """The counters of this process."""
        if self.pid != os.getpid():
            self._open()
        return bytes(self.map[:])

    def set_back(self, before):
        """Forget what was counted since."""
        self.map[:] = before

    def _open(self):
        self.pid = os.getpid()
        file = Path(f"{TRUTH or '/tmp/laps'}.{self.pid}.counts")
        file.write_bytes(bytes(8 * len(NAMES)))
        with file.open("r+b") as opened:
            self.map = mmap.mmap(opened.fileno(), 0)

    @staticmethod
    def everywhere():
        if not TRUTH:
            return dict.fromkeys(NAMES, 0)
        files = Path(TRUTH).parent.glob(Path(TRUTH).name + ".*.counts")
        each = [struct.unpack("qqq", file.read_bytes()) for file in files]
        return dict(zip(NAMES, map(sum, zip(*each)), strict=True)) if each else dict.fromkeys(NAMES, 0)


CLOCK, COUNTS = Laps(), Counts()
