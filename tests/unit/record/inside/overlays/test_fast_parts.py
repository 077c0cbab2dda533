"""fast:gae, fast:replay, fast:vector: goldsplit's parts in the places of a library's."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from goldsplit.record.inside.engine import ENGINE
from goldsplit.record.inside.overlays import fast_gae, fast_replay, fast_vector
from goldsplit.record.inside.overlays.changes import Changes

Changed = Callable[..., dict[str, float]]
buffers = pytest.importorskip("stable_baselines3.common.buffers")


def test_advantages_are_the_same(changed: Changed, monkeypatch: pytest.MonkeyPatch) -> None:
    import gymnasium
    import torch

    def filled() -> Any:
        rng = np.random.default_rng(3)
        box = gymnasium.spaces.Box(-1, 1, (2,), np.float32)
        buffer = buffers.RolloutBuffer(16, box, gymnasium.spaces.Discrete(2), n_envs=3, gamma=0.9)
        buffer.rewards[:], buffer.values[:] = rng.normal(size=(2, 16, 3))
        buffer.episode_starts[:] = rng.random((16, 3)) < 0.2
        return buffer

    cls = buffers.RolloutBuffer
    monkeypatch.setattr(cls, "compute_returns_and_advantage", cls.compute_returns_and_advantage)
    theirs, ours = filled(), filled()
    last, dones = torch.tensor([0.5, -0.2, 0.1]), np.array([False, True, False])
    theirs.compute_returns_and_advantage(last, dones)
    fast_gae._change(Changes("fast:gae"), buffers)
    ours.compute_returns_and_advantage(last, dones)
    np.testing.assert_allclose(ours.advantages, theirs.advantages, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(ours.returns, theirs.returns, rtol=1e-5, atol=1e-6)
    assert changed() == {"rollouts computed by goldsplit.fast": 1}
    assert not ENGINE.failures


def test_a_rollout_that_ours_refuses_is_computed_by_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[Any] = []
    module: Any = ModuleType("buffers")
    module.RolloutBuffer = type(
        "RolloutBuffer", (), {"compute_returns_and_advantage": lambda self, *args: called.append(args)}
    )
    fast_gae._change(Changes("fast:gae"), module)
    module.RolloutBuffer().compute_returns_and_advantage("last", "dones")
    assert called == [("last", "dones")]
    assert ENGINE.failures


def test_memories_are_ours(changed: Changed, monkeypatch: pytest.MonkeyPatch) -> None:
    import gymnasium

    from goldsplit.fast.replay.sb3 import GoldsplitReplayBuffer

    monkeypatch.setattr(GoldsplitReplayBuffer, "__init__", GoldsplitReplayBuffer.__init__)
    module: Any = ModuleType("off_policy_algorithm")
    module.ReplayBuffer = buffers.ReplayBuffer
    fast_replay._change(Changes("fast:replay"), module)
    box = gymnasium.spaces.Box(-1, 1, (2,), np.float32)
    made = module.ReplayBuffer(10, box, gymnasium.spaces.Discrete(2))
    assert isinstance(made, GoldsplitReplayBuffer)
    assert changed() == {"replay memories replaced": 1}


class Walk:
    """Stands for a vector environment of theirs."""

    def __init__(self, env_fns: Any, **options: Any) -> None:
        self.env_fns = env_fns


def test_vector_environments_are_ours_where_they_can_be(
    changed: Changed, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Any] = []
    monkeypatch.setattr(fast_vector, "_shared", lambda *given: made.append(given) or "ours")
    module: Any = ModuleType("gymnasium.vector.sync_vector_env")
    module.SyncVectorEnv = type("SyncVectorEnv", (Walk,), {})
    fast_vector._change(Changes("fast:vector"), module)
    assert module.SyncVectorEnv([1, 2], copy=False) == "ours"
    assert made == [("goldsplit.fast.vector:SharedVectorEnv", "inprocess", ([1, 2],), {"copy": False})]
    derived = type("Derived", (module.SyncVectorEnv,), {})
    assert isinstance(derived([1]), derived)
    assert changed() == {"SyncVectorEnv replaced": 1}


def test_options_that_ours_do_not_have(changed: Changed) -> None:
    module: Any = ModuleType("gymnasium.vector.sync_vector_env")
    module.SyncVectorEnv = type("SyncVectorEnv", (Walk,), {})
    fast_vector._change(Changes("fast:vector"), module)
    found = module.SyncVectorEnv([1, 2], worker=print)
    assert found.env_fns == [1, 2]
    assert "it was given worker" in ENGINE.events[-1]["text"]
    assert changed() == {}
