"""What comparing the calls of one function has shown, over all processes."""

from __future__ import annotations

from dataclasses import dataclass, field

from goldsplit.model.deep_files.deep_record import ArgumentGroup, ComparedCalls

#: Calls that share an argument are a group from this mean size on.
LEAST_GROUP = 2.0


@dataclass(slots=True)
class Compared:
    """Sums over processes."""

    calls: int = 0
    ns: int = 0
    repeats: int = 0
    repeats_in_step: int = 0
    differing: int = 0
    repeat_ns: int = 0
    distinct: int = 0
    mutated: int = 0
    results: set[str] = field(default_factory=set)
    distinct_results: int = 0
    by_identity: bool = False
    hashable: bool | None = None
    groups: dict[int, ArgumentGroup] = field(default_factory=dict)

    def add(self, seen: ComparedCalls) -> None:
        """Add what one process saw."""
        self.calls += seen.calls
        self.ns += seen.ns
        self.repeats += seen.repeats
        self.repeats_in_step += seen.repeats_in_step
        self.differing += seen.differing
        self.repeat_ns += seen.repeat_ns
        self.distinct += seen.distinct
        self.mutated += seen.mutated
        self.results.add(seen.result)
        self.distinct_results = max(self.distinct_results, seen.distinct_results)
        self.by_identity = self.by_identity or seen.by_identity
        if seen.hashable is not None:
            self.hashable = seen.hashable and self.hashable is not False
        for group in seen.groups:
            before = self.groups.get(group.place)
            self.groups[group.place] = group if before is None else together(before, group)

    @property
    def impure(self) -> bool | None:
        """Whether equal arguments gave different results; None: no arguments were seen twice."""
        return self.differing > 0 if self.repeats else None

    @property
    def constant(self) -> str | None:
        """What every compared call returned; None if they differed. That a function which is called for its
        effect always answers the same is no fault."""
        same = len(self.results) == self.distinct_results == 1
        found = next(iter(self.results)) if same else None
        return None if self.mutated and found != "None" else found


def together(one: ArgumentGroup, other: ArgumentGroup) -> ArgumentGroup:
    """The same argument in two processes."""
    return ArgumentGroup(
        place=one.place,
        calls=one.calls + other.calls,
        groups=one.groups + other.groups,
        steps=one.steps + other.steps,
        simple_steps=one.simple_steps + other.simple_steps,
        values=max(one.values, other.values),
    )


def shared_argument(groups: dict[int, ArgumentGroup]) -> ArgumentGroup | None:
    """The argument that calls of one env step share while another one differs.

    First choice: one with several values in a step, each shared by several calls. Else one with a single
    value per step that is another one in other steps; but not a board or a list, which every call is given.
    """
    shared = [group for group in groups.values() if group.groups and mean_size(group) >= LEAST_GROUP]
    several = [group for group in shared if group.groups > group.steps]
    single = [group for group in shared if group.values > 1 and 2 * group.simple_steps > group.steps]
    return max(several or single, key=lambda group: (mean_size(group), -group.place), default=None)


def mean_size(group: ArgumentGroup) -> float:
    """Different calls per value and step."""
    return group.calls / group.groups
