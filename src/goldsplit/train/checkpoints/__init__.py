"""Trainings on disk: `checkpoint_file` knows what a checkpoint is, `state_file` how data is stored."""

from __future__ import annotations

from goldsplit.train.checkpoints.checkpoint_file import (
    FILE_NAME,
    Checkpoint,
    Header,
    check_same,
    find,
    head,
    load,
    random_states,
    restore_random,
    save,
)

__all__ = [
    "FILE_NAME",
    "Checkpoint",
    "Header",
    "check_same",
    "find",
    "head",
    "load",
    "random_states",
    "restore_random",
    "save",
]
