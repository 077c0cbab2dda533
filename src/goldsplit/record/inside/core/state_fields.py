"""The fields that every span touches, and what the functions of the core share, for where the C files beside
this one could not be compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: With eight buckets for each factor of e the last one is for a day and more.
LAST_BUCKET_OF_LENGTH = 255


class NodeCore:
    """The fields of a node that every span touches."""

    __slots__ = (
        "children",
        "cost_from_ns",
        "count",
        "cpu_count",
        "cpu_from_ns",
        "cpu_ns",
        "cpu_wall_ns",
        "detail",
        "episodes_key",
        "has_grad",
        "histogram",
        "id",
        "parent",
        "stage",
        "steps_key",
        "t0",
        "total_ns",
    )

    id: int
    detail: str
    stage: str
    parent: Any

    def __init__(self) -> None:
        self.children: dict[Any, Any] = {}
        self.count = 0
        self.total_ns = 0
        self.t0 = 0
        self.cost_from_ns = 0
        """If the recorder's own cost is sampled at the open span: the clock at its start; else 0."""
        self.cpu_from_ns = 0
        """If the CPU time of the open span is sampled: the thread's CPU time at its start; else 0."""
        self.cpu_count = self.cpu_ns = self.cpu_wall_ns = 0
        """Of the calls that were sampled for CPU time."""
        self.histogram: dict[int, int] = {}
        """How many spans were about that long."""
        self.steps_key: str | None = None
        """The counter of the steps at this place; None: they are not (or not yet) counted here."""
        self.episodes_key: str | None = None
        self.has_grad = False


class StateCore:
    """The fields of a thread's state that every span touches."""

    __slots__ = (
        "counts",
        "current",
        "ended_ns",
        "forward_ns",
        "forward_top_ns",
        "ident",
        "in_forward",
        "last_grad",
        "raw",
        "tick",
        "top_ns",
        "undecided",
        "unproved",
        "vain_looks",
        "waker",
    )

    current: Any
    ident: int
    waker: str
    """Our name, for threads that we wake."""

    def __init__(self) -> None:
        self.counts: dict[str, float] = {}
        self.raw: bytearray | None = None
        self.tick = 0
        self.top_ns = 0
        """All time of the outermost stages so far, of spans that have ended."""
        self.ended_ns = 0
        """When the last span ended."""
        self.forward_ns = 0
        """When the forward pass ended after which a loss may be computed; 0: none."""
        self.forward_top_ns = 0
        self.in_forward = False
        """Inside a forward pass: what its layers do is part of it."""
        self.undecided: list[CallSite] = []
        """Sites of the forward passes since the last backward pass or step: those tell what they were for."""
        self.last_grad: CallSite | None = None
        """Site of the last forward pass with gradients: the next backward pass is most likely its own."""
        self.unproved = False
        """A pass was put to learning by its function alone, and no backward pass has followed yet."""
        self.vain_looks = 0
        """Steps after such passes that told nothing new."""


#: How a site's purpose is known: by the function around it; by votes, because that function both acts and
#: learns; not at all, because no function around it is known to learn.
SURE, VOTES, OPEN = 0, 1, 2


class CallSite:
    """One chain of calls that leads to forward passes, and what those were for."""

    __slots__ = ("balance", "chain", "has_grad", "in_turn", "kind", "passes", "stage", "tries")

    def __init__(self, chain: Any, kind: int, stage: str, has_grad: bool, in_turn: bool) -> None:
        self.chain = chain
        """Holds the codes, too, so that their identities, by which the site is found, are not used again."""
        self.kind = kind
        self.stage = stage
        self.has_grad = has_grad
        self.in_turn = in_turn
        """A pass of an update runs here once for each backward pass."""
        self.balance = 0
        """Votes for learning less those for acting."""
        self.passes = 0
        """Since the last vote."""
        self.tries = 0
        """How often a backward pass after it was looked at."""


class NoState:
    """In place of a state: no thread has this identity."""

    ident = 0


class Shared:
    """What the functions of the core share."""

    latest: Any = NoState
    """The state of the thread that was last seen to change."""
    find: Callable[[], Any]
    all_lengths = some_lengths = raw_bytes = buckets_per_e = 1
    thread_prefix = ""
    forward_in: dict[str, str]
    act: str
    learn_forward: str
    learn_loss: str
    sites: dict[Any, CallSite]
    first_guess: Callable[..., Any]
    saw_backward: Callable[..., bool]
    saw_step: Callable[..., bool]
    unusual_step: Callable[..., None]
    unusual_update: Callable[..., None]
    update_keys: dict[int, str]
    is_set_up = is_watched = False
    border_looker: Any = None
    border_state: Any = None
    progress_ns = snapshot_ns = 0
    waiting_stages: frozenset[str] = frozenset()
    channel_of: Callable[[Any], str]
    unknown_command: Callable[[Any], None]
    command_keys: dict[str, str]
    count_failure: Callable[[Any, Exception], bool]
    step_aside: Callable[[Any], None]


Shared.sites = {}
Shared.step_aside = staticmethod(lambda wrapper: None)
Shared.count_failure = staticmethod(lambda where, error: True)
