"""Trials on the nodes of an existing Ray cluster (extra `[ray]`).

Each node gets one actor that takes all of the node's processors, so that one trial runs there at a time and
no other work of Ray beside it. A block is given to one node and stays there. Where a node is lost, the block
that it had is made again, as a whole, on another one; blocks that are done are here already.
"""

from __future__ import annotations

import dataclasses
import logging
import os
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from goldsplit.errors import CommandError
from goldsplit.experiment.engines.node_runner import NodeRunner, Returned
from goldsplit.experiment.engines.shipped_tree import Shipped, ship, unpack
from goldsplit.experiment.engines.trial_engine import Before, Order, Row
from goldsplit.model.experiment.trial import Trial

#: How long to wait for a node that is free, before the cluster counts as unusable.
PATIENCE_SECONDS = 120.0
_LOOK_SECONDS = 1.0
#: Ids of nodes are long; so many letters tell them apart.
NODE_NAME = 8
#: Variables of the user that a trial needs on a node as it would here.
_CARRIED = ("OMP_", "MKL_", "OPENBLAS_", "NUMBA_", "NUMEXPR_", "CUDA_VISIBLE_", "TORCH_", "PYTHONHASHSEED")


@dataclass(slots=True)
class _Node:
    """A node of the cluster, its actor, and what it does."""

    id: str
    actor: Any
    ready: Any
    """The answer of the actor once it has started; None: it has."""
    rows: deque[Row] = field(default_factory=deque)
    """Of its block, still to be made."""
    block: list[Row] = field(default_factory=list)
    done: list[Returned] = field(default_factory=list)
    task: Any = None

    def begin(self, block: list[Row]) -> None:
        self.block, self.rows, self.done = block, deque(block), []


class RayEngine:
    """Trials on all nodes that have a processor to give."""

    def __init__(self, address: str | None = None) -> None:
        self.ray = _connected(address)
        self.nodes: dict[str, _Node] = {}
        self.lost: list[str] = []
        """Nodes that went away, in the order in which that was noticed."""
        self._refused: set[str] = set()
        self._shipped: dict[tuple[Path, str], Any] = {}

    @property
    def width(self) -> int:
        return max(1, len(self._usable()))

    def _usable(self) -> dict[str, float]:
        """Living nodes that offer processors, and how many."""
        alive = [node for node in self.ray.nodes() if node["Alive"] and node["NodeID"] not in self._refused]
        return {node["NodeID"]: cpus for node in alive if (cpus := node["Resources"].get("CPU", 0.0)) >= 1}

    def run(self, order: Order, rows: Sequence[Row], before: Before) -> Iterator[Trial]:
        """Blocks to free nodes, trials of a block one after the other; a block's trials come at its end."""
        waiting = deque(list(group) for _, group in groupby(rows, key=lambda row: row.block))
        idle = 0.0
        try:
            while waiting or any(node.block for node in self.nodes.values()):
                self._look_for_nodes()
                for node in self.nodes.values():
                    if not node.block and waiting and self._has_started(node):
                        node.begin(waiting.popleft())
                    self._next_trial(node, order, before)
                busy = {node.task: node for node in self.nodes.values() if node.task is not None}
                starting = [node.ready for node in self.nodes.values() if node.ready is not None]
                if not busy:
                    idle += _LOOK_SECONDS
                    if idle > PATIENCE_SECONDS or not self.nodes:
                        raise _no_node()
                refs = [*busy, *starting] if waiting else list(busy)
                finished, _ = self.ray.wait(refs, timeout=_LOOK_SECONDS) if refs else ([], [])
                for ref in finished:
                    if ref in busy:
                        idle = 0.0
                        yield from self._ended(busy[ref], order, waiting)
        finally:
            for node in list(self.nodes.values()):
                if node.block:  # interrupted: what it makes is not wanted any more
                    self._drop(node)

    def _look_for_nodes(self) -> None:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        carried = {key: value for key, value in os.environ.items() if key.startswith(_CARRIED)}
        for node_id, cpus in self._usable().items():
            if node_id not in self.nodes:
                here = NodeAffinitySchedulingStrategy(node_id, soft=False)
                wrapped = self.ray.remote(NodeRunner)
                actor = wrapped.options(num_cpus=cpus, scheduling_strategy=here, max_restarts=0).remote(
                    carried
                )
                self.nodes[node_id] = _Node(node_id, actor, actor.version.remote())

    def _has_started(self, node: _Node) -> bool:
        if node.ready is None:
            return True
        if not self.ray.wait([node.ready], timeout=0)[0]:
            return False
        import goldsplit

        try:
            version = self.ray.get(node.ready)
        except self.ray.exceptions.RayTaskError as error:
            raise _cannot_start(str(error.cause)) from error
        except self.ray.exceptions.RayError:  # lost, or its actor could not be made: another one may come
            self._lose(node)
            return False
        if version != goldsplit.__version__:
            raise _cannot_start(f"it has goldsplit {version}, here is {goldsplit.__version__}")
        node.ready = None
        return True

    def _next_trial(self, node: _Node, order: Order, before: Before) -> None:
        """Start the next trial of the node's block, if it has one and nothing runs there."""
        while node.rows and node.task is None:
            row = node.rows.popleft()
            if not order.given_up(row.variant):
                before(row)
                shipped = self._ship(order, row.variant)
                node.task = node.actor.run.remote(order.plan, shipped, (row.block, row.position))

    def _ship(self, order: Order, variant: str) -> Any:
        """The variant in Ray's object store, sent to each node once."""
        key = (order.folder, variant)
        if key not in self._shipped:
            made: Shipped = ship(order.prepared[variant], order.folder, order.here)
            self._shipped[key] = self.ray.put(made)
        return self._shipped[key]

    def _ended(self, node: _Node, order: Order, waiting: deque[list[Row]]) -> Iterator[Trial]:
        """A trial has ended, or its node is gone."""
        task, node.task = node.task, None
        try:
            node.done.append(self.ray.get(task))
        except self.ray.exceptions.RayTaskError as error:
            raise error.cause from error  # ours: bad input, Ctrl-C there, a bug
        except self.ray.exceptions.RayError:
            waiting.appendleft(node.block)
            self._lose(node)
            return
        if not any(not order.given_up(row.variant) for row in node.rows):
            done, node.block, node.done = node.done, [], []
            node.rows.clear()
            for one in done:
                unpack(one.files, order.folder)
                yield dataclasses.replace(one.trial, node=node.id[:NODE_NAME])

    def _lose(self, node: _Node) -> None:
        self.lost.append(node.id)
        self._refused.add(node.id)
        self._drop(node)

    def _drop(self, node: _Node) -> None:
        self.nodes.pop(node.id, None)
        try:
            self.ray.kill(node.actor)
        except (self.ray.exceptions.RayError, ValueError):
            return

    def close(self) -> None:
        """End the actors and leave the cluster; it runs on."""
        cleaned = [node.actor.clean.remote() for node in self.nodes.values() if node.ready is None]
        if cleaned:
            self.ray.wait(cleaned, num_returns=len(cleaned), timeout=5)
        for node in list(self.nodes.values()):
            self._drop(node)
        self.ray.shutdown()


def _connected(address: str | None) -> Any:
    try:
        import ray
        import ray.exceptions
    except ImportError as error:
        raise CommandError("--engine ray needs Ray", "pip install 'goldsplit[ray]'") from error
    try:
        where = address or os.environ.get("RAY_ADDRESS") or "auto"
        ray.init(address=where, log_to_driver=False, logging_level=logging.ERROR)
    except ConnectionError as error:
        raise CommandError(
            "no Ray cluster was found", "start one (ray start --head), or set RAY_ADDRESS to its address"
        ) from error
    return ray


def _no_node() -> CommandError:
    return CommandError(
        "no node of the Ray cluster is free: none with a processor, or all are taken by other work",
        "see: ray status",
    )


def _cannot_start(why: str) -> CommandError:
    return CommandError(
        f"a node of the Ray cluster cannot run trials: {why}", "install the same goldsplit there"
    )
