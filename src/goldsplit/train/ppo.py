"""Proximal policy optimisation with masked actions, in one file, from top to bottom.

    outcome = train(PpoOptions(game="skirmish", steps=200_000))

The algorithm (Schulman et al. 2017), which is the same in both surroundings:

1. `envs` games are played for `rollout` steps with the policy as it is, never choosing an action that the
   mask forbids.
2. Each step is given an advantage: how much better it went than the value function expected (generalised
   advantage estimation). An episode that was cut off by its time limit counts the value of its last
   observation.
3. The rollout is learned `epochs` times in `minibatches` parts. The policy moves towards what went better,
   but gains nothing by moving further than `clip` from the policy that played; the value function moves
   towards what was seen; a bonus for entropy keeps the policy from settling too early.

The surroundings `plain` and `fast` differ only in how this is carried out: `rollout` has acting, memory and
advantages of both, and `Learner` below the updates.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from goldsplit.fast.categorical_torch import MaskedCategorical
from goldsplit.fast.learner import plain_state_dict
from goldsplit.train.checkpoints import check_same, load, random_states, restore_random
from goldsplit.train.errors import TrainError
from goldsplit.train.networks import ActorCritic
from goldsplit.train.options import PpoOptions
from goldsplit.train.rollout import (
    Actor,
    Discount,
    Experience,
    FastActor,
    FastRollout,
    Moment,
    PlainActor,
    PlainRollout,
    Rollout,
    checked_categorical,
)
from goldsplit.train.surroundings import find_device, make_world
from goldsplit.train.training_run import Outcome, TrainingRun
from goldsplit.train.updating.carrying_out import carried_out, mode_of
from goldsplit.train.worlds import Episode, World, report


class Figures(NamedTuple):
    """Means over all updates of one rollout."""

    policy_loss: float
    value_loss: float
    entropy: float
    moved: float  # how far the policy moved from the one that played: an estimate of the KL divergence
    clipped: float  # the share of actions whose probability moved by more than `clip`


class Learner:
    """The network, its optimizer and the update: what PPO does with a finished rollout."""

    def __init__(self, network: nn.Module, options: PpoOptions, device: torch.device) -> None:
        self.network, self.options = network, options
        self.updates = 0
        self.plain = options.surroundings == "plain"
        # One compiled pass over all weights; the plain way is what `Adam(...)` gives.
        self.optimizer = torch.optim.Adam(
            network.parameters(), lr=options.learning_rate, eps=1e-5, fused=True if not self.plain else None
        )
        self.experience: Experience | None = None
        self.device = device
        self.update = carried_out(self.update_once, self.optimizer, options, device)

    @property
    def mode(self) -> str:
        """How updates are carried out, in words."""
        return mode_of(self.update)

    def learn(self, experience: Experience, rng: np.random.Generator, progress: float) -> Figures:
        """All epochs over one rollout; `progress` goes from 0 to 1 over the training."""
        options = self.options
        if options.anneal:
            for group in self.optimizer.param_groups:
                group["lr"] = options.learning_rate * max(0.0, 1.0 - progress)
        self.experience = experience
        seen = []
        for _ in range(options.epochs):
            shuffled = parts(rng.permutation(experience.rows), len(experience.actions), options.minibatches)
            for rows in torch.from_numpy(shuffled).to(self.device):
                figures = self.update(rows)
                # The plain way reads every number at once; on a device each of these waits.
                seen.append([figure.item() for figure in figures] if self.plain else figures)
                self.updates += 1
        if self.plain:
            return Figures(*np.mean(np.array(seen), axis=0).tolist())
        return Figures(*torch.stack(seen).mean(dim=0).tolist())

    def update_once(self, rows: torch.Tensor) -> torch.Tensor:
        """One step of the optimizer over these rows of the rollout."""
        assert self.experience is not None
        obs, masks, actions, played, _, advantages, returns = (part[rows] for part in self.experience[:7])
        options = self.options
        logits, values = (output.float() for output in self.network(obs))  # half precision with `amp`
        policy: Any = checked_categorical(logits, masks) if self.plain else unchecked(logits, masks)

        # How much likelier each action is now than when it was played.
        log_ratio = policy.log_prob(actions) - played
        ratio = log_ratio.exp()
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        # The worse of both: there is nothing to gain from moving beyond the clip.
        gains = torch.min(advantages * ratio, advantages * ratio.clamp(1 - options.clip, 1 + options.clip))
        policy_loss = -gains.mean()
        value_loss = 0.5 * (values - returns).square().mean()
        entropy = policy.entropy().mean()
        loss = policy_loss + options.value_coefficient * value_loss - options.entropy * entropy

        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), options.max_grad_norm)
        self.optimizer.step()
        with torch.no_grad():
            moved = (ratio - 1 - log_ratio).mean()
            clipped = ((ratio - 1).abs() > options.clip).float().mean()
            return torch.stack([policy_loss, value_loss, entropy, moved, clipped]).detach()

    def state(self) -> dict[str, Any]:
        """Copies, which later updates do not touch."""
        parts = {"network": self.network.state_dict(), "optimizer": plain_state_dict(self.optimizer)}
        return {**copy.deepcopy(parts), "updates": self.updates}

    def restore(self, state: dict[str, Any]) -> None:
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(copy.deepcopy(state["optimizer"]))
        self.updates = state["updates"]


def unchecked(logits: torch.Tensor, masks: torch.Tensor) -> MaskedCategorical:
    """The distribution over the allowed actions; empty masks were refused when the action was chosen."""
    return MaskedCategorical(logits, masks, check=False)


def parts(rows: NDArray[np.int64], total: int, count: int) -> NDArray[np.int64]:
    """Shuffled rows in `count` parts of one size, whatever the number of rows that are no transitions.

    A graph needs fixed shapes. Where rows are missing to the total, the first of the shuffled ones are
    learned twice in this epoch: others in every epoch, so that none counts more than its due.
    """
    size = max(1, total // count)
    return np.resize(rows, (count, size))


class Ppo:
    """One training: its games, its network, and how far it has come."""

    kind = "ppo"

    def __init__(self, options: PpoOptions, world: World | None = None) -> None:
        check(options)
        self.options = options
        self.device = find_device(options)
        self.world = world if world is not None else make_world(options)
        torch.manual_seed(options.seed)
        self.rng = np.random.default_rng(options.seed)
        self.network: nn.Module = ActorCritic(self.world.shape, self.world.actions, options.hidden).to(
            self.device
        )
        self.learner = Learner(self.network, options, self.device)
        self.actor: Actor
        self.rollout: Rollout
        if options.surroundings == "plain":
            self.actor = PlainActor(self.network, self.device)
            self.rollout = PlainRollout(self.actor, self.device)
        else:
            self.actor = FastActor(self.network, self.device, self.rng, graph=options.graph)
            self.rollout = FastRollout(self.actor, self.device, options.rollout, pin=options.pin)
        self.obs, self.masks = self.world.reset(options.seed)
        self.steps = self.updates = 0
        self._figures: Figures | None = None

    def iterate(self) -> list[Episode]:
        """One rollout, and what is learned from it; the games that ended in it."""
        progress = self.steps / self.options.steps
        experience, ended = self.play()
        self._figures = self.learner.learn(experience, self.rng, progress)
        self.updates = self.learner.updates
        report(ended)
        return ended

    def play(self) -> tuple[Experience, list[Episode]]:
        """The games for `rollout` steps, from where they stand."""
        ended: list[Episode] = []
        for _ in range(self.options.rollout):
            choice = self.actor.act(self.obs, self.masks)
            turn = self.world.step(choice.actions)
            # The observation of a game that ended is its last one: nothing has begun anew yet.
            self.rollout.add(
                Moment(
                    self.obs,
                    self.masks,
                    choice,
                    turn.rewards,
                    turn.ends,
                    turn.truncated,
                    final_obs=turn.obs,
                    real=turn.played,
                )
            )
            self.steps += int(np.count_nonzero(turn.played))
            self.obs, self.masks = turn.obs, turn.masks
            ended += turn.ended
        return self.rollout.finish(self.obs, Discount(self.options.gamma, self.options.gae_lambda)), ended

    def figures(self) -> dict[str, float]:
        """Losses of the last rollout, and the learning rate."""
        rate = float(self.learner.optimizer.param_groups[0]["lr"])
        found = self._figures._asdict() if self._figures is not None else {}
        return {**found, "learning_rate": rate}

    def state(self) -> dict[str, Any]:
        """Everything that decides how the training goes on, between two rollouts."""
        return {
            "learner": self.learner.state(),
            "steps": self.steps,
            "rng": self.rng.bit_generator.state,
            "random": random_states(),
            "obs": self.obs.copy(),
            "masks": self.masks.copy(),
            "world": self.world.state(),
        }

    def restore(self, state: dict[str, Any]) -> bool:
        """Go on from there. False if the games could not be saved: then they begin anew."""
        self.learner.restore(state["learner"])
        self.steps, self.updates = state["steps"], self.learner.updates
        self.rng.bit_generator.state = state["rng"]
        restore_random(state["random"])
        if state["world"] is None:
            # Other games than those of the start, which the training has seen.
            self.obs, self.masks = self.world.reset(self.options.seed + self.steps)
            return False
        self.world.restore(state["world"])
        self.obs, self.masks = state["obs"].copy(), state["masks"].copy()
        return True


def check(options: PpoOptions) -> None:
    """Refuse numbers that do not go together; the options themselves refuse what is wrong alone."""
    if options.minibatches > options.rollout * options.envs:
        raise TrainError(
            f"{options.rollout} steps of {options.envs} games do not fill {options.minibatches} minibatches",
            "choose fewer minibatches, or a longer rollout",
        )


def train(options: PpoOptions, *, resume: Path | None = None, quiet: bool = False) -> Outcome:
    """Train from the start, or go on from a checkpoint, until `options.steps` are done."""
    trainer = Ppo(options)
    checkpoint = None
    if resume is not None:
        checkpoint = load(resume, trainer.kind)
        check_same(checkpoint.options, options)
        trainer.restore(checkpoint.state)
    return TrainingRun(trainer, quiet=quiet, resumed=checkpoint).go()
