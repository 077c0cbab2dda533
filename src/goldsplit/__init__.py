"""Goldsplit: where reinforcement-learning training spends its time."""

__version__ = "0.1.0"
