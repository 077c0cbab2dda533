"""GraphedDQN: SB3's DQN with the update, the target update and the forward pass as CUDA graphs."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from stable_baselines3 import DQN
from stable_baselines3.common.utils import polyak_update

from goldsplit.fast.learner.graphed_update import GraphedUpdate
from goldsplit.fast.learner.sb3.graphed_acting import GraphedAlgorithm, samples_on_host


class GraphedDQN(GraphedAlgorithm, DQN):
    """Same arguments, files and learning as `DQN`.

    `train/loss` is read from the device when the logs are written, not at every update.
    """

    def _setup_model(self) -> None:
        super()._setup_model()
        self._graphed: dict[str, GraphedUpdate] = {}
        self._losses: list[torch.Tensor] = []

    def _updates(self) -> dict[str, GraphedUpdate]:
        if not self._graphed:
            self._graphed["update"] = self._graphed_update(self._update, [self.policy.optimizer])
            self._graphed["target"] = self._graphed_update(self._move_target, [])
        return self._graphed

    def train(self, gradient_steps: int, batch_size: int = 100) -> None:
        self._update_learning_rate(self.policy.optimizer)
        update = self._updates()["update"]
        self._losses = []
        with samples_on_host(self.replay_buffer):
            for _ in range(gradient_steps):
                batch = self.replay_buffer.sample(batch_size, env=self._vec_normalize_env)
                self._losses.append(update(batch, self.gamma, self.max_grad_norm))
        self._n_updates += gradient_steps
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")

    def _update(self, batch: Any, gamma: float, max_grad_norm: float) -> torch.Tensor:
        self.policy.set_training_mode(True)
        discounts = gamma if batch.discounts is None else batch.discounts
        with torch.no_grad():
            best = self.q_net_target(batch.next_observations).max(dim=1).values.reshape(-1, 1)
            targets = batch.rewards + (1 - batch.dones) * discounts * best
        chosen = torch.gather(self.q_net(batch.observations), dim=1, index=batch.actions.long())
        loss = F.smooth_l1_loss(chosen, targets)
        self.policy.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.policy.parameters(), max_grad_norm)
        self.policy.optimizer.step()
        return loss.detach()

    def _on_step(self) -> None:
        self._n_calls += 1
        if self._n_calls % max(self.target_update_interval // self.n_envs, 1) == 0:
            self._updates()["target"](self.tau)
        self.exploration_rate = self.exploration_schedule(self._current_progress_remaining)
        self.logger.record("rollout/exploration_rate", self.exploration_rate)

    def _move_target(self, tau: float) -> None:
        polyak_update(self.q_net.parameters(), self.q_net_target.parameters(), tau)
        polyak_update(self.batch_norm_stats, self.batch_norm_stats_target, 1.0)

    def collect_rollouts(self, *args: Any, **kwargs: Any) -> Any:
        with self._acting_by_graphs():
            return super().collect_rollouts(*args, **kwargs)

    def predict(self, *args: Any, **kwargs: Any) -> Any:
        with self._acting_by_graphs():
            return super().predict(*args, **kwargs)

    def dump_logs(self) -> None:
        if self._losses:
            self.logger.record("train/loss", float(torch.stack(self._losses).mean()))
        super().dump_logs()

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "_losses"]
