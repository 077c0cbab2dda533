"""What PPO needs around its algorithm, twice: acting, the rollout's memory, and advantages.

Both ways give the same numbers (up to rounding) for the same actions; only their cost differs:

- **plain**, as it is often written: `torch.distributions.Categorical` with its argument checks, one Python
  list entry per environment and step, one forward pass for each cut episode, advantages in a Python loop, and
  at the end one tensor per observation before they are stacked;
- **fast**: `goldsplit.fast.categorical` (on CUDA the whole forward pass as one graph), arrays that are made
  once and written in place, and `goldsplit.fast.returns`.

A rollout has `T` steps of `N` environments. Its rows are numbered step by step, `t * N + n`. Not every row is
a transition: an environment that resets by itself spends one step on that (Gymnasium's `NEXT_STEP`). Such
rows keep their place, so that all shapes stay the same, and `Experience.rows` leaves them out.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.distributions import Categorical

from goldsplit.fast import categorical
from goldsplit.fast.learner import GraphedPolicy, sample_masked
from goldsplit.fast.returns import Advantages, gae

FloatArray = NDArray[np.float32]
BoolArray = NDArray[np.bool_]
FORBIDDEN = -1e8
"""The logit of an action that the mask forbids, in the plain way; its probability is 0 in float32."""


class Choice(NamedTuple):
    """What the policy did with N observations."""

    actions: NDArray[np.int64]
    log_probs: FloatArray
    values: FloatArray


class Moment(NamedTuple):
    """One step of N environments: what was seen and chosen, and what came of it.

    `ends` is terminated or truncated; `final_obs` is read where `truncated`; `real` is False where the step
    was a mere reset.
    """

    obs: NDArray[Any]
    masks: BoolArray
    choice: Choice
    rewards: NDArray[Any]
    ends: BoolArray
    truncated: BoolArray
    final_obs: NDArray[Any]
    real: BoolArray


class Experience(NamedTuple):
    """A whole rollout as tensors of T * N rows, and the numbers of the rows that are transitions."""

    obs: torch.Tensor
    masks: torch.Tensor
    actions: torch.Tensor
    log_probs: torch.Tensor
    values: torch.Tensor
    advantages: torch.Tensor
    returns: torch.Tensor
    rows: NDArray[np.int64]


class Discount(NamedTuple):
    """How far a reward counts: `gamma` per step, `lam` the mixture of generalised advantage estimation."""

    gamma: float
    lam: float


class Actor(Protocol):
    """Chooses actions and judges observations with the network as it is now."""

    def act(self, obs: NDArray[Any], masks: BoolArray) -> Choice: ...

    def values(self, obs: NDArray[Any]) -> FloatArray: ...


class Rollout(Protocol):
    """Takes T moments, then gives them out as one experience and is empty again."""

    def add(self, moment: Moment) -> None: ...

    def finish(self, last_obs: NDArray[Any], discount: Discount) -> Experience: ...


class PlainActor:
    """Every step makes new tensors and a distribution that checks its arguments."""

    def __init__(self, network: nn.Module, device: torch.device) -> None:
        self._network, self._device = network, device

    def act(self, obs: NDArray[Any], masks: BoolArray) -> Choice:
        with torch.no_grad():
            logits, values = self._network(self._tensor(obs))
            allowed = torch.stack([torch.tensor(mask) for mask in masks]).to(self._device)
            policy = checked_categorical(logits, allowed)
            actions = policy.sample()
            log_probs = policy.log_prob(actions)
        return Choice(actions.cpu().numpy(), log_probs.cpu().numpy(), values.cpu().numpy())

    def values(self, obs: NDArray[Any]) -> FloatArray:
        with torch.no_grad():
            judged: FloatArray = self._network(self._tensor(obs))[1].cpu().numpy()
        return judged

    def _tensor(self, obs: NDArray[Any]) -> torch.Tensor:
        return torch.stack([torch.tensor(row) for row in obs]).to(self._device)


class FastActor:
    """On the CPU one forward pass and one compiled draw from `rng`; on CUDA both as one captured graph."""

    def __init__(
        self, network: nn.Module, device: torch.device, rng: np.random.Generator, *, graph: bool = True
    ) -> None:
        self._network, self._device, self._rng = network, device, rng
        self._graph: GraphedPolicy | None = None
        if graph and device.type == "cuda":
            self._graph = GraphedPolicy(self._forward, device=device)

    def act(self, obs: NDArray[Any], masks: BoolArray) -> Choice:
        if self._graph is not None:
            return Choice(*self._graph(obs, masks))
        with torch.inference_mode():
            logits, values = self._network(torch.from_numpy(obs).to(self._device))
        drawn = categorical.sample(logits.cpu().numpy(), masks, rng=self._rng)
        return Choice(drawn.actions, drawn.log_probs.astype(np.float32, copy=False), values.cpu().numpy())

    def values(self, obs: NDArray[Any]) -> FloatArray:
        with torch.inference_mode():
            judged: FloatArray = self._network(torch.from_numpy(obs).to(self._device))[1].cpu().numpy()
        return judged

    def _forward(self, obs: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, ...]:
        logits, values = self._network(obs)
        return *sample_masked(logits, masks), values


def checked_categorical(logits: torch.Tensor, masks: torch.Tensor) -> Categorical:
    """Torch's own distribution over the allowed actions, which checks its arguments each time."""
    return Categorical(logits=torch.where(masks, logits, FORBIDDEN), validate_args=True)


class PlainRollout:
    """Lists of lists: an entry for every environment of every step."""

    def __init__(self, actor: Actor, device: torch.device) -> None:
        self._actor, self._device = actor, device
        self._steps: list[list[dict[str, Any]]] = []

    def add(self, moment: Moment) -> None:
        choice, row = moment.choice, []
        for n in range(len(moment.rewards)):
            entry = {
                "obs": moment.obs[n].copy(),
                "mask": moment.masks[n].copy(),
                "action": int(choice.actions[n]),
                "log_prob": float(choice.log_probs[n]),
                "value": float(choice.values[n]),
                "reward": float(moment.rewards[n]),
                "end": bool(moment.ends[n]),
                "final_value": 0.0,
                "real": bool(moment.real[n]),
            }
            if moment.truncated[n]:
                # A cut episode would have gone on: what it was still worth stands in for the rest.
                entry["final_value"] = float(self._actor.values(moment.final_obs[n : n + 1])[0])
            row.append(entry)
        self._steps.append(row)

    def finish(self, last_obs: NDArray[Any], discount: Discount) -> Experience:
        last_values = [float(value) for value in self._actor.values(last_obs)]
        for n, last_value in enumerate(last_values):
            self._judge([row[n] for row in self._steps], last_value, discount)
        entries = [entry for row in self._steps for entry in row]
        self._steps = []
        return Experience(
            obs=torch.stack([torch.tensor(entry["obs"]) for entry in entries]).to(self._device),
            masks=torch.stack([torch.tensor(entry["mask"]) for entry in entries]).to(self._device),
            actions=torch.tensor([entry["action"] for entry in entries]).to(self._device),
            log_probs=self._numbers(entries, "log_prob"),
            values=self._numbers(entries, "value"),
            advantages=self._numbers(entries, "advantage"),
            returns=self._numbers(entries, "return"),
            rows=np.array([i for i, entry in enumerate(entries) if entry["real"]], np.int64),
        )

    @staticmethod
    def _judge(entries: list[dict[str, Any]], last_value: float, discount: Discount) -> None:
        """Generalised advantage estimation of one environment, from its last step to its first."""
        advantage, next_value = 0.0, last_value
        for entry in reversed(entries):
            if entry["end"]:
                advantage, next_value = 0.0, entry["final_value"]
            delta = entry["reward"] + discount.gamma * next_value - entry["value"]
            advantage = delta + discount.gamma * discount.lam * advantage
            entry["advantage"] = advantage
            entry["return"] = advantage + entry["value"]
            next_value = entry["value"]

    def _numbers(self, entries: list[dict[str, Any]], key: str) -> torch.Tensor:
        return torch.tensor([entry[key] for entry in entries], dtype=torch.float32).to(self._device)


class FastRollout:
    """Arrays of fixed place, written in place: on the CPU the learner's tensors are these arrays.

    On CUDA they go to tensors of fixed place in one copy each, as a captured update needs it.
    """

    def __init__(self, actor: Actor, device: torch.device, steps: int, *, pin: bool = False) -> None:
        self._actor, self._device, self._steps = actor, device, steps
        self._pin = pin and device.type == "cuda"
        self._at = 0
        self._host: list[torch.Tensor] = []
        self._given: list[torch.Tensor] = []
        self._cut: list[tuple[int, NDArray[np.int64], NDArray[Any]]] = []

    def add(self, moment: Moment) -> None:
        if not self._host:
            self._make(moment)
        t, choice = self._at, moment.choice
        self._obs[t], self._masks[t] = moment.obs, moment.masks
        self._actions[t], self._log_probs[t], self._values[t] = choice
        self._rewards[t], self._ends[t], self._real[t] = moment.rewards, moment.ends, moment.real
        if moment.truncated.any():
            ids = np.flatnonzero(moment.truncated)
            self._cut.append((t, ids, moment.final_obs[ids]))
        self._at += 1

    def finish(self, last_obs: NDArray[Any], discount: Discount) -> Experience:
        self._truncated[:] = False
        # The weights stay as they are during a rollout, so one forward pass values all that it left open.
        values = self._actor.values(np.concatenate([last_obs, *(obs for _, _, obs in self._cut)]))
        done = len(last_obs)
        for t, ids, _ in self._cut:
            self._truncated[t, ids] = True
            self._final_values[t, ids] = values[done : done + len(ids)]
            done += len(ids)
        gae(
            self._rewards,
            self._values,
            self._ends,
            values[: len(last_obs)],
            *discount,
            truncated=self._truncated,
            final_values=self._final_values,
            out=self._out,
        )
        self._at, self._cut = 0, []
        if self._given[0] is not self._host[0]:
            for given, host in zip(self._given, self._host, strict=True):
                given.copy_(host, non_blocking=self._pin)
        flat = [tensor.flatten(0, 1) for tensor in self._given]
        return Experience._make([*flat, np.flatnonzero(self._real)])

    def _make(self, moment: Moment) -> None:
        """All memory, once the first moment has shown how much a row needs."""

        def shared(like: NDArray[Any]) -> NDArray[Any]:
            tensor = torch.from_numpy(np.zeros((self._steps, *like.shape), like.dtype))
            self._host.append(tensor.pin_memory() if self._pin else tensor)
            array: NDArray[Any] = self._host[-1].numpy()
            return array

        # In the order of the fields of Experience.
        self._obs, self._masks = shared(moment.obs), shared(moment.masks)
        self._actions, self._log_probs, self._values = (shared(part) for part in moment.choice)
        self._out = Advantages(shared(moment.choice.values), shared(moment.choice.values))
        on_host = self._device.type == "cpu"
        self._given = self._host if on_host else [tensor.to(self._device) for tensor in self._host]
        shape = (self._steps, len(moment.rewards))
        self._rewards, self._final_values = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        self._ends, self._truncated, self._real = (np.zeros(shape, np.bool_) for _ in range(3))
