"""What the deep look found: hot functions that it watched for the whole run, and what short windows showed.

Figures from here are never part of the wall-time partition. Shares of watched functions are of the time of
the processes that were watched; those of lines and of other functions are of the windows' own time, without
the cost of the deep look.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from goldsplit.model.deep_files.deep_record import ArgumentGroup
from goldsplit.model.finding import Place

#: Figures per env step rest on at least this many.
LEAST_ENV_STEPS = 20


@dataclass(frozen=True, slots=True)
class DeepFunction:
    """One function of user code."""

    place: Place
    stage: str | None
    kind: str
    """function, method, property or generator."""
    calls: int
    calls_per_env_step: float | None
    self_share: float
    total_share: float
    compared: int
    """Calls whose arguments and result were compared by value; 0: not measured."""
    repeats: int
    """Of those, calls with arguments that an earlier call of the same window had."""
    repeats_in_step: int
    """Of those, calls with arguments that an earlier call of the same env step had."""
    differing: int
    """Repeated calls whose result differed from the earlier one's: unsafe to cache."""
    repeat_share: float
    """Share of the windows' time that repeated calls cost."""
    distinct_results: int
    constant_result: str | None
    """What it always returned, shortened; None unless every compared result was the same."""
    distinct_arguments: int = 0
    mutates: int = 0
    """Of the calls compared again at their end: how many had changed their arguments, so have an effect."""
    self_by_identity: bool = False
    """The object was too large to compare by value: only equal results suggest an equal state."""
    inclusive_us: float | None = None
    """Mean microseconds of a call, callees included, without the cost of looking; None: not measured."""
    self_us: float | None = None
    """The same without the watched functions that it called."""
    callers: tuple[tuple[Place, float], ...] = ()
    """Who calls it and for which share (0..1) of the calls whose caller was looked at, the most first."""
    shared_argument: int | None = None
    """Index (`self` counts) of the argument that the calls of one env step share while others differ, as
    in distances from one source to many targets; None: no such argument, or not measured."""
    groups: int = 0
    """How many different values of the shared argument were seen, each within one burst of one env step."""
    mean_group: float = 0.0
    """Different calls per value of the shared argument and env step, as they were seen."""
    hashable: bool | None = None
    """Whether all arguments beside `self` could be keys of a dict; None: not seen."""
    impure: bool | None = None
    """Whether equal arguments gave different results; None: no arguments were seen twice."""
    env_steps: float = 0.0
    """Environment steps during which its calls were counted: what `calls_per_env_step` rests on."""
    arguments: tuple[ArgumentGroup, ...] = ()
    """How many different values each argument had within the steps that were seen call by call."""


@dataclass(frozen=True, slots=True)
class Site:
    """One line of the user's code that calls something worth knowing about."""

    kind: str
    """text (eval, compile, re.compile, json.loads), allocation, deepcopy, tensor_read, tensor_op, forward,
    distribution, kernel, output, sampling or conversion."""
    callee: str
    """As in ``re.compile``, ``numpy.zeros``, ``Tensor.item``."""
    place: Place
    stage: str | None
    calls: int
    calls_per_env_step: float | None
    share: float | None
    """Share of the windows' time inside the callee; None: not measured."""
    distinct: int | None = None
    """Different arguments among the compared calls; None: not compared."""
    compared: int = 0
    amount: float | None = None
    """What the kind measures beside time: bytes of an allocation, elements of a tensor or kernel's data."""
    detail: str = ""
    """The text, shortened; the shape; whatever helps to recognise it."""


@dataclass(frozen=True, slots=True)
class CacheUse:
    """A cache in user code: of functools, or a dict in which a function looks before it computes."""

    place: Place
    kind: str
    """lru_cache, cached_property or dict."""
    hits: int
    misses: int
    clears: int
    entries: int | None
    key_us: float | None
    """Cost of making the key and looking it up, per call."""
    value_us: float | None
    """Cost of computing the value, per miss."""
    share: float | None
    stage: str | None = None
    calls_per_env_step: float | None = None
    repeated_misses: int = 0
    """Misses for a key that had been computed before: the cache had forgotten it."""


@dataclass(frozen=True, slots=True)
class DeepLook:
    """All windows of a run together."""

    windows: int
    seconds: float
    env_steps: int
    slowdown: float | None
    """How much slower the program was inside the windows than around them."""
    run_share: float | None
    """What the windows cost, as a share of the run's wall time."""
    functions: list[DeepFunction] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    caches: list[CacheUse] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)
    watched: int = 0
    """Functions that were watched for the whole run; `functions` has also those of the windows."""
    watched_env_steps: int = 0
    """Environment steps made meanwhile."""
