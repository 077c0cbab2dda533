"""Write snapshots of the engine from time to time, and finish.

A daemon thread takes the snapshots. It holds the GIL while it copies the counters, so a snapshot is one
instant; formatting and writing come after.
"""

from __future__ import annotations

import os
import sys
import time
from _thread import RLock  # as it is before a library replaces it
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from goldsplit.model.wire import File, Key, Line, Variable
from goldsplit.record.inside import snapshot_schedule, snapshot_thread
from goldsplit.record.inside.deep.asked_looks import deep_look, memory_look
from goldsplit.record.inside.device.device_look import DeviceLook
from goldsplit.record.inside.engine import ENGINE, ThreadState, clock, thread_clock
from goldsplit.record.inside.frameless_calls import by_file
from goldsplit.record.inside.node import Node
from goldsplit.record.inside.own_failures import harmless, safely
from goldsplit.record.inside.process_figures import ProcessFigures, thread_cpu
from goldsplit.record.inside.timer_sampler import SignalSampler
from goldsplit.record.packed_numbers import pack_raw
from goldsplit.record.writer import LineWriter

if TYPE_CHECKING:
    from goldsplit.record.inside.deep.controller import Controller

HISTOGRAMS_EVERY = 12
#: A raw window that would be shorter than this is left out.
MIN_RAW_NS = 20_000_000


class Recorder:
    """Writes what the engine collects."""

    def __init__(self, run_dir: str, run_start_ns: int, warm_span_ns: float = 0.0) -> None:
        self.run_dir = run_dir
        self.warm_span_ns = warm_span_ns
        self.run_start_ns = run_start_ns
        self.pid = os.getpid()
        file = f"{File.PROCESS_PREFIX}{self.pid}-{clock()}.jsonl"
        self.writer = LineWriter(os.path.join(run_dir, file))  # noqa: PTH118
        self.written: dict[tuple[int, int], tuple[int, int]] = {}
        self.written_counts: dict[str, float] = {}
        self.known_threads: set[int] = set()
        self.flushes = 0
        self.raw_start_ns = 0
        self.raw_end_ns = 0
        self.own_cpu_ns = 0
        self.figures = ProcessFigures()
        self.finished = False
        self.flusher: snapshot_thread.SnapshotThread | None = None
        self.deep = deep_look(run_dir)
        self.memory = memory_look()
        self.device = DeviceLook()
        self.sampler = SignalSampler() if os.environ.get(Variable.TIMER_STACKS) else None
        # Held from taking a snapshot until it is written: the last snapshot must be the last line.
        self._lock = RLock()
        self._stop = snapshot_thread.new_lock()  # held while the snapshot thread may run; released to end it
        self._stop.acquire()

    def announce(self) -> None:
        """Write who this process is, and start taking snapshots."""
        self.writer.write(
            {
                Key.KIND: Line.START,
                Key.TIME: clock(),
                Key.UNIX: time.time(),
                Key.PID: self.pid,
                Key.PARENT_PID: os.getppid(),
                Key.PYTHON: sys.version.split()[0],
                Key.ARGV: list(getattr(sys, "orig_argv", sys.argv))[:40],
                Key.SPAN_NS: self.warm_span_ns,
            }
        )
        ENGINE.on_new_thread = safely(self.start_flusher)
        ENGINE.on_first_step = safely(self.flush)
        if self.sampler is not None and not self.sampler.start():
            text = "no stacks here: the program uses SIGPROF itself"
            ENGINE.events.append({Key.KIND: Line.NOTE, Key.TEXT: text})

    def start_flusher(self) -> None:
        """Start the snapshot thread with the first span, so that a short-lived process starts none."""
        if self.flusher is None and not self.finished:
            flusher = snapshot_thread.SnapshotThread(safely(self.run))
            self.flusher = flusher  # before its start, which is a wait of its own
            try:
                flusher.start()
            except BaseException:  # no more threads, or Ctrl-C: the next new thread tries again
                self.flusher = None
                raise

    def stop_flusher(self) -> None:
        """End it before a fork, so that one thread stays one, and before the end, when waking up can harm."""
        flusher, self.flusher = self.flusher, None
        if flusher is not None and not flusher.is_this():
            self._stop.release()
            flusher.join(1.0)
            self._stop.acquire(timeout=0)
        if self.memory is not None:
            self.memory.abandon()  # a forked child would trace for ever

    def run(self) -> None:
        """The snapshot thread: sleep to the next due instant, do what is due."""
        while not self.finished:
            now = clock()
            due = snapshot_schedule.next_snapshot_ns(now, self.run_start_ns)
            start, _ = snapshot_schedule.raw_window(now, self.run_start_ns)
            border = self.raw_end_ns or (start if start > now else due)
            deep_border = 1 << 62 if self.deep is None else self.deep.next_border_ns(now)
            memory_border = 1 << 62 if self.memory is None else self.memory.next_border_ns()
            border = min(border, deep_border, memory_border, self.device.next_border_ns(now))
            if self._stop.acquire(timeout=max(0.002, (min(due, border) - now) / 1e9)):
                with harmless("the look at the device"):
                    self.device.pause()
                return
            begun = thread_clock()
            with harmless("a snapshot"):
                self.tick(clock(), due)
            self.own_cpu_ns += thread_clock() - begun

    def tick(self, now: int, due: int) -> None:
        """One wake-up: close a raw window, open one, take a snapshot."""
        if self.memory is not None and not (self.deep is not None and self.deep.is_open):
            self.memory.tick(now)
        if self.deep is not None:
            self.write_watched(self.deep, now)
            self.deep.look_for_plan(now)
            if self.deep.due(now):
                self.turn_deep_window(self.deep)
        with harmless("the look at the device"):
            self.write_all(self.device.tick(now))
        if self.raw_end_ns and now >= self.raw_end_ns:
            self.end_raw_window()
        elif now >= due:
            self.flush()
        start, end = snapshot_schedule.raw_window(now, self.run_start_ns)
        if not self.raw_end_ns and start <= now < end - MIN_RAW_NS:
            self.begin_raw_window(end)

    def write_watched(self, deep: Controller, now: int, last: bool = False) -> None:
        """Look after the watched functions, and write what is due of them."""
        self.write_all(deep.tend_functions(now, last))

    def turn_deep_window(self, deep: Controller) -> None:
        """Open a deep window, or close the open one. There is a snapshot at both ends, so that its time can
        be taken out of all figures."""
        begun = thread_clock()
        if deep.is_open:
            line = deep.close()
            self.flush()
            self.write(line | {Key.END: ENGINE.snapshot_ns})
        else:
            self.flush()
            deep.open(ENGINE.snapshot_ns)
        deep.budget.open_close_ns += thread_clock() - begun

    def begin_raw_window(self, end_ns: int) -> None:
        self.raw_start_ns, self.raw_end_ns = clock(), end_ns
        ENGINE.raw_on = True
        for state in list(ENGINE.threads):
            state.raw_done = None
            state.raw_cut_ns = 0
            state.raw = bytearray()

    def end_raw_window(self) -> None:
        """Write the single spans of the window that ends now, packed."""
        with self._lock:
            if self.raw_start_ns:
                self._end_raw_window()

    def _end_raw_window(self) -> None:
        now = clock()
        start, self.raw_start_ns, self.raw_end_ns = self.raw_start_ns, 0, 0
        ENGINE.raw_on = False
        rows = []
        for state in list(ENGINE.threads):
            raw, cut = state.raw, now
            state.raw = None
            if raw is None:
                raw, cut = state.raw_done, state.raw_cut_ns
            else:
                state.add_open_spans(raw, now)
            state.raw_done = None
            if raw:
                rows.append([state.index, cut, pack_raw(raw, start)])
        self.flush()  # the nodes that the raw spans refer to
        self.write({Key.KIND: Line.RAW, Key.TIME: start, Key.END: now, Key.RAW_SPANS: rows})

    def write(self, line: dict[str, Any]) -> None:
        self.writer.write(line)

    def write_all(self, lines: Iterable[dict[str, Any]]) -> None:
        for line in lines:
            self.write(line)

    def flush(self, last: bool = False) -> None:
        """Write one snapshot: everything that changed since the one before."""
        with self._lock:
            self._flush(last)

    def _flush(self, last: bool) -> None:
        self.flushes += 1
        line = self.snapshot(with_histograms=last or self.flushes % HISTOGRAMS_EVERY == 0)
        events, ENGINE.events[:] = list(ENGINE.events), []
        stacks = self.sampler.drain() if self.sampler is not None else None
        for written in (*by_file(events), line, *([stacks] if stacks is not None else ())):
            self.write(written)

    def snapshot(self, with_histograms: bool) -> dict[str, Any]:
        """Copy the counters as of now: cumulative values of the nodes and counters that changed. A snapshot
        with histograms has all counters, in case a line was lost."""
        if ENGINE.before_snapshot is not None:
            with harmless("the script's own counters"):
                ENGINE.before_snapshot()
        ended = [state for state in ENGINE.threads if not state.thread.is_alive()]
        now = ENGINE.snapshot_ns = clock()
        states = list(ENGINE.threads)
        nodes: list[list[int]] = []
        definitions: list[list[Any]] = []
        for state in states:
            open_ns = open_nodes(state, now)
            for node in list(state.nodes):
                self._add_node(state, node, open_ns.get(node.id, 0), nodes, definitions)
        counts: dict[str, float] = {
            f"0:{name}": value
            for name, value in (self.figures.now(now, self.own_cpu_ns) | self.device.figures()).items()
        }
        for state in states:
            for name, value in list(state.counts.items()):
                counts[f"{state.index}:{name}"] = value
        before, self.written_counts = {} if with_histograms else self.written_counts, counts
        changed = {name: value for name, value in counts.items() if before.get(name) != value}
        line: dict[str, Any] = {
            Key.KIND: Line.SNAPSHOT,
            Key.TIME: now,
            Key.NODES: nodes,
            Key.COUNTERS: changed,
        }
        if definitions:
            line[Key.NEW_NODES] = definitions
        line[Key.THREADS] = [self._thread_row(state) for state in states]
        line[Key.STEPS] = [ENGINE.first_step_ns, ENGINE.last_step_ns]
        if ENGINE.failures:
            line[Key.FAILED] = [[place, *row] for (place, _), row in list(ENGINE.failures.items())]
        if self.writer.failed_writes:
            line[Key.LOST] = [self.writer.failed_writes, self.writer.dropped_lines]
        if with_histograms:
            line[Key.HISTOGRAMS] = [
                [state.index, node.id, lengths]
                for state in states
                for node in state.nodes
                if (lengths := node.histogram)
            ]
            line[Key.COSTS] = [[state.index, state.costs] for state in states if state.costs]
        self._forget(ended)
        return line

    def _add_node(
        self,
        state: ThreadState,
        node: Node,
        open_ns: int,
        nodes: list[list[int]],
        definitions: list[list[Any]],
    ) -> None:
        key = (state.index, node.id)
        total = node.total_ns + open_ns
        before = self.written.get(key)
        if before is None:
            parent = -1 if node.parent is None else node.parent.id
            definitions.append([state.index, node.id, parent, node.stage, node.detail])
        if before != (node.count, total):
            self.written[key] = (node.count, total)
            nodes.append([*key, node.count, total, node.cpu_count, node.cpu_ns, node.cpu_wall_ns])

    def _thread_row(self, state: ThreadState) -> list[Any]:
        """Index, CPU time and run-queue delay; the first time also who the thread is."""
        cpu_ns, delay_ns = thread_cpu(self.pid, state.native_id)
        state.cpu_ns = max(state.cpu_ns, cpu_ns)
        state.run_delay_ns = max(state.run_delay_ns, delay_ns)
        row: list[Any] = [state.index, state.cpu_ns, state.run_delay_ns]
        if state.index not in self.known_threads:
            self.known_threads.add(state.index)
            row += [state.native_id, state.thread.name, state.started_ns]
        return row

    def _forget(self, ended: list[ThreadState]) -> None:
        """Drop threads that had ended before this snapshot: it has all of them, and pools would pile up."""
        for state in ended:
            if state.raw is None and state.raw_done is None:
                ENGINE.threads.remove(state)

    def finish(self, code: object = None) -> None:
        """Write what is left. Called once, at the end of the process."""
        if self.finished or os.getpid() != self.pid:
            return
        self.finished = True
        with harmless("the end of timer and snapshot thread"):
            if self.sampler is not None:
                self.sampler.stop()  # Python takes its handlers away before it ends; the timer would kill it
            self.stop_flusher()
        locked = self._lock.acquire(timeout=2.0)
        try:
            with harmless("the watched functions"):  # first: a snapshot forgets threads that have ended
                if self.deep is not None:
                    self.write_watched(self.deep, clock(), last=True)
            with harmless("the end of the look at the device"):
                self.write_all(self.device.last_lines())
            with harmless("the last raw window"):
                self.end_raw_window()
            with harmless("the last deep window"):
                if self.deep is not None and self.deep.is_open:
                    self.turn_deep_window(self.deep)
            with harmless("the last snapshot"):
                if ENGINE.threads or ENGINE.failures:
                    self.flush(last=True)
            with harmless("the end"):
                ended = {Key.TIME: clock(), Key.CODE: code if isinstance(code, int) else None}
                self.write({Key.KIND: Line.END, **ended})
        finally:
            if locked:
                self._lock.release()


def open_nodes(state: ThreadState, now: int) -> dict[int, int]:
    """How long each span that is open right now has been open, by node."""
    result: dict[int, int] = {}
    node: Node | None = state.current
    while node is not None and node.parent is not None:
        result[node.id] = now - node.t0
        node = node.parent
    return result
