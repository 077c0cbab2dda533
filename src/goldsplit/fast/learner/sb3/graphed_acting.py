"""Acting for SB3's algorithms: a stand-in for the policy that chooses actions by replayed graphs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.preprocessing import maybe_transpose

from goldsplit.fast.learner.capturable import plain_state_dict
from goldsplit.fast.learner.graphed_call import EAGER, GraphOptions
from goldsplit.fast.learner.graphed_policy import GraphedPolicy
from goldsplit.fast.learner.graphed_update import GraphedUpdate
from goldsplit.fast.learner.graphs import Backend


class ActingPolicy:
    """In the policy's place while actions are chosen: gets arrays of the host and gives tensors of the host.

    `act` and `choose` are functions of (observations, deterministic, masks). Everything that is not asked for
    an action goes to the policy itself.
    """

    def __init__(
        self,
        policy: Any,
        act: Callable[..., Any],
        choose: Callable[..., Any],
        options: GraphOptions,
        backend: Backend | None,
    ) -> None:
        self._policy = policy

        def graphed(forward: Callable[..., Any]) -> GraphedPolicy:
            def in_eval_mode(*args: Any) -> Any:
                policy.set_training_mode(False)
                return forward(*args)

            # In full precision: old log-probabilities must be those that the update computes.
            plain = replace(options, amp=False)
            return GraphedPolicy(in_eval_mode, device=policy.device, options=plain, backend=backend)

        self._act, self._choose = graphed(act), graphed(choose)
        self._values = graphed(lambda obs: policy.predict_values(obs))
        if getattr(policy, "use_sde", False):
            for part in (self._act, self._choose):
                part.mode = EAGER
                part.reason = "state-dependent exploration keeps its noise outside of the graph"

    @property
    def parts(self) -> dict[str, GraphedPolicy]:
        return {"acting": self._act, "predict": self._choose, "values": self._values}

    def stands_for(self, policy: Any) -> bool:
        return self._policy is policy

    def __getattr__(self, name: str) -> Any:
        if name == "_policy":  # of a copy in the making
            raise AttributeError(name)
        return getattr(self._policy, name)

    def __call__(
        self, obs: Any, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[torch.Tensor, ...]:
        found = self._act(obs, deterministic, self._masks(action_masks))
        return tuple(map(torch.from_numpy, found))

    def predict_values(self, obs: Any) -> torch.Tensor:
        return torch.from_numpy(self._values(obs))

    def obs_to_tensor(self, observation: Any) -> tuple[Any, bool]:
        """Observations with a leading axis, as the policy gets them, but still on the host."""
        space = self._policy.observation_space
        vectorized = self._policy.is_vectorized_observation(observation)
        if isinstance(observation, dict):
            return {key: _batch(value, space[key]) for key, value in observation.items()}, vectorized
        return _batch(observation, space), vectorized

    def set_training_mode(self, mode: bool) -> None:
        """The graphs have their mode inside: nothing has to be switched for them."""

    def predict(
        self,
        observation: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
        action_masks: Any = None,
    ) -> tuple[Any, Any]:
        if isinstance(observation, tuple):  # a common mistake, explained there
            return self._policy.predict(observation, state, episode_start, deterministic)
        arrays, vectorized = self.obs_to_tensor(observation)
        space = self._policy.action_space
        found = self._choose(arrays, deterministic, self._masks(action_masks))
        actions = found.reshape(-1, *space.shape)
        if isinstance(space, spaces.Box):
            if self._policy.squash_output:
                actions = self._policy.unscale_action(actions)
            else:
                actions = np.clip(actions, space.low, space.high)
        return (actions if vectorized else actions.squeeze(axis=0)), state

    def _masks(self, action_masks: Any) -> Any:
        if action_masks is None:
            return None
        masks = np.asarray(action_masks, np.bool_)
        return masks.reshape(-1, masks.shape[-1])


def _batch(observation: Any, space: Any) -> Any:
    array = maybe_transpose(np.asarray(observation), space)
    return array.reshape(-1, *space.shape)


class GraphedAlgorithm:
    """What the graphed algorithms share; comes before SB3's class among the bases."""

    graph_options = GraphOptions()  # set it on the class or the object before `learn`
    graph_backend: Backend | None = None
    _acting: ActingPolicy | None = None
    policy: Any
    device: Any

    def graphs(self) -> dict[str, str]:
        """What runs as a graph, what runs eagerly, and why."""
        parts: dict[str, Any] = {} if self._acting is None else dict(self._acting.parts)
        parts |= self._updates()
        return {name: part.mode + (f": {part.reason}" if part.reason else "") for name, part in parts.items()}

    def _updates(self) -> dict[str, GraphedUpdate]:
        raise NotImplementedError

    def _graphed_update(self, function: Callable[..., Any], optimizers: list[Any]) -> GraphedUpdate:
        return GraphedUpdate(
            function,
            optimizers=optimizers,
            device=self.policy.device,
            options=self.graph_options,
            backend=self.graph_backend,
        )

    if TYPE_CHECKING:  # everything else is SB3's

        def __getattr__(self, name: str) -> Any: ...

    def _act(self, policy: Any, obs: Any, deterministic: bool, masks: Any) -> Any:
        """Actions, values and log-probabilities, on the device."""
        return policy.forward(obs, deterministic)

    def _choose(self, policy: Any, obs: Any, deterministic: bool, masks: Any) -> Any:
        """Actions alone, on the device."""
        return policy._predict(obs, deterministic)

    @contextlib.contextmanager
    def _acting_by_graphs(self) -> Iterator[None]:
        """Choose actions by graphs in the block; observations stay on the host until the one copy."""
        policy, device = self.policy, self.device
        if isinstance(policy, ActingPolicy):
            yield
            return
        if self._acting is None or not self._acting.stands_for(policy):
            self._acting = ActingPolicy(
                policy,
                lambda *args: self._act(policy, *args),
                lambda *args: self._choose(policy, *args),
                self.graph_options,
                self.graph_backend,
            )
        self.policy, self.device = self._acting, torch.device("cpu")
        try:
            yield
        finally:
            self.policy, self.device = policy, device

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "_acting", "_graphed", "graph_backend"]  # type: ignore[misc]

    def get_parameters(self) -> dict[str, Any]:
        """As SB3's, with the optimizer in its plain form: the file loads on any device, also by SB3."""
        parameters: dict[str, Any] = super().get_parameters()  # type: ignore[misc]
        if "policy.optimizer" in parameters:
            parameters["policy.optimizer"] = plain_state_dict(self.policy.optimizer)
        return parameters


@contextlib.contextmanager
def samples_on_host(buffer: Any) -> Iterator[None]:
    """The buffer's batches stay on the host: they travel to the graph in one copy."""
    device = buffer.device
    buffer.device = torch.device("cpu")
    try:
        yield
    finally:
        buffer.device = device
