"""Epsilon-greedy play in both surroundings: the best valid action, or now and then any valid one.

The law is the same: a game explores with the probability epsilon, and then each of its valid actions is
equally likely. An action that the mask forbids is never chosen.

- **plain**: a draw per game in Python, and each game that explores is asked for an action of its own;
- **fast**: one forward pass and one compiled choice for all games; on CUDA both as one captured graph.
"""

from __future__ import annotations

import random
from typing import Any, Protocol

import numpy as np
import torch
from numba import njit
from torch import nn

from goldsplit.api import stage
from goldsplit.fast.learner import GraphedPolicy, epsilon_greedy
from goldsplit.model.stage import ACT
from goldsplit.train.errors import TrainError
from goldsplit.train.networks import QNetwork
from goldsplit.train.options import DqnOptions
from goldsplit.train.updating.lean_q import Layers, fits
from goldsplit.train.worlds import Actions, Masks, Observations, World

#: Of so many games all are asked for values: leaving the others out costs as much.
MOSTLY = 0.85


class Explorer(Protocol):
    """Chooses actions for all games, with the network as it is now."""

    def act(self, obs: Observations, masks: Masks, epsilon: float) -> Actions: ...

    def state(self) -> Any:
        """Its random numbers from here on."""

    def restore(self, state: Any) -> None: ...


def make_explorer(options: DqnOptions, network: nn.Module, device: torch.device, world: World) -> Explorer:
    """The explorer of these options."""
    if options.surroundings == "plain":
        return PlainExplorer(network, device, world, options.seed)
    if device.type == "cuda" and options.graph:
        return GraphedExplorer(network, device)
    return FastExplorer(network, device, options.seed)


class PlainExplorer:
    """Game by game, as authors write it."""

    def __init__(self, network: nn.Module, device: torch.device, world: World, seed: int) -> None:
        self._network, self._device, self._world = network, device, world
        self._random = random.Random(seed)

    def act(self, obs: Observations, masks: Masks, epsilon: float) -> Actions:
        with torch.no_grad():
            values = self._network(torch.tensor(np.array(obs)).to(self._device))
            values[~torch.tensor(masks).to(self._device)] = -torch.inf
        chosen = []
        for row in range(len(obs)):
            if not any(masks[row]):
                raise nothing_allowed(row)
            if self._random.random() < epsilon:
                chosen.append(int(self._world.sample_actions([row])[0]))
            else:
                chosen.append(values[row].argmax().item())
        return np.array(chosen, dtype=np.int64)

    def state(self) -> Any:
        return self._random.getstate()

    def restore(self, state: Any) -> None:
        self._random.setstate(state)


class FastExplorer:
    """All games at once; on the CPU, or with an eager network on a device."""

    def __init__(self, network: nn.Module, device: torch.device, seed: int) -> None:
        self._network, self._device = network, device
        self._rng = np.random.default_rng(seed)
        self._layers: Layers | None = None

    @stage(ACT)
    def act(self, obs: Observations, masks: Masks, epsilon: float) -> Actions:
        uniforms = self._rng.random((2, len(obs)))
        with torch.no_grad():
            values, places = self._values(obs, uniforms[0] >= epsilon)
        actions: Actions = np.empty(len(obs), np.int64)
        stuck = choose(values, places, masks, uniforms, epsilon, actions)
        if stuck >= 0:
            raise nothing_allowed(stuck)
        return actions

    def _values(self, obs: Observations, wanted: Any) -> tuple[Any, Any]:
        """Values of actions, and in which row those of each game are.

        Small networks on the CPU are asked without the modules around their layers, and while many games
        explore only for those that do not: nobody reads the values of the others.
        """
        layers = self._layers_for(len(obs))
        if layers is None:
            values = self._network(torch.from_numpy(obs).to(self._device)).cpu().numpy()
            return values, np.arange(len(obs))
        count = int(np.count_nonzero(wanted))
        if count > MOSTLY * len(obs):
            known = layers.values_of(torch.from_numpy(obs))
            return (known + layers.last_bias[:, None]).T, np.arange(len(obs))
        known = layers.values_of(torch.from_numpy(obs[wanted]))[:, :count]
        return (known + layers.last_bias[:, None]).T, np.cumsum(wanted) - 1

    def _layers_for(self, rows: int) -> Layers | None:
        if self._layers is None or self._layers.rows != rows:
            is_small = isinstance(self._network, QNetwork) and fits(self._network)
            if not is_small or self._device.type != "cpu":
                return None
            self._layers = Layers(self._network, rows)
        return self._layers

    def state(self) -> Any:
        return self._rng.bit_generator.state

    def restore(self, state: Any) -> None:
        self._rng.bit_generator.state = state


class GraphedExplorer:
    """Forward pass, draws and choice as one CUDA graph, with the random numbers of the device."""

    def __init__(self, network: nn.Module, device: torch.device) -> None:
        self._epsilon = np.zeros(1, np.float32)
        self.graph = GraphedPolicy(
            lambda obs, masks, epsilon: epsilon_greedy(network(obs), epsilon, masks), device=device
        )

    def act(self, obs: Observations, masks: Masks, epsilon: float) -> Actions:
        if not masks.any(axis=1).all():
            raise nothing_allowed(int(np.argmin(masks.any(axis=1))))
        self._epsilon[0] = epsilon
        actions: Actions = self.graph(obs, masks, self._epsilon)
        return actions

    def state(self) -> Any:
        """Nothing of its own: checkpoints keep the device's generator."""
        return None

    def restore(self, state: Any) -> None:
        pass


@njit(cache=True)
def choose(values: Any, places: Any, masks: Any, uniforms: Any, epsilon: float, actions: Any) -> int:
    """An action for each game by two uniform numbers of its own; the first game that allows none, or -1. The
    values of a game that does not explore are in its place's row."""
    for row in range(masks.shape[0]):
        explores, allowed, best = uniforms[0, row] < epsilon, 0, -1
        for action in range(masks.shape[1]):
            if masks[row, action]:
                allowed += 1
                if best < 0 or (not explores and values[places[row], action] > values[places[row], best]):
                    best = action
        if allowed == 0:
            return row
        if explores:
            rank = int(uniforms[1, row] * allowed)
            for action in range(masks.shape[1]):
                if masks[row, action]:
                    if rank == 0:
                        best = action
                        break
                    rank -= 1
        actions[row] = best
    return -1


def nothing_allowed(row: int) -> TrainError:
    """The error for a game without a valid action."""
    return TrainError(
        f"game {row} allows no action",
        "a game without a valid action should end, or allow a pass",
    )
