"""Overlays: what can be changed in an unmodified program from outside.

One line for each overlay here; what it does is in `record/inside/overlays/`, one module each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from goldsplit.errors import ConfigError
from goldsplit.model.stage import ACT, CHECKPOINT, ENV_STEP, EVAL, LEARN_OPTIMIZER

_TARGET = r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*"
_NUMBER = r"[1-9]\d*"
_STAGE = r"[^:]+"
#: What `threads` sets before the program starts.
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
#: Between an overlay's text and what it changed, in the name of a fact.
CHANGE_SEPARATOR = "\x1e"
#: What overlays count beside their changes: kept answers that were computed anyway, and calls made as ever.
VERIFIED_ANSWERS, VERIFIED_CODE, CALLS_MADE = (
    "answers verified",
    "code objects verified",
    "calls made as ever",
)
#: The exit code of a run that an overlay has stopped, because it would have changed an answer.
STOPPED_EXIT_CODE = 4
STOPPED = "stopped"
"""The status of such a run."""


@dataclass(frozen=True, slots=True)
class Overlay:
    """One way to change a run from outside."""

    name: str
    summary: str
    """One line."""
    argument: str = ""
    """How its argument is written, for readers; empty: it takes none."""
    pattern: str = ""
    """A regular expression that the argument fulfils."""
    example: str = ""
    """An argument that does."""
    rules: tuple[str, ...] = ()
    """The rules whose findings offer it."""
    is_ablation: bool = False
    """It is no remedy: it removes or slows a part, to see what that part is worth."""
    module: str = ""
    """The module below `record/inside/overlays/` that has its code and its page; empty: named as it is."""

    stage: str = ""
    """The stage whose calls it changes, where that is always the same one."""
    without: str = ""
    """What the program lacks where the overlay changes nothing; empty: nothing can be said."""

    @property
    def place(self) -> str:
        """The name of that module."""
        name = self.module or re.sub(r"\W", "_", self.name)
        return f"ablations.{name}" if self.is_ablation else name

    @property
    def usage(self) -> str:
        """Name and argument, as a user writes them."""
        if not self.argument:
            return self.name
        return self.name + (f"[:{self.argument}]" if self._may_be_alone else f":{self.argument}")

    @property
    def _may_be_alone(self) -> bool:
        return re.fullmatch(self.pattern, "") is not None

    def check(self, argument: str) -> None:
        """Refuse an argument that this overlay cannot have."""
        if re.fullmatch(self.pattern, argument) is None:
            example = self.name + (f":{self.example}" if self.example else "")
            takes = f"write {self.usage}" if self.argument else "it takes no argument: write"
            raise ConfigError(
                f"--with: overlay {self.name} cannot have the argument {argument!r}"
                if argument
                else f"--with: overlay {self.name} needs an argument",
                f"{takes}, for example --with {example}" if self.argument else f"{takes} --with {self.name}",
            )


@dataclass(frozen=True, slots=True)
class ChosenOverlay:
    """An overlay with its argument."""

    overlay: Overlay
    argument: str

    @property
    def text(self) -> str:
        """As the user wrote it."""
        return f"{self.overlay.name}:{self.argument}" if self.argument else self.overlay.name


@dataclass(frozen=True, slots=True)
class OverlayUse:
    """An overlay that was on in a run, and what it changed there."""

    overlay: str
    """Name and argument."""
    changed: dict[str, int] = field(default_factory=dict)
    """What → how often, over all processes; empty: it changed nothing."""
    saw: dict[str, int] = field(default_factory=dict)
    """What it did or met besides, without changing anything."""
    why: str = ""
    """Why it changed nothing; empty: it did, or that is not known."""


_VERIFIED = rf"(,verify={_NUMBER})?"
OVERLAYS: tuple[Overlay, ...] = (
    Overlay(
        "threads",
        "so many computing threads for torch and the math libraries, in each process",
        "N[,workers=M]",
        rf"{_NUMBER}(,workers={_NUMBER})?",
        "1",
        ("thread-oversubscription",),
        without="torch and the program use so many threads anyway",
    ),
    Overlay(
        "seed",
        "random, numpy, gymnasium and torch start from a seed, where the program gives none",
        "N",
        _NUMBER,
        "1",
    ),
    Overlay(
        "start",
        "worker processes are started by another method",
        "fork|forkserver|spawn",
        "fork|forkserver|spawn",
        "fork",
        ("startup-imports",),
        module="start_method",
        without="no worker process was to be started by another method",
    ),
    Overlay(
        "no-validation",
        "torch distributions do not check their arguments",
        rules=("distribution-validation",),
        without="no distribution of torch was made that checks its arguments",
    ),
    Overlay(
        "constant",
        "a function that always gave the same answer is not called any more",
        "MODULE:FUNCTION[,after=N][,verify=N]",
        rf"{_TARGET}(,after={_NUMBER})?{_VERIFIED}",
        "game.sight:has_line_of_sight",
        ("constant-result",),
        without="it was not called again after its answers had been compared",
    ),
    Overlay(
        "memo",
        "answers to equal arguments are kept within a step, an episode or the run",
        "MODULE:FUNCTION[@step|@episode|@run][,verify=N]",
        rf"{_TARGET}(@(step|episode|run))?{_VERIFIED}",
        "game.sight:has_line_of_sight@step",
        ("built-twice-per-step", "over-cleared-cache", "recomputed-property", "repeated-calls"),
        without="too few calls had arguments that were equal to earlier ones, as long as answers are kept",
    ),
    Overlay(
        "compiled-text",
        "text that eval, exec, compile or re.compile gets again and again is compiled once",
        "verify=N",
        rf"(verify={_NUMBER})?",
        "verify=100",
        ("recompiled-text",),
        without="no text came again often enough",
    ),
    Overlay(
        "fast:gae",
        "SB3 computes advantages by compiled code",
        rules=("python-gae-loop",),
        without="no rollout buffer of Stable-Baselines3 has computed advantages",
    ),
    Overlay(
        "fast:replay",
        "SB3 uses goldsplit's replay memory",
        rules=("replay-item-by-item", "replay-sampling-grows", "sum-tree-in-python"),
        without="Stable-Baselines3 has made no replay memory",
    ),
    Overlay(
        "fast:vector",
        "vector environments of SB3 and Gymnasium are replaced by goldsplit's, over shared memory",
        rules=("actions-over-ipc", "communication-bound", "env-too-cheap-for-processes", "too-many-workers"),
        without="no vector environment of Stable-Baselines3 or Gymnasium was made",
    ),
    Overlay(
        "lean-info",
        "infos of steps keep only what libraries need",
        rules=("fat-info",),
        stage=ENV_STEP,
        without="infos of steps have only keys that libraries need",
    ),
    Overlay(
        "quiet",
        "printing and logging inside the loop are left out",
        rules=("output-in-loop",),
        without="nothing was printed or logged inside the loop",
    ),
    Overlay(
        "no-eval",
        "evaluations in the middle of the training are left out",
        rules=("frequent-evaluation",),
        stage=EVAL,
    ),
    Overlay(
        "no-checkpoint",
        "models are not saved in the middle of the training",
        rules=("frequent-evaluation",),
        stage=CHECKPOINT,
    ),
    Overlay("skip", "the calls of a stage are not made", "STAGE", _STAGE, LEARN_OPTIMIZER, is_ablation=True),
    Overlay(
        "every",
        "only each k-th call of a stage is made",
        "K:STAGE",
        rf"{_NUMBER}:{_STAGE}",
        "4:learn.loss",
        ("updates-dominate",),
        is_ablation=True,
    ),
    Overlay(
        "slow",
        "a stage becomes slower by so many percent",
        "STAGE:PERCENT",
        rf"{_STAGE}:{_NUMBER}",
        "env.observe:50",
        is_ablation=True,
    ),
    Overlay("random-actions", "actions are drawn at random from earlier ones", is_ablation=True, stage=ACT),
    Overlay(
        "replayed-env",
        "after M steps an environment only repeats what it returned before",
        "M",
        rf"({_NUMBER})?",
        "500",
        is_ablation=True,
        stage=ENV_STEP,
    ),
)
