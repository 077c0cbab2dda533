"""A function whose device work is captured once per shape of its arguments and replayed afterwards.

The first calls of each shape run eagerly, on a side stream: they are real calls with real results, and
nothing has to be undone. The last of them is watched for waits. Then one call is captured (which runs
nothing) and replayed. What cannot be captured keeps running eagerly, and `reason` says why.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from goldsplit.fast.learner import capturable
from goldsplit.fast.learner.choosing import distributions_for_graphs
from goldsplit.fast.learner.graphs import Backend, Graph, backend_for
from goldsplit.fast.learner.inputs import StaticInputs, on_host
from goldsplit.fast.learner.nesting import flatten, signature, unflatten

EAGER, WARMING_UP, GRAPH = "eager", "warming up", "graph"


@dataclass
class Captured:
    """One graph with where it reads and writes; `graph` is None while its shape is warmed up."""

    calls: int = 0
    inputs: Any = None
    graph: Graph | None = None
    output_form: Any = None
    outputs: list[torch.Tensor] = field(default_factory=list)
    output_shapes: list[tuple[Any, torch.dtype]] = field(default_factory=list)  # as the warm-up saw them
    results: Any = None  # where the outputs go on the host, for a policy


@dataclass(frozen=True, slots=True)
class GraphOptions:
    """How a call is captured; see `GraphedUpdate` for what each option means."""

    warmup: int = 3
    max_graphs: int = 8
    amp: bool = False
    compile: bool = False
    fused: bool = True

    def __post_init__(self) -> None:
        if self.warmup < 1 or self.max_graphs < 1:
            raise ValueError(
                f"warmup and max_graphs must be at least 1, got {self.warmup} and {self.max_graphs}\n"
                "hint: a first eager call makes the optimizer's state, which a graph cannot"
            )


class GraphedCall:
    """What `GraphedUpdate` and `GraphedPolicy` share."""

    def __init__(
        self,
        function: Callable[..., Any],
        device: torch.device,
        options: GraphOptions,
        *,
        optimizers: Sequence[Any] = (),
        generators: Sequence[Any] = (),
        backend: Backend | None = None,
    ) -> None:
        self.device = device
        self.options = options
        self.captures = 0
        self._function = function
        self._uncompiled = function
        self._optimizers = list(optimizers)
        self._graphed_optimizers: list[capturable.GraphedOptimizer] = []
        self._generators = [generator for generator in generators if generator.device.type == "cuda"]
        self._known: dict[Any, Captured] = {}
        self.mode, self.reason = WARMING_UP, ""
        if backend is None:
            backend, self.reason = backend_for(device)
        self._backend = backend
        self.reason = self.reason or capturable.refusal(self._optimizers)
        if self.reason:
            self.mode = EAGER
        elif options.compile:
            self._function = torch.compile(function, dynamic=False)

    @property
    def graphs(self) -> int:
        """How many graphs are kept: one for each shape of the arguments."""
        return sum(known.graph is not None for known in self._known.values())

    def reset(self) -> None:
        """Forget all graphs: after something was changed that they hold as a number or an address."""
        self._drop_graphs()
        self._graphed_optimizers = []
        if self.mode != EAGER:
            self.mode = WARMING_UP

    def _replayed(self, args: tuple[Any, ...]) -> Captured | Any:
        """The replayed graph with its new outputs, or the plain result of an eager call."""
        if self.mode == EAGER:
            return self._run_eagerly(self._placed(args))
        rates = self._prepared_optimizers()
        leaves: list[Any] = []
        form = flatten(args, leaves)
        key = (form, signature(leaves), rates)
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= self.options.max_graphs:
                most = f"more than {self.options.max_graphs} shapes or settings"
                self.reason = f"{most}: the others run eagerly"
                return self._run_eagerly(self._placed(args))
            known = self._known[key] = Captured()
        known.calls += 1
        if known.calls <= self.options.warmup:
            return self._warm_up(args, known)
        try:
            if known.graph is None:
                self._capture(known, form, leaves)
            else:
                self._load(known, leaves)
            assert known.graph is not None
            known.graph.replay()
        except Exception as failure:
            self._drop_gradients()
            what = "capture" if known.graph is None else "replay"
            first_line = (str(failure).splitlines() or [""])[0][:200]
            self._eager_from_now(f"the {what} failed: {type(failure).__name__}: {first_line}")
            return self._run_eagerly(self._placed(args))
        return known

    def _run_eagerly(self, args: Any) -> Any:
        with self._conditions():
            return self._function(*args)

    def _load(self, known: Captured, leaves: list[Any]) -> None:
        known.inputs.load(leaves)

    def _prepared_optimizers(self) -> tuple[Any, ...]:
        if any(graphed.stale() for graphed in self._graphed_optimizers):
            self.reset()
        if not self._graphed_optimizers and self._optimizers:
            self._graphed_optimizers = [
                capturable.GraphedOptimizer(optimizer, self.options.fused) for optimizer in self._optimizers
            ]
        return tuple([graphed.follow_rates() for graphed in self._graphed_optimizers])

    def _warm_up(self, args: tuple[Any, ...], known: Captured) -> Any:
        assert self._backend is not None
        placed = self._placed(args)
        if known.calls < self.options.warmup:
            return self._backend.warm_up(lambda: self._run_or_uncompile(placed))
        with self._backend.waits() as lines:
            result = self._backend.warm_up(lambda: self._run_or_uncompile(placed))
        outputs: list[Any] = []
        flatten(result, outputs)
        known.output_shapes = [(tuple(output.shape), output.dtype) for output in outputs]
        if lines:
            self._eager_from_now(f"the function waits for the device at {', '.join(dict.fromkeys(lines))}")
        return result

    def _run_or_uncompile(self, args: Any) -> Any:
        """Compilation happens in the first call; where it fails, the function is used as it is."""
        if self._function is self._uncompiled:
            return self._run_eagerly(args)
        try:
            return self._run_eagerly(args)
        except Exception as failure:
            self._function = self._uncompiled
            self.reason = f"not compiled: {type(failure).__name__}"
            return self._run_eagerly(args)

    def _capture(self, known: Captured, form: Any, leaves: list[Any]) -> None:
        """Capture one call of this shape, which runs nothing."""
        assert self._backend is not None
        known.inputs = StaticInputs(leaves, self.device, in_graph=self._copies_in_graph())
        static = unflatten(form, iter(known.inputs.tensors))
        self._prepare(known)
        self._load(known, leaves)
        self._drop_gradients()

        def run() -> None:
            self._before(known)
            known.output_form = flatten(self._run_eagerly(static), known.outputs)
            self._after(known)

        known.graph = self._backend.capture(run, self._generators)
        self.mode = GRAPH
        self.captures += 1

    def _eager_from_now(self, reason: str) -> None:
        self.mode, self.reason = EAGER, reason
        self._drop_graphs()

    def _drop_graphs(self) -> None:
        if self._backend is not None and self.graphs:
            self._backend.synchronize()  # none of them may still run
        self._known.clear()
        if self._backend is not None:
            self._backend.forget()

    def _drop_gradients(self) -> None:
        """Gradients are made anew inside the graph's own memory."""
        for optimizer in self._optimizers:
            optimizer.zero_grad(set_to_none=True)

    def _conditions(self) -> contextlib.AbstractContextManager[Any]:
        stack = contextlib.ExitStack()
        if self._backend is not None:
            stack.enter_context(distributions_for_graphs())
        if self.options.amp:
            stack.enter_context(torch.autocast(self.device.type, dtype=torch.bfloat16, cache_enabled=False))
        return stack

    def _placed(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments as tensors on the device, for an eager call."""
        leaves: list[Any] = []
        form = flatten(args, leaves)
        placed = [
            torch.as_tensor(leaf).to(self.device) if on_host(leaf, self.device) else leaf for leaf in leaves
        ]
        result: tuple[Any, ...] = unflatten(form, iter(placed))
        return result

    def _copies_in_graph(self) -> bool:
        return False

    def _prepare(self, known: Captured) -> None:
        """Before the capture, in which no pinned memory can be made."""

    def _before(self, known: Captured) -> None:
        """At the begin of the captured work."""

    def _after(self, known: Captured) -> None:
        """At the end of the captured work."""
