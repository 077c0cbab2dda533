"""What the source of the user's hot functions says beside their samples."""

from __future__ import annotations

from dataclasses import dataclass, field

from goldsplit.model.finding import Place


class IdiomKind:
    """Ways of writing that are slow where they run often."""

    POP_FIRST = "pop-first"
    SEARCH_IN_LIST = "search-in-list"
    GROWN_ARRAY = "grown-array"
    SORT_FOR_ONE = "sort-for-one"
    GROWN_TEXT = "grown-text"
    COPY_TO_CHOOSE = "copy-to-choose"
    EXCEPTION_AS_ANSWER = "exception-as-answer"
    ATTRIBUTE_CHAIN = "attribute-chain"


@dataclass(frozen=True, slots=True)
class Idiom:
    """A slow way of writing on hot lines of one function."""

    kind: str
    place: Place
    """The hottest of its lines."""
    text: str
    """That line, shortened."""
    lines: tuple[int, ...]
    share: float
    """Of wall time on these lines, without the user's own functions that they call."""
    part_of_function: float
    """Of the time in the function's own lines."""
    part_of_lines: float = 1.0
    """The part of these lines' work that another way of writing saves: `share` is this part only."""


@dataclass(frozen=True, slots=True)
class LateCrop:
    """A function that thins out pictures only after they were made floats, in it or in what it calls."""

    place: Place
    """The line that keeps a part only."""
    text: str
    """That line, shortened."""
    lines: tuple[int, ...]
    """Lines on which whole pictures are handled."""


@dataclass(frozen=True, slots=True)
class ArgumentSense:
    """What the arguments of a function stand for, as far as its source says; numbers count `self`."""

    names: tuple[str, ...] = ()
    places: tuple[tuple[int, ...], ...] = ()
    """Arguments that together are one place: `x, y`; `row, column`."""
    things: tuple[int, ...] = ()
    """Arguments that are a thing each: a unit, a cell, an index into a list of units."""


@dataclass(frozen=True, slots=True)
class SourceLook:
    """Empty where no source could be read, or it was changed after the run began."""

    idioms: list[Idiom] = field(default_factory=list)
    arguments: dict[str, int] = field(default_factory=dict)
    """Key of a hot function → how many arguments it takes beside `self`."""
    loops: dict[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    """Key of a hot function → first and last line of what each of its loops repeats."""
    withs: dict[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    """First and last line of its `with` statements."""
    drivable: tuple[str, ...] = ()
    """`file:Class` of classes with a `step` that `goldsplit env` can make and play: they need no arguments,
    and say which actions there are."""
    late_crops: tuple[LateCrop, ...] = ()
    senses: dict[str, ArgumentSense] = field(default_factory=dict)
    """Key of a hot function → what its arguments stand for."""
