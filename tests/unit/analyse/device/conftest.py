"""A made-up training on a made-up device: host and device with clocks of their own, all of it known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from goldsplit.model.device.device_record import HostCall, KernelRecord, MarkWindow, Setting, Work
from goldsplit.model.recording import RawSpans, Recording

US = 1_000
#: The device's clock against the host's.
CLOCKS_APART = 123_456_789
#: From the end of a kernel until a waiting host goes on.
WAKE = 5 * US


class Loop:
    """One round: act (one kernel, then its result is read), a step of the game, an update of some kernels."""

    def __init__(
        self,
        one: Any,
        act_us: int,
        game_us: int,
        kernels: int,
        kernel_us: int,
        launch_us: int,
        wake_us: int = WAKE // US,
    ) -> None:
        self.one = one
        self.now = self.free = 1_000_000
        self.act_ns, self.game_ns = act_us * US, game_us * US
        self.kernels, self.kernel_ns, self.launch_ns = kernels, kernel_us * US, launch_us * US
        self.wake_ns = wake_us * US
        self.act = one.node("act")
        self.wait = one.node("act", "transfer.wait")
        self.step = one.node("env.step")
        self.learn = one.node("learn.backward")
        self.spans: list[tuple[int, int, int]] = []
        self.marks: list[tuple[int, int]] = []
        self.work: list[Work] = []
        self.calls: list[HostCall] = []

    def border(self) -> None:
        """The device comes to a mark when it has done all before it, and not before it was put there."""
        self.free = max(self.free, self.now)
        self.marks.append((self.now, self.free + CLOCKS_APART))

    def launch(self, name: str, ns: int) -> None:
        asked = self.now
        self.now += self.launch_ns
        start = max(self.free, self.now)
        self.free = start + ns
        self.work.append(Work(name, start, self.free, asked, 7, 7, 0))

    def span(self, node: int, *path: str, inside: Callable[[], None]) -> None:
        self.border()
        begun = self.now
        inside()
        self.spans.append((node, begun, self.now))
        self.border()
        before = self.one.totals.get((0, node))
        count = before.count if before is not None else 0
        total = before.total_ns if before is not None else 0
        self.one.totals[0, node] = type(self.one).totals_of(count + 1, total + self.now - begun)

    def read(self) -> None:
        woken = max(self.free, self.now) + self.wake_ns
        self.calls.append(HostCall("cudaStreamSynchronize", self.now, woken, 7))
        self.now = woken

    def acting(self) -> None:
        self.launch("gemm", self.act_ns)
        self.span(self.wait, inside=self.read)

    def round(self) -> None:
        self.span(self.act, inside=self.acting)
        self.span(self.step, inside=lambda: self.rest(self.game_ns))
        self.span(self.learn, inside=self.update)

    def rest(self, ns: int) -> None:
        self.now += ns

    def update(self) -> None:
        for _ in range(self.kernels):
            self.launch("gemm", self.kernel_ns)


@pytest.fixture
def train(maker: Any, recording: Callable[..., Recording]) -> Callable[..., Recording]:
    """train(rounds, marks=, profiler=, …): the recording of such a training."""
    from goldsplit.model.recording import NodeTotals

    maker.totals_of = staticmethod(lambda count, total: NodeTotals(count, total, 1, total, total))

    def make(rounds: int = 60, marks: bool = True, profiler: bool = True, **loop: int) -> Recording:
        one = maker(7)
        one.snapshot(0)
        run = Loop(one, **loop)
        one.steps(run.now, run.now)
        one.snapshot(run.now, own_env_steps=0)
        begun = run.now
        for _ in range(rounds):
            run.round()
        one.steps(begun + 1, run.now - 1)
        one.snapshot(run.now, own_env_steps=rounds)
        one.snapshot(run.now + 1_000_000, own_env_steps=rounds)
        device = one.process.device
        device.settings = {Setting.KIND: "cuda", Setting.INDEX: 0, Setting.NAME: "RTX", Setting.ASKED: True}
        # Windows lie inside the run; the first round has nothing before it.
        per_round = len(run.marks) // rounds
        cut = slice(per_round, -per_round)
        times, reached = zip(*run.marks[cut], strict=True)
        inside = [span for span in run.spans if span[1] >= times[0] and span[2] <= times[-1]]
        spans = RawSpans.of(sorted(inside, key=lambda span: span[1]))
        if marks:
            since = [one - reached[0] for one in reached]
            device.marks.append(MarkWindow(times[0], times[-1], 0, 0, list(times), since, spans))
        if profiler:
            work = [w for w in run.work if times[0] <= (w.asked_ns or 0) and w.end_ns <= times[-1]]
            calls = [c for c in run.calls if times[0] <= c.start_ns and c.end_ns <= times[-1]]
            for _ in range(2):
                device.kernels.append(KernelRecord(times[0], times[-1], 0, work, calls, len(work), spans))
        return recording(one, end_ns=run.now + 1_000_000)

    return make
