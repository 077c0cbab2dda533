"""Sampling, learning and new priorities as one graph: recorded graphs over a buffer of CPU tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from goldsplit.fast.learner import GraphedUpdate
from goldsplit.fast.replay import Field
from goldsplit.fast.replay.device import DevicePrioritizedReplay

FIELDS = {"x": Field((4,), np.float32), "n": Field((), np.int64)}


def run(graphs: Any, steps: int) -> tuple[DevicePrioritizedReplay, list[list[int]], GraphedUpdate]:
    replay = DevicePrioritizedReplay(32, FIELDS, device="cpu", seed=0)

    def step() -> Any:
        batch = replay.draw(8)
        replay.write_priorities(batch.indices, batch.x[:, 0] + 1)
        return batch.n, batch.weights

    update = GraphedUpdate(step, optimizers=[], device="cpu", generators=[replay.generator], backend=graphs)
    drawn = []
    for i in range(steps):
        replay.add(x=np.full(4, i, np.float32), n=i)
        replay.flush()
        numbers, weights = update()
        assert (numbers <= i).all()
        assert (numbers > i - 32).all()
        assert ((weights > 0) & (weights <= 1)).all()
        drawn.append(numbers.tolist())
    return replay, drawn, update


def test_the_graph_sees_what_was_added_since_and_its_own_priorities(graphs: Any) -> None:
    replay, drawn, update = run(graphs, 60)
    assert update.mode == "graph", update.reason
    assert len({tuple(numbers) for numbers in drawn[10:]}) > 40
    leaves = replay._priorities.leaves
    stored = replay["n"].float() + 1
    set_ones = torch.isclose(leaves, stored.pow(replay.alpha), rtol=1e-4)
    assert set_ones.sum() > 5
    assert replay.refused == 0
