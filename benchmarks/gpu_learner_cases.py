"""What `gpu_learner.py` times: a DQN update and a masked PPO minibatch, as their users write them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn

from goldsplit.fast.categorical_torch import MaskedCategorical
from goldsplit.fast.learner import GraphedUpdate, GraphOptions

OBS, HIDDEN, ACTIONS, BATCH = 323, 512, 13, 256
ROTATION = 16  # batches in turn, so that no update sees the one before


def network(outputs: int, device: str) -> nn.Sequential:
    torch.manual_seed(0)
    layers = [
        nn.Linear(OBS, HIDDEN),
        nn.ReLU(),
        nn.Linear(HIDDEN, HIDDEN),
        nn.ReLU(),
        nn.Linear(HIDDEN, outputs),
    ]
    return nn.Sequential(*layers).to(device)


class DqnCase:
    """Target, Huber loss, backward, clipping, Adam and a soft target update; 323-512-512-13, batch 256."""

    def __init__(self, device: str, **adam: Any) -> None:
        self.q, self.target = network(ACTIONS, device), network(ACTIONS, device)
        self.optimizer = torch.optim.Adam(self.q.parameters(), lr=1e-4, **adam)
        self.pairs = [list(self.target.parameters()), list(self.q.parameters())]
        generator = torch.Generator().manual_seed(1)
        self.batches = [self._batch(generator, device) for _ in range(ROTATION)]
        self.turn = 0

    def _batch(self, generator: torch.Generator, device: str) -> tuple[torch.Tensor, ...]:
        obs, next_obs = (torch.randn(BATCH, OBS, generator=generator) for _ in range(2))
        actions = torch.randint(0, ACTIONS, (BATCH, 1), generator=generator)
        rewards, ends = torch.randn(BATCH, 1, generator=generator), torch.zeros(BATCH, 1)
        return tuple(part.to(device) for part in (obs, actions, rewards, next_obs, ends))

    def next_batch(self) -> tuple[torch.Tensor, ...]:
        self.turn = (self.turn + 1) % ROTATION
        return self.batches[self.turn]

    def update(self, obs: Any, actions: Any, rewards: Any, next_obs: Any, ends: Any) -> torch.Tensor:
        with torch.no_grad():
            targets = rewards + 0.99 * (1 - ends) * self.target(next_obs).amax(1, keepdim=True)
        loss = F.smooth_l1_loss(self.q(obs).gather(1, actions), targets)
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.q.parameters(), 10.0)
        self.optimizer.step()
        with torch.no_grad():
            torch._foreach_lerp_(self.pairs[0], self.pairs[1], 0.005)
        return loss.detach()


class PpoCase(DqnCase):
    """One masked minibatch: clipped policy loss, value loss, entropy, clipping, Adam; 256 rows."""

    def __init__(self, device: str, **adam: Any) -> None:
        super().__init__(device, **adam)
        self.net = network(ACTIONS + 1, device)
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=1e-4, **adam)

    def _batch(self, generator: torch.Generator, device: str) -> tuple[torch.Tensor, ...]:
        obs = torch.randn(BATCH, OBS, generator=generator)
        mask = torch.rand(BATCH, ACTIONS, generator=generator) < 0.6
        mask[:, 0] = True
        actions = mask.float().multinomial(1, generator=generator).squeeze(1)
        old, advantages, returns = (torch.randn(BATCH, generator=generator) for _ in range(3))
        return tuple(part.to(device) for part in (obs, mask, actions, -old.abs(), advantages, returns))

    def update(
        self, obs: Any, mask: Any, actions: Any, old: Any, advantages: Any, returns: Any
    ) -> torch.Tensor:
        out = self.net(obs)
        policy = MaskedCategorical(out[:, :-1], mask, check=False)
        ratio = (policy.log_prob(actions) - old).exp()
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        clipped = advantages * ratio.clamp(0.8, 1.2)
        loss = -torch.min(advantages * ratio, clipped).mean() - 0.01 * policy.entropy().mean()
        loss = loss + 0.5 * F.mse_loss(out[:, -1], returns)
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
        self.optimizer.step()
        return loss.detach()


def variants(case: Callable[..., DqnCase], device: str, compiled: bool) -> dict[str, Callable[[], Any]]:
    """The same update in several forms; the first is what the others are compared with."""

    def eager(**adam: Any) -> Callable[[], Any]:
        made = case(device, **adam)
        return lambda: made.update(*made.next_batch())

    def graphed(**options: Any) -> Callable[[], Any]:
        made = case(device)
        update = GraphedUpdate(made.update, optimizers=[made.optimizer], options=GraphOptions(**options))
        for _ in range(5):
            update(*made.next_batch())
        if update.mode != "graph" and device != "cpu":
            print(f"  not graphed ({options}): {update.reason}")
        return lambda: update(*made.next_batch())

    def compiled_eager(mode: str) -> Callable[[], Any]:
        made = case(device)
        update = torch.compile(made.update, mode=mode)
        return lambda: update(*made.next_batch())

    def with_amp() -> Callable[[], Any]:
        made = case(device)

        def run() -> Any:
            with torch.autocast(device, dtype=torch.bfloat16):
                return made.update(*made.next_batch())

        return run

    found = {"eager": eager(), "eager, fused Adam": eager(fused=True), "eager, AMP": with_amp()}
    found |= {
        "graphed": graphed(),
        "graphed, not fused": graphed(fused=False),
        "graphed, AMP": graphed(amp=True),
    }
    if compiled:
        for name, make in (
            ("torch.compile", lambda: compiled_eager("default")),
            ("graphed, compiled", lambda: graphed(compile=True)),
        ):
            try:
                run = make()
                run()
                found[name] = run
            except Exception as failure:
                print(f"  {name} left out: {type(failure).__name__}: {str(failure)[:100]}")
    return found
