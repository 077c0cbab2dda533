"""A small agent that learns to play: one weight for each feature and action, taught by policy gradients.

The chance of an action grows with the weighted sum of the features. After some battles the weights are moved
towards the decisions that were followed by more reward than the others of the same battles (REINFORCE with
the mean as its base). It is fixed while battles are played, so that any number of threads can ask it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldsplit.games.dice import Dice
from goldsplit.games.duel.bestiary import ACTIONS

Observation = NDArray[np.float32]
Mask = NDArray[np.bool_]

LEARNING_RATE = 1.0
DISCOUNT = 0.5
#: What the chance of an action that is not valid is made from.
_NEVER = -1e9


class Decision(NamedTuple):
    """What the agent saw, what it could do and did, and the reward that followed."""

    observation: Observation
    mask: Mask
    action: int
    reward: float


class LinearPolicy:
    """The weights, and what is done with them."""

    def __init__(self, features: int, learning_rate: float = LEARNING_RATE) -> None:
        self.weights = np.zeros((ACTIONS, features))
        self.learning_rate = learning_rate

    def select_action(self, observation: Observation, mask: Mask, dice: Dice) -> int:
        """A valid action by its chance; the dice are those of the battle."""
        # Not `@`: its last bit may depend on where in memory the observation lies, and twins must play alike.
        chances = _softmax(np.where(mask, (self.weights * observation).sum(axis=1), _NEVER))
        action = int(np.searchsorted(np.cumsum(chances), dice.uniform(), side="right"))
        return action if action < ACTIONS and mask[action] else int(np.flatnonzero(mask)[-1])

    def update(self, battles: Sequence[Sequence[Decision]]) -> None:
        """One step of learning from whole battles."""
        decisions = [decision for battle in battles for decision in battle]
        observations = np.array([decision.observation for decision in decisions], dtype=np.float64)
        masks = np.array([decision.mask for decision in decisions])
        actions = np.array([decision.action for decision in decisions])
        worths = np.concatenate([discounted([decision.reward for decision in battle]) for battle in battles])
        advantages = (worths - worths.mean()) / (worths.std() + 1e-8)
        chances = _softmax(np.where(masks, observations @ self.weights.T, _NEVER))
        wanted = np.eye(ACTIONS)[actions] - chances
        self.weights += self.learning_rate * (wanted * advantages[:, None]).T @ observations / len(decisions)


def discounted(rewards: Sequence[float]) -> NDArray[np.float64]:
    """For each decision the sum of the rewards from there on, later ones counting less."""
    sums = np.zeros(len(rewards))
    after = 0.0
    for place in range(len(rewards) - 1, -1, -1):
        after = rewards[place] + DISCOUNT * after
        sums[place] = after
    return sums


def _softmax(values: NDArray[np.float64]) -> NDArray[np.float64]:
    raised = np.exp(values - values.max(axis=-1, keepdims=True))
    chances: NDArray[np.float64] = raised / raised.sum(axis=-1, keepdims=True)
    return chances
