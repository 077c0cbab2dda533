"""GraphedMaskablePPO: sb3-contrib's MaskablePPO with graphed updates and graphed acting.

Graphed for Discrete actions. With other action spaces the distribution waits for the device: these parts then
run eagerly, and `graphs()` says at which line.
"""

from __future__ import annotations

from typing import Any

import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO

from goldsplit.fast.categorical_torch import MaskedCategorical
from goldsplit.fast.learner.sb3.graphed_ppo import GraphedUpdates


class GraphedMaskablePPO(GraphedUpdates, MaskablePPO):
    """Same arguments, files and learning as `MaskablePPO`; see `GraphedPPO`."""

    def _evaluated(self, batch: Any) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        actions, masks = self._actions(batch), batch.action_masks
        if not isinstance(self.action_space, spaces.Discrete):
            result: tuple[torch.Tensor, torch.Tensor, torch.Tensor | None] = self.policy.evaluate_actions(
                batch.observations, actions, action_masks=masks
            )
            return result
        policy, values = _evaluated(self.policy, batch.observations, masks)
        return values, policy.log_prob(actions), policy.entropy()

    def _act(self, policy: Any, obs: Any, deterministic: bool, masks: Any) -> Any:
        if not isinstance(self.action_space, spaces.Discrete):
            return policy.forward(obs, deterministic, action_masks=masks)
        distribution, values = _evaluated(policy, obs, masks)
        actions = distribution.mode() if deterministic else distribution.sample()
        return actions, values, distribution.log_prob(actions)

    def _choose(self, policy: Any, obs: Any, deterministic: bool, masks: Any) -> Any:
        if not isinstance(self.action_space, spaces.Discrete):
            return policy._predict(obs, deterministic, action_masks=masks)
        return self._act(policy, obs, deterministic, masks)[0]


def _evaluated(policy: Any, obs: Any, masks: Any) -> tuple[MaskedCategorical, torch.Tensor]:
    """The distribution over the allowed actions, and the values; sb3-contrib's own waits for the device."""
    features = policy.extract_features(obs)
    if policy.share_features_extractor:
        latent_pi, latent_vf = policy.mlp_extractor(features)
    else:
        latent_pi = policy.mlp_extractor.forward_actor(features[0])
        latent_vf = policy.mlp_extractor.forward_critic(features[1])
    logits = policy.action_net(latent_pi)
    allowed = None if masks is None else masks.reshape(logits.shape).bool()
    return MaskedCategorical(logits, allowed, check=False), policy.value_net(latent_vf)
