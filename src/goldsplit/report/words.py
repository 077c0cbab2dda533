"""Figures and names as text: one place decides how they are written. None is never shown as 0."""

from __future__ import annotations

import math
import re
import textwrap
from typing import Any

NOT_MEASURED = "not measured"
DASH = "–"
#: Time that belongs to no stage.
NO_STAGE = "(no stage)"
#: Beyond this a speed-up says only: it is nearly the whole run.
LARGEST_SPEEDUP = 20
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=(?:%|us|ms|s|min|h|bytes|KiB|MiB|GiB)(?:\W|$))")
_GLUE = "\N{NO-BREAK SPACE}"


def known(value: float | None) -> float | None:
    """A figure; None for NaN and infinity too, which mean as little as a missing value."""
    return value if value is not None and math.isfinite(value) else None


def share(value: float | None) -> str:
    """A share of 0..1 in percent: two digits are enough to decide something."""
    value = known(value)
    if value is None:
        return DASH
    percent = 100 * value
    if percent == 0:
        return "0 %"
    if percent < 0.1:
        return "<0.1 %"
    return f"{percent:.0f} %" if percent >= 9.95 else f"{percent:.1f} %"


def interval(low: float | None, high: float | None) -> str:
    """The range of a share; a dash where it was timed exactly."""
    low, high = known(low), known(high)
    if low is None or high is None or not is_interval(low, high):
        return DASH
    return share_range(low, high)


def share_range(low: float, high: float) -> str:
    """Two shares in percent, with as many digits as the larger one needs."""
    digits = 0 if high >= 0.0995 else 1
    return f"{100 * low:.{digits}f}–{100 * high:.{digits}f} %"


def is_interval(low: float, high: float) -> bool:
    """Whether a range is wide enough to be worth showing."""
    return high - low >= 0.002


def duration(us: float | None) -> str:
    """Microseconds with the unit that keeps the number short."""
    us = known(us)
    if us is None:
        return DASH
    for limit, unit, size in ((1e3, "us", 1.0), (1e6, "ms", 1e3), (600e6, "s", 1e6)):
        if us < limit * 0.9995:
            return f"{_three_digits(us / size)} {unit}"
    return f"{us / 60e6:.0f} min"


def seconds(value: float | None) -> str:
    """Seconds of wall time, for sentences."""
    value = known(value)
    if value is None:
        return NOT_MEASURED
    if value >= 365 * 86400:  # what a wide interval of an extrapolation reaches
        return "over a year"
    if value >= 5400:
        return f"{value / 3600:.1f} h"
    return f"{value / 60:.1f} min" if value >= 120 else f"{_three_digits(value)} s"


def count(value: float | None) -> str:
    """A whole number, short."""
    value = known(value)
    if value is None:
        return DASH
    for limit, unit, size in ((1e5, "", 1.0), (1e6, "k", 1e3), (1e9, "M", 1e6)):
        if value < limit * 0.9995:
            return f"{value:.0f}" if not unit else f"{_three_digits(value / size)}{unit}"
    return f"{value / 1e9:.1f}G"


def rate(value: float | None) -> str:
    """A number per something."""
    value = known(value)
    return NOT_MEASURED if value is None else _three_digits(value)


def per_step(value: float | None) -> str:
    """Calls per environment step, in five characters at most."""
    value = known(value)
    if value is None:
        return DASH
    if value >= 9_999.5:
        return f"{value / 1e3:.0f}k"
    return f"{value:.0f}" if value >= 99.95 else f"{value:.1f}" if value >= 0.095 else f"{value:.2f}"


def speedup(value: float | None) -> str:
    """A ceiling: how many times faster the run could be at most."""
    if value is None or math.isnan(value):
        return DASH
    if value >= LARGEST_SPEEDUP:
        return f">{LARGEST_SPEEDUP}x"
    return f"{value:.2f}x" if value < 9.995 else f"{value:.1f}x"


def size(value: float | None) -> str:
    """Bytes, in the unit that keeps the number short."""
    value = known(value)
    if value is None:
        return NOT_MEASURED
    if value >= 2**30:
        return f"{value / 2**30:.1f} GiB"
    if value >= 2**20:
        return f"{value / 2**20:.0f} MiB"
    return f"{value / 1024:.1f} KiB" if value >= 1024 else f"{value:.0f} bytes"


def plural(number: int, one: str, many: str = "") -> str:
    """`3 stages`, `1 stage`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def listing(parts: list[str], most: int) -> str:
    """Some names, and how many more there are."""
    shown = ", ".join(parts[:most])
    return shown if len(parts) <= most else f"{shown} and {len(parts) - most} more"


def plain(text: str, keep: str = "") -> str:
    """A name on one line: control characters, which a terminal would obey, become blanks."""
    return "".join(char if char.isprintable() or char in keep else " " for char in text)


def file_and_line(file: str, line: int) -> str:
    """Folder, file and line: the folder tells `__init__.py` files apart. Line 0: it is not known."""
    return plain("/".join(file.rsplit("/", 2)[-2:])) + (f":{line}" if line else "") if file else DASH


def function_only(stage: str) -> str:
    """A function that stands for a stage without its place: `learn()` of `learn() train.py:45`."""
    return plain(stage.partition("() ")[0] + "()" if "() " in stage else stage)


def clip_function(text: str, width: int) -> str:
    """A stage; a function that stands for one loses its place before its name is shortened."""
    star = "*" if text.endswith("*") else ""
    return text if len(text) <= width else clip(function_only(text.removesuffix("*")) + star, width)


def called(function: str, file: str) -> str:
    """A library's function with its package: `yaml: load`."""
    below = re.search(r".*/(?:site-packages|dist-packages|python3[.\d]*)/([^/]+)", file)
    package = below.group(1).removesuffix(".py") if below else ""
    return plain(f"{package}: {function.rpartition('.')[2]}" if package else function)


def clip(text: str, width: int) -> str:
    """The beginning of a text that is too long."""
    return text if len(text) <= width else text[: max(0, width - 1)] + "…"


def without_folder(text: str, width: int) -> str:
    """A place that is too long: first the folder goes, then the beginning of the file's name."""
    file = text if len(text) <= width else text.rpartition("/")[2]
    return file if len(file) <= width else "…" + file[len(file) - width + 1 :]


def whole_parts(text: str, width: int) -> str:
    """As many parts of a list as fit; of the first at least the beginning."""
    while len(text) > width and ", " in text:
        text = text.rpartition(", ")[0]
    return clip(text, width)


def glued(text: str) -> str:
    """Plain text in which no line ends between a number and its unit."""
    return _BEFORE_UNIT.sub(_GLUE, plain(text))


def wrap(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """Lines of at most this width. A number stays with its unit; control characters become blanks."""
    lines = textwrap.wrap(
        glued(text), width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    )
    return [line.replace(_GLUE, " ") for line in lines]


#: End of an evidence's name → how its value is written. The first that fits counts.
_UNITS = (
    ("_share", share),
    ("_us", duration),
    ("_ms", lambda value: duration(value * 1e3)),
    ("_ns", lambda value: duration(value / 1e3)),
    ("_seconds", seconds),
    ("_bytes", size),
    ("_speedup", speedup),
)


#: Evidence whose name alone would say too little.
_LABELS = {
    "shared_argument": "what the calls share",
    "lines": "in source lines",
    "copied": "type of what is copied",
}


def figure(name: str, value: Any) -> tuple[str, str]:
    """One piece of evidence as a label and a text: its name ends with its unit."""
    if isinstance(value, bool) or value is None:
        return label(name), {True: "yes", False: "no", None: NOT_MEASURED}[value]
    if isinstance(value, (int, float)):
        for ending, write in _UNITS:
            if name.endswith(ending):
                return label(name.removesuffix(ending)), write(value)
        if "share" in name.split("_"):
            return label(name), share(value)
        whole = isinstance(value, int) or (math.isfinite(value) and value == int(value))
        return label(name), f"{int(value):,}" if whole and abs(value) < 1e15 else rate(value)
    if isinstance(value, dict):
        return label(name), ", ".join(": ".join(figure(str(key), inner)) for key, inner in value.items())
    if isinstance(value, (list, tuple)):
        return label(name), listing([figure(name, inner)[1] for inner in value], 5)
    return label(name), plain(str(value))


def label(name: str) -> str:
    """A field's name as words."""
    return _LABELS.get(name) or plain(name).replace("_", " ").strip()


def _three_digits(value: float) -> str:
    if value >= 99.95:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 9.995 else f"{value:.2f}" if value >= 0.0995 else f"{value:.3f}"
