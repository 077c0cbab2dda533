"""What an engine is, and the one that runs trials here, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from goldsplit.experiment.engines.one_trial import Tools, run_trial
from goldsplit.experiment.variants import Prepared
from goldsplit.model.experiment.design import Plan
from goldsplit.model.experiment.trial import Trial


class Row(NamedTuple):
    """A trial to be made."""

    block: int
    position: int
    variant: str


@dataclass(frozen=True, slots=True)
class Order:
    """What the trials of an experiment need."""

    plan: Plan
    prepared: Mapping[str, Prepared]
    folder: Path
    """The experiment's: recordings end up there, wherever they were made."""
    tools: Tools
    here: Path
    """Where goldsplit was started."""
    given_up: Callable[[str], bool]
    """Whether a variant is not worth another trial; may change from trial to trial."""


Before = Callable[[Row], None]
"""Told of every trial that begins."""


class Engine(Protocol):
    """Runs trials somewhere. One at a time on each machine; a block never spans two machines."""

    @property
    def width(self) -> int:
        """How many blocks can run at once."""
        ...

    def run(self, order: Order, rows: Sequence[Row], before: Before) -> Iterator[Trial]:
        """Run trials and yield them as they end. Closing the iterator ends what still runs."""
        ...

    def close(self) -> None:
        """Give back what the engine holds."""
        ...


class LocalEngine:
    """Here, one after the other."""

    width = 1

    def run(self, order: Order, rows: Sequence[Row], before: Before) -> Iterator[Trial]:
        for row in rows:
            if not order.given_up(row.variant):
                before(row)
                place = (row.block, row.position)
                yield run_trial(order.plan, order.prepared[row.variant], place, order.folder, order.tools)

    def close(self) -> None:
        """Nothing is held."""
