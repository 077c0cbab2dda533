"""GraphedUpdate: a learner's whole update as one captured graph."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import torch

from goldsplit.fast.learner.capturable import plain_state_dict
from goldsplit.fast.learner.graphed_call import Captured, GraphedCall, GraphOptions
from goldsplit.fast.learner.graphs import Backend
from goldsplit.fast.learner.nesting import unflatten


class GraphedUpdate(GraphedCall):
    """Wraps forward, loss, backward, clipping, optimizer step and target update into one graph.

        def update(obs, actions, targets):
            loss = F.smooth_l1_loss(q(obs).gather(1, actions), targets)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(q.parameters(), 10.0)
            optimizer.step()
            return loss.detach()

        graphed = GraphedUpdate(update, optimizers=[optimizer])
        loss = graphed(obs, actions, targets)

    Arguments may be tensors on the device, or tensors and arrays of the host, which travel together through
    pinned memory. Numbers are part of the graph: another number means another graph, so pass what changes
    often (a clip range) as a tensor. The result is a copy on the device, yours to keep: reading it
    (`.item()`) waits, so read late. Nothing that Python does in the function is repeated (counters,
    prints); only the device's work is.

    The first `warmup` calls of each shape of the arguments are eager, real updates. Learning rates may
    change at any time, by a schedule or by hand. `optimizer.load_state_dict` and moved weights are noticed,
    and the graph is captured anew. Other tensors that the function uses must stay where they are: change
    them in place.

    `optimizers`: all that the function steps. `amp`: bfloat16 autocast around the function. `compile`:
    through `torch.compile` first. `fused`: Adam and AdamW in their fused form. `generators`: random
    generators that the function uses besides torch's own.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        optimizers: Sequence[Any],
        device: torch.device | str | None = None,
        generators: Sequence[torch.Generator] = (),
        options: GraphOptions | None = None,
        backend: Backend | None = None,
    ) -> None:
        optimizers = list(optimizers)
        where = torch.device(device) if device is not None else _device_of(optimizers)
        super().__init__(
            function,
            where,
            options or GraphOptions(),
            optimizers=optimizers,
            generators=generators,
            backend=backend,
        )

    def __call__(self, *args: Any) -> Any:
        result = self._replayed(args)
        if not isinstance(result, Captured):
            return result
        return unflatten(result.output_form, iter([output.detach().clone() for output in result.outputs]))

    def state_dict(self) -> dict[str, Any]:
        """The optimizers' states in their plain form, whether graphed or not."""
        return {"optimizers": [plain_state_dict(optimizer) for optimizer in self._optimizers]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        for optimizer, saved in zip(self._optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(copy.deepcopy(saved))  # torch would go on with the same tensors


def _device_of(optimizers: list[Any]) -> torch.device:
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                device: torch.device = parameter.device
                return device
    raise ValueError("the optimizers have no parameters\nhint: pass device= as well")
