"""Change one value of a settings file: TOML, YAML, JSON or ini, by dotted key. The rest stays as it was.

The text is edited in place, so that comments and order remain; JSON is read and written.
"""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from pathlib import PurePath
from typing import Any

from goldsplit.errors import ConfigError
from goldsplit.experiment.value_places import toml_places, yaml_places

_NOTHING = object()


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
    return ConfigError(
        f"{file} has no value {key!r}", "give the whole dotted key, as in ppo.learning_rate, or items.0.size"
    )


def _edit_json(text: str, file: str, key: str, value: str) -> str:
    try:
        data = json.loads(text)
    except ValueError as error:
        raise ConfigError(f"{file} is no JSON: {error}", "correct the file") from error
    if not _put(data, key, parsed(value)):
        raise _missing(file, key)
    return json.dumps(data, indent=2) + "\n"


def _put(data: Any, key: str, value: Any) -> bool:
    """Change a value; items of lists are numbered from 0. False: there is none."""
    *path, last = key.split(".")
    for part in path:
        data = _inside(data, part)
    if _inside(data, last) is _NOTHING:
        return False
    data[int(last) if isinstance(data, list) else last] = value
    return True


def _inside(data: Any, part: str) -> Any:
    if isinstance(data, list):
        return data[int(part)] if part.isdecimal() and int(part) < len(data) else _NOTHING
    return data.get(part, _NOTHING) if isinstance(data, dict) else _NOTHING


def _edit_toml(text: str, file: str, key: str, value: str) -> str:
    try:
        wanted = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is no TOML: {error}", "correct the file") from error
    try:
        places = toml_places(text)
    except (ValueError, IndexError):
        places = {}
    if key not in places:
        if not _put(wanted, key, 0):
            raise _missing(file, key)
        raise _not_editable(file, key, "a table")
    begin, end = places[key]
    changed = text[:begin] + _as_toml(value) + text[end:]
    try:
        if _put(wanted, key, parsed(value)) and tomllib.loads(changed) == wanted:
            return changed
    except tomllib.TOMLDecodeError:
        pass
    raise _not_editable(file, key, "written")


def _not_editable(file: str, key: str, how: str) -> ConfigError:
    said = "a table, not a value" if how == "a table" else "written in a way that goldsplit cannot edit"
    return ConfigError(f"{file}: {key} is {said}", "name a single value, or use a patch (patch=FILE)")


def _as_toml(value: str) -> str:
    """What reads as TOML stays as it was written; anything else is text."""
    return value if parsed(value) is not value else json.dumps(value, ensure_ascii=False)


def _edit_yaml(text: str, file: str, key: str, value: str) -> str:
    """Where PyYAML is: every value that stands alone or in brackets. Else lines of block style."""
    try:
        places, before = yaml_places(text)
    except ImportError:
        return _edit_yaml_lines(text, file, key, value)
    except ValueError as error:
        raise ConfigError(f"{file} is no YAML: {error}", "correct the file") from error
    if key not in places:
        if any(name.startswith(f"{key}.") for name in before):
            raise _not_editable(file, key, "a table")
        raise _missing(file, key)
    begin, end = places[key]
    room = " " if begin == end else ""
    changed = text[:begin] + room + _as_yaml(value) + text[end:]
    try:
        after = yaml_places(changed)[1]
    except ValueError:
        after = {}
    if after and _without(before, key) == _without(after, key):
        return changed
    raise _not_editable(file, key, "written")


def _without(values: dict[str, str], key: str) -> dict[str, str]:
    return {name: value for name, value in values.items() if name != key and not name.startswith(f"{key}.")}


def _edit_yaml_lines(text: str, file: str, key: str, value: str) -> str:
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
    raise ConfigError(
        f"{file}: no line of its own says {key}",
        "values in braces and lists need PyYAML: pip install pyyaml; and give the whole dotted key",
    )


def _as_yaml(value: str) -> str:
    read = parsed(value)
    if isinstance(read, str):
        return json.dumps(read) if re.search(r"[:#\[\]{}'\",\n]", read) else read
    try:
        return json.dumps(read)
    except TypeError:  # a date
        return value


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
