"""Double DQN with prioritised replay and n-step returns, in one file, from top to bottom.

    outcome = train(DqnOptions(game="skirmish", steps=200_000))

The algorithm, which is the same in both surroundings:

1. All games make a step: the best valid action by the network, or with the probability epsilon any valid one
   (`exploration`).
2. The step goes into the replay memory as transitions over up to `n_steps` rewards (`memories`).
3. After `warmup` steps, `updates_per_step` updates follow each step of all games. An update draws a batch by
   priority and moves the value of each action that was taken towards

       reward + discount * value of the best valid action afterwards

   where the network itself says which action is best and the target network what it is worth (van Hasselt et
   al. 2016). Rows weigh the less the more often their priority has them drawn (Schaul et al. 2016); their new
   priority is by how much the value was wrong.
4. The target network becomes a copy of the network every `target_every` updates, or follows it by `tau`.

The surroundings `plain` and `fast` differ only in how this is carried out.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from goldsplit.fast.learner import plain_state_dict
from goldsplit.fast.replay import Prefetcher
from goldsplit.train.checkpoints import check_same, load, random_states, restore_random
from goldsplit.train.errors import TrainError
from goldsplit.train.exploration import make_explorer
from goldsplit.train.memories import Batch
from goldsplit.train.networks import QNetwork
from goldsplit.train.options import DqnOptions
from goldsplit.train.surroundings import find_device, make_memory, make_world
from goldsplit.train.training_run import Outcome, TrainingRun
from goldsplit.train.updating.carrying_out import carried_out, mode_of
from goldsplit.train.updating.compiled_adam import CompiledAdam
from goldsplit.train.updating.lean_q import LeanUpdate, Rule, fits
from goldsplit.train.worlds import Episode, World, report

SMALLEST_PRIORITY = 1e-6
"""Added to every priority, so that a row whose value was right can still be drawn."""


class Learner:
    """Both networks, the optimizer and the memory: what DQN does after the games have moved."""

    def __init__(self, options: DqnOptions, world: World, device: torch.device) -> None:
        self.options, self.device = options, device
        self.plain = options.surroundings == "plain"
        self.online = QNetwork(world.shape, world.actions, options.hidden, options.dueling).to(device)
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self._weights = list(self.online.parameters())
        self._target_weights = list(self.target.parameters())
        # One pass over all weights; the plain way is what `Adam(...)` gives.
        fused = None if self.plain else True
        self.optimizer = torch.optim.Adam(self._weights, lr=options.learning_rate, fused=fused)
        self.updates = 0
        self.loss: Any = None
        self._prefetcher: Prefetcher | None = None
        self.use(make_memory(options, world, device))

    def use(self, memory: Any) -> None:
        """Learn from this memory (see `memories.Memory`). What was captured for another one is forgotten."""
        self.close()
        self.memory = memory
        self._learn: Callable[[], Any] = self._from_lists if self.plain else self._from_arrays
        update: Callable[..., Any] = self.update
        generators = []
        if memory.on_device:
            self._learn, update = self._on_device, self.drawn_update
            generators = [self.memory.store.generator]
        elif not self.plain and self.options.prefetch:
            self._learn = self._from_prefetcher
            where = str(self.device)  # the thread starts with the first batch that is asked for
            self._prefetcher = Prefetcher(self.memory.store, self.options.batch, device=where)
        elif not self.plain and self.device.type == "cpu" and fits(self.online):
            self._learn = self._without_autograd
            rule = Rule(
                self.options.batch, self.options.double, self.options.max_grad_norm, SMALLEST_PRIORITY
            )
            self._lean = LeanUpdate(self.online, self.target, CompiledAdam(self.optimizer), rule)
        self._carried_out = carried_out(update, self.optimizer, self.options, self.device, generators)

    def learn(self) -> None:
        """One update, and the target network after it."""
        self.loss = self._learn()
        self.updates += 1
        if not self.options.tau and self.updates % self.options.target_every == 0:
            self._copy_to_target()

    # --- the algorithm -----------------------------------------------------------------------------

    def update(self, *rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """One step of the optimizer over the rows of a batch, given part by part; loss and priorities."""
        obs, action, reward, discount, terminated, next_obs, next_mask, weights = rows
        wanted = reward + discount * ~terminated * self.worth(next_obs, next_mask)
        valued = self.online(obs).gather(1, action.unsqueeze(1)).squeeze(1).float()
        loss = (weights * functional.huber_loss(valued, wanted, reduction="none")).mean()
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self._weights, self.options.max_grad_norm)
        self.optimizer.step()
        self._follow()
        return loss.detach(), (valued - wanted).detach().abs() + SMALLEST_PRIORITY

    @torch.no_grad()
    def worth(self, obs: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
        """What these states are worth: the target network's value of the best valid action."""
        values = self.target(obs).float()
        scores = self.online(obs) if self.options.double else values
        best = scores.masked_fill(~masks, -torch.inf).argmax(1, keepdim=True)
        return values.gather(1, best).squeeze(1)

    @torch.no_grad()
    def _follow(self) -> None:
        """The target network comes nearer by the share tau; as part of the update, so that a graph has it."""
        if self.options.tau:
            torch._foreach_lerp_(self._target_weights, self._weights, self.options.tau)

    def _copy_to_target(self) -> None:
        if self.plain:
            self.target.load_state_dict(self.online.state_dict())
        else:
            with torch.no_grad():
                torch._foreach_copy_(self._target_weights, self._weights)

    # --- five ways to carry an update out ----------------------------------------------------------

    def _from_lists(self) -> float:
        """Plain: a new tensor for every part, copied to the device, and numbers read at once."""
        batch: Batch = self.memory.sample(self.options.batch)
        rows = [torch.tensor(part).to(self.device) for part in _without_indices(batch)]
        loss, priorities = self._carried_out(*rows)
        self.memory.update_priorities(batch.indices, priorities.cpu().numpy())
        return float(loss.item())

    def _from_arrays(self) -> torch.Tensor:
        """The memory's own arrays are the tensors; to a device they travel through pinned memory."""
        batch = self.memory.sample(self.options.batch)
        rows = [torch.from_numpy(part) for part in _without_indices(batch)]
        if self.device.type == "cuda" and not self.options.graph:  # a graph has its own pinned memory
            rows = [self._moved(row) for row in rows]
        loss, priorities = self._carried_out(*rows)
        self.memory.update_priorities(batch.indices, priorities.cpu().numpy())
        return loss

    def _moved(self, row: torch.Tensor) -> torch.Tensor:
        return (row.pin_memory() if self.options.pin else row).to(self.device, non_blocking=True)

    def _without_autograd(self) -> float:
        """Small networks on the CPU: `update` written out."""
        batch = self.memory.sample(self.options.batch)
        loss, priorities = self._lean(batch)
        self._follow()
        self.memory.update_priorities(batch.indices, priorities)
        return loss

    def _from_prefetcher(self) -> torch.Tensor:
        """A thread has drawn the batch meanwhile: it knows the priorities of a moment ago."""
        assert self._prefetcher is not None
        batch = self._prefetcher.get()
        loss, priorities = self._carried_out(*_without_indices(batch))
        self.memory.update_priorities(batch.indices, priorities.cpu().numpy())
        return loss

    def _on_device(self) -> torch.Tensor:
        """Draw, update and priorities without a look at the host."""
        self.memory.store.flush()
        loss: torch.Tensor = self._carried_out()
        return loss

    def drawn_update(self) -> torch.Tensor:
        """All that an update does where the memory lies on the device: what is captured as one graph."""
        batch = self.memory.store.draw(self.options.batch)
        loss, priorities = self.update(*_without_indices(batch))
        self.memory.store.write_priorities(batch.indices, priorities)
        return loss

    def close(self) -> None:
        """Stop the thread that draws ahead, if there is one."""
        if self._prefetcher is not None:
            self._prefetcher.close()

    # --- checkpoints -------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Copies, which later updates do not touch."""
        parts = {
            "online": self.online.state_dict(),
            "target": self.target.state_dict(),
            "optimizer": plain_state_dict(self.optimizer),
        }
        return {**copy.deepcopy(parts), "updates": self.updates, "memory": pickle.dumps(self.memory)}

    def restore(self, state: dict[str, Any]) -> None:
        self.online.load_state_dict(state["online"])
        self.target.load_state_dict(state["target"])
        self.optimizer.load_state_dict(copy.deepcopy(state["optimizer"]))
        self.updates = state["updates"]
        self.use(pickle.loads(state["memory"]))

    @property
    def mode(self) -> str:
        """How updates are carried out, in words."""
        return mode_of(self._carried_out)


def _without_indices(batch: Any) -> list[Any]:
    return [*batch[: len(Batch._fields) - 2], batch.weights]


class Dqn:
    """One training: its games, its learner, and how far it has come."""

    kind = "dqn"

    def __init__(self, options: DqnOptions, world: World | None = None) -> None:
        check(options)
        self.options = options
        self.device = find_device(options)
        self.world = world if world is not None else make_world(options)
        torch.manual_seed(options.seed)
        self.learner = Learner(options, self.world, self.device)
        self.network: nn.Module = self.learner.online
        self.explorer = make_explorer(options, self.network, self.device, self.world)
        self.obs, self.masks = self.world.reset(options.seed)
        self.steps = self.updates = 0
        self._owed = 0.0  # updates that the steps so far have earned

    @property
    def epsilon(self) -> float:
        """The share of random actions now: falls in a line, then stays."""
        options = self.options
        passed = min(1.0, self.steps / max(1, options.epsilon_steps))
        return options.epsilon_start + passed * (options.epsilon_end - options.epsilon_start)

    @property
    def beta(self) -> float:
        """The exponent of the importance weights now: rises to 1 in a line."""
        start = self.options.beta_start
        return start + (1.0 - start) * min(1.0, self.steps / max(1, self.options.beta_steps))

    def iterate(self) -> list[Episode]:
        """One step of all games, and the updates that are owed for steps.

        Where the memory lies on a device, updates are only started here: the device learns while the host
        plays. It does so after the actions were chosen, which otherwise had to wait for it.
        """
        actions = self.explorer.act(self.obs, self.masks, self.epsilon)
        learns_beside = self.learner.memory.on_device
        if learns_beside:
            self._learn_what_is_owed()
        turn = self.world.step(actions)
        self.learner.memory.push(self.obs, actions, turn)
        self.obs, self.masks = turn.obs, turn.masks
        self.steps += int(np.count_nonzero(turn.played))
        if self.steps >= self.options.warmup and len(self.learner.memory):
            self._owed += self.options.updates_per_step
        if not learns_beside:
            self._learn_what_is_owed()
        report(turn.ended)
        return turn.ended

    def _learn_what_is_owed(self) -> None:
        if self._owed >= 1.0:
            self.learner.memory.beta = self.beta
        while self._owed >= 1.0:
            self.learner.learn()
            self._owed -= 1.0
        self.updates = self.learner.updates

    def figures(self) -> dict[str, float]:
        """The loss of the last update, and where the schedules stand."""
        figures = {"epsilon": self.epsilon, "beta": self.beta, "memory": float(len(self.learner.memory))}
        if self.learner.loss is not None:
            figures["loss"] = float(self.learner.loss)
        return figures

    def state(self) -> dict[str, Any]:
        """Everything that decides how the training goes on; `world` is None if games cannot be saved."""
        return {
            "learner": self.learner.state(),
            "explorer": self.explorer.state(),
            "steps": self.steps,
            "owed": self._owed,
            "random": random_states(),
            "obs": self.obs.copy(),
            "masks": self.masks.copy(),
            "world": self.world.state(),
        }

    def restore(self, state: dict[str, Any]) -> bool:
        """Go on from there. False if the games could not be saved: then they begin anew."""
        self.learner.restore(state["learner"])
        self.explorer.restore(state["explorer"])
        self.steps, self.updates, self._owed = state["steps"], self.learner.updates, state["owed"]
        restore_random(state["random"])
        if state["world"] is None:
            # Other games than those of the start, which the training has seen.
            self.obs, self.masks = self.world.reset(self.options.seed + self.steps)
            self.learner.memory.drop_open_windows()
            return False
        self.world.restore(state["world"])
        self.obs, self.masks = state["obs"].copy(), state["masks"].copy()
        return True


def check(options: DqnOptions) -> None:
    """Refuse numbers that do not go together; the options themselves refuse what is wrong alone."""
    most = options.envs * options.n_steps
    if options.capacity < most:
        raise TrainError(
            f"a memory of {options.capacity} transitions does not hold one step of {options.envs} games",
            f"choose a capacity of {most} or more",
        )


def train(options: DqnOptions, *, resume: Path | None = None, quiet: bool = False) -> Outcome:
    """Train from the start, or go on from a checkpoint, until `options.steps` are done."""
    trainer = Dqn(options)
    checkpoint = None
    if resume is not None:
        checkpoint = load(resume, trainer.kind)
        check_same(checkpoint.options, options)
        trainer.restore(checkpoint.state)
    try:
        return TrainingRun(trainer, quiet=quiet, resumed=checkpoint).go()
    finally:
        trainer.learner.close()  # a thread that still draws would abort the process at its end
