"""Figures as words: one place decides how shares, times and counts are written. None is never shown as 0."""

from __future__ import annotations

NOT_MEASURED = "not measured"
DASH = "–"


def share(value: float | None) -> str:
    """A share of 0..1 in percent: two digits are enough to decide something."""
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
    if us is None:
        return DASH
    for limit, unit, size in ((1e3, "us", 1.0), (1e6, "ms", 1e3), (600e6, "s", 1e6)):
        if us < limit * 0.9995:
            return f"{_three_digits(us / size)} {unit}"
    return f"{us / 60e6:.0f} min"


def seconds(value: float | None) -> str:
    """Seconds of wall time, for sentences."""
    if value is None:
        return NOT_MEASURED
    if value >= 5400:
        return f"{value / 3600:.1f} h"
    return f"{value / 60:.1f} min" if value >= 120 else f"{_three_digits(value)} s"


def count(value: float | None) -> str:
    """A whole number, short."""
    if value is None:
        return DASH
    for limit, unit, size in ((1e5, "", 1.0), (1e6, "k", 1e3), (1e9, "M", 1e6)):
        if value < limit * 0.9995:
            return f"{value:.0f}" if not unit else f"{_three_digits(value / size)}{unit}"
    return f"{value / 1e9:.1f}G"


def rate(value: float | None) -> str:
    """A number per something."""
    return NOT_MEASURED if value is None else _three_digits(value)


def speedup(value: float | None) -> str:
    """A ceiling: how many times faster the run could be at most."""
    if value is None:
        return DASH
    if value >= 20:  # beyond this the figure says only: it is nearly the whole run
        return ">20x"
    return f"{value:.2f}x" if value < 9.995 else f"{value:.1f}x"


def size(value: int | None) -> str:
    """Bytes, in the unit that a task manager shows."""
    if value is None:
        return NOT_MEASURED
    return f"{value / 2**30:.1f} GiB" if value >= 2**30 else f"{value / 2**20:.0f} MiB"


def plural(number: int, one: str, many: str = "") -> str:
    """`3 stages`, `1 stage`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def listing(parts: list[str], most: int) -> str:
    """Some names, and how many more there are."""
    shown = ", ".join(parts[:most])
    return shown if len(parts) <= most else f"{shown} and {len(parts) - most} more"


def _three_digits(value: float) -> str:
    if value >= 99.95:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 9.995 else f"{value:.2f}" if value >= 0.0995 else f"{value:.3f}"
