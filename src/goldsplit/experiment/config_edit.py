"""Change one value of a settings file: TOML, YAML, JSON or ini, by dotted key. The rest stays as it was.

The text is edited in place, line by line, so that comments and order remain; JSON is read and written.
"""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from pathlib import PurePath
from typing import Any

from goldsplit.errors import ConfigError


def edited(text: str, file: str, key: str, value: str) -> str:
    """The text of a settings file with one value changed. The key must be there: a new one is mostly a
    spelling mistake."""
    kind = PurePath(file).suffix.lower()
    if kind == ".json":
        return _edit_json(text, file, key, value)
    if kind in (".yaml", ".yml"):
        return _edit_yaml(text, file, key, value)
    if kind == ".toml":
        return _edit_toml(text, file, key, value)
    if kind in (".ini", ".cfg"):
        return _edit_ini(text, file, key, value)
    raise ConfigError(
        f"cannot change {file}: goldsplit edits .toml, .yaml, .json, .ini and .cfg files",
        "change it by arguments, an environment variable or a patch instead",
    )


def parsed(value: str) -> Any:
    """A value as TOML reads it (number, true, text in quotes, list), else the text itself."""
    try:
        return tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return value


def _missing(file: str, key: str) -> ConfigError:
    return ConfigError(f"{file} has no value {key!r}", "give the whole dotted key, as in ppo.learning_rate")


def _edit_json(text: str, file: str, key: str, value: str) -> str:
    try:
        data = json.loads(text)
    except ValueError as error:
        raise ConfigError(f"{file} is no JSON: {error}", "correct the file") from error
    *path, last = key.split(".")
    inner = data
    for part in path:
        inner = inner.get(part) if isinstance(inner, dict) else None
    if not isinstance(inner, dict) or last not in inner:
        raise _missing(file, key)
    inner[last] = parsed(value)
    return json.dumps(data, indent=2) + "\n"


def _edit_toml(text: str, file: str, key: str, value: str) -> str:
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is no TOML: {error}", "correct the file") from error
    if _at(before, key) is None:
        raise _missing(file, key)
    written = _as_toml(parsed(value))
    section = ""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        heading = re.fullmatch(r"\s*\[([^\[\]]+)\]\s*(#.*)?", line)
        if heading:
            section = heading[1].strip().replace('"', "") + "."
            continue
        found = re.match(r"(\s*)([A-Za-z0-9_.\"-]+)(\s*=\s*)", line)
        if found and section + found[2].replace('"', "") == key:
            lines[number] = found[1] + found[2] + found[3] + written
            break
    changed = "\n".join(lines) + "\n"
    try:
        if _at(tomllib.loads(changed), key) == parsed(value):
            return changed
    except tomllib.TOMLDecodeError:
        pass
    raise ConfigError(
        f"{file}: {key} is written over several lines or inside braces, which goldsplit cannot edit",
        "write it on a line of its own, or use a patch",
    )


def _as_toml(value: Any) -> str:
    return json.dumps(value)  # the same for numbers, texts, lists and true or false


def _at(data: Any, key: str) -> Any:
    for part in key.split("."):
        data = data.get(part) if isinstance(data, dict) else None
    return data


def _edit_yaml(text: str, file: str, key: str, value: str) -> str:
    """Plain block style, which settings files are written in: `key: value`, nested by indentation."""
    above: list[tuple[int, str]] = []
    lines = text.splitlines()
    for number, line in enumerate(lines):
        found = re.match(r"(\s*)([^\s#:'\"-][^:#]*|'[^']*'|\"[^\"]*\"):(\s+|$)([^#]*?)(\s*#.*)?$", line)
        if not found:
            continue
        indent, name = len(found[1]), found[2].strip().strip("'\"")
        above = [(depth, part) for depth, part in above if depth < indent]
        if ".".join([part for _, part in above] + [name]) == key and found[4].strip():
            lines[number] = f"{found[1]}{found[2]}: {_as_yaml(value)}{found[5] or ''}"
            return "\n".join(lines) + "\n"
        above.append((indent, name))
    raise _missing(file, key)


def _as_yaml(value: str) -> str:
    read = parsed(value)
    return json.dumps(read) if not isinstance(read, str) or re.search(r"[:#\[\]{}'\"]", read) else read


def _edit_ini(text: str, file: str, key: str, value: str) -> str:
    section, _, name = key.rpartition(".")
    reader = configparser.ConfigParser(interpolation=None)
    try:
        reader.read_string(text)
    except configparser.Error as error:
        raise ConfigError(f"{file} cannot be read: {error}", "correct the file") from error
    if not reader.has_option(section or "DEFAULT", name):
        raise _missing(file, key)
    lines = text.splitlines()
    here = ""
    for number, line in enumerate(lines):
        heading = re.fullmatch(r"\s*\[(.+)\]\s*", line)
        found = re.match(r"([^\s#;=:][^=:]*?)(\s*[=:]\s*)", line)
        if heading:
            here = heading[1]
        elif found and here == (section or "DEFAULT") and found[1].lower() == name.lower():
            lines[number] = found[1] + found[2] + value
            return "\n".join(lines) + "\n"
    raise _missing(file, key)
