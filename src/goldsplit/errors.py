"""Every error that goldsplit raises on purpose, as one tree.

GoldsplitError            what happened, and a hint; the command line prints both and exits with 2
├── CommandError          the command to record cannot be started
├── AttachError           a process cannot be attached to
├── RunNotFoundError      no run of that id, name or path
├── DamagedRunError       a run's files cannot be read
├── FormatError           a run was written by a newer goldsplit
├── ConfigError           goldsplit.toml or --stage is wrong
├── TargetError           an environment cannot be found, made or driven
├── QuestionError         a what-if or a horizon cannot be answered from this run
├── OutputError           the run directory cannot be written
├── GameError             of `goldsplit.games`: an option, a scenario, a call or a server is wrong
└── TrainError            of `goldsplit train`: an option, a profile, a checkpoint or a game is wrong
"""

from __future__ import annotations


class GoldsplitError(Exception):
    """What happened, in one sentence, and what to do about it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message


class CommandError(GoldsplitError):
    """The command to record cannot be started."""


class AttachError(GoldsplitError):
    """A process cannot be attached to."""


class RunNotFoundError(GoldsplitError):
    """No run of that id, name or path."""


class DamagedRunError(GoldsplitError):
    """A run's files cannot be read."""


class FormatError(GoldsplitError):
    """A run was written by a newer goldsplit."""


class ConfigError(GoldsplitError):
    """goldsplit.toml or --stage is wrong."""


class TargetError(GoldsplitError):
    """An environment cannot be found, made or driven."""


class QuestionError(GoldsplitError):
    """A what-if or a horizon cannot be answered from this run."""


class OutputError(GoldsplitError):
    """The run directory cannot be written."""


class GameError(GoldsplitError, ValueError):
    """An option, a scenario, a call or a server of a game is wrong."""
