"""Where the values of a settings file are in its text, so that one can be replaced and the rest stays."""

from __future__ import annotations

import re
from typing import Any

Places = dict[str, tuple[int, int]]
"""Dotted key (items of lists by number, from 0) → begin and end of the value."""

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY = re.compile(r"""[ \t]*("(?:\\.|[^"\\])*"|'[^']*'|[A-Za-z0-9_-]+)[ \t]*""")
_STRINGS = re.compile(
    r'''"""(?:\\.|[^\\])*?"""{1,3}'''
    r"""|'''.*?'''+|"(?:\\.|[^"\\\n])*"|'[^'\n]*'""",
    re.DOTALL,
)
_BARE = re.compile(r"\d{4}-\d\d-\d\d \d\d:[^\s,\]}#]*|[^\s,\]}#]+")


def toml_places(text: str) -> Places:
    """Of a text that is TOML for sure."""
    return _Toml(text).places


class _Toml:
    """Walks over the text once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.places: Places = {}
        self.tables: dict[str, int] = {}  # arrays of tables: how many there are so far
        at, above = self._blank(0), ""
        while at < len(text):
            if text[at] == "[":
                above, at = self._heading(at)
            else:
                at = self._pair(at, above)
            at = self._blank(at)

    def _blank(self, at: int) -> int:
        found = _BLANK.match(self.text, at)
        return found.end() if found else at

    def _heading(self, at: int) -> tuple[str, int]:
        several = self.text.startswith("[[", at)
        parts, at = self._key(at + (2 if several else 1))
        path = ""
        for place, part in enumerate(parts):
            path = f"{path}.{part}" if path else part
            if several and place == len(parts) - 1:
                self.tables[path] = self.tables.get(path, -1) + 1
            if path in self.tables:
                path += f".{self.tables[path]}"
        return path, at + (2 if several else 1)

    def _key(self, at: int) -> tuple[list[str], int]:
        parts = []
        while found := _KEY.match(self.text, at):
            parts.append(found[1].strip("\"'") if found[1][0] in "\"'" else found[1])
            at = found.end()
            if self.text[at : at + 1] != ".":
                break
            at += 1
        if not parts:
            raise ValueError(f"no key at {at}")
        return parts, at

    def _pair(self, at: int, above: str) -> int:
        parts, at = self._key(at)
        return self._value(self._blank(at + 1), ".".join([above, *parts] if above else parts))

    def _value(self, at: int, path: str) -> int:
        begin, opened = at, self.text[at]
        if opened in "[{":
            at, number = self._blank(at + 1), 0
            while self.text[at] not in "]}":
                at = self._value(at, f"{path}.{number}") if opened == "[" else self._pair(at, path)
                at, number = self._blank(at), number + 1
                if self.text[at] == ",":
                    at = self._blank(at + 1)
            at += 1
        else:
            found = (_STRINGS if opened in "\"'" else _BARE).match(self.text, at)
            if not found:
                raise ValueError(f"no value at {at}")
            at = found.end()
        self.places[path] = (begin, at)
        return at


def yaml_places(text: str) -> tuple[Places, dict[str, str]]:
    """Places of values that stand alone or in brackets, and all plain values by key. Raises ValueError of
    what is no YAML, ImportError where there is no PyYAML."""
    import yaml

    places: Places = {}
    values: dict[str, str] = {}

    def walk(node: Any, path: str) -> None:
        inner: list[tuple[str, Any]] = []
        if isinstance(node, yaml.MappingNode):
            inner = [(str(key.value), value) for key, value in node.value]
        elif isinstance(node, yaml.SequenceNode):
            inner = [(str(number), value) for number, value in enumerate(node.value)]
        else:
            values[path] = f"{node.tag} {node.value}"
        if isinstance(node, yaml.ScalarNode) or node.flow_style:
            places[path] = (node.start_mark.index, node.end_mark.index)
        for name, value in inner:
            walk(value, f"{path}.{name}" if path else name)

    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(" ".join(str(error).split())) from error
    if root is not None:
        walk(root, "")
    return places, values
