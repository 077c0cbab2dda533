"""A file that has not changed is read and parsed again and again.

## What it sees

Files that your code opens to read, and texts that it gives to `json`, `yaml` and `toml`, over the whole run
and in all processes. Each file is known by its size and the time of its last change, each text by a hash.
If the same came at least ten times again, the rule adds up what the function that reads it costs. Parsers
of your own (a map in a text file, a table in a CSV file) are seen by the files that they open. No `--deep`
is needed.

## Why it is slow

A parser reads character by character: YAML in Python takes about a second for a megabyte. A map or a
rule book that is parsed at each `reset()` is parsed thousands of times in a training, and never changes. In
a real project one YAML file, parsed in each episode, took 13 % of the main thread.

## Example

```python
def reset(self):
    self.rules = yaml.safe_load(open("rules.yaml"))  # slow: in each episode


RULES = yaml.safe_load(open("rules.yaml"))  # fast: once


def reset(self):
    self.rules = copy.deepcopy(RULES)  # or RULES itself, if nothing changes it
```

## What to do

Read the file once, where the program starts, and keep what was parsed; several files in a dict by name, or
`functools.cache` on the function that loads one.

## When not

If the episode changes what was parsed: then give each episode a copy of it (cheaper than parsing, but not
free). If the file is meant to be changed while the training runs: look at its time of change first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from goldsplit.diagnose.deep_ceilings import Cost, cost_of_lines, cost_of_sampled
from goldsplit.diagnose.deep_places import bare_name, enclosing_function
from goldsplit.diagnose.rule import Rule, ceiling, percent, record_again, row_of
from goldsplit.diagnose.savings import sampled_function
from goldsplit.model.fact_wire import FactKind
from goldsplit.model.finding import WORTHWHILE_SHARE, Finding, Place
from goldsplit.model.hot_code.function_cost import FunctionCost, key_of
from goldsplit.model.profile import Fact, Profile
from goldsplit.model.usual_names import stage_of_function

#: Fewer may be a start of each of several workers, or a loaded checkpoint.
LEAST_AGAIN = 10


def check(profile: Profile) -> Iterator[Finding]:
    """One finding for each function that reads or parses."""
    groups: dict[tuple[str, str], list[Fact]] = defaultdict(list)
    for fact in profile.facts:
        if fact.kind == FactKind.PARSED and fact.place is not None:
            groups[fact.place.file, enclosing_function(fact.place.function)].append(fact)
    for (file, function), facts in groups.items():
        again = round(max(counts(facts).values()))
        lines = {fact.place.line for fact in facts if fact.place is not None}
        cost = cost_of(profile, Place(file, min(lines), function), facts) if again >= LEAST_AGAIN else None
        if cost is not None and cost.share >= WORTHWHILE_SHARE:
            yield finding_of(profile, Place(file, min(lines), function), facts, cost)


def counts(facts: list[Fact]) -> dict[str, float]:
    """Kind → how often; a file that is opened and then given to a parser is in two kinds, and counts once."""
    found: dict[str, float] = defaultdict(float)
    for fact in facts:
        found[fact.detail.partition(" ")[0]] += fact.count
    return dict(found)


def cost_of(profile: Profile, place: Place, facts: list[Fact]) -> Cost | None:
    """What reading costs: by samples; without enough of them what the driver's own calls took."""
    known = sampled_function(profile, place)
    lines = {fact.place.line for fact in facts if fact.place is not None}
    sampled = cost_of_reading(profile, known, lines) if known is not None else None
    if sampled is not None:
        return sampled
    seconds = sum(fact.amount for fact in facts if fact.role == "driver")
    stage = stage_of_function(place.function)
    row = row_of(profile, stage) if stage is not None else None
    if not seconds or row is None or not row.wall_seconds:
        return None
    share, speedup = ceiling(profile, row.stage, min(1.0, seconds / row.wall_seconds))
    return Cost(share, speedup, {row.stage: share})


def cost_of_reading(profile: Profile, known: FunctionCost, lines: set[int]) -> Cost | None:
    """A function that loads something is saved whole; of one that plays, or that reads in a loop, the lines
    that read."""
    source = profile.source
    is_seen = known.key in source.loops
    in_loop = any(first <= line <= last for line in lines for first, last in source.loops.get(known.key, ()))
    if is_seen and not in_loop and stage_of_function(known.place.function) is None:
        return cost_of_sampled(profile, known)
    around = [
        pair for pair in source.withs.get(known.key, ()) if any(pair[0] <= one <= pair[1] for one in lines)
    ]
    wide = lines.union(*(range(first, last + 1) for first, last in around))
    return cost_of_lines(profile, known, wide)


def finding_of(profile: Profile, place: Place, facts: list[Fact], cost: Cost) -> Finding:
    again = round(max(counts(facts).values()))
    names = sorted({fact.detail.partition(" ")[2] for fact in facts} - {""})
    kinds = sorted(counts(facts))
    what = names[0] if len(names) == 1 else f"{len(names)} files" if names else "the same text"
    main = max(cost.saves, key=lambda stage: cost.saves[stage], default="")
    episodes = profile.throughput.episodes
    known = sampled_function(profile, place)
    return Finding(
        code=RULE.code,
        title=f"{bare_name(place.function)}() reads {what} {again:,} times again, unchanged: "
        f"{percent(cost.share)} of wall time",
        where=place,
        stage=main or None,
        evidence={
            "read_again": again,
            "by": ", ".join(kinds),
            "files": ", ".join(names[:6]),
            "function": key_of(place).rpartition("/")[2],
            **({"read_again_per_episode": again / episodes} if episodes else {}),
            **({"samples": known.samples} if known is not None else {}),
        },
        **cost.figures,
        confidence="high",
        remedy="read it once, before the loop, and keep what was parsed (functools.cache on the function, or "
        "a module constant); give each episode a copy where the episode changes it",
        verify=record_again(profile),
        effort="minutes",
        risk="code that changes the parsed object needs a copy of its own",
    )


RULE = Rule("parsed-again", check)
