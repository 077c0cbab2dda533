"""A made-up recording of an hour: a driver, fifteen workers, twenty thousand different stacks.

Used by the tests of the page's size and of how fast a browser opens it.
"""

from __future__ import annotations

import random

from goldsplit.model.recording import (
    Frame,
    NodeInfo,
    NodeTotals,
    ProcessRecord,
    RawSpans,
    RawWindow,
    Recording,
    Snapshot,
    StackChunk,
    StackCount,
    ThreadInfo,
)

SECOND = 1_000_000_000
HOUR = 3600
DRIVER = 1000
WORKERS = tuple(range(1001, 1016))
DISTINCT_STACKS = 20_000
#: stage → share of the process's time
DRIVER_STAGES = {
    "act": 0.12,
    "vec.wait": 0.5,
    "vec.send": 0.05,
    "learn.backward": 0.2,
    "learn.optimizer": 0.08,
}
WORKER_STAGES = {"env.step": 0.5, "env.opponent": 0.15, "wait": 0.3}


def hour_long_recording(seconds: int = HOUR) -> Recording:
    """A run in lock step, with everything that a page can show."""
    frames, stacks = make_stacks(random.Random(7))
    run = {
        "id": "20260101-120000-hour-001",
        "name": "hour",
        "command": ["python", "train.py", "--envs", "15"],
        "started": 1_767_268_800.0,
        "start_ns": 0,
        "end_ns": (seconds + 8) * SECOND,
        "status": "complete",
        "exit_code": 0,
        "environment": {"cores": 16},
        "packages": {f"package-{i}": "1.2.3" for i in range(60)},
    }
    processes = [make_process(DRIVER, 1, DRIVER_STAGES, seconds)]
    processes += [make_process(pid, DRIVER, WORKER_STAGES, seconds) for pid in WORKERS]
    return Recording(run, processes, frames, make_chunks(stacks, seconds, random.Random(8)), [])


def make_process(pid: int, ppid: int, shares: dict[str, float], seconds: int) -> ProcessRecord:
    """One process with a snapshot every five seconds and a raw window every minute."""
    process = ProcessRecord(pid, ppid, 0, python="3.11.7", argv=("python", "train.py"))
    process.threads[0] = ThreadInfo(0, pid, "MainThread", 0)
    process.nodes = {(0, 0): NodeInfo(0, -1, "", ""), (0, 1): NodeInfo(0, -1, "async", "")}
    for node, stage in enumerate(shares, start=2):
        detail = f"pid:{WORKERS[0]}" if stage == "vec.wait" else f"pid:{DRIVER}" if stage == "wait" else ""
        process.nodes[0, node] = NodeInfo(0, 0, stage, detail)
    process.first_step_ns, process.last_step_ns = 5 * SECOND, seconds * SECOND
    for t in range(5, seconds + 5, 5):
        totals = {
            (0, node): NodeTotals(100 * t, int(share * t * SECOND), 10, SECOND, 2 * SECOND)
            for node, share in enumerate(shares.values(), start=2)
        }
        steps = {"0:vec_env_steps": 800.0 * t} if pid == DRIVER else {"0:own_env_steps": 53.0 * t}
        process.snapshots.append(Snapshot(t * SECOND, totals, steps, {0: (t * SECOND // 2, 0)}))
    for start in range(10, seconds, 60):
        process.raw.append(make_raw(start * SECOND, shares))
    return process


def make_raw(start_ns: int, shares: dict[str, float]) -> RawWindow:
    spans = []
    at = start_ns
    for _ in range(20):
        for node, share in enumerate(shares.values(), start=2):
            length = int(share * SECOND / 20)
            spans.append((node, at, at + length))
            at += length
    return RawWindow(start_ns, start_ns + SECOND, 0, RawSpans.of(spans))


def make_stacks(rng: random.Random) -> tuple[list[Frame], list[tuple[int, tuple[int, ...]]]]:
    """Frames, and stacks of the driver and of workers that branch like real ones: many, few of them hot."""
    frames: list[Frame] = []
    numbers: dict[Frame, int] = {}

    def number(function: str, file: str, line: int) -> int:
        frame = Frame(function, file, line)
        if frame not in numbers:
            numbers[frame] = len(frames)
            frames.append(frame)
        return numbers[frame]

    def branch(begin: list[int], folder: str, prefix: str) -> tuple[int, ...]:
        found = list(begin)
        for depth in range(rng.randint(2, 24)):
            choice = min(int(rng.expovariate(0.7)), 9)
            function = f"{prefix}.level_{depth}_{choice}_{len(found) % 7}"
            found.append(number(function, f"{folder}/module_{depth % 9}.py", 10 * choice + rng.randint(1, 9)))
        return tuple(found)

    act = [
        number("main", "/home/me/train.py", 40),
        number("goldsplit:act", "/x/goldsplit/record/s.py", 1),
        number("Agent.select_action", "/home/me/agent.py", 12),
    ]
    learn = [
        number("main", "/home/me/train.py", 44),
        number("goldsplit:learn.backward", "/x/goldsplit/record/s.py", 1),
        number("backward", "/x/site-packages/torch/_tensor.py", 1),
    ]
    step = [
        number("_worker", "/home/me/workers.py", 9),
        number("goldsplit:env.step", "/x/goldsplit/record/s.py", 1),
    ]
    kinds = [(DRIVER, act, "/home/me", "Agent"), (DRIVER, learn, "/x/site-packages/torch", "Function")]
    kinds += [(pid, step, "/home/me/game", "Battle") for pid in WORKERS]
    stacks: dict[tuple[int, tuple[int, ...]], None] = {}
    while len(stacks) < DISTINCT_STACKS:
        pid, begin, folder, prefix = kinds[rng.randrange(len(kinds))]
        stacks[pid, branch(begin, folder, prefix)] = None
    return frames, list(stacks)


def make_chunks(
    stacks: list[tuple[int, tuple[int, ...]]], seconds: int, rng: random.Random
) -> list[StackChunk]:
    """Every stack is seen at least once somewhere."""
    chunks = []
    order = list(range(len(stacks)))
    rng.shuffle(order)
    starts = range(5, seconds, 5)
    for place, start in enumerate(starts):
        chosen = order[place :: len(starts)] + [order[int(rng.random() ** 3 * 400)] for _ in range(60)]
        rows = tuple(
            StackCount(stacks[i][0], stacks[i][0], "MainThread", stacks[i][1], 1) for i in set(chosen)
        )
        chunks.append(StackChunk(start * SECOND, (start + 5) * SECOND, 20, len(rows), 0, 0, 0.1, rows))
    return chunks
