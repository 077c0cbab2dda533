"""One option's value: from text or TOML into its type, within its limits, and back into TOML."""

from __future__ import annotations

import json
import math
from dataclasses import Field
from numbers import Integral, Real
from typing import Any, NamedTuple

WORDS_OF_TRUTH = {
    "true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False
}  # fmt: skip
NAMES = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    tuple: "a list of whole numbers, as 128,128",
}


class Limits(NamedTuple):
    """What a number, or each number of a list, must be; None: no such limit."""

    least: float | None = None
    most: float | None = None
    above: float | None = None
    choices: tuple[str, ...] = ()


class Meaning(NamedTuple):
    """What is said about an option beside it."""

    doc: str
    kept: bool
    limits: Limits


def meaning(option: Field[Any]) -> Meaning:
    """What the options' dataclass says about this field."""
    said: Meaning = option.metadata["meaning"]
    return said


def demands(option: Field[Any]) -> str:
    """What an option means and what values it takes, for hints."""
    said = meaning(option)
    limits = said.limits
    values = " or ".join(limits.choices) if limits.choices else NAMES[type(option.default)]
    for word, limit in (("at least", limits.least), ("above", limits.above), ("at most", limits.most)):
        if limit is not None:
            values += f", {word} {limit:g}"
    return f"{option.name} takes {values} ({said.doc})"


def wrong(option: Field[Any], value: Any) -> str:
    """What is wrong with a value, or nothing."""
    kind, limits = type(option.default), meaning(option).limits
    if not _is_a(kind, value):
        return f"is not {NAMES[kind]}"
    if kind is tuple and not value:
        return "is an empty list"
    if limits.choices and value not in limits.choices:
        return f"is not {' or '.join(limits.choices)}"
    numbers = value if kind is tuple else [value] if kind in (int, float) else []
    for number in numbers:
        if not math.isfinite(number):
            return "is not a finite number"
        if limits.least is not None and number < limits.least:
            return f"is below {limits.least:g}"
        if limits.above is not None and number <= limits.above:
            return f"is not above {limits.above:g}"
        if limits.most is not None and number > limits.most:
            return f"is above {limits.most:g}"
    return ""


def _is_a(kind: type, value: Any) -> bool:
    if kind is bool or isinstance(value, bool):
        return kind is bool and isinstance(value, bool)
    if kind is int:
        return isinstance(value, Integral)
    if kind is float:
        return isinstance(value, Real)
    if kind is tuple:
        return isinstance(value, tuple) and all(_is_a(int, one) for one in value)
    return isinstance(value, kind)


def read(option: Field[Any], raw: Any) -> Any:
    """A value of the option's type where that is possible; else what was given, for `wrong` to judge."""
    kind = type(option.default)
    if isinstance(raw, str) and kind is not str:
        return _from_text(kind, raw.strip())
    if kind is tuple and isinstance(raw, list):
        return tuple(_number(int, one) for one in raw)
    return _number(kind, raw)


def _from_text(kind: type, text: str) -> Any:
    if kind is bool:
        return WORDS_OF_TRUTH.get(text.lower(), text)
    if kind is tuple:
        parts = text.strip("[]()").split(",")
        return tuple(_from_text(int, part.strip()) for part in parts if part.strip())
    try:
        return int(text) if kind is int else float(text)
    except ValueError:
        pass
    try:
        return _number(kind, float(text))  # 2e6 is a whole number, too
    except ValueError:
        return text


def _number(kind: type, raw: Any) -> Any:
    if isinstance(raw, bool):
        return raw
    if kind is int and isinstance(raw, float) and raw.is_integer():
        return int(raw)
    if kind is float and isinstance(raw, int):
        return float(raw)
    return raw


def reads_as(value: Any) -> str:
    """A value as TOML has it; for other kinds of value as Python shows it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, tuple | list):
        return f"[{', '.join(reads_as(one) for one in value)}]"
    if isinstance(value, Integral):
        return f"{int(value):_}"
    return repr(float(value)) if isinstance(value, Real) else repr(value)
