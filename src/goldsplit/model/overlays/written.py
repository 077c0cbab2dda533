"""How a user writes an overlay (`--with NAME:ARGUMENT`), and what is wrong with it."""

from __future__ import annotations

import difflib
import os
from collections.abc import Collection

from goldsplit.errors import ConfigError
from goldsplit.model.overlays.overlay import OVERLAYS, THREAD_VARIABLES, ChosenOverlay, Overlay
from goldsplit.model.stage import VOCABULARY, is_stage_name

#: More threads than this, and than four for each core, are refused.
LEAST_THREADS = 64
#: How alike a name and that of a stage are, if it can be meant for no other.
SAME_BUT_MISSPELT = 0.8


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
    for one in chosen:
        _check_threads(one)
    return chosen


def _check_threads(chosen: ChosenOverlay) -> None:
    """Refuse a number of threads at which a machine only suffers."""
    if chosen.overlay.name != "threads":
        return
    head, options = options_of(chosen.argument)
    cores = os.cpu_count() or 1
    most = max(LEAST_THREADS, 4 * cores)
    if max(int(head), *options.values(), 0) > most:
        raise ConfigError(
            f"--with {chosen.text}: so many threads do nothing but wait for each other",
            f"this machine has {cores} cores; write {most} at most",
        )


def check_together(texts: tuple[str, ...], own_stages: Collection[str] = ()) -> None:
    """Refuse what cannot be on in one run: overlays that contradict each other, stages that are misspelt. A
    name that is like no stage may be one of the user's own: then the report says whether it was seen."""
    seen: dict[tuple[str, str], str] = {}
    known = [stage.name for stage in VOCABULARY] + list(own_stages)
    for chosen in parse_overlays(texts):
        stages = stages_in(chosen.overlay, chosen.argument)
        of = chosen.argument.partition("@")[0].partition(",")[0] if _is_target(chosen) else "".join(stages)
        other = seen.setdefault((chosen.overlay.name, of), chosen.text)
        if other != chosen.text:
            raise ConfigError(
                f"--with {other} and --with {chosen.text} contradict each other", "give one of them"
            )
        for stage in stages:
            close = difflib.get_close_matches(stage, known, n=1, cutoff=SAME_BUT_MISSPELT)
            if stage not in known and close:
                raise ConfigError(
                    f"--with {chosen.text}: there is no stage {stage!r}",
                    f"did you mean {close[0]}? A stage of your own: --stage MODULE:FUNCTION={stage}",
                )


def _is_target(chosen: ChosenOverlay) -> bool:
    return chosen.overlay.argument.startswith("MODULE:")


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
    written = (name.lower(), text.partition(":")[0].lower())
    close = [found for part in written for found in difflib.get_close_matches(part, names, n=1)]
    hint = f"did you mean {close[0]}? " if close else ""
    return ConfigError(f"--with {text!r}: there is no such overlay", hint + "`goldsplit overlays` lists them")
