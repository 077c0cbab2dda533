"""Overlays: what can be changed in an unmodified program from outside, and how a user writes that.

One line for each overlay here; what it does is in `record/inside/overlays/`, one module each.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field

from goldsplit.errors import ConfigError
from goldsplit.model.stage import LEARN_OPTIMIZER, VOCABULARY, is_stage_name

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


_VERIFIED = rf"(,verify={_NUMBER})?"
OVERLAYS: tuple[Overlay, ...] = (
    Overlay(
        "threads",
        "so many computing threads for torch and the math libraries, in each process",
        "N[,workers=M]",
        rf"{_NUMBER}(,workers={_NUMBER})?",
        "1",
        ("thread-oversubscription",),
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
    ),
    Overlay(
        "no-validation",
        "torch distributions do not check their arguments",
        rules=("distribution-validation",),
    ),
    Overlay(
        "constant",
        "a function that always gave the same answer is not called any more",
        "MODULE:FUNCTION[,after=N][,verify=N]",
        rf"{_TARGET}(,after={_NUMBER})?{_VERIFIED}",
        "game.sight:has_line_of_sight",
        ("constant-result",),
    ),
    Overlay(
        "memo",
        "answers to equal arguments are kept within a step, an episode or the run",
        "MODULE:FUNCTION[@step|@episode|@run][,verify=N]",
        rf"{_TARGET}(@(step|episode|run))?{_VERIFIED}",
        "game.sight:has_line_of_sight@step",
        ("built-twice-per-step", "over-cleared-cache", "recomputed-property", "repeated-calls"),
    ),
    Overlay(
        "compiled-text",
        "text that eval, exec, compile or re.compile gets again and again is compiled once",
        "verify=N",
        rf"(verify={_NUMBER})?",
        "verify=1",
        ("recompiled-text",),
    ),
    Overlay("fast:gae", "SB3 computes advantages by compiled code", rules=("python-gae-loop",)),
    Overlay("fast:replay", "SB3 uses goldsplit's replay memory"),
    Overlay(
        "fast:vector",
        "vector environments of SB3 and Gymnasium are replaced by goldsplit's, over shared memory",
        rules=("communication-bound", "env-too-cheap-for-processes", "too-many-workers"),
    ),
    Overlay("lean-info", "infos of steps keep only what libraries need", rules=("fat-info",)),
    Overlay("quiet", "printing and logging inside the loop are left out", rules=("output-in-loop",)),
    Overlay("no-eval", "evaluations in the middle of the training are left out"),
    Overlay("no-checkpoint", "models are not saved in the middle of the training"),
    Overlay("skip", "the calls of a stage are not made", "STAGE", _STAGE, LEARN_OPTIMIZER, is_ablation=True),
    Overlay(
        "every",
        "only each k-th call of a stage is made",
        "K:STAGE",
        rf"{_NUMBER}:{_STAGE}",
        "4:learn.loss",
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
    Overlay("random-actions", "actions are drawn at random from earlier ones", is_ablation=True),
    Overlay(
        "replayed-env",
        "after M steps an environment only repeats what it returned before",
        "M",
        rf"({_NUMBER})?",
        "500",
        is_ablation=True,
    ),
)


def parse_overlay(text: str) -> ChosenOverlay:
    """An overlay from the text `NAME` or `NAME:ARGUMENT`."""
    fitting = [one for one in OVERLAYS if text == one.name or text.startswith(one.name + ":")]
    if not fitting:
        raise _unknown(text)
    overlay = max(fitting, key=lambda one: len(one.name))
    argument = text[len(overlay.name) + 1 :]
    overlay.check(argument)
    for stage in stages_in(overlay, argument):
        if not is_stage_name(stage):
            close = difflib.get_close_matches(stage.lower(), [known.name for known in VOCABULARY], n=1)
            hint = f"did you mean {close[0]}? " if close else ""
            raise ConfigError(
                f"--with {text}: {stage!r} is not a stage name", hint + "`goldsplit stages` lists them"
            )
    return ChosenOverlay(overlay, argument)


def parse_overlays(texts: tuple[str, ...]) -> tuple[ChosenOverlay, ...]:
    """Several of them, each at most once."""
    chosen = tuple(parse_overlay(text.strip()) for text in texts)
    names = [one.text for one in chosen]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ConfigError(f"--with {twice} is given twice", "give each overlay once")
    return chosen


def variables_of(chosen: ChosenOverlay) -> dict[str, str]:
    """The environment variables that an overlay wants to be set before the program starts."""
    if chosen.overlay.name != "threads":
        return {}
    return dict.fromkeys(THREAD_VARIABLES, options_of(chosen.argument)[0])


def stages_in(overlay: Overlay, argument: str) -> list[str]:
    """The stages that an argument names."""
    places = [part.strip("[]") for part in overlay.argument.split(":")]
    return [part for part, place in zip(argument.split(":"), places, strict=False) if place == "STAGE"]


def options_of(argument: str) -> tuple[str, dict[str, int]]:
    """An argument's first part, and the options `name=number` that follow or stand alone."""
    parts = argument.split(",")
    head = "" if "=" in parts[0] else parts.pop(0)
    return head, {name: int(value) for name, _, value in (part.partition("=") for part in parts)}


def _unknown(text: str) -> ConfigError:
    name = text.partition(":")[0]
    names = [one.name for one in OVERLAYS]
    if ":" in text and any(":" in one for one in names):
        name = max((text, name), key=lambda part: difflib.SequenceMatcher(None, part, text).ratio())
    close = difflib.get_close_matches(name.lower(), names, n=1) or difflib.get_close_matches(
        text.partition(":")[0].lower(), names, n=1
    )
    hint = f"did you mean {close[0]}? " if close else ""
    return ConfigError(f"--with {text!r}: there is no such overlay", hint + "`goldsplit overlays` lists them")
