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

#: Leaving out fewer rows than this saves less than it costs.
FEWEST_LEFT_OUT = 8


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
    """The weights of one network, and room for what its layers give to a batch.

    The values of the actions lie the other way round, a row for each action: a product with few columns is a
    slow one. The last layer's bias is added where they are read.
    """

    def __init__(self, network: QNetwork, rows: int) -> None:
        linear = [part for part in [*network.trunk, network.head] if isinstance(part, nn.Linear)]
        # Views that torch does not record; a loaded state is written into the same memory.
        self.weights = [part.weight.detach() for part in linear]
        self.transposed = [weight.t() for weight in self.weights]
        self.biases = [part.bias.detach() for part in linear]
        self.last_bias: Any = self.biases[-1].numpy()
        self.rows = rows
        self.room = self.new_room()

    def new_room(self, hidden: list[torch.Tensor] | None = None) -> list[torch.Tensor]:
        """Room for what each layer gives; that of hidden layers may be shared with others."""
        if hidden is None:
            hidden = [torch.zeros(self.rows, len(bias)) for bias in self.biases[:-1]]
        return [*hidden, torch.zeros(len(self.biases[-1]), self.rows)]

    def values_of(self, obs: torch.Tensor, room: list[torch.Tensor] | None = None) -> Any:
        """The values of all actions, without the last bias; what each layer gave stays in the room until the
        next call. With fewer rows than there is room for, the first of it are used."""
        given, count = obs, len(obs)
        *hidden, last = self.room if room is None else room
        for i, whole in enumerate(hidden):
            out = whole if count == self.rows else whole[:count]
            given = torch.addmm(self.biases[i], given, self.transposed[i], out=out).relu_()
        torch.mm(self.weights[-1], given.t(), out=last if count == self.rows else last[:, :count])
        return last.numpy()

    @stage(LEARN_FORWARD)
    def forward(self, obs: torch.Tensor, room: list[torch.Tensor] | None = None) -> Any:
        """`values_of` as a part of learning."""
        return self.values_of(obs, room)


class LeanUpdate:
    """One update after the other of the same networks, over batches of the same size."""

    def __init__(
        self, online: QNetwork, target: QNetwork, optimizer: torch.optim.Optimizer, rule: Rule
    ) -> None:
        self._rule, self._optimizer = rule, optimizer
        self._online, self._target = Layers(online, rule.rows), Layers(target, rule.rows)
        # Only the values of what came next are read, and errors come after them: one room for the hidden
        # layers of all these, so that a small processor cache holds an update.
        passing = self._target.room[:-1]
        self._beside = self._online.new_room(passing)  # the online network's view of what came next
        self._going_on = torch.zeros(rule.rows, self._online.weights[0].shape[1])
        # The loss's gradient at each layer, from the last one to the first.
        self._errors = self._online.new_room(passing)
        self._priorities = np.zeros(rule.rows)
        outputs, inputs = self._online.weights[0].shape
        # Fewer inputs than outputs: their gradient is the faster product the other way round.
        self._narrow = torch.zeros(inputs, outputs) if 2 * inputs <= outputs else None
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
        # For each layer but the first: the errors of the layer below it, what that gave, its bias's gradient.
        self._before = [()] + [
            (errors.numpy(), given.numpy(), self._gradients[bias.data_ptr()].numpy())
            for errors, given, bias in zip(
                self._errors[:-1], self._online.room[:-1], self._online.biases[:-1], strict=True
            )
        ]

    def __call__(self, batch: Any) -> tuple[float, Any]:
        """The loss before this step, and the new priority of each row; the latter until the next call."""
        with torch.no_grad():
            obs = torch.from_numpy(batch.obs)
            next_obs = self._next_that_count(batch)
            worth = self._target.forward(next_obs)
            scores = self._online.forward(next_obs, self._beside) if self._rule.double else worth
            values = self._online.forward(obs)
            chooser = self._online if self._rule.double else self._target
            loss = td_errors(
                (values, self._online.last_bias),
                (scores, chooser.last_bias),
                (worth, self._target.last_bias),
                (
                    batch.action,
                    batch.reward,
                    batch.discount,
                    batch.terminated,
                    batch.next_mask,
                    batch.weights,
                ),
                len(next_obs) < len(obs),
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

    def _next_that_count(self, batch: Any) -> torch.Tensor:
        """What came next in the rows that go on; all rows where that is nearly the same. Nobody asks what a
        state after the end is worth."""
        room = self._going_on
        count = going_on(batch.next_obs, batch.terminated, room.numpy(), FEWEST_LEFT_OUT)
        return torch.from_numpy(batch.next_obs) if count == len(room) else room[:count]

    @stage(LEARN_BACKWARD)
    def backward(self, obs: torch.Tensor) -> None:
        """From the gradient of the values to those of all weights."""
        online, last = self._online, len(self._online.biases) - 1
        for i in range(last, -1, -1):
            error = self._errors[i]
            across = error if i == last else error.t()
            if i == last:
                torch.sum(error, 1, out=self._gradients[online.biases[i].data_ptr()])
            given = online.room[i - 1] if i else obs
            gradient = self._gradients[online.weights[i].data_ptr()]
            if i == 0 and self._narrow is not None:
                gradient.copy_(torch.mm(given.t(), error, out=self._narrow).t())
            else:
                torch.mm(across, given, out=gradient)
            if i:
                torch.mm(across.t(), online.weights[i], out=self._errors[i - 1])
                relu_backward(*self._before[i])

    def _shorten(self) -> None:
        """As `clip_grad_norm_`."""
        length = float(np.sqrt(np.dot(self._all_gradients, self._all_gradients)))
        if length > self._rule.max_grad_norm:
            self._all_gradients *= np.float32(self._rule.max_grad_norm / (length + 1e-6))


@njit(cache=True)
def going_on(next_obs: Any, terminated: Any, out: Any, fewest: int) -> int:
    """Copy the rows that have not ended; how many they are. Nothing is copied where fewer ended than that."""
    ended = 0
    for row in range(len(terminated)):
        ended += terminated[row]
    if ended < fewest:
        return len(terminated)
    count = 0
    for row in range(len(terminated)):
        if not terminated[row]:
            for k in range(next_obs.shape[1]):
                out[count, k] = next_obs[row, k]
            count += 1
    return count


@njit(cache=True)
def relu_backward(errors: Any, given: Any, sums: Any) -> None:
    """No error where nothing was given; the sum of what is left over all rows is the bias's gradient."""
    sums[:] = 0.0
    for row in range(errors.shape[0]):
        for k in range(errors.shape[1]):
            error = errors[row, k] if given[row, k] > 0.0 else np.float32(0.0)
            errors[row, k] = error
            sums[k] += error


@njit(cache=True)
def td_errors(
    valued: Any, scored: Any, worths: Any, rows: Any, thinned: bool, smallest: float, gradient: Any,
    priorities: Any,
) -> float:  # fmt: skip
    """The weighted Huber loss of a batch; its gradient by the values and the rows' priorities are written.

    Values come with the bias to add to them. Where what came next was `thinned`, it has no columns for rows
    that ended.
    """
    (values, value_bias), (scores, score_bias), (worth, worth_bias) = valued, scored, worths
    action, reward, discount, terminated, next_mask, weights = rows
    count, after = values.shape[1], 0
    share = np.float32(1.0) / np.float32(count)
    total = 0.0
    gradient[:] = 0.0
    for row in range(count):
        wanted = reward[row]
        if not terminated[row]:
            best, highest = -1, np.float32(0.0)
            for candidate in range(len(score_bias)):
                score = scores[candidate, after] + score_bias[candidate]
                if next_mask[row, candidate] and (best < 0 or score > highest):
                    best, highest = candidate, score
            best = max(best, 0)
            wanted += discount[row] * (worth[best, after] + worth_bias[best])
        after += not (thinned and terminated[row])
        taken = action[row]
        error = values[taken, row] + value_bias[taken] - wanted
        size = abs(error)
        priorities[row] = size + np.float32(smallest)
        if size < 1.0:
            total += weights[row] * 0.5 * error * error
            gradient[taken, row] = weights[row] * share * error
        else:
            total += weights[row] * (size - 0.5)
            gradient[taken, row] = weights[row] * share * np.sign(error)
    return total / count
