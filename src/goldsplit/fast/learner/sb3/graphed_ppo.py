"""GraphedPPO: SB3's PPO with each minibatch's update and each step's forward pass as CUDA graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from gymnasium import spaces
from stable_baselines3 import PPO
from stable_baselines3.common.utils import explained_variance

from goldsplit.fast.learner.graphed_update import GraphedUpdate
from goldsplit.fast.learner.sb3.graphed_acting import GraphedAlgorithm, samples_on_host

# The columns of the figures that each minibatch leaves on the device.
_POLICY, _VALUE, _ENTROPY, _KL, _CLIPPED, _LOSS, _STOPPED = range(7)


class GraphedUpdates(GraphedAlgorithm):
    """The training half, shared with the masked one."""

    rollout_buffer: Any
    policy: Any
    logger: Any
    _n_updates: int

    def _setup_model(self) -> None:
        super()._setup_model()  # type: ignore[misc]
        self._graphed: dict[str, GraphedUpdate] = {}
        self._stop = torch.zeros((), device=self.policy.device)

    def _updates(self) -> dict[str, GraphedUpdate]:
        if not self._graphed:
            self._graphed["update"] = self._graphed_update(self._update, [self.policy.optimizer])
        return self._graphed

    def train(self) -> None:
        self._update_learning_rate(self.policy.optimizer)
        update = self._updates()["update"]
        progress = self._current_progress_remaining
        clip_range = self.clip_range(progress)
        clip_range_vf = None if self.clip_range_vf is None else self.clip_range_vf(progress)
        numbers = np.array([clip_range, clip_range_vf or 0.0, self.ent_coef, self.vf_coef], np.float32)
        settings = (self.normalize_advantage, clip_range_vf is not None, self.max_grad_norm, self.target_kl)
        self._stop.zero_()
        epochs: list[list[torch.Tensor]] = []
        with samples_on_host(self.rollout_buffer):
            for _ in range(self.n_epochs):
                batches = self.rollout_buffer.get(self.batch_size)
                epochs.append([update(batch, numbers, *settings) for batch in batches])
                self._n_updates += 1
                # The device has stopped by itself; the host learns of it once an epoch.
                if self.target_kl is not None and bool(self._stop):
                    break
        self._log(epochs, clip_range, clip_range_vf)

    def _update(
        self,
        batch: Any,
        numbers: torch.Tensor,
        normalize: bool,
        clips_values: bool,
        max_grad_norm: float,
        target_kl: float | None,
    ) -> torch.Tensor:
        self.policy.set_training_mode(True)
        clip_range, clip_range_vf, ent_coef, vf_coef = numbers.unbind()
        values, log_prob, entropy = self._evaluated(batch)
        values = values.flatten()
        advantages = batch.advantages
        if normalize and len(advantages) > 1:
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        log_ratio = log_prob - batch.old_log_prob
        ratio = torch.exp(log_ratio)
        clipped = torch.clamp(ratio, 1 - clip_range, 1 + clip_range)
        policy_loss = -torch.min(advantages * ratio, advantages * clipped).mean()
        if clips_values:
            moved = torch.clamp(values - batch.old_values, -clip_range_vf, clip_range_vf)
            values = batch.old_values + moved
        value_loss = F.mse_loss(batch.returns, values)
        entropy_loss = torch.mean(log_prob) if entropy is None else -torch.mean(entropy)
        loss = policy_loss + ent_coef * entropy_loss + vf_coef * value_loss
        with torch.no_grad():
            approx_kl = torch.mean((ratio - 1) - log_ratio)
            clip_fraction = torch.mean((torch.abs(ratio - 1) > clip_range).float())
            if target_kl is not None:
                self._stop.copy_(torch.maximum(self._stop, (approx_kl > 1.5 * target_kl).float()))
        self.policy.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.policy.parameters(), max_grad_norm)
        self._step_unless_stopped(target_kl)
        figures = [policy_loss, value_loss, entropy_loss, approx_kl, clip_fraction, loss, self._stop]
        return torch.stack(figures).detach()

    def _step_unless_stopped(self, target_kl: float | None) -> None:
        """SB3 does not step once the policy has moved too far: the fused optimizer skips the step."""
        optimizer = self.policy.optimizer
        if target_kl is None:
            optimizer.step()
        elif optimizer.param_groups[0].get("fused"):
            optimizer.found_inf = self._stop
            try:
                optimizer.step()
            finally:
                del optimizer.found_inf
        elif not bool(self._stop):  # a wait, so that such an update stays eager and says so
            optimizer.step()

    def _evaluated(self, batch: Any) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        result: tuple[torch.Tensor, torch.Tensor, torch.Tensor | None] = self.policy.evaluate_actions(
            batch.observations, self._actions(batch)
        )
        return result

    def _actions(self, batch: Any) -> torch.Tensor:
        actions: torch.Tensor = batch.actions
        return actions.long().flatten() if isinstance(self.action_space, spaces.Discrete) else actions

    def _log(self, epochs: list[list[torch.Tensor]], clip_range: float, clip_range_vf: float | None) -> None:
        figures = torch.stack([row for epoch in epochs for row in epoch]).cpu().numpy()  # one wait for all
        stopped = np.flatnonzero(figures[:, _STOPPED])
        counted = figures[: stopped[0] + 1] if len(stopped) else figures
        last_epoch = counted[sum(map(len, epochs[:-1])) :]
        record = self.logger.record
        record("train/entropy_loss", counted[:, _ENTROPY].mean())
        record("train/policy_gradient_loss", counted[:, _POLICY].mean())
        record("train/value_loss", counted[:, _VALUE].mean())
        record("train/approx_kl", last_epoch[:, _KL].mean())
        record("train/clip_fraction", counted[:, _CLIPPED].mean())
        record("train/loss", float(counted[-1, _LOSS]))
        buffer = self.rollout_buffer
        record(
            "train/explained_variance", explained_variance(buffer.values.flatten(), buffer.returns.flatten())
        )
        if hasattr(self.policy, "log_std"):
            record("train/std", torch.exp(self.policy.log_std).mean().item())
        record("train/n_updates", self._n_updates, exclude="tensorboard")
        record("train/clip_range", clip_range)
        if clip_range_vf is not None:
            record("train/clip_range_vf", clip_range_vf)
        if len(stopped) and self.verbose >= 1:
            kl = figures[stopped[0], _KL]
            print(f"Early stopping at step {len(epochs) - 1} due to reaching max kl: {kl:.2f}")

    def collect_rollouts(self, *args: Any, **kwargs: Any) -> Any:
        with self._acting_by_graphs():
            return super().collect_rollouts(*args, **kwargs)  # type: ignore[misc]

    def predict(self, *args: Any, **kwargs: Any) -> Any:
        with self._acting_by_graphs():
            return super().predict(*args, **kwargs)  # type: ignore[misc]

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "_stop"]


class GraphedPPO(GraphedUpdates, PPO):
    """Same arguments, files and learning as `PPO`.

    Figures are read from the device once per `train()`. `target_kl` stops the updates on the device at the
    same minibatch as SB3 does; the host learns of it at the end of the epoch.
    """
