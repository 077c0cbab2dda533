"""From all places to one set of options: later places win, and every mistake is answered with its place."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from goldsplit.train.errors import TrainError
from goldsplit.train.options import KEPT, KINDS, TrainOptions
from goldsplit.train.settings.given import Given, from_environment, from_profile, from_sets
from goldsplit.train.settings.option_values import demands, read, reads_as, wrong

DEFAULT = "default"


@dataclass(frozen=True)
class Wanted:
    """What a command line asks for; `options` are those that have an option of their own."""

    profile: str = ""
    sets: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


class Settings(NamedTuple):
    """The options of a training, and for each key where its value comes from."""

    options: TrainOptions
    places: dict[str, str]


def settle(
    kind: str,
    wanted: Wanted,
    *,
    variables: Mapping[str, str] | None = None,
    saved: TrainOptions | None = None,
) -> Settings:
    """Defaults (or, at a resume, what was saved), then profile, variables, --set, options of the command."""
    known = {one.name: one for one in fields(KINDS[kind])}
    base = DEFAULT if saved is None else "the checkpoint"
    values: dict[str, Any] = {
        key: one.default if saved is None else getattr(saved, key) for key, one in known.items()
    }
    places = dict.fromkeys(known, base)
    for given in all_given(kind, wanted, os.environ if variables is None else variables):
        option = known[given.key]
        value = read(option, given.raw)
        problem = wrong(option, value)
        if problem:
            shown = given.raw if isinstance(given.raw, str) else reads_as(given.raw)
            raise TrainError(f"{given.place}: {given.key} = {shown} {problem}", demands(option))
        values[given.key], places[given.key] = value, given.place
    if saved is not None:
        check_kept(kind, saved, values, places)
    return Settings(KINDS[kind](**values), places)


def all_given(kind: str, wanted: Wanted, variables: Mapping[str, str]) -> list[Given]:
    """Everything that was given, in the order in which later wins."""
    given = list(from_profile(kind, wanted.profile)) if wanted.profile else []
    given += from_environment(kind, variables)
    given += from_sets(kind, wanted.sets)
    given += [Given(key, raw, f"--{key.replace('_', '-')}") for key, raw in wanted.options.items()]
    return given


def check_kept(kind: str, saved: TrainOptions, values: Mapping[str, Any], places: Mapping[str, str]) -> None:
    """Refuse what cannot change in the middle of a training, and say who asked for it."""
    for key in KEPT[kind]:
        before, after = getattr(saved, key), values[key]
        if before != after:
            place = f"{places[key]}: " if key in places else ""
            raise TrainError(
                f"{place}{key} = {reads_as(after)}, but the checkpoint was trained with {reads_as(before)}",
                f"leave {key} out to go on with {reads_as(before)}, or start a new training",
            )
