"""SB3's algorithms by graphs learn what SB3's own learn: same seed, same weights, on the CPU."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.vec_env import DummyVecEnv

from goldsplit.fast.learner import GraphOptions
from goldsplit.fast.learner.sb3 import GraphedDQN, GraphedPPO
from goldsplit.fast.learner.sb3.graphed_masked_ppo import GraphedMaskablePPO

pytestmark = pytest.mark.filterwarnings("ignore:You have specified a mini-batch size")

DQN_SETTINGS = {"learning_starts": 20, "buffer_size": 300, "target_update_interval": 12, "batch_size": 16}
PPO_SETTINGS = {"n_steps": 50, "batch_size": 32, "n_epochs": 3}  # the last minibatch of an epoch is smaller
NET = {"net_arch": [16, 16]}


class Corridor(gym.Env[Any, Any]):
    """Walk right; short episodes, some of them truncated; one of three actions is always forbidden."""

    def __init__(self, action_space: Any = None, observation_space: Any = None) -> None:
        self.action_space = action_space or spaces.Discrete(3)
        self.observation_space = observation_space or spaces.Box(-1, 1, (3,), np.float32)
        self._random = np.random.default_rng(0)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self._at, self._time = 0, 0
        return self._observation(), {}

    def step(self, action: Any) -> Any:
        self._at += int(np.sum(action) > 0)
        self._time += 1
        return self._observation(), float(self._at), self._at >= 4, self._time >= 6, {}

    def action_masks(self) -> Any:
        return np.arange(3) != self._time % 3

    def _observation(self) -> Any:
        shape = (3,) if isinstance(self.observation_space, spaces.Dict) else self.observation_space.shape
        values = self._random.uniform(-1, 1, shape).astype(np.float32)
        return {"a": values, "b": values[:2]} if isinstance(self.observation_space, spaces.Dict) else values


def weights(model: Any) -> torch.Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in model.policy.parameters()])


def learnt(
    kind: Any, steps: int, env: Any = None, graphs: Any = None, policy: str = "MlpPolicy", **more: Any
) -> Any:
    settings = DQN_SETTINGS if issubclass(kind, DQN) else PPO_SETTINGS
    env = DummyVecEnv([env or Corridor])
    model = kind(policy, env, seed=1, device="cpu", policy_kwargs=dict(NET), **{**settings, **more})
    if graphs is not None:
        model.graph_backend = graphs
    return model.learn(steps)


PAIRS = [(DQN, GraphedDQN, 200), (PPO, GraphedPPO, 300), (MaskablePPO, GraphedMaskablePPO, 300)]


@pytest.mark.parametrize(("plain", "kind", "steps"), PAIRS, ids=lambda value: getattr(value, "__name__", ""))
def test_without_a_device_the_weights_are_those_of_sb3(plain: Any, kind: Any, steps: int) -> None:
    expected, model = learnt(plain, steps), learnt(kind, steps)
    torch.testing.assert_close(weights(model), weights(expected), rtol=1e-5, atol=1e-7)
    assert model._n_updates == expected._n_updates
    assert all(state.startswith("eager: the device is cpu") for state in model.graphs().values())
    shared = {"train/n_updates", "time/total_timesteps"} & set(expected.logger.name_to_value)
    assert all(model.logger.name_to_value[key] == expected.logger.name_to_value[key] for key in shared)


@pytest.mark.parametrize(("plain", "kind", "steps"), PAIRS, ids=lambda value: getattr(value, "__name__", ""))
def test_by_graphs_the_weights_are_those_of_sb3(plain: Any, kind: Any, steps: int, graphs: Any) -> None:
    expected, model = learnt(plain, steps), learnt(kind, steps, graphs=graphs)
    states = model.graphs()
    acting = "predict" if kind is GraphedDQN else "acting"
    assert (states["update"], states[acting]) == ("graph", "graph"), states
    torch.testing.assert_close(weights(model), weights(expected), rtol=1e-3, atol=1e-4)
    if kind is not GraphedDQN:
        assert model._graphed["update"].graphs == 2  # the whole minibatch and the smaller one
        for key in ("train/approx_kl", "train/clip_fraction", "train/value_loss", "train/entropy_loss"):
            found, wanted = (side.logger.name_to_value[key] for side in (model, expected))
            assert found == pytest.approx(wanted, rel=1e-2, abs=1e-4)
    else:
        assert states["target"] == "graph"


@pytest.mark.parametrize("graphed", [False, True])
@pytest.mark.parametrize("target_kl", [0.0005, 0.001, 10.0])
def test_target_kl_stops_at_the_same_minibatch(target_kl: float, graphed: bool, graphs: Any) -> None:
    settings = {"target_kl": target_kl, "learning_rate": 0.01}
    expected = learnt(PPO, 300, **settings)
    model = learnt(GraphedPPO, 300, graphs=graphs if graphed else None, **settings)
    assert model._n_updates == expected._n_updates
    assert (expected._n_updates < 18) == (target_kl < 1)
    torch.testing.assert_close(weights(model), weights(expected), rtol=1e-3, atol=1e-4)
    for key in ("train/approx_kl", "train/policy_gradient_loss", "train/loss"):
        found, wanted = (side.logger.name_to_value[key] for side in (model, expected))
        assert found == pytest.approx(wanted, rel=1e-2, abs=1e-4)
    if graphed:
        assert model.graphs()["update"] == "graph"


def test_an_optimizer_that_cannot_skip_stays_eager_under_target_kl(graphs: Any) -> None:
    kind = {"policy_kwargs": {**NET, "optimizer_class": torch.optim.RMSprop}}
    model = GraphedPPO(
        "MlpPolicy", Corridor(), seed=1, device="cpu", target_kl=0.5, **{**PPO_SETTINGS, **kind}
    )
    model.graph_backend = graphs
    model.learn(150)
    assert model.graphs()["update"].startswith("eager: the function waits for the device at ")


@pytest.mark.parametrize(
    "space", [spaces.Box(-1, 1, (2,), np.float32), spaces.MultiDiscrete([2, 3]), spaces.MultiBinary(3)]
)
def test_ppo_takes_every_kind_of_action(space: Any, graphs: Any) -> None:
    expected = learnt(PPO, 200, env=lambda: Corridor(space))
    model = learnt(GraphedPPO, 200, env=lambda: Corridor(space), graphs=graphs)
    assert model.graphs()["acting"] == "graph", model.graphs()
    torch.testing.assert_close(weights(model), weights(expected), rtol=1e-3, atol=1e-4)
    assert space.contains(model.predict(np.zeros(3, np.float32))[0])


def test_dict_observations_clipped_values_and_schedules(graphs: Any) -> None:
    box = spaces.Box(-1, 1, (3,), np.float32)
    space = spaces.Dict({"a": box, "b": spaces.Box(-1, 1, (2,), np.float32)})
    settings = {
        "clip_range_vf": 0.2,
        "learning_rate": lambda left: 0.003 * left,
        "clip_range": lambda left: 0.3 * left,
    }
    env = lambda: Corridor(observation_space=space)  # noqa: E731
    expected = learnt(PPO, 300, env=env, policy="MultiInputPolicy", **settings)
    model = learnt(GraphedPPO, 300, env=env, graphs=graphs, policy="MultiInputPolicy", **settings)
    torch.testing.assert_close(weights(model), weights(expected), rtol=1e-3, atol=1e-4)
    assert model._graphed["update"].captures == 2
    assert model.logger.name_to_value["train/clip_range_vf"] == 0.2


@pytest.mark.parametrize(("plain", "kind", "steps"), PAIRS, ids=lambda value: getattr(value, "__name__", ""))
def test_files_go_both_ways(plain: Any, kind: Any, steps: int, graphs: Any, tmp_path: Any) -> None:
    model = learnt(kind, steps, graphs=graphs)
    model.save(tmp_path / "model.zip")
    for reader in (kind, plain):
        loaded = reader.load(tmp_path / "model.zip", env=model.get_env(), device="cpu")
        assert torch.equal(weights(loaded), weights(model))
        group = loaded.policy.optimizer.param_groups[0]
        assert group["capturable"] is False
        assert type(group["lr"]) is float
        loaded.learn(100, reset_num_timesteps=False)
    learnt(plain, 60).save(tmp_path / "plain.zip")
    assert kind.load(tmp_path / "plain.zip", env=model.get_env(), device="cpu").learn(60) is not None


def test_a_loaded_model_is_captured_anew(graphs: Any) -> None:
    model = learnt(GraphedPPO, 150, graphs=graphs)
    captures = model._graphed["update"].captures
    model.set_parameters(model.get_parameters())
    model.learn(150, reset_num_timesteps=False)
    assert model._graphed["update"].captures > captures
    assert model.graphs()["update"] == "graph"


def test_prediction_is_that_of_the_policy(graphs: Any) -> None:
    model = learnt(GraphedPPO, 60, graphs=graphs)
    one, many = np.ones(3, np.float32), np.random.default_rng(0).uniform(-1, 1, (9, 3)).astype(np.float32)
    for _ in range(5):
        for observation in (one, many):
            found, _ = model.predict(observation, deterministic=True)
            expected, _ = model.policy.predict(observation, deterministic=True)
            assert np.array_equal(found, expected)
            assert found.shape == expected.shape
    with pytest.raises(ValueError, match="passed a tuple to the predict"):
        model.predict((one, {}))


def test_state_dependent_exploration_acts_eagerly_and_says_why(graphs: Any) -> None:
    box = spaces.Box(-1, 1, (2,), np.float32)
    model = learnt(GraphedPPO, 100, env=lambda: Corridor(box), graphs=graphs, use_sde=True)
    assert model.graphs()["acting"].startswith("eager: state-dependent exploration")


def test_dqn_reads_its_loss_when_the_logs_are_written(graphs: Any) -> None:
    model = learnt(GraphedDQN, 120, graphs=graphs)
    assert "train/loss" not in model.logger.name_to_value
    shown: dict[str, Any] = {}
    model.logger.dump = lambda step=0: shown.update(model.logger.name_to_value)
    model.dump_logs()
    assert shown["train/loss"] > 0


@pytest.mark.parametrize("kind", [GraphedDQN, GraphedPPO])
def test_mixed_precision_is_for_the_update_alone(kind: Any, graphs: Any) -> None:
    class Mixed(kind):  # type: ignore[misc]
        graph_options = GraphOptions(amp=True)

    model = learnt(Mixed, 150, graphs=graphs)
    assert model.graphs()["update"] == "graph"
    assert not model._acting.parts["acting"].options.amp
    assert torch.isfinite(weights(model)).all()


def test_options_reach_the_graphs(graphs: Any) -> None:
    class Careful(GraphedDQN):
        graph_options = GraphOptions(warmup=5, fused=False)

    model = learnt(Careful, 120, graphs=graphs)
    assert model.policy.optimizer.param_groups[0]["fused"] is None
    assert model._graphed["update"].options.warmup == 5
