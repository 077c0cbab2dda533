"""Prefetching: bounded, in order, stoppable, and loud when it fails."""

from __future__ import annotations

import gc
import threading
import traceback
from typing import Any

import numpy as np
import pytest
import torch

from goldsplit.fast.replay import Field, Prefetcher, PrefetchError, PrioritizedReplay, UniformReplay

FIELDS = {"obs": Field((4,), np.float32), "number": Field((), np.int64)}
PATIENCE_SECONDS = 30.0


def filled(kind: Any = UniformReplay, count: int = 50) -> Any:
    buffer = kind(64, FIELDS, seed=0)
    buffer.extend(
        obs=np.repeat(np.arange(count, dtype=np.float32)[:, None], 4, axis=1), number=np.arange(count)
    )
    return buffer


class Counting:
    """A buffer that counts its samples, fails at one of them and tells when a count is reached."""

    def __init__(self, fail_at: int | None = None) -> None:
        self.inner = filled()
        self.Batch, self.batch_fields = self.inner.Batch, self.inner.batch_fields
        self.samples = 0
        self.fail_at = fail_at

    def sample(self, batch_size: int, *, out: Any = None) -> Any:
        self.samples += 1
        if self.samples == self.fail_at:
            raise ZeroDivisionError("the game engine is out of cheese")
        return self.inner.sample(batch_size, out=out)


def prefetch_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "goldsplit-prefetch"]


def test_batches_come_in_the_order_the_buffer_gives_them() -> None:
    alone, ahead = filled(), filled()
    with Prefetcher(ahead, 8, depth=3) as batches:
        for _, batch in zip(range(20), batches, strict=False):
            for left, right in zip(alone.sample(8), batch, strict=True):
                assert np.array_equal(left, right)


def test_a_held_batch_is_not_written_over() -> None:
    with Prefetcher(filled(), 8) as batches:
        held = [batches.get(PATIENCE_SECONDS) for _ in range(20)]
        for batch in held:
            assert np.array_equal(batch.obs, np.repeat(batch.number[:, None], 4, axis=1))


def test_tensors_share_the_batch_and_indices_keep_their_stamp() -> None:
    buffer = filled(PrioritizedReplay)
    with Prefetcher(buffer, 16, device="cpu") as batches:
        batch = batches.get(PATIENCE_SECONDS)
        assert isinstance(batch.obs, torch.Tensor)
        assert batch.obs.dtype == torch.float32
        assert torch.equal(batch.obs[:, 0].long(), batch.number)
        assert batch.weights.shape == (16,)
        assert batch.indices.stamp == 50
        buffer.extend(obs=np.zeros((64, 4), np.float32), number=np.zeros(64, np.int64))
        assert batches.update_priorities(batch.indices, np.ones(16)) == 0
        assert batches.update_priorities(np.array(batch.indices), np.ones(16)) == 16


def test_no_more_than_depth_batches_wait() -> None:
    buffer = Counting()
    with Prefetcher(buffer, 4, depth=2) as batches:
        for taken in range(1, 30):
            batches.get(PATIENCE_SECONDS)
            assert buffer.samples <= taken + 2 + 1  # two wait, one is in the thread's hand


def test_nothing_runs_before_the_first_batch_is_asked_for() -> None:
    buffer = Counting()
    batches = Prefetcher(buffer, 4)
    assert buffer.samples == 0
    assert not prefetch_threads()
    batches.close()
    with pytest.raises(RuntimeError, match="the prefetcher is closed"):
        batches.get()


def test_transform_runs_in_the_thread() -> None:
    names = []

    def double(batch: Any) -> Any:
        names.append(threading.current_thread().name)
        return batch._replace(obs=batch.obs * 2)

    with Prefetcher(filled(), 4, transform=double) as batches:
        batch = batches.get(PATIENCE_SECONDS)
    assert np.array_equal(batch.obs[:, 0], batch.number * 2)
    assert set(names) == {"goldsplit-prefetch"}


def test_a_failure_surfaces_in_the_caller_with_the_threads_traceback() -> None:
    with Prefetcher(Counting(fail_at=4), 4) as batches:
        for _ in range(3):  # what was ready before the failure is still good
            batches.get(PATIENCE_SECONDS)
        with pytest.raises(PrefetchError, match="out of cheese") as caught:
            batches.get(PATIENCE_SECONDS)
        assert isinstance(caught.value.__cause__, ZeroDivisionError)
        assert 'raise ZeroDivisionError("the game engine is out of cheese")' in str(caught.value)
        assert "in sample" in "".join(traceback.format_exception(caught.value))
        with pytest.raises(PrefetchError):  # and again, not a hang
            batches.get(PATIENCE_SECONDS)
    assert not prefetch_threads()


def test_an_empty_buffer_is_an_error_not_a_hang() -> None:
    with (
        Prefetcher(UniformReplay(8, FIELDS), 4) as batches,
        pytest.raises(PrefetchError, match="nothing was stored yet"),
    ):
        batches.get(PATIENCE_SECONDS)


def test_close_stops_a_thread_that_waits_for_room_and_may_be_repeated() -> None:
    batches = Prefetcher(filled(), 4, depth=1)
    batches.get(PATIENCE_SECONDS)
    assert len(prefetch_threads()) == 1
    batches.close()
    batches.close()
    assert not prefetch_threads()


def test_a_dropped_prefetcher_stops_its_thread() -> None:
    batches = Prefetcher(filled(), 4)
    batches.get(PATIENCE_SECONDS)
    (thread,) = prefetch_threads()
    del batches
    gc.collect()
    thread.join(PATIENCE_SECONDS)
    assert not thread.is_alive()


def test_a_slow_batch_is_a_timeout() -> None:
    release = threading.Event()

    def stuck(batch: Any) -> Any:
        release.wait(PATIENCE_SECONDS)
        return batch

    with Prefetcher(filled(), 4, transform=stuck) as batches:
        with pytest.raises(TimeoutError, match=r"no batch within 0\.01 s"):
            batches.get(0.01)
        release.set()
        assert batches.get(PATIENCE_SECONDS).obs.shape == (4, 4)


def test_wrong_use_is_refused() -> None:
    with pytest.raises(ValueError, match="depth and batch_size must be at least 1, got depth=0"):
        Prefetcher(filled(), 4, depth=0)
    with pytest.raises(ValueError, match="device must be None, 'cpu' or a CUDA device, got 'meta'"):
        Prefetcher(filled(), 4, device="meta")
    with pytest.raises(TypeError, match="no priorities\nhint"), Prefetcher(filled(), 4) as batches:
        batches.update_priorities([0], [1.0])


@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine without CUDA")
def test_cuda_without_cuda_is_refused_at_once() -> None:
    with pytest.raises(RuntimeError, match="torch sees no CUDA device"):
        Prefetcher(filled(), 4, device="cuda")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
def test_cuda_batches_are_whole_and_arrive_before_they_are_used() -> None:
    buffer = filled(PrioritizedReplay)
    with Prefetcher(buffer, 32, device="cuda", depth=3) as batches:
        for _, batch in zip(range(500), batches, strict=False):
            assert batch.obs.is_cuda
            assert bool((batch.obs == batch.number[:, None]).all())
            assert np.array_equal(batch.number.cpu().numpy(), np.asarray(batch.indices))
            batches.update_priorities(batch.indices, np.full(32, 0.5))
