"""An experiment being carried out: its trials are run by an engine, and each is kept on disk as soon as it is
done.

`Experiment` is what commands use: `with Experiment(plan, folder) as experiment: experiment.run_block(0)`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

from goldsplit.experiment.blocks import block_order, left_to_do
from goldsplit.experiment.engines.one_trial import Tools
from goldsplit.experiment.engines.trial_engine import Engine, LocalEngine, Order, Row
from goldsplit.experiment.variants import Prepared, discard, prepare_all
from goldsplit.model.experiment.design import Plan
from goldsplit.model.experiment.trial import Trial
from goldsplit.model.wire import Variable
from goldsplit.store.experiment_files import add_trial, create_experiment, read_trials

#: A variant that failed so often, and never ran to its end, is not tried again.
MOST_FAILURES = 2


def nothing_to_say(row: Row) -> None:
    """Nobody wants to know which trial begins."""


class Experiment:
    """A plan being carried out in its folder. Trials that the folder has already are not made again."""

    def __init__(
        self,
        plan: Plan,
        folder: Path,
        tools: Tools | None = None,
        here: Path | None = None,
        engine: Engine | None = None,
    ) -> None:
        self.plan = plan
        self.folder = folder
        self.tools = tools or Tools()
        self.engine = engine or LocalEngine()
        self.here = here or Path.cwd()
        self.trials: list[Trial] = []
        self._prepared: dict[str, Prepared] = {}

    def __enter__(self) -> Experiment:
        create_experiment(self.folder, self.plan)
        self.trials = read_trials(self.folder)
        self._prepared = prepare_all(self.plan, self.folder, self.here)
        return self

    def __exit__(self, *exc: object) -> None:
        discard(self._prepared.values())

    def left(self) -> list[Row]:
        """The trials that are still to be made."""
        rows = [Row(*row) for row in left_to_do(self.plan, self.trials)]
        return [row for row in rows if not self.given_up(row.variant)]

    def given_up(self, variant: str) -> bool:
        """Whether a variant has failed too often to be tried again."""
        own = [trial for trial in self.trials if trial.variant == variant]
        return len(own) >= MOST_FAILURES and not any(trial.complete for trial in own)

    def run(self, rows: Sequence[Row], before: Callable[[Row], None] = nothing_to_say) -> Generator[Trial]:
        """Trials as they end, each kept; those of one block run on one machine, in their order."""
        for trial in self.engine.run(self._order(), rows, before):
            self.trials.append(trial)
            add_trial(self.folder, trial)
            yield trial

    def run_block(self, block: int, variants: tuple[str, ...] | None = None) -> list[Trial]:
        """All trials of a block, or those of some variants (the base among them, or nothing is paired)."""
        wanted = set(variants) if variants is not None else set(self._prepared)
        return list(self.run([row for row in self.rows_of(block) if row.variant in wanted]))

    def rows_of(self, block: int) -> list[Row]:
        """The trials of a block, in their order."""
        return [Row(block, position, name) for position, name in enumerate(block_order(self.plan, block))]

    def run_trial(self, block: int, position: int, name: str) -> Trial:
        """One trial, recorded, measured and kept."""
        (trial,) = self.run([Row(block, position, name)])
        return trial

    def run_again(self, block: int, variant: str, steps: str = "") -> Trial:
        """A variant once more with a block's seed, to see whether it does the same; in no comparison.
        `steps`: of these, as `33-64`, each is hashed for itself."""
        row = Row(block, len(self.plan.variants), variant)
        more = {Variable.TRAJECTORY_STEPS: steps} if steps else {}
        prepared = {
            name: dataclasses.replace(one, environment=one.environment | more)
            for name, one in self._prepared.items()
        }
        order = dataclasses.replace(self._order(), prepared=prepared)
        (trial,) = self.engine.run(order, [row], nothing_to_say)
        return trial

    def _order(self) -> Order:
        return Order(self.plan, self._prepared, self.folder, self.tools, self.here, self.given_up)
