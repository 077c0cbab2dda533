"""A plan from a TOML file, or from what stands on the command line: both say the same, key by key."""

from __future__ import annotations

import dataclasses
import difflib
import re
import shlex
from pathlib import Path
from typing import Any

from goldsplit.errors import ConfigError
from goldsplit.experiment.plan_sources import read_gate, read_source
from goldsplit.model.experiment.design import BASE, MOST_PAIRS, ConfigEdit, Plan, Variant
from goldsplit.store.config import check_stage, check_target, read_toml

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_VARIANT_KEYS = ("env", "args", "with", "config", "rev", "patch")
_NUMBERS = {"minimum_gain": float, "pairs": int, "warm_up": float, "seed": int, "target_reward": float}
_FLAGS = ("early_stop", "equivalent", "lower_is_better")
_KEYS = (
    *(
        "name",
        "command",
        "metric",
        "variants",
        "gates",
        "metrics",
        "stages",
        "duration_seconds",
        "seed_variable",
    ),
    *_NUMBERS,
    *_FLAGS,
)
_LIMITS = {"pairs": (1, MOST_PAIRS), "minimum_gain": (0.0, 10.0), "warm_up": (0.0, 0.9)}


def read_plan_file(file: Path) -> Plan:
    """The plan in a TOML file."""
    data = read_toml(file, "give the path of a plan (TOML)", "ab.md")
    return plan_of(data, str(file), file.stem)


def plan_of(data: dict[str, Any], where: str, name: str) -> Plan:
    """A plan from its keys. `where`: what to name in errors."""
    check_keys(data, _KEYS, where)
    command = data.get("command", [])
    command = shlex.split(command) if isinstance(command, str) else command
    if not isinstance(command, list) or not all(isinstance(part, str) for part in command):
        raise ConfigError(f"{where}: command is no list of words", 'write command = ["python", "train.py"]')
    changes: dict[str, Any] = {}
    for key, kind in _NUMBERS.items():
        if key in data:
            changes[key] = check_number(key, data[key], kind, where)
    for key in _FLAGS:
        if key in data:
            if not isinstance(data[key], bool):
                raise ConfigError(f"{where}: {key} must be true or false", f"write {key} = true")
            changes[key] = data[key]
    if "duration_seconds" in data:
        changes["duration_seconds"] = check_number("duration_seconds", data["duration_seconds"], float, where)
    for key in ("metric", "seed_variable"):
        if key in data:
            changes[key] = str(data[key])
    tables = {key: _table(data, key, where) for key in ("variants", "gates", "metrics", "stages")}
    return Plan(
        name=check_name(str(data.get("name", name)), where),
        command=tuple(command),
        variants=with_base([read_variant(key, row, where) for key, row in tables["variants"].items()]),
        gates=tuple(read_gate(key, row, where) for key, row in tables["gates"].items()),
        metrics={key: read_source(key, row, where) for key, row in tables["metrics"].items()},
        stages={
            check_target(target, where): check_stage(str(stage), where)
            for target, stage in tables["stages"].items()
        },
        **changes,
    )


def _table(data: dict[str, Any], key: str, where: str) -> dict[str, Any]:
    table = data.get(key, {})
    if not isinstance(table, dict):
        raise ConfigError(f"{where}: {key} must be a table", f"write [{key}.NAME]")
    return table


def check_keys(data: dict[str, Any], known: tuple[str, ...], where: str) -> None:
    """Refuse a key that nobody reads: mostly a spelling mistake."""
    unknown = sorted(set(data) - set(known))
    if unknown:
        close = difflib.get_close_matches(unknown[0], known, n=1)
        hint = f"did you mean {close[0]}?" if close else f"known: {', '.join(known)}"
        raise ConfigError(f"{where} has an unknown key {unknown[0]!r}", hint)


def check_number(key: str, value: Any, kind: type, where: str) -> Any:
    """A number of the right kind within its limits."""
    low, high = _LIMITS.get(key, (-1e12, 1e12))
    fits = isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high
    if not fits or (kind is int and value != int(value)):
        limits = f" from {low:g} to {high:g}" if key in _LIMITS else ""
        raise ConfigError(f"{where}: {key} is {value!r}", f"give a number{limits}")
    return kind(value)


def check_name(name: str, where: str) -> str:
    """A name that can be part of a file name."""
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f"{where}: {name!r} is no name for an experiment or a variant",
            "use up to 40 letters, digits, dots, dashes and underscores",
        )
    return name


def with_base(variants: list[Variant]) -> tuple[Variant, ...]:
    """The base first: the variant of that name, or the unchanged program."""
    base = next((variant for variant in variants if variant.name == BASE), Variant(BASE))
    return (base, *(variant for variant in variants if variant.name != BASE))


def read_variant(name: str, row: Any, where: str) -> Variant:
    """One [variants.NAME] table."""
    here = f"{where}: variant {name}"
    if not isinstance(row, dict):
        raise ConfigError(f"{here} is no table", f"write [variants.{name}]")
    check_keys(row, _VARIANT_KEYS, here)
    environment = row.get("env", {})
    if not isinstance(environment, dict):
        raise ConfigError(f"{here}: env is no table", 'write env = { NAME = "value" }')
    return Variant(
        name=check_name(name, where),
        environment={str(key): str(value) for key, value in environment.items()},
        arguments=_words(row.get("args", []), f"{here}: args"),
        overlays=_texts(row.get("with", []), f"{here}: with"),
        edits=tuple(_edits(row.get("config", []), here)),
        revision=str(row.get("rev", "")),
        patch=str(row.get("patch", "")),
    )


def _words(value: Any, where: str) -> tuple[str, ...]:
    return tuple(shlex.split(value)) if isinstance(value, str) else _texts(value, where)


def _texts(value: Any, where: str) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or any(isinstance(one, dict | list) for one in listed):
        raise ConfigError(f"{where} is no text or list of texts", 'write "a b" or ["a", "b"]')
    return tuple(str(one) for one in listed)


def _edits(value: Any, where: str) -> list[ConfigEdit]:
    """`{ "train.toml" = { "ppo.lr" = 0.1 } }`, or texts as on the command line."""
    if isinstance(value, dict):
        rows = [(file, keys) for file, keys in value.items() if isinstance(keys, dict)]
        if len(rows) != len(value):
            raise ConfigError(
                f"{where}: config has no keys", 'write config = {"train.toml" = {"ppo.lr" = 0.1}}'
            )
        return [ConfigEdit(file, key, _written(new)) for file, keys in rows for key, new in keys.items()]
    return [config_edit(text, where) for text in _texts(value, f"{where}: config")]


def _written(value: Any) -> str:
    return value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else repr(value)


def config_edit(text: str, where: str) -> ConfigEdit:
    """`train.toml:ppo.lr=0.1`"""
    found = re.fullmatch(r"([^:]+):([^=]+)=(.*)", text)
    if not found:
        raise ConfigError(f"{where}: {text!r} names no file, key and value", "write FILE:KEY=VALUE")
    return ConfigEdit(found[1], found[2].strip(), found[3])


def variant_texts(texts: tuple[str, ...]) -> tuple[Variant, ...]:
    """Variants from `--variant NAME:KEY=VALUE`; one name may be given several times."""
    found: dict[str, Variant] = {}
    for text in texts:
        name, _, change = text.partition(":")
        key, separator, value = change.partition("=")
        if separator and re.fullmatch(r"[A-Za-z_-]+", key):
            check_keys({key: value}, _VARIANT_KEYS, f"--variant {text!r}")
        if not separator or key not in _VARIANT_KEYS:
            raise ConfigError(
                f"--variant {text!r} says no change",
                "write NAME:KEY=VALUE, where KEY is one of " + ", ".join(_VARIANT_KEYS),
            )
        before = found.get(name) or Variant(check_name(name, "--variant"))
        found[name] = _changed(before, key, value)
    return with_base(list(found.values()))


def _changed(variant: Variant, key: str, value: str) -> Variant:
    where = f"--variant {variant.name}"
    if key == "env":
        name, separator, new = value.partition("=")
        if not separator:
            raise ConfigError(f"{where}: env={value} has no value", "write env=NAME=VALUE")
        _once(where, f"env={name}", name in variant.environment)
        return dataclasses.replace(variant, environment=variant.environment | {name: new})
    if key == "args":
        return dataclasses.replace(variant, arguments=(*variant.arguments, *shlex.split(value)))
    if key == "with":
        return dataclasses.replace(variant, overlays=(*variant.overlays, value))
    if key == "config":
        edit = config_edit(value, where)
        before = [(one.file, one.key) for one in variant.edits]
        _once(where, f"config={edit.file}:{edit.key}", (edit.file, edit.key) in before)
        return dataclasses.replace(variant, edits=(*variant.edits, edit))
    _once(where, key, bool(variant.revision if key == "rev" else variant.patch))
    if key == "rev":
        return dataclasses.replace(variant, revision=value)
    return dataclasses.replace(variant, patch=value)


def _once(where: str, what: str, before: bool) -> None:
    """One of two values would be lost without a word."""
    if before:
        raise ConfigError(f"{where}: {what} is given twice", "give it once, or use two variants")
