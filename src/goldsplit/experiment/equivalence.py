"""Whether two runs played the same, and if not, where they part."""

from __future__ import annotations

from dataclasses import dataclass

from goldsplit.model.trajectory import FIELDS, Checkpoint, Trajectory

#: Environments of the first process, and the lanes of its vector environments.
MAIN, LANES = "main/", "main/vector-"
YES, NO, NOT_COMPARABLE = "yes", "no", "not comparable"


@dataclass(frozen=True, slots=True)
class Equivalence:
    """The answer, and where two runs part."""

    answer: str
    """`yes`, `no` or `not comparable`."""
    step: int | None
    """The first checkpoint of that environment at which they differ; None where they do not."""
    environment: str | None
    field: str | None
    """reset, action, observation, reward or ended."""
    reason: str
    """In words, with on how many steps it rests."""
    equal_up_to: int = 0
    """Where they differ: the last checkpoint before, at which they did not."""

    @property
    def window(self) -> str:
        """The steps among which they part, as `33-64`; "" where that is a single one, or none."""
        if self.step is None or self.step <= self.equal_up_to + 1:
            return ""
        return f"{self.equal_up_to + 1}-{self.step}"


def compare_trajectories(base: Trajectory, other: Trajectory) -> Equivalence:
    """Compare what both runs have, up to the shorter of the two.

    Compare two runs of the base with each other first: where these part, the program is not seeded, and
    nothing can be said about a change.
    """
    if base.version != other.version:
        return _refused("the runs were hashed by different versions of goldsplit")
    if base.problems or other.problems:
        return _refused(f"not everything could be hashed: {(base.problems or other.problems)[0]}")
    if not base.steps or not other.steps:
        which = "the first run" if not base.steps else "the second run"
        return _refused(f"no environment step of {which} was hashed")
    common = [name for name in base.environments if name in other.environments]
    if any(name.startswith(LANES) for name in common):
        # The trainer sees all that its workers return; which worker has which environment may differ.
        common = [name for name in common if name.startswith(MAIN)]
    if not common:
        return _refused("the runs have no environment in common: their processes or vectors differ")
    parts = [found for name in common if (found := _part(name, base, other)) is not None]
    if parts:
        return min(parts, key=lambda found: found.step or 0)
    compared = {name: _common_steps(name, base, other) for name in common}
    if not any(compared.values()):
        return _refused("the runs have no step in common at which hashes were kept")
    environments = "1 environment" if len(common) == 1 else f"{len(common)} environments"
    text = f"equal over {sum(compared.values())} steps of {environments}"
    left = len(base.environments.keys() | other.environments.keys()) - len(common)
    return Equivalence(YES, None, None, None, text + (f"; {left} more were not compared" if left else ""))


def unseeded(first: Trajectory, second: Trajectory) -> Equivalence | None:
    """For two runs of the same program: why nothing can be compared with it; None if it plays the same."""
    found = compare_trajectories(first, second)
    if found.answer == YES:
        return None
    if found.answer == NO:
        text = f"two runs of the unchanged program differ already ({found.reason}): seed it to compare"
        return Equivalence(NOT_COMPARABLE, found.step, found.environment, found.field, text)
    return found


def _part(name: str, base: Trajectory, other: Trajectory) -> Equivalence | None:
    """Where the runs part in one environment."""
    theirs = {row.step: row for row in other.environments[name]}
    equal_up_to = 0
    for row in base.environments[name]:
        match = theirs.get(row.step)
        if match is None:
            continue
        field = _differing(row, match)
        if field is not None:
            where = (
                f"step {row.step}"
                if row.step == equal_up_to + 1
                else f"steps {equal_up_to + 1} to {row.step}"
            )
            return Equivalence(
                NO, row.step, name, field, f"{field} differs in {where} of {name}", equal_up_to
            )
        equal_up_to = row.step
    return None


def _differing(one: Checkpoint, two: Checkpoint) -> str | None:
    """The first field that differs; one that a run does not know is left out."""
    for field, a, b in zip(FIELDS, one.digests, two.digests, strict=True):
        if a and b and a != b:
            return field
    return None


def _common_steps(name: str, base: Trajectory, other: Trajectory) -> int:
    """The last step of an environment at which both runs have hashes."""
    theirs = {row.step for row in other.environments[name]}
    return max((row.step for row in base.environments[name] if row.step in theirs), default=0)


def _refused(reason: str) -> Equivalence:
    return Equivalence(NOT_COMPARABLE, None, None, None, reason)
