"""Goldsplit: where reinforcement-learning training spends its time, what slows it, what a fix can save.

Importing this changes nothing and imports nothing heavy. Most users need no import at all:
``goldsplit record -- python train.py``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsplit.api import count, episode, metric, stage

if TYPE_CHECKING:
    from pathlib import Path

    from goldsplit.loading import LoadedReport

__version__ = "0.1.0"

__all__ = ["__version__", "count", "episode", "load", "metric", "stage"]


def load(run: str | Path = "last", root: Path | None = None) -> LoadedReport:
    """The report of a recorded run, typed: `goldsplit.load().profile.stages[0].wall_share`.

    `run` is an id, a name, a path, or `last`; `root` is where runs are looked for (.goldsplit/runs). In a
    notebook the report shows itself as the page that `goldsplit report` writes.
    """
    from goldsplit.loading import load as read

    return read(run, root)
