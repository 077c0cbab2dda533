"""A writer, a prefetcher and an updater at once: no torn row, no lost priority, no hang."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

import numpy as np
import pytest

from goldsplit.fast.replay import Field, Prefetcher, PrioritizedReplay, UniformReplay

WIDTH = 600  # wide enough that a row takes many cache lines, and is streamed
CAPACITY = 2048  # small enough that the writer laps the samplers all the time
BATCH = 2048  # large enough that copying a batch takes as long as many writes
FIELDS = {
    "body": Field((WIDTH,), np.uint32),
    "serial": Field((), np.int64),
    "tail": Field((37,), np.uint8),
    "checksum": Field((), np.int64),
}


def rows(first: int, count: int) -> dict[str, Any]:
    serial = np.arange(first, first + count)
    body = (serial[:, None] * 2654435761 + np.arange(WIDTH)).astype(np.uint32)
    tail = np.repeat((serial % 251).astype(np.uint8)[:, None], 37, axis=1)
    return {"body": body, "serial": serial, "tail": tail, "checksum": checksums(body, tail, serial)}


def checksums(body: Any, tail: Any, serial: Any) -> Any:
    return body.astype(np.int64).sum(axis=1) + tail.astype(np.int64).sum(axis=1) * 7 + serial


class Writer(threading.Thread):
    """Adds single rows and batches in turn until told to stop."""

    def __init__(self, buffer: PrioritizedReplay) -> None:
        super().__init__(name="writer", daemon=True)
        self.buffer, self.stopping = buffer, threading.Event()
        self.written, self.failure = 0, None

    def run(self) -> None:
        try:
            while not self.stopping.is_set():
                one = rows(self.written, 1)
                self.buffer.add(**{name: column[0] for name, column in one.items()})
                self.buffer.extend(**rows(self.written + 1, 30))
                self.written += 31
        except BaseException as failure:
            self.failure = failure


def checked_and_updated(batches: Prefetcher) -> int:
    """Check one batch row by row, then bring back its priorities; how many were set."""
    batch = batches.get(30.0)
    assert (checksums(batch.body, batch.tail, batch.serial) == batch.checksum).all(), "a torn row"
    # Each slot holds the serials that are its own modulo the capacity: the index fits the row.
    assert ((batch.serial - batch.indices) % CAPACITY == 0).all(), "a row of another slot"
    assert (batch.indices.stamp - batch.serial <= CAPACITY).all(), "a row older than its stamp says"
    assert (batch.serial < batch.indices.stamp).all(), "a row newer than its stamp says"
    return batches.update_priorities(batch.indices, np.full(BATCH, 0.5))


def run_together(done: Any) -> dict[str, int]:
    buffer = PrioritizedReplay(CAPACITY, FIELDS, alpha=1.0, seed=0)
    writer = Writer(buffer)
    buffer.extend(**rows(0, CAPACITY))
    writer.written = CAPACITY
    seen = {"batches": 0, "kept": 0, "dropped": 0}
    with Prefetcher(buffer, BATCH, depth=3) as batches:
        batches.get(30.0)
        writer.start()
        try:
            while not done(seen, writer):
                kept = checked_and_updated(batches)
                seen["batches"] += 1
                seen["kept"] += kept
                seen["dropped"] += BATCH - kept
        finally:
            writer.stopping.set()
            writer.join()
    assert writer.failure is None
    tree = buffer._sampler.tree
    assert tree.total == pytest.approx(tree.leaves.sum(dtype=np.float64), rel=1e-12)
    assert set(np.unique(tree.leaves)) <= {0.5, 1.0}
    return seen | {"written": writer.written}


@pytest.mark.parametrize("kind", [UniformReplay, PrioritizedReplay])
def test_rows_overwritten_while_they_are_copied_are_drawn_again(kind: Any, monkeypatch: Any) -> None:
    """The race, staged: half is rewritten between the draw and the copy, and in the middle of the copy."""
    buffer = kind(64, FIELDS, seed=0)
    buffer.extend(**rows(0, 64))
    copy = buffer._storage.gather
    intrusions = [rows(64, 20), rows(84, 12)]

    def gather(slots: Any, addresses: Any) -> None:
        if intrusions:  # only for the first copy, which runs without the lock
            buffer.extend(**intrusions.pop(0))
            half = len(slots) // 2
            copy(slots[:half], addresses)
            buffer.extend(**intrusions.pop(0))
            copy(slots[half:], addresses + half * buffer._storage.layout.bytes)
        else:
            copy(slots, addresses)

    monkeypatch.setattr(buffer._storage, "gather", gather)
    batch = buffer.sample(256)
    assert (checksums(batch.body, batch.tail, batch.serial) == batch.checksum).all()
    assert ((batch.serial - batch.indices) % 64 == 0).all()
    assert batch.indices.stamp == 96
    assert batch.serial.min() >= 32  # nothing that is gone at the time of the stamp
    assert batch.serial.max() >= 64


def test_no_torn_rows_for_some_turns_of_the_ring() -> None:
    seen = run_together(lambda seen, writer: seen["batches"] >= 100 and writer.written >= 20 * CAPACITY)
    assert seen["kept"] > 0
    assert seen["dropped"] > 0


@pytest.mark.thousand
def test_no_torn_rows_for_a_minute() -> None:
    until = time.monotonic() + float(os.environ.get("GOLDSPLIT_STRESS_SECONDS", "60"))
    seen = run_together(lambda seen, writer: time.monotonic() > until)
    assert seen["batches"] > 500
    assert seen["written"] > 50 * CAPACITY
    assert seen["dropped"] > 0
