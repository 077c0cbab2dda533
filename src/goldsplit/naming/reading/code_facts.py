"""What is known of a source file: plain facts about its functions, their calls, values and loops.

Only what later decisions need is kept. Names are dotted texts (`self.game`); a subscript counts as its
object, except for one by a word: `outcome["done"]` is read as `outcome.done`.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

MODULE = "<module>"


@dataclass(slots=True, eq=False)
class Call:
    """One call in a function's body."""

    name: str
    """The last part of what is called."""
    receiver: str
    """What comes before it (`self.game` of `self.game.play(…)`); "" for a plain name."""
    line: int
    order: int
    """Place in the function, counted by statements."""
    arguments: tuple[frozenset[str], ...]
    """The names that each argument uses; keyword arguments last."""
    picked: tuple[frozenset[str], ...]
    """The names in each argument that is one element of something: `moves` and `best` of `moves[best]`."""
    made: tuple[str, ...]
    """What each argument that is a call itself calls; "" for other arguments."""
    keywords: tuple[str, ...]
    """The names of the last arguments, as far as they are given by name."""
    inner: tuple[Call, ...]
    """The calls inside its arguments."""
    loops: tuple[int, ...]
    """The loops around it, by number, outermost first."""
    now_and_then: bool
    """Behind a condition with a remainder (`if n % 100 == 0`), or with a comparison of a clock."""
    conditional: bool
    """Behind any condition."""
    behind: frozenset[str] = frozenset()
    """Names that hold, by the conditions around it: `over` behind `if over:`."""
    no_grad: bool = False
    """Inside `with torch.no_grad():` or `torch.inference_mode()`."""
    sent: bool = False
    """It goes on with a generator that the called function has made."""
    blocks: tuple[tuple[int, int], ...] = ()
    """The blocks around it that may be left out, outermost first: each its place, and which branch of it."""


@dataclass(slots=True, eq=False)
class Value:
    """An expression: the names and the calls in it."""

    names: frozenset[str]
    calls: tuple[Call, ...]
    name: str = ""
    """Where it is one plain name: that name."""
    told: tuple[str, ...] = ()
    """The names each of which is enough to make it true: `out.lost` and `not out.alive` of `out.lost or not
    out.alive`; "" for anything else that is, "True" for a constant that is true."""


@dataclass(slots=True, eq=False)
class Assignment:
    """Names bound to a value; several if it is unpacked."""

    targets: tuple[str, ...]
    unpacked: bool
    value: Value
    order: int
    direct: Call | None = None
    """The call that is the whole value."""
    elements: tuple[Value, ...] = ()
    """For a tuple of values: each of them, beside its target."""
    added: bool = False
    """It is added to what the name had: `total += …`."""
    each: bool = False
    """A loop binds it to one element of the value after the other."""
    loops: tuple[int, ...] = ()
    """The loops around it, by number, outermost first."""
    is_part: bool = False
    """The name is one of several that are unpacked; the call gave just this one (`judging.own_turns`)."""
    blocks: tuple[tuple[int, int], ...] = ()
    """The blocks around it that may be left out, as for a call."""
    whole: frozenset[str] = frozenset()
    """The names that get a new value here: not `seen` of `seen[3] = view`."""
    key: str = ""
    """The name under which an element is put in: `move` of `after[move] = board`, and of a dictionary that is
    made in one expression."""


@dataclass(frozen=True, slots=True)
class Increment:
    """A plain name that is counted up: `steps += 1`."""

    name: str
    line: int
    loops: tuple[int, ...]
    by_one: bool
    """Not by another amount, as in `steps += GAMES`."""
    conditional: bool
    """Behind a condition inside its innermost loop."""
    asked: bool
    """Each such condition only asks for names: `if over:`."""


@dataclass(slots=True, eq=False)
class Statement:
    """One statement directly in the body of a loop."""

    first: int
    last: int
    loop: int
    """The loop, by number."""
    reads: frozenset[str]
    writes: frozenset[str]
    calls: tuple[Call, ...]
    is_long: bool
    """It has a loop or a condition inside."""
    goes_backward: bool
    """It is a loop that goes backward."""
    indexes: bool = False
    """It takes something out of an array by a place that is computed."""
    now_and_then: bool = False
    """It is behind a condition with a remainder: `if n % 100 == 0:`."""
    about: frozenset[str] = frozenset()
    """Of a loop: what it goes through, by name, and by the text that it asks each one for first:
    `for car in cars: if car["kind"] != "rival": continue`."""
    parts: frozenset[str] = frozenset()
    """The attributes that it reads, of whatever object."""


@dataclass(slots=True, eq=False)
class Function:
    """A function, a method, or a module's own code."""

    file: str
    qualname: str
    owner: str
    """The name of the class that it is a method of; "" for none."""
    first: int
    last: int
    parameters: tuple[str, ...] = ()
    """Without `self`."""
    self_name: str = ""
    kind: Class | None = None
    """The class that it is a method of."""
    calls: list[Call] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    returns: list[tuple[Value, ...]] = field(default_factory=list)
    """What each `return` gives: one value, or the elements of a tuple."""
    statements: list[Statement] = field(default_factory=list)
    """Those directly in a loop."""
    body: list[Statement] = field(default_factory=list)
    """Those directly in the function."""
    blocks: list[Statement] = field(default_factory=list)
    """Those directly behind a condition in a loop; their `loop` is the line of the condition."""
    loop_names: dict[int, frozenset[str]] = field(default_factory=dict)
    """Loop → the names that decide when it ends."""
    loop_calls: dict[int, tuple[Call, ...]] = field(default_factory=dict)
    """Loop → the calls in its condition."""
    leaving: dict[int, frozenset[str]] = field(default_factory=dict)
    """Loop → the names in conditions inside it that leave it: `if result != 0: break`."""
    leaving_calls: dict[int, tuple[Call, ...]] = field(default_factory=dict)
    """Loop → the calls in such conditions."""
    decided_by: dict[str, frozenset[str]] = field(default_factory=dict)
    """Name that gets a value in a loop, behind conditions → the names in these."""
    ends: set[str] = field(default_factory=set)
    """Names that are asked for alone: `while not over`, `if over:`."""
    conditions: list[tuple[str, ...]] = field(default_factory=list)
    """What is enough for each condition to hold, of a loop to end: as in `Value.told`."""
    leaves: set[str] = field(default_factory=set)
    """Those of them that end a loop."""
    over_when: dict[str, str] = field(default_factory=dict)
    """Names that end a loop → what holds then: `{}`, `not {}`, `{} is None` or `{} is not None`."""
    other_ends: set[int] = field(default_factory=set)
    """Loops that can end by more than names that are asked for alone: by a comparison, by a number."""
    counts_backward: bool = False
    """It has a loop that goes backward: over `reversed(…)`, `range(n - 1, -1, -1)`, `x[::-1]`."""
    increments: list[Increment] = field(default_factory=list)
    set_in_loops: set[str] = field(default_factory=set)
    """Names that get a new value inside a loop: what is counted in them begins anew."""
    backward_loops: list[tuple[int, int]] = field(default_factory=list)
    """The first and last lines of these loops."""
    changes_attributes: bool = False
    """It subtracts from, or adds to, its object's own arrays (`self.w -= …`)."""

    hands_on: str = ""
    """The parameter that it calls with all arguments that it does not know: `fn` of `fn(*args)`."""
    is_generator: bool = False
    is_property: bool = False
    attributes: dict[str, Call] = field(default_factory=dict)
    """Attributes of objects that it reads → the call that this is if they are properties; the first one."""
    is_loop: bool = False
    """It hands itself on to be called again: each call is one pass through a loop."""
    source: list[ast.stmt] = field(default_factory=list)
    """Its statements, for what must be read line by line."""
    flags: set[str] = field(default_factory=set)
    """Names that it gives lists or arrays of yes and no: `[False] * n`, `np.zeros(n, dtype=bool)`."""

    @property
    def name(self) -> str:
        return self.qualname.rpartition(".")[2]


@dataclass(slots=True, eq=False)
class Class:
    """A class statement."""

    file: str
    name: str
    bases: tuple[str, ...]
    methods: dict[str, Function] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class SourceFile:
    """All of one file."""

    file: str
    functions: list[Function] = field(default_factory=list)
    classes: list[Class] = field(default_factory=list)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Name in this file → module, and name in it ("" for the module itself)."""


def in_order(functions: set[Function]) -> list[Function]:
    """The same, as they are in their files."""
    return sorted(functions, key=lambda one: (one.file, one.first))
