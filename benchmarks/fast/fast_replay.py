"""Replay buffers against cpprb, tianshou, torchrl and a NumPy floor: push, sample, update, a whole loop.

    python benchmarks/fast/fast_replay.py             # capacity 1e5 and 1e6, batch 256, obs (323,) float32
    python benchmarks/fast/fast_replay.py --image     # capacity 2e4, obs (4, 84, 84) uint8
    python benchmarks/fast/fast_replay.py --capacities 100000 --rounds 20

Every buffer is full before it is timed, holds the same five fields (obs, next_obs, action, reward, done) and
gets the same values. goldsplit and cpprb keep a sum and a minimum of the priorities, tianshou only a sum. A
single goldsplit push leaves the tree to the next draw; the last row, a whole loop, counts that. Peers run at
their defaults.
"""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from fast_timing import Timing, interleave, print_table, ratio, summary, write_json
from goldsplit.fast.replay import Field, PrioritizedReplay, UniformReplay

BATCH = 256
ALPHA, BETA = 0.6, 0.4
OURS = "goldsplit"
# (operation, peer, how many times our cost the peer's must be at least)
BARS = [
    ("sample", "cpprb", 1.5),
    ("sample", "tianshou", 1.5),
    ("sample", "torchrl", 3.0),
    ("push 1", "cpprb", 10.0),
    ("push 256", "cpprb", 1.5),
    ("update", "cpprb", 1.0),
]
IMAGE_BARS = [("sample", "cpprb", 1.0)]

Operations = dict[str, Callable[[], object]]


class Data:
    """The same transitions, priorities and slots for everyone."""

    def __init__(self, shape: tuple[int, ...], dtype: Any, capacity: int) -> None:
        rng = np.random.default_rng(0)
        self.shape, self.dtype, self.capacity = shape, np.dtype(dtype), capacity
        self.obs = rng.integers(0, 255, (BATCH, *shape)).astype(dtype)
        self.one = {"obs": self.obs[0], "next_obs": self.obs[1], "action": 1, "reward": 0.5, "done": False}
        self.many = {
            "obs": self.obs,
            "next_obs": self.obs[::-1].copy(),
            "action": np.arange(BATCH),
            "reward": np.ones(BATCH, np.float32),
            "done": np.zeros(BATCH, np.bool_),
        }
        self.priorities = rng.random((64, BATCH)) + 0.01
        self.slots = np.sort(rng.integers(0, capacity, (64, BATCH)), axis=1)


def goldsplit_operations(data: Data) -> Operations:
    scalars = {"action": Field((), np.int64), "reward": Field((), np.float32), "done": Field((), np.bool_)}
    obs = Field(data.shape, data.dtype)
    buffer = PrioritizedReplay(
        data.capacity, {"obs": obs, "next_obs": obs, **scalars}, alpha=ALPHA, beta=BETA, seed=0
    )
    fill(data.capacity, lambda: buffer.extend(**data.many))
    turn = Turn()

    def loop() -> None:
        for _ in range(4):
            buffer.add(**data.one)
        batch = buffer.sample(BATCH)
        buffer.update_priorities(batch.indices, data.priorities[turn.next()])

    return {
        "push 1": lambda: buffer.add(**data.one),
        "push 256": lambda: buffer.extend(**data.many),
        "sample": lambda: buffer.sample(BATCH),
        "update": lambda: buffer.update_priorities(data.slots[turn.next()], data.priorities[turn.other]),
        "update, nothing changes": lambda: buffer.update_priorities(data.slots[0], data.priorities[0]),
        "4 push 1, sample, update": loop,
    }


def goldsplit_uniform(data: Data) -> Operations:
    scalars = {"action": Field((), np.int64), "reward": Field((), np.float32), "done": Field((), np.bool_)}
    obs = Field(data.shape, data.dtype)
    buffer = UniformReplay(data.capacity, {"obs": obs, "next_obs": obs, **scalars}, seed=0)
    fill(data.capacity, lambda: buffer.extend(**data.many))
    return {"push 1": lambda: buffer.add(**data.one), "sample": lambda: buffer.sample(BATCH)}


def cpprb_operations(data: Data) -> Operations:
    from cpprb import PrioritizedReplayBuffer

    obs = {"shape": data.shape, "dtype": data.dtype}
    scalars = {"action": {"dtype": np.int64}, "reward": {"dtype": np.float32}, "done": {"dtype": np.bool_}}
    buffer = PrioritizedReplayBuffer(data.capacity, {"obs": obs, "next_obs": obs, **scalars}, alpha=ALPHA)
    fill(data.capacity, lambda: buffer.add(**data.many))
    turn = Turn()

    def loop() -> None:
        for _ in range(4):
            buffer.add(**data.one)
        batch = buffer.sample(BATCH, beta=BETA)
        buffer.update_priorities(batch["indexes"], data.priorities[turn.next()])

    return {
        "push 1": lambda: buffer.add(**data.one),
        "push 256": lambda: buffer.add(**data.many),
        "sample": lambda: buffer.sample(BATCH, beta=BETA),
        "update": lambda: buffer.update_priorities(data.slots[turn.next()], data.priorities[turn.other]),
        "update, nothing changes": lambda: buffer.update_priorities(data.slots[0], data.priorities[0]),
        "4 push 1, sample, update": loop,
    }


def tianshou_operations(data: Data) -> Operations:
    from tianshou.data import Batch, PrioritizedReplayBuffer

    buffer = PrioritizedReplayBuffer(data.capacity, ALPHA, BETA)
    names = {"obs": "obs", "next_obs": "obs_next", "action": "act", "reward": "rew"}
    one = {theirs: data.one[ours] for ours, theirs in names.items()}
    step = Batch(**one, terminated=False, truncated=False, info={})
    buffer.add(step)
    # Its add takes single steps: the rows are filled through its own storage, then all get a priority.
    for ours, theirs in names.items():
        stored = getattr(buffer._meta, theirs)
        stored[:] = np.resize(data.many[ours], stored.shape) if stored.ndim == 1 else data.many[ours][0]
    buffer._size, buffer._insertion_idx = data.capacity, 0
    buffer.init_weight(np.arange(data.capacity))
    turn = Turn()

    def loop() -> None:
        for _ in range(4):
            buffer.add(step)
        _batch, slots = buffer.sample(BATCH)
        buffer.update_weight(slots, data.priorities[turn.next()])

    return {
        "push 1": lambda: buffer.add(step),
        "sample": lambda: buffer.sample(BATCH),
        "update": lambda: buffer.update_weight(data.slots[turn.next()], data.priorities[turn.other]),
        "4 push 1, sample, update": loop,
    }


def torchrl_operations(data: Data) -> Operations:
    import torch
    from tensordict import TensorDict
    from torchrl.data import LazyTensorStorage, PrioritizedSampler, TensorDictReplayBuffer

    buffer = TensorDictReplayBuffer(
        storage=LazyTensorStorage(data.capacity),
        sampler=PrioritizedSampler(data.capacity, alpha=ALPHA, beta=BETA),
        batch_size=BATCH,
    )
    one = TensorDict({name: torch.as_tensor(value) for name, value in data.one.items()}, batch_size=[])
    many = TensorDict({name: torch.as_tensor(value) for name, value in data.many.items()}, batch_size=[BATCH])
    fill(data.capacity, lambda: buffer.extend(many))
    slots, priorities = torch.from_numpy(data.slots), torch.from_numpy(data.priorities).float()
    turn = Turn()

    def loop() -> None:
        for _ in range(4):
            buffer.add(one)
        batch = buffer.sample()
        buffer.update_priority(batch["index"], priorities[turn.next()])

    return {
        "push 1": lambda: buffer.add(one),
        "push 256": lambda: buffer.extend(many),
        "sample": lambda: buffer.sample(),
        "update": lambda: buffer.update_priority(slots[turn.next()], priorities[turn.other]),
        "4 push 1, sample, update": loop,
    }


def numpy_floor(data: Data) -> Operations:
    """No priorities at all: one array per field, random slots, fancy indexing."""
    rng = np.random.default_rng(0)
    columns = {name: np.repeat(values[:1], data.capacity, axis=0) for name, values in data.many.items()}

    def sample() -> object:
        slots = rng.integers(0, data.capacity, BATCH)
        return [column[slots] for column in columns.values()]

    return {"sample": sample}


class Turn:
    """Cycles through the prepared slots and, out of step, priorities: each slot's priority changes."""

    def __init__(self) -> None:
        self.now = self.other = 0

    def next(self) -> int:
        self.now = (self.now + 1) % 64
        self.other = (self.other + 1) % 61
        return self.now


def fill(capacity: int, push: Callable[[], object]) -> None:
    for _ in range(-(-capacity // BATCH)):
        push()


def contenders() -> dict[str, Callable[[Data], Operations]]:
    found: dict[str, Callable[[Data], Operations]] = {OURS: goldsplit_operations}
    for name, make in (("cpprb", cpprb_operations), ("tianshou", tianshou_operations)):
        if importlib.util.find_spec(name) is None:
            print(f"{name}: not installed, left out (pip install 'goldsplit[bench]')")
        else:
            found[name] = make
    try:
        import torchrl  # noqa: F401
    except Exception as error:  # a broken binary raises more than ImportError
        print(f"torchrl: does not load here, left out ({type(error).__name__})")
    else:
        found["torchrl"] = torchrl_operations
    found["goldsplit uniform"] = goldsplit_uniform
    found["numpy uniform (floor)"] = numpy_floor
    return found


def run(data: Data, rounds: int, calls: dict[str, int]) -> dict[str, dict[str, Timing]]:
    operations = {name: make(data) for name, make in contenders().items()}
    timings = {}
    for operation, inner in calls.items():
        variants = {name: ops[operation] for name, ops in operations.items() if operation in ops}
        timings[operation] = interleave(variants, rounds, inner)
        print_table(
            f"{operation}, capacity {data.capacity}, obs {data.shape} {data.dtype}", timings[operation], OURS
        )
    return timings


def judge(timings: dict[str, dict[str, Timing]], bars: list[tuple[str, str, float]]) -> list[dict[str, Any]]:
    verdicts = []
    for operation, peer, least in bars:
        if peer not in timings[operation]:
            continue
        seen = ratio(timings[operation][peer], timings[operation][OURS])
        verdict = {
            "operation": operation,
            "peer": peer,
            "bar": least,
            "cpu": seen.cpu,
            "met": seen.cpu >= least,
        }
        verdicts.append(verdict)
        outcome = "met" if verdict["met"] else "SHORT"
        print(f"  bar {operation:<10} {least:>4}x {peer:<9} {outcome:<6} cpu {seen.cpu:.2f}x")
    return verdicts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--capacities", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument(
        "--image", action="store_true", help="obs (4, 84, 84) uint8 instead of (323,) float32"
    )
    options = parser.parse_args()
    calls = {
        "push 1": 300,
        "push 256": 8,
        "sample": 20,
        "update": 40,
        "update, nothing changes": 40,
        "4 push 1, sample, update": 10,
    }
    shape: tuple[int, ...] = (323,)
    dtype, bars, capacities = np.float32, BARS, options.capacities
    if options.image:
        shape, dtype, bars = (4, 84, 84), np.uint8, IMAGE_BARS
        capacities = [20_000] if options.capacities == [100_000, 1_000_000] else options.capacities
        calls = {"push 1": 50, "sample": 2}
    payload = {}
    for capacity in capacities:
        timings = run(Data(shape, dtype, capacity), options.rounds, calls)
        payload[str(capacity)] = {
            "operations": {name: summary(t, OURS) for name, t in timings.items()},
            "bars": judge(timings, bars),
        }
    write_json("fast_replay_image" if options.image else "fast_replay", payload)


if __name__ == "__main__":
    main()
