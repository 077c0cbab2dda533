"""Goldsplit: where reinforcement-learning training spends its time, what slows it, what a fix can save.

Importing this changes nothing and imports nothing heavy. Most users need no import at all:
``goldsplit record -- python train.py``.
"""

from goldsplit.api import count, episode, metric, stage

__version__ = "0.1.0"

__all__ = ["__version__", "count", "episode", "metric", "stage"]
