"""What runs on a node: one trial at a time, in a copy of the project, whose recording is sent back."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

import goldsplit
from goldsplit.experiment.engines.one_trial import Tools, run_trial
from goldsplit.experiment.engines.shipped_tree import Shipped, pack_folder, unpack
from goldsplit.model.experiment.design import Plan
from goldsplit.model.experiment.trial import Trial


class Returned(NamedTuple):
    """What comes back from a node."""

    trial: Trial
    files: bytes
    """The experiment's files that the trial made: its recording, its output."""


class NodeRunner:
    """The process on a node that makes its trials. Ray wraps it as an actor.

    Ray sets variables for its workers, among them the number of threads. A trial gets those of the user, so
    that it runs on a node as it would run here.
    """

    def __init__(self, environment: dict[str, str]) -> None:
        for name in list(os.environ):
            if name.startswith(("RAY_", "OMP_", "MKL_", "OPENBLAS_", "NUMBA_", "NUMEXPR_", "CUDA_VISIBLE_")):
                del os.environ[name]
        os.environ.update(environment)
        self.root = Path(tempfile.mkdtemp(prefix="goldsplit-node-"))

    def version(self) -> str:
        """Which goldsplit this node has."""
        return goldsplit.__version__

    def run(self, plan: Plan, shipped: Shipped, place: tuple[int, int]) -> Returned:
        """One trial."""
        tree = self.root / shipped.digest
        if not tree.exists():
            unpack(shipped.archive, tree)
        folder = self.root / "experiment"
        folder.mkdir()
        try:
            trial = run_trial(plan, shipped.unpacked_in(tree), place, folder, Tools())
            return Returned(trial, pack_folder(folder))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def clean(self) -> None:
        """Leave nothing behind."""
        shutil.rmtree(self.root, ignore_errors=True)
