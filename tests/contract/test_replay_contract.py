"""One contract for every kind of replay buffer: what a batch is, what is refused, what survives."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import stats

from goldsplit.fast.replay import Field, FrameStackReplay, PrioritizedReplay, UniformReplay

try:
    import torch

    from goldsplit.fast.replay.device import DevicePrioritizedReplay, DeviceReplay
except ModuleNotFoundError:  # the other kinds need no torch
    torch = None

OBS = Field((5,), np.float32)
REST = {"action": Field((), np.int64), "mask": Field((3,), np.bool_)}
CAPACITY = 24
#: Where the buffers on the device live: the same code without a GPU.
DEVICE = "cuda" if torch is not None and torch.cuda.is_available() else "cpu"


@dataclass(frozen=True)
class Kind:
    """How to make a buffer of a kind and what the names of its observation entries are."""

    name: str
    make: Callable[[int, int], Any]
    framed: bool
    prioritised: bool
    on_device: bool = False

    def transition(self, number: int) -> dict[str, Any]:
        """A transition in which every entry tells its number."""
        obs = np.full(OBS.shape, number, OBS.dtype)
        rest = {"action": number, "mask": np.array([number % 2, number % 3 == 0, True], np.bool_)}
        if self.framed:  # episodes of one step, so that a stack repeats its one frame
            return {"frame": obs, "next_frame": obs + 0.5, "ended": True, **rest}
        return {"obs": obs, "next_obs": obs + 0.5, **rest}

    def transitions(self, numbers: Any) -> dict[str, Any]:
        rows = [self.transition(int(number)) for number in numbers]
        return {name: np.stack([row[name] for row in rows]) for name in rows[0]}


def _ring_fields() -> dict[str, Field]:
    return {"obs": OBS, "next_obs": OBS, **REST}


KINDS = [
    Kind("uniform", lambda n, seed: UniformReplay(n, _ring_fields(), seed=seed), False, False),
    Kind("prioritized", lambda n, seed: PrioritizedReplay(n, _ring_fields(), seed=seed), False, True),
    Kind("framestack", lambda n, seed: FrameStackReplay(n, OBS, REST, stack=3, seed=seed), True, False),
    Kind(
        "framestack-per", lambda n, s: FrameStackReplay(n, OBS, REST, stack=3, alpha=0.6, seed=s), True, True
    ),
]
if torch is not None:
    KINDS += [
        Kind(
            "device", lambda n, s: DeviceReplay(n, _ring_fields(), device=DEVICE, seed=s), False, False, True
        ),
        Kind(
            "device-per",
            lambda n, s: DevicePrioritizedReplay(n, _ring_fields(), device=DEVICE, seed=s),
            False,
            True,
            True,
        ),
    ]


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> Kind:
    return request.param


def arrays(batch: Any) -> Any:
    """The batch in arrays, wherever it lies."""
    return type(batch)(*[value.cpu().numpy() if hasattr(value, "cpu") else value for value in batch])


def numbers_of(kind: Kind, batch: Any) -> np.ndarray:
    """The transitions' numbers, after checking that each row is one whole transition."""
    batch = arrays(batch)
    numbers = batch.action
    obs, next_obs = (
        (batch.obs, batch.next_obs) if not kind.framed else (batch.obs[:, -1], batch.next_obs[:, -1])
    )
    assert (obs == numbers[:, None]).all()
    assert (next_obs == numbers[:, None] + 0.5).all()
    assert (batch.mask == np.stack([numbers % 2, numbers % 3 == 0, np.ones_like(numbers)], axis=1)).all()
    return numbers


def filled(kind: Kind, count: int, capacity: int = CAPACITY, seed: int = 0) -> Any:
    buffer = kind.make(capacity, seed)
    for number in range(count):
        buffer.add(**kind.transition(number))
    return buffer


def test_a_batch_is_a_named_tuple_of_the_fields_then_indices_and_weights(kind: Kind) -> None:
    batch = arrays(filled(kind, 6).sample(7))
    assert batch._fields == ("obs", "next_obs", "action", "mask", "indices", "weights")
    assert batch.obs.shape == ((7, 3, 5) if kind.framed else (7, 5))
    assert [batch.obs.dtype, batch.action.dtype, batch.mask.dtype] == [np.float32, np.int64, np.bool_]
    assert batch.indices.dtype == np.int64
    assert batch.weights.dtype == np.float32
    assert batch.weights.shape == batch.indices.shape == (7,)
    assert (batch.weights > 0).all()
    assert (batch.weights <= 1).all()


def test_rows_are_whole_and_all_stored_transitions_are_drawn(kind: Kind) -> None:
    buffer = filled(kind, 8)
    seen = {int(n) for _ in range(40) for n in numbers_of(kind, buffer.sample(16))}
    assert seen == set(range(8))
    assert len(buffer) == 8


def test_the_oldest_make_room_for_the_newest(kind: Kind) -> None:
    buffer = filled(kind, 5 * CAPACITY)
    seen = {int(n) for _ in range(100) for n in numbers_of(kind, buffer.sample(32))}
    newest = 5 * CAPACITY - 1
    assert seen == set(range(newest - len(buffer) + 1, newest + 1))
    assert CAPACITY // 2 - 2 <= len(buffer) <= CAPACITY


def test_extend_equals_repeated_add_also_across_the_end_of_the_ring(kind: Kind) -> None:
    one, many = filled(kind, 20), kind.make(CAPACITY, 0)
    slots = [many.extend(**kind.transitions(part)) for part in (range(9), range(9, 10), range(10, 20))]
    assert [len(part) for part in slots] == [9, 1, 10]
    for _ in range(5):
        a, b = arrays(one.sample(16)), arrays(many.sample(16))
        for left, right in zip(a, b, strict=True):
            assert np.array_equal(left, right)


def test_indices_name_the_slots_that_add_and_extend_returned(kind: Kind) -> None:
    buffer = kind.make(CAPACITY, 0)
    slot_of = {number: buffer.add(**kind.transition(number)) for number in range(5)}
    slot_of |= dict(zip(range(5, 9), buffer.extend(**kind.transitions(range(5, 9))).tolist(), strict=True))
    batch = buffer.sample(64)
    assert [slot_of[int(number)] for number in batch.action] == batch.indices.tolist()


def test_the_seed_decides_the_batches(kind: Kind) -> None:
    def drawn(seed: int) -> list[int]:
        buffer = filled(kind, 12, seed=seed)
        return [int(number) for _ in range(10) for number in buffer.sample(64).action]

    assert drawn(7) == drawn(7)
    assert drawn(7) != drawn(8)


@pytest.mark.parametrize("stored", [7, 3 * CAPACITY])
def test_saved_and_pickled_buffers_continue_batch_for_batch(kind: Kind, stored: int, tmp_path: Any) -> None:
    buffer = filled(kind, stored)
    if kind.prioritised:
        buffer.update_priorities(buffer.sample(8).indices, np.linspace(0.5, 4.0, 8))
    path = tmp_path / "buffer.npz"
    buffer.save(path)
    copies = [type(buffer).load(path), pickle.loads(pickle.dumps(buffer))]
    for number in (100, 101):
        expected = arrays(buffer.sample(16))
        for copy in copies:
            for left, right in zip(expected, arrays(copy.sample(16)), strict=True):
                assert np.array_equal(left, right)
            copy.add(**kind.transition(number))
        buffer.add(**kind.transition(number))


def test_a_file_of_another_kind_or_version_is_refused(kind: Kind, tmp_path: Any) -> None:
    path = tmp_path / "buffer.npz"
    buffer = filled(kind, 3)
    buffer.save(path)
    other = PrioritizedReplay if kind.name == "uniform" else UniformReplay
    with pytest.raises(ValueError, match=f"holds a '{buffer.kind}' replay buffer, not '{other.kind}'"):
        other.load(path)
    with np.load(path) as file:
        arrays = dict(file)
    arrays["header"] = np.array(str(arrays["header"]).replace('"version": 1', '"version": 99'))
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match="format version 99, supported: 1\nhint"):
        type(buffer).load(path)
    np.savez(path, something=np.zeros(3))
    with pytest.raises(ValueError, match="not a saved replay buffer"):
        type(buffer).load(path)


def test_a_kept_batch_never_changes_and_dropped_memory_is_used_again(kind: Kind) -> None:
    buffer = filled(kind, 20)
    kept = [buffer.sample(8) for _ in range(12)]
    copies = [[np.array(value) for value in arrays(batch)] for batch in kept]
    view, view_copy = kept[0].obs[2:5], np.array(arrays(kept[0]).obs[2:5])
    del kept[0], copies[0]
    addresses = {_address(buffer.sample(8).obs) for _ in range(20)}
    for batch, copy in zip(kept, copies, strict=True):
        for value, expected in zip(arrays(batch), copy, strict=True):
            assert np.array_equal(value, expected)
    assert np.array_equal(view.cpu() if kind.on_device else view, view_copy)
    assert kind.on_device or len(addresses) <= 2  # torch's allocator decides there


def _address(values: Any) -> int:
    return int(values.ctypes.data if isinstance(values, np.ndarray) else values.data_ptr())


def test_out_is_written_in_place_and_checked(kind: Kind) -> None:
    buffer = filled(kind, 10)
    zeros = torch.zeros_like if kind.on_device else np.zeros_like
    like = {"memory_format": torch.contiguous_format} if kind.on_device else {}
    out = buffer.Batch(*[zeros(value, **like) for value in buffer.sample(8)])
    batch = buffer.sample(8, out=out)
    numbers_of(kind, out)
    for given, returned in zip(out, batch, strict=True):
        assert _address(given) == _address(returned)
    with pytest.raises(ValueError, match=r"out\.obs must be float32"):
        buffer.sample(9, out=out)
    with pytest.raises(ValueError, match=r"out\.mask must be contiguous and writeable"):
        buffer.sample(8, out=out._replace(mask=_made(kind, np.zeros((3, 8), np.bool_)).T))
    with pytest.raises(ValueError, match=r"out\.action must be int64"):
        buffer.sample(8, out=out._replace(action=_made(kind, np.zeros(8, np.int32))))


def _made(kind: Kind, values: Any) -> Any:
    return torch.from_numpy(values).to(DEVICE) if kind.on_device else values


def test_an_empty_buffer_and_an_empty_batch_are_refused(kind: Kind) -> None:
    with pytest.raises(ValueError, match="cannot sample"):
        kind.make(CAPACITY, 0).sample(4)
    with pytest.raises(ValueError, match="batch_size must be at least 1, got 0"):
        filled(kind, 3).sample(0)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"mask": np.ones(4, np.bool_)}, ValueError, r"'mask' has the shape \(3,\), got \(4,\)"),
        ({"mask": True}, ValueError, r"'mask' has the shape \(3,\), got \(\)"),
        ({"action": np.ones(2, np.int64)}, ValueError, r"'action' has the shape \(\), got \(2,\)"),
        ({"action": 1.5}, TypeError, "'action' is int64, got float64"),
        ({"mask": np.ones(3)}, TypeError, "'mask' is bool, got float64"),
        ({"reward": 1.0}, TypeError, r"unknown \['reward'\]"),
        ({"action": None}, TypeError, r"missing \['action'\]"),
    ],
)
def test_a_wrong_transition_is_refused_and_leaves_no_trace(
    kind: Kind, change: dict[str, Any], error: type[Exception], message: str
) -> None:
    buffer = filled(kind, 3 * CAPACITY)
    wrong = kind.transition(999) | change
    wrong = {name: value for name, value in wrong.items() if value is not None}
    size = len(buffer)
    with pytest.raises(error, match=message):
        buffer.add(**wrong)
    assert len(buffer) == size
    for _ in range(30):
        assert 999 not in numbers_of(kind, buffer.sample(32))


def test_a_wrong_batch_is_refused(kind: Kind) -> None:
    buffer = filled(kind, 3)
    rows = kind.transitions(range(4))
    with pytest.raises(ValueError, match="'mask' has 3 rows, the fields before it have 4"):
        buffer.extend(**rows | {"mask": rows["mask"][:3]})
    with pytest.raises(
        ValueError, match=r"'mask' takes a batch of the shape \(n, \*\(3,\)\), got \(3,\)\nhint.*add"
    ):
        buffer.extend(**rows | {"mask": rows["mask"][0]})
    with pytest.raises(TypeError, match="'action' is int64, got float64"):
        buffer.extend(**rows | {"action": rows["action"] * 1.0})
    assert len(buffer) == 3


def test_fresh_transitions_are_drawn_evenly_by_chi_square(kind: Kind) -> None:
    buffer = filled(kind, 12)
    counts = np.zeros(12)
    for _ in range(400):
        counts += np.bincount(arrays(buffer.sample(30)).action, minlength=12)
    assert stats.chisquare(counts).pvalue > 0.001
    assert counts.sum() == 12000


def test_a_writer_beside_a_sampler_never_tears_a_row(kind: Kind) -> None:
    buffer = filled(kind, CAPACITY)
    done = threading.Event()

    def write() -> None:
        for number in range(2000):
            buffer.add(**kind.transition(number))
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    batches = 0
    while not done.is_set() or not batches:
        numbers_of(kind, buffer.sample(64))
        batches += 1
    writer.join()
    assert batches
