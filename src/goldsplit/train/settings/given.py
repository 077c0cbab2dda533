"""What a user gave, and where: a profile's TOML, environment variables, `--set key=value`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

from goldsplit.train.errors import TrainError, closest
from goldsplit.train.options import KINDS, TrainOptions

PREFIX = "GOLDSPLIT_TRAIN_"
SHIPPED = Path(__file__).parents[1] / "profiles"


class Given(NamedTuple):
    """A value as it was found, and the place, in words that a user can search for."""

    key: str
    raw: Any
    place: str


def keys_of(kind: str) -> tuple[str, ...]:
    """All options of one trainer."""
    return tuple(one.name for one in fields(KINDS[kind]))


def shipped_profiles() -> tuple[str, ...]:
    """The names that `--profile` knows."""
    return tuple(sorted(file.stem for file in SHIPPED.glob("*.toml")))


def find_profile(name: str) -> Path:
    """The file of a profile: one of the shipped ones by name, or a path."""
    known = shipped_profiles()
    if name in known:
        return SHIPPED / f"{name}.toml"
    file = Path(name)
    if file.is_dir() and (file / OPTIONS_FILE).is_file():
        return file / OPTIONS_FILE
    if file.is_file():
        return file
    if name.endswith(".toml") or "/" in name:
        raise TrainError(f"there is no profile {name}", f"name a TOML file, or one of: {', '.join(known)}")
    otherwise = f"profiles: {', '.join(known)}, or the path of a TOML file"
    raise TrainError(f"there is no profile {name!r}", closest(name, known, otherwise))


OPTIONS_FILE = "options.toml"
"""What a training writes into its folder: it can be used again as a profile."""


def from_profile(kind: str, name: str) -> Iterator[Given]:
    """The keys of a profile: those at the top, then those of the table [dqn] or [ppo]."""
    file = find_profile(name)
    place = f"profile {name}" if file.parent == SHIPPED else str(file)
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TrainError(f"{file} is not TOML: {error}", "write lines such as: envs = 64") from error
    except OSError as error:
        raise TrainError(f"{file} cannot be read: {error.strerror}", "name a TOML file") from error
    tables = {key: value for key, value in content.items() if isinstance(value, dict)}
    for table in tables:
        if table not in KINDS:
            hint = closest(table, KINDS, f"tables of a profile: {', '.join(KINDS)}")
            raise TrainError(f"{place} has a table [{table}], which no trainer reads", hint)
    shared = {one.name for one in fields(TrainOptions)}
    for key, raw in content.items():
        if key in tables:
            continue
        owners = [owner for owner in KINDS if key in keys_of(owner)]
        if owners and key not in shared and kind not in owners:
            raise TrainError(
                f"{place}: {key} is an option of {owners[0]}, not of {kind}",
                f"write it below a line [{owners[0]}], which {kind} does not read",
            )
        yield Given(_known(key, kind, place), raw, place)
    for table, entries in tables.items():
        for key, raw in entries.items():
            found = _known(key, table, f"{place}, table [{table}]")
            if table == kind:
                yield Given(found, raw, f"{place}, table [{table}]")


def from_environment(kind: str, variables: Mapping[str, str]) -> Iterator[Given]:
    """GOLDSPLIT_TRAIN_ENVS=8 and the like. Those of the other trainer are left alone: variables stay set."""
    everything = {key for known in KINDS for key in keys_of(known)}
    for name in sorted(variables):
        if not name.startswith(PREFIX):
            continue
        key = name.removeprefix(PREFIX).lower()
        if key not in everything:
            hint = closest(key, everything, "unset it, or name an option after the prefix")
            raise TrainError(f"variable {name}: there is no option {key!r}", hint)
        if key in keys_of(kind):
            yield Given(key, variables[name], f"variable {name}")


def from_sets(kind: str, pairs: Iterable[str]) -> Iterator[Given]:
    """--set envs=8."""
    for pair in pairs:
        key, equals, raw = pair.partition("=")
        if not equals:
            raise TrainError(f"--set {pair} has no value", f"write --set {pair}=VALUE")
        key = key.strip().replace("-", "_")
        yield Given(_known(key, kind, f"--set {pair}"), raw, f"--set {pair}")


def _known(key: str, kind: str, place: str) -> str:
    keys = keys_of(kind)
    if key in keys:
        return key
    for other in KINDS:
        if key in keys_of(other):
            raise TrainError(
                f"{place}: {key} is an option of {other}, not of {kind}",
                f"leave it out, or use: goldsplit train {other}",
            )
    raise TrainError(
        f"{place}: there is no option {key!r}", closest(key, keys, f"options: {', '.join(keys)}")
    )
