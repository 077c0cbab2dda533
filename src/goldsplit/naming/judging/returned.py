"""What a function returns, as evidence for its being a step."""

from __future__ import annotations

from goldsplit.naming.reading.code_facts import Function
from goldsplit.naming.vocabulary import means


def judge_returns(function: Function) -> tuple[int, int | None]:
    """Evidence from what a function returns: several values, of them one that tells the end."""
    best, place = 0, None
    for elements in function.returns:
        if len(elements) < 2:
            continue
        named = [value.names | _called_before(function, value.name) for value in elements]
        ends = [i for i, names in enumerate(named) if any(means(name, "done") for name in names)]
        rewards = any(means(name, "reward") for names in named for name in names)
        evidence = 2 * bool(ends) + rewards
        if evidence > best:
            best, place = evidence, ends[0] if ends else place
    return min(best, 2), place


def _called_before(function: Function, name: str) -> frozenset[str]:
    """What a name was called before it was given a short one: `over` of `d = game.over`."""
    plain = [one for one in function.assignments if one.targets == (name,) and not one.added and name]
    return frozenset(one.value.name for one in plain if one.value.name)
