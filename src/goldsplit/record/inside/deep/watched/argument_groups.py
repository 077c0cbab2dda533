"""Which argument do the calls of one environment step share, while another one differs? Distances from one
source to many targets are such calls; one field per source can answer all of them."""

from __future__ import annotations

from typing import Any

#: Fewer different calls in one step than this say nothing.
LEAST_CALLS = 4
MOST_CALLS = 400
#: Different values of an argument that are told apart over the run.
MOST_VALUES = 20

_SIMPLE = frozenset({int, str, float, bool, type(None)})


class ArgumentGroups:
    """Sums over all steps, or parts of one, that were seen call by call."""

    __slots__ = ("first", "keys", "sums", "values")

    def __init__(self, first: int) -> None:
        self.first = first
        """The first argument that counts: a method's own object does not."""
        self.keys: set[tuple[Any, ...]] = set()
        self.sums: dict[int, list[int]] = {}
        """By place of the argument: different calls, groups of them that share it, steps, and steps in which
        every call had a simple value there."""
        self.values: dict[int, set[Any]] = {}

    def add(self, key: tuple[Any, ...]) -> None:
        """A call in the present step, by the keys of its arguments."""
        if len(key) > self.first + 1 and len(self.keys) < MOST_CALLS:
            self.keys.add(key)

    def end_step(self) -> None:
        """Count the calls of the step that has ended."""
        keys, self.keys = self.keys, set()
        if len(keys) < LEAST_CALLS:
            return
        for place in range(self.first, min(map(len, keys))):
            parts = {key[place] for key in keys}
            if "large" in parts:
                continue
            sums = self.sums.setdefault(place, [0, 0, 0, 0])
            sums[0] += len(keys)
            sums[1] += len(parts)
            sums[2] += 1
            sums[3] += all(map(is_simple, parts))
            values = self.values.setdefault(place, set())
            if len(values) < MOST_VALUES:
                values.update(map(hash, parts))

    def rows(self) -> list[list[int]]:
        """Place, the sums, and how many different values there were (no more than some tens)."""
        return [[place, *sums, len(self.values[place])] for place, sums in sorted(self.sums.items())]


def is_simple(part: Any) -> bool:
    """Whether an argument's key is that of a number, a text, a position, or of one object."""
    if len(part) == 2:
        return True  # by identity
    value = part[0]
    if type(value) is tuple:
        return len(value) <= 4 and all(type(item) in _SIMPLE or type(item) is type for item in value)
    return type(value) in _SIMPLE
