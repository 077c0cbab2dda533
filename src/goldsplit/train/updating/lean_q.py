"""DQN's update of a small network on the CPU, without autograd: the same numbers, up to rounding.

For networks of this size much of an update is overhead: a graph that is recorded and walked back, some
thirty small operators of the loss, fresh memory for each result. Here the layers are multiplied into memory
that stays, the loss and its gradient are one compiled pass over the batch, and the way back is written out.
It fits networks of linear layers with ReLU between them; `dqn.Learner.update` says what is computed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numba import njit
from torch import nn

from goldsplit.api import stage
from goldsplit.model.stage import LEARN_BACKWARD, LEARN_FORWARD
from goldsplit.train.networks import QNetwork

_relu_backward = torch.ops.aten.threshold_backward.grad_input


class Rule(NamedTuple):
    """What the update needs of the options."""

    rows: int
    double: bool
    max_grad_norm: float
    smallest_priority: float


def fits(network: nn.Module) -> bool:
    """Whether a network is what this update can do: linear layers with ReLU between, one value per action."""
    if not isinstance(network, QNetwork) or network.value is not None:
        return False
    parts = list(network.trunk)
    linear = all(isinstance(part, nn.Linear) for part in parts[::2])
    return linear and all(isinstance(part, nn.ReLU) for part in parts[1::2]) and len(parts) % 2 == 0


class Layers:
    """The weights of one network, and room for what its layers give to a batch."""

    def __init__(self, network: QNetwork, rows: int) -> None:
        linear = [part for part in [*network.trunk, network.head] if isinstance(part, nn.Linear)]
        # Views that torch does not record; a loaded state is written into the same memory.
        self.weights = [part.weight.detach() for part in linear]
        self.transposed = [weight.t() for weight in self.weights]
        self.biases = [part.bias.detach() for part in linear]
        self.rows = rows
        self.room = self.new_room()

    def new_room(self) -> list[torch.Tensor]:
        return [torch.zeros(self.rows, len(bias)) for bias in self.biases]

    @stage(LEARN_FORWARD)
    def forward(self, obs: torch.Tensor, room: list[torch.Tensor] | None = None) -> torch.Tensor:
        """The values of all actions; what each layer gave stays in the room until the next call."""
        given = obs
        last = len(self.biases) - 1
        for i, out in enumerate(room or self.room):
            torch.addmm(self.biases[i], given, self.transposed[i], out=out)
            given = out if i == last else out.relu_()
        return given


class LeanUpdate:
    """One update after the other of the same networks, over batches of the same size."""

    def __init__(
        self, online: QNetwork, target: QNetwork, optimizer: torch.optim.Optimizer, rule: Rule
    ) -> None:
        self._rule, self._optimizer = rule, optimizer
        self._online, self._target = Layers(online, rule.rows), Layers(target, rule.rows)
        self._beside = self._online.new_room()  # the online network's view of what came next
        self._errors = (
            self._online.new_room()
        )  # the loss's gradient at each layer, from the last one to the first
        self._priorities = np.zeros(rule.rows)
        self._parameters = list(online.parameters())
        # All gradients side by side, so that their length is one product; each parameter's is a view.
        flat = torch.zeros(sum(parameter.numel() for parameter in self._parameters))
        parts = torch.split(flat, [parameter.numel() for parameter in self._parameters])
        self._views = [
            part.view_as(parameter) for part, parameter in zip(parts, self._parameters, strict=True)
        ]
        self._gradients = {
            parameter.data_ptr(): view for parameter, view in zip(self._parameters, self._views, strict=True)
        }
        self._all_gradients: Any = flat.numpy()

    def __call__(self, batch: Any) -> tuple[float, Any]:
        """The loss before this step, and the new priority of each row; the latter until the next call."""
        with torch.no_grad():
            obs, next_obs = torch.from_numpy(batch.obs), torch.from_numpy(batch.next_obs)
            worth = self._target.forward(next_obs)
            scores = self._online.forward(next_obs, self._beside) if self._rule.double else worth
            values = self._online.forward(obs)
            loss = td_errors(
                values.numpy(),
                scores.numpy(),
                worth.numpy(),
                (
                    batch.action,
                    batch.reward,
                    batch.discount,
                    batch.terminated,
                    batch.next_mask,
                    batch.weights,
                ),
                self._rule.smallest_priority,
                self._errors[-1].numpy(),
                self._priorities,
            )
            self.backward(obs)
            self._shorten()
            if self._parameters[0].grad is not self._views[0]:  # at first, and after anybody's zero_grad()
                for parameter, view in zip(self._parameters, self._views, strict=True):
                    parameter.grad = view
            self._optimizer.step()
        return loss, self._priorities

    @stage(LEARN_BACKWARD)
    def backward(self, obs: torch.Tensor) -> None:
        """From the gradient of the values to those of all weights."""
        online = self._online
        for i in range(len(online.biases) - 1, -1, -1):
            error = self._errors[i]
            given = online.room[i - 1] if i else obs
            torch.mm(error.t(), given, out=self._gradients[online.weights[i].data_ptr()])
            torch.sum(error, 0, out=self._gradients[online.biases[i].data_ptr()])
            if i:
                before = self._errors[i - 1]
                torch.mm(error, online.weights[i], out=before)
                _relu_backward(before, given, 0, grad_input=before)

    def _shorten(self) -> None:
        """As `clip_grad_norm_`."""
        length = float(np.sqrt(np.dot(self._all_gradients, self._all_gradients)))
        if length > self._rule.max_grad_norm:
            self._all_gradients *= np.float32(self._rule.max_grad_norm / (length + 1e-6))


@njit(cache=True)
def td_errors(
    values: Any, scores: Any, worth: Any, rows: Any, smallest: float, gradient: Any, priorities: Any
) -> float:
    """The weighted Huber loss of a batch; its gradient by the values and the rows' priorities are written."""
    action, reward, discount, terminated, next_mask, weights = rows
    count = values.shape[0]
    share = np.float32(1.0) / np.float32(count)
    total = 0.0
    gradient[:] = 0.0
    for row in range(count):
        wanted = reward[row]
        if not terminated[row]:
            best = -1
            for candidate in range(scores.shape[1]):
                if next_mask[row, candidate] and (best < 0 or scores[row, candidate] > scores[row, best]):
                    best = candidate
            wanted += discount[row] * worth[row, max(best, 0)]
        error = values[row, action[row]] - wanted
        size = abs(error)
        priorities[row] = size + np.float32(smallest)
        if size < 1.0:
            total += weights[row] * 0.5 * error * error
            gradient[row, action[row]] = weights[row] * share * error
        else:
            total += weights[row] * (size - 0.5)
            gradient[row, action[row]] = weights[row] * share * np.sign(error)
    return total / count
