"""GraphedPolicy: actions for N environments in one replayed forward pass, one copy each way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from goldsplit.fast.learner.graphed_call import Captured, GraphedCall, GraphOptions
from goldsplit.fast.learner.graphs import Backend
from goldsplit.fast.learner.inputs import PackedBytes
from goldsplit.fast.learner.nesting import flatten, unflatten


class GraphedPolicy(GraphedCall):
    """`forward(tensors)` on the device, called with NumPy arrays, giving NumPy arrays.

        act = GraphedPolicy(lambda obs, mask: sample_masked(net(obs), mask), device="cuda")
        actions, log_probs = act(observations, masks)

    The arrays go through pinned memory as one block; so do the results, and the call returns when they are
    there. No gradients. The forward pass may sample: torch's generator advances from call to call as it
    does eagerly.
    """

    def __init__(
        self,
        forward: Callable[..., Any],
        *,
        device: torch.device | str,
        generators: Sequence[torch.Generator] = (),
        options: GraphOptions | None = None,
        backend: Backend | None = None,
    ) -> None:
        super().__init__(
            _for_numpy(forward),
            torch.device(device),
            options or GraphOptions(),
            generators=generators,
            backend=backend,
        )

    def __call__(self, *args: Any) -> Any:
        result = self._replayed(args)
        if not isinstance(result, Captured):
            leaves: list[Any] = []
            form = flatten(result, leaves)
            return unflatten(form, iter([leaf.cpu().numpy() for leaf in leaves]))
        assert self._backend is not None
        self._backend.synchronize()
        arrays = [tensor.numpy().copy() for tensor in result.results.twin_tensors[0]]
        return unflatten(result.output_form, iter(arrays))

    def _copies_in_graph(self) -> bool:
        return True

    def _load(self, known: Captured, leaves: list[Any]) -> None:
        known.inputs.stage(leaves)

    def _before(self, known: Captured) -> None:
        known.inputs.upload()

    def _prepare(self, known: Captured) -> None:
        known.results = PackedBytes(known.output_shapes, self.device)

    def _after(self, known: Captured) -> None:
        torch._foreach_copy_(known.results.tensors, known.outputs)
        known.results.twins[0].copy_(known.results.block, non_blocking=True)


def _for_numpy(forward: Callable[..., Any]) -> Callable[..., Any]:
    """The forward pass without gradients; NumPy has no bfloat16, so such results become float32."""

    def run(*args: Any) -> Any:
        with torch.no_grad():
            leaves: list[Any] = []
            form = flatten(forward(*args), leaves)
            return unflatten(form, iter([_widened(leaf) for leaf in leaves]))

    return run


def _widened(leaf: torch.Tensor) -> torch.Tensor:
    return leaf.float() if leaf.dtype == torch.bfloat16 else leaf
