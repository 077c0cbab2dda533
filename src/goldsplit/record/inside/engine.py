"""The one mutable global of a recorded process: its threads, their open spans, their counters.

A *node* is one stage on one path of one thread (``env.step`` below ``rollout``). Ending a span adds to its
node; nothing is kept per span, so cost and size do not depend on how long the run is. Only inside short
*raw windows* are single spans kept, to see across threads who waited for whom.
"""

from __future__ import annotations

import sys
import threading
import time
from _thread import _local as ThreadLocal  # noqa: N812 - the C type; threading.local is the same thing
from _thread import get_ident
from math import log
from typing import Any

from goldsplit.model.stage import (
    ACT,
    ACT_PREDICT,
    ACT_SEARCH,
    EVAL,
    LEARN_BACKWARD,
    LEARN_FORWARD,
    LEARN_LOSS,
    ROLLOUT,
    VOCABULARY,
    category_of,
)
from goldsplit.model.wire import SPAN_BUCKETS_PER_E, WaitDetail
from goldsplit.record.inside.core import (
    StateCore,
    add_span,
    close_span,
    forget,
    last_progress_ns,
    open_span,
    set_last_progress_ns,
    set_snapshot_ns,
    set_up,
    set_up_act_or_learn,
    set_watched,
    watch_forward,
)
from goldsplit.record.inside.core.packing import RAW_SPAN
from goldsplit.record.inside.node import ALL_LENGTHS, SOME_LENGTHS, Node
from goldsplit.record.inside.snapshot_thread import this_one

clock = time.perf_counter_ns
thread_clock = time.thread_time_ns

#: Raw spans kept per thread and raw window, so that a fast loop cannot fill memory or disk.
RAW_CAP = 500
RAW_BYTES = RAW_CAP * RAW_SPAN.size
#: About every 128th span of a thread is also timed for CPU or for the recorder's own cost. Not more: the
#: thread clock is a system call, expensive on virtual machines.
SAMPLE_EVERY = 128


def forward_in(stage: str) -> str | None:
    """What a forward pass is by the stage it runs in (equal: no span of its own); None: its site tells."""
    category = category_of(stage)
    if stage == ACT_SEARCH:
        return sys.intern(ACT_PREDICT)
    if category == "environment" or stage.startswith(ACT) or stage == LEARN_BACKWARD:
        return sys.intern(stage)
    if category == "learning":
        return sys.intern(LEARN_FORWARD)
    return sys.intern(ACT) if stage in (ROLLOUT, EVAL) else None


FORWARD_IN = {stage.name: known for stage in VOCABULARY if (known := forward_in(stage.name)) is not None}
"""The user's own stages are added as they come."""
#: Different causes kept for one waiting node; more than these are merged.
MAX_DETAILS = 256


class ThreadState(StateCore):
    """What one thread is doing and has done."""

    __slots__ = (
        "costs",
        "cpu_ns",
        "engine",
        "index",
        "moved",
        "name",
        "native_id",
        "nodes",
        "open_tasks",
        "raw_cut_ns",
        "raw_done",
        "root",
        "run_delay_ns",
        "sample_cpu",
        "started_ns",
        "tasks",
        "thread",
    )

    def __init__(self, engine: Engine, index: int) -> None:
        super().__init__()
        thread = this_one()
        self.engine = engine
        self.index = index
        self.thread = thread
        self.ident = get_ident()
        self.name = thread.name
        self.native_id = threading.get_native_id()
        self.waker = f"{WaitDetail.THREAD}{self.native_id}"
        self.started_ns = clock()
        self.nodes: list[Node] = []
        self.root = self._node("", None, "")
        self.tasks = self._node("async", None, "")
        self.current = self.root
        self.tick = SAMPLE_EVERY
        self.costs: dict[int, int] = {}  # the recorder's own cost per span: a histogram, as for nodes
        self.sample_cpu = False
        self.cpu_ns = 0
        self.run_delay_ns = 0
        self.raw = bytearray() if engine.raw_on else None
        self.raw_done: bytearray | None = None
        self.raw_cut_ns = 0
        self.open_tasks: dict[int, tuple[Node, int]] = {}
        # Spans that a late close has split: the node that is given to `leave` → the node that is open.
        self.moved: dict[Node, Node] = {}

    def _node(self, stage: str, parent: Node | None, detail: str) -> Node:
        node = Node(len(self.nodes), stage, parent, detail)
        self.nodes.append(node)
        if stage not in FORWARD_IN and (known := forward_in(stage)) is not None:
            FORWARD_IN[node.stage] = known
        return node

    def child(self, parent: Node, stage: str, detail: str = "") -> Node:
        """The node for a stage below a parent, made on first use."""
        key: Any = (stage, detail) if detail else stage
        node = parent.children.get(key)
        if node is None:
            if detail and len(parent.children) >= MAX_DETAILS:
                return self.child(parent, stage)
            node = parent.children[key] = self._node(stage, parent, detail)
        return node

    def begin_sample(self, node: Node) -> None:
        """Begin a span that also measures, in turn, the recorder's own cost or the stage's CPU time."""
        if self.engine.on_next_sample is not None:
            due, self.engine.on_next_sample = self.engine.on_next_sample, None
            due()
        now = clock()
        self.tick = SAMPLE_EVERY // 2 + (now >> 4) % SAMPLE_EVERY  # jitter: no rhythm with the loop's own
        self.sample_cpu = not self.sample_cpu
        if self.sample_cpu:
            node.cpu_from_ns = thread_clock()
        else:
            node.cost_from_ns = clock()

    def end_sample(self, from_ns: int) -> None:
        """Count what a span cost beside the call itself: from what `leave` returned until now."""
        cost_ns = clock() - from_ns
        bucket = int(log(cost_ns + 1) * SPAN_BUCKETS_PER_E)
        self.costs[bucket] = self.costs.get(bucket, 0) + 1

    def enter(self, stage: str, detail: str = "") -> Node:
        """Open a span; the caller hands the node back to `leave`."""
        node = self.child(self.current, stage, detail)
        open_span(self, node, clock())
        return node

    def leave(self, node: Node) -> None:
        """Close a span that `enter` opened."""
        now = clock()
        if self.moved:
            node = self.moved.pop(node, node)
        close_span(self, node, now)

    def end_raw(self, cut_ns: int) -> None:
        """This thread has enough spans of the raw window: for this thread it ends early, but complete."""
        raw = self.raw
        if raw is not None:
            self.add_open_spans(raw, cut_ns)
            self.raw_done, self.raw_cut_ns, self.raw = raw, cut_ns, None

    def add_open_spans(self, raw: bytearray, now: int) -> None:
        """Add what is still open at the end of a raw window, so that its time has an owner."""
        node: Node | None = self.current
        while node is not None and node.parent is not None:
            raw += RAW_SPAN.pack(node.id, node.t0, now - node.t0)
            node = node.parent
        for task, t0 in list(self.open_tasks.values()):
            raw += RAW_SPAN.pack(task.id, t0, now - t0)

    def end_task(self, node: Node, started_ns: int) -> None:
        """Count a coroutine's whole life, which `open_tasks` knows by the instant it began."""
        if self.open_tasks.pop(started_ns, None) is not None:
            node.t0 = started_ns
            add_span(self, node, clock() - started_ns)

    def close_out_of_order(self, node: Node, now: int, count: int = 1) -> None:
        """Close a span that is not the innermost one: a generator or a task left its block late.

        What lies above it is split at this instant and goes on below the parent, so that no instant is
        counted twice.
        """
        node = self.moved.pop(node, node)
        above: list[Node] = []
        walk: Node | None = self.current
        while walk is not None and walk is not node:
            above.append(walk)
            walk = walk.parent
        if walk is None or node.parent is None:
            return  # it was opened on another thread or before a fork, or it is no span but the root
        for open_node in above:
            close_span(self, open_node, now, 0)
        close_span(self, node, now, count)
        for open_node in reversed(above):
            moved = self.child(self.current, open_node.stage, open_node.detail)
            open_span(self, moved, now)
            held = next((key for key, value in self.moved.items() if value is open_node), open_node)
            self.moved[held] = moved


class LastWord:
    """Lies in a thread's local storage and so ends with the thread: its identity may then be given again."""

    __slots__ = ("engine", "state")

    def __init__(self, engine: Engine, state: ThreadState) -> None:
        self.engine = engine
        self.state = state

    def __del__(self) -> None:
        try:
            self.engine.thread_ended(self.state)
        except Exception:  # Python would write it to stderr; a thread that is not forgotten does no harm
            return


class Engine:
    """The recorder's state in this process. Pickled by reference, so wrapped functions can be pickled."""

    def __init__(self) -> None:
        forget(None)
        self.by_ident: dict[int, ThreadState] = {}
        self.local: Any = ThreadLocal()
        self.threads: list[ThreadState] = []
        self.thread_count = 0
        self.raw_on = False
        self.snapshot_ns = 0
        self.first_step_ns = 0
        self.last_step_ns = 0
        self.events: list[dict[str, Any]] = []
        self.failures: dict[tuple[str, str], tuple[str, int]] = {}
        """Where our own code failed and with which kind of error → the first one as text, and how often."""
        self.on_new_thread: Any = None
        self.on_first_step: Any = None
        self.before_snapshot: Any = None
        self.on_next_sample: Any = None
        self.on_beat = None
        self.on_forward = None

    def __reduce__(self) -> str:
        return "ENGINE"

    def state(self) -> ThreadState:
        """This thread's state, made on first use; `this_thread` asks here where it does not know it."""
        ident = get_ident()
        return self.by_ident.get(ident) or self._new_state(ident)

    @property
    def last_step_ns(self) -> int:
        """When the last environment step or update ended."""
        return last_progress_ns()

    @last_step_ns.setter
    def last_step_ns(self, time_ns: int) -> None:
        set_last_progress_ns(time_ns)

    @property
    def snapshot_ns(self) -> int:
        """When the last snapshot was taken."""
        return self._snapshot_ns

    @snapshot_ns.setter
    def snapshot_ns(self, time_ns: int) -> None:
        self._snapshot_ns = time_ns
        set_snapshot_ns(time_ns)

    @property
    def on_beat(self) -> Any:
        """Called after every environment step and update, if the deep look has set it."""
        return self._on_beat

    @on_beat.setter
    def on_beat(self, called: Any) -> None:
        self._on_beat = called
        set_watched(called is not None)

    @property
    def on_forward(self) -> Any:
        """Shown every layer of a forward pass, if the deep look has set it."""
        return self._on_forward

    @on_forward.setter
    def on_forward(self, looker: Any) -> None:
        self._on_forward = looker
        watch_forward(looker is not None)

    def _new_state(self, ident: int) -> ThreadState:
        state = self.by_ident[ident] = ThreadState(self, self.thread_count)
        self.thread_count += 1
        self.threads.append(state)
        self.local.last_word = LastWord(self, state)
        if self.on_new_thread is not None:
            self.on_new_thread()
        return state

    def thread_ended(self, state: ThreadState) -> None:
        """Another thread may come with this one's identity; what it did stays in `threads` until written."""
        if self.by_ident.get(state.ident) is state:
            del self.by_ident[state.ident]
        forget(state)

    def forget(self) -> None:
        """Start over, in a forked child: nothing of the parent's is ours."""
        self.__init__()  # type: ignore[misc]


ENGINE = Engine()
set_up_act_or_learn(FORWARD_IN, ACT, LEARN_FORWARD, LEARN_LOSS)
set_up(ENGINE.state, ALL_LENGTHS, SOME_LENGTHS, RAW_BYTES, SPAN_BUCKETS_PER_E, WaitDetail.THREAD)
