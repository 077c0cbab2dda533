"""Replay on the device, on CPU tensors: priorities and their definition, late ones, n-step, tensors."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import torch

from goldsplit.fast.replay import Field, NStep
from goldsplit.fast.replay.device import DevicePrioritizedReplay, DeviceReplay
from goldsplit.fast.replay.device_priorities import DevicePriorities
from goldsplit.fast.replay.reference import draw_slots, importance_weights, n_step

FIELDS = {"obs": Field((3,), np.float32), "action": Field((), np.int64), "flag": Field((), np.bool_)}


def made(capacity: int = 50, **more: Any) -> DevicePrioritizedReplay:
    return DevicePrioritizedReplay(capacity, FIELDS, device="cpu", seed=0, **more)


def columns(numbers: Any) -> dict[str, Any]:
    numbers = np.asarray(numbers)
    return {
        "obs": np.repeat(numbers[:, None], 3, 1).astype(np.float32),
        "action": numbers.astype(np.int64),
        "flag": numbers % 2 == 0,
    }


@pytest.mark.parametrize("capacity", [1, 7, 64, 1000, 5000])
def test_draws_and_weights_are_those_of_the_definition(capacity: int) -> None:
    rng = np.random.default_rng(capacity)
    leaves = rng.random(capacity, np.float32) + 0.01
    leaves[rng.random(capacity) < 0.3] = 0.0
    leaves[rng.integers(capacity)] = 0.5
    priorities = DevicePriorities(capacity, torch.device("cpu"))
    priorities.rebuild(torch.from_numpy(leaves))
    uniforms = rng.random(200)
    slots = priorities.draw(torch.from_numpy(uniforms))
    expected = draw_slots(leaves, uniforms)
    assert np.mean(slots.numpy() == expected) > 0.99  # rounding may move a draw at a border by one slot
    assert (leaves[slots] > 0).all()
    weights = priorities.weights(slots, torch.tensor(0.4))
    np.testing.assert_allclose(weights, importance_weights(leaves, slots.numpy(), 0.4), rtol=1e-4)
    assert priorities.total().item() == pytest.approx(leaves.sum(dtype=np.float64))


def test_draws_at_the_very_ends_stay_inside() -> None:
    priorities = DevicePriorities(100, torch.device("cpu"))
    priorities.fill(20, 30, torch.tensor(0.1))
    for uniform in (0.0, 1.0 - 2**-53):
        slots = priorities.draw(torch.full((64,), uniform, dtype=torch.float64))
        assert ((slots >= 20) & (slots < 50)).all()


def test_after_many_updates_the_sums_are_those_of_the_leaves() -> None:
    priorities = DevicePriorities(777, torch.device("cpu"))
    priorities.fill(0, 777, torch.tensor(1.0))
    generator = torch.Generator().manual_seed(0)
    for _ in range(200):
        slots = torch.randint(0, 777, (32,), generator=generator)
        priorities.update(slots, torch.rand(32, generator=generator) * 100)
    again = DevicePriorities(777, torch.device("cpu"))
    again.rebuild(priorities.leaves.clone())
    assert torch.equal(again._sums, priorities._sums)
    assert torch.equal(again._mins, priorities._mins)


def test_updated_priorities_decide_the_probabilities() -> None:
    buffer = made(alpha=0.5)
    slots = buffer.extend(**columns(range(4)))
    buffer.update_priorities(slots, torch.tensor([1.0, 4.0, 9.0, 16.0]))
    torch.testing.assert_close(
        buffer.probabilities(), torch.tensor([0.1, 0.2, 0.3, 0.4], dtype=torch.float64)
    )
    assert buffer.max_priority == 16.0
    buffer.add(**{name: value[0] for name, value in columns([9]).items()})
    torch.testing.assert_close(buffer.probabilities()[4].item(), 4 / 14)  # the largest seen


def test_priorities_of_overwritten_slots_are_dropped() -> None:
    buffer = made(capacity=8)
    buffer.extend(**columns(range(8)))
    batch = buffer.sample(32)
    buffer.extend(**columns(range(8, 11)))  # slots 0 to 2
    buffer.update_priorities(batch.indices, torch.full((32,), 5.0))
    leaves = buffer._priorities.leaves
    assert (leaves[:3] == 1.0).all()
    assert (leaves[batch.indices[batch.indices > 2]] > 1.0).all()
    stamp = batch.indices.stamp
    buffer.update_priorities(batch.indices.clone(), torch.full((32,), 6.0), stamp=stamp)
    assert (buffer._priorities.leaves[:3] == 1.0).all()
    buffer.update_priorities(torch.tensor([0]), torch.tensor([7.0]))  # plain indices mean the present content
    assert buffer._priorities.leaves[0] > 1.0


@pytest.mark.parametrize("bad", [0.0, -1.0, float("nan"), float("inf")])
def test_a_bad_priority_is_refused_or_left_out_and_counted(bad: float) -> None:
    buffer = made()
    slots = buffer.extend(**columns(range(4)))
    with pytest.raises(ValueError, match=r"priorities\[1\] = .*must be finite and above 0\nhint"):
        buffer.update_priorities(slots, torch.tensor([1.0, bad, 1.0, 1.0]))
    quiet = made(check=False)
    slots = quiet.extend(**columns(range(4)))
    quiet.update_priorities(slots, torch.tensor([2.0, bad, 2.0, 2.0]))
    assert quiet.refused == 1
    assert torch.isfinite(quiet.probabilities()).all()
    assert quiet.max_priority == 2.0
    assert quiet._priorities.leaves[1] == 1.0


def test_wrong_shapes_and_slots_are_named() -> None:
    buffer = made()
    slots = buffer.extend(**columns(range(4)))
    with pytest.raises(ValueError, match=r"shape \(4,\) of the indices, got \(4, 1\)\nhint: flatten"):
        buffer.update_priorities(slots, torch.ones(4, 1))
    with pytest.raises(IndexError, match=r"indices\[0\] is slot 50, outside of the 50 slots"):
        buffer.update_priorities(torch.tensor([50]), torch.ones(1))
    with pytest.raises(KeyError, match="no field 'nothing'"):
        buffer["nothing"]
    with pytest.raises(ValueError, match="capacity must be at least 1"):
        made(capacity=0)
    with pytest.raises(ValueError, match="alpha must be finite"):
        made(alpha=-1.0)
    with pytest.raises(ValueError, match="more than the capacity of 50"):
        buffer.extend(**columns(range(51)))


def test_tensors_of_the_device_are_stored_without_the_host() -> None:
    buffer = DeviceReplay(10, FIELDS, device="cpu", seed=0)
    for start in (0, 7):  # the second goes across the end of the ring
        given = {name: torch.from_numpy(np.array(v)) for name, v in columns(range(start, start + 7)).items()}
        buffer.extend(**given)
    assert sorted(buffer["action"].tolist()) == list(range(4, 14))
    assert torch.equal(buffer["obs"][:, 0].long(), buffer["action"])
    with pytest.raises(ValueError, match=r"'obs' takes torch\.float32"):
        buffer.extend(**given | {"obs": given["obs"].double()})
    with pytest.raises(ValueError, match="different numbers of rows"):
        buffer.extend(**given | {"flag": given["flag"][:3]})
    with pytest.raises(TypeError, match="missing"):
        buffer.extend(obs=given["obs"])


def test_more_than_is_staged_arrives_and_memory_is_told() -> None:
    buffer = DeviceReplay(3000, FIELDS, device="cpu", seed=0)
    for number in range(1500):
        buffer.add(**{name: value[0] for name, value in columns([number]).items()})
    buffer.extend(**columns(range(1500, 4200)))
    assert sorted(buffer["action"].tolist()) == list(range(1200, 4200))
    assert buffer.nbytes == 3000 * 24
    assert buffer.next_slot == 4200 % 3000


def test_beta_can_be_annealed_and_is_saved(tmp_path: Any) -> None:
    buffer = made()
    slots = buffer.extend(**columns(range(40)))
    buffer.update_priorities(slots, torch.linspace(0.1, 4.0, 40))
    buffer.beta = 1.0
    batch = buffer.sample(64)
    leaves = buffer._priorities.leaves
    torch.testing.assert_close(batch.weights, leaves[:40].min() / leaves[batch.indices], rtol=1e-4, atol=1e-6)
    buffer.save(tmp_path / "buffer.npz")
    loaded = DevicePrioritizedReplay.load(tmp_path / "buffer.npz")
    assert (loaded.beta, loaded.alpha, loaded.max_priority) == (1.0, 0.6, 4.0)


def test_n_step_windows_reach_the_device() -> None:
    fields = {
        "obs": Field((1,), np.float32),
        "next_obs": Field((1,), np.float32),
        "reward": Field((), np.float32),
        "terminated": Field((), np.bool_),
        "discount": Field((), np.float32),
    }
    buffer = DeviceReplay(100, fields, device="cpu", seed=0)
    windows = NStep(buffer, n=3, gamma=0.9)
    steps = [
        {
            "obs": np.array([i], np.float32),
            "next_obs": np.array([i + 1], np.float32),
            "reward": float(i),
            "terminated": i % 5 == 4,
            "truncated": False,
        }
        for i in range(20)
    ]
    for step in steps:
        windows.add(**step)
    expected = n_step(steps, 3, 0.9)
    order = torch.argsort(buffer["obs"][:, 0])
    np.testing.assert_allclose(buffer["reward"][order], [step["reward"] for step in expected], rtol=1e-5)
    np.testing.assert_allclose(buffer["discount"][order], [step["discount"] for step in expected], rtol=1e-6)


def test_torch_is_imported_by_the_parts_that_need_it_and_no_others() -> None:
    code = (
        "import sys, goldsplit.fast, goldsplit.fast.replay, goldsplit.fast.categorical\n"
        "assert 'torch' not in sys.modules\n"
        "import goldsplit.fast.learner\n"
        "assert 'stable_baselines3' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
