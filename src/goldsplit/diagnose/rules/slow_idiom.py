"""A hot line is written in a way that does far more work than its result needs.

## What it sees

The source of the functions in which samples found your run. It reports a known slow way of writing only where
samples say that these very lines are hot: a good part of their function, and of the run.

| Kind | On the line | Instead |
|---|---|---|
| `pop-first` | `queue.pop(0)`, `queue.insert(0, x)`, `del queue[0]` in a loop | `deque`, `popleft()` |
| `search-in-list` | `x in seen` in a loop, where `seen` is a list | a `set` beside the list |
| `grown-array` | `x = np.append(x, y)`, `x = torch.cat([x, y])` in a loop | a list that is joined once |
| `sort-for-one` | `sorted(x)[0]` | `min(x)`, `max(x)` |
| `grown-text` | `self.text += str(x)`, `text = str(x) + text` in a loop | a list and `"".join` |
| `copy-to-choose` | `random.choice(list(units))` | a list that is kept |
| `exception-as-answer` | `except KeyError:` in a loop, often taken | `table.get(key)`, or a test |
| `attribute-chain` | `self.game.board.size` in a loop that does not change it | a name before the loop |

## Why it is slow

Most of them touch everything that is stored to get at one element, so their cost grows with the size of the
board, and a loop around them makes that quadratic. Raising an exception costs as much as some twenty
look-ups. A chain of attributes is followed anew each time, one look-up for each dot; the rule speaks only
where such look-ups are at least half of what the line does. A text that grows at its end under a plain
name is not slow: Python makes it longer where it is.

## Example

```python
queue, seen = [start], [start]
while queue:
    cell = queue.pop(0)  # slow: all others move
    for near in neighbours(cell):
        if near not in seen:  # slow: compared one by one
            seen.append(near)
            queue.append(near)

queue, seen = deque([start]), {start}  # fast: popleft(), and a set
```

## What to do

The finding names the line and what to write instead. Both give the same result.

## When not

Where order matters and a set would lose it: keep the list, and a set beside it only for the question. Where
something that the loop calls puts another object at the end of the chain: then it must be looked up again.
"""

from __future__ import annotations

from collections.abc import Iterator

from goldsplit.diagnose.certainty import FEWEST_TO_NAME
from goldsplit.diagnose.deep_ceilings import Cost, cost_of_lines
from goldsplit.diagnose.deep_places import bare_name
from goldsplit.diagnose.rule import Rule, percent, record_again
from goldsplit.diagnose.savings import sampled_function
from goldsplit.model.finding import Finding
from goldsplit.model.hot_code.source_look import Idiom, IdiomKind
from goldsplit.model.profile import Profile

LEAST_SHARE = 0.03
#: On a short list these are as fast as anything: their lines must stand out in their function.
LEAST_OF_FUNCTION = 0.25

#: Kind → what happens there, what to write instead.
_TOLD = {
    IdiomKind.POP_FIRST: (
        "takes from the front of a list, and all others move",
        "use collections.deque and popleft() (appendleft() to put in front)",
    ),
    IdiomKind.SEARCH_IN_LIST: (
        "searches a list for each question",
        "keep a set beside the list, and ask that",
    ),
    IdiomKind.GROWN_ARRAY: (
        "copies the whole array to make it longer",
        "collect the parts in a list and join them once, or write into an array made before the loop",
    ),
    IdiomKind.SORT_FOR_ONE: ("sorts everything for one element", "use min() or max() with the same key"),
    IdiomKind.GROWN_TEXT: (
        "copies the whole text to make it longer",
        'collect the parts and "".join them once',
    ),
    IdiomKind.COPY_TO_CHOOSE: (
        "copies everything to choose one of it",
        "keep a list (or array) of it up to date, and choose from that",
    ),
    IdiomKind.EXCEPTION_AS_ANSWER: (
        "raises an exception as an ordinary answer",
        "ask first: dict.get(), `in`, or a test of the index",
    ),
    IdiomKind.ATTRIBUTE_CHAIN: (
        "follows the same chain of attributes in each turn of a loop",
        "give it a name before the loop, and use that",
    ),
}


def check(profile: Profile) -> Iterator[Finding]:
    """One finding for each kind in each function."""
    for idiom in profile.source.idioms:
        known = sampled_function(profile, idiom.place)
        if known is None or idiom.share < LEAST_SHARE or idiom.part_of_function < LEAST_OF_FUNCTION:
            continue
        samples = known.samples * idiom.share / known.share
        cost = cost_of_lines(profile, known, idiom.lines, own=True, saved=idiom.part_of_lines)
        if cost is not None and samples >= FEWEST_TO_NAME and cost.worth_mentioning:
            yield finding_of(profile, idiom, cost, round(samples))


def finding_of(profile: Profile, idiom: Idiom, cost: Cost, samples: int) -> Finding:
    what, instead = _TOLD[idiom.kind]
    main = max(cost.saves, key=lambda stage: cost.saves[stage], default="")
    return Finding(
        code=RULE.code,
        title=f"{bare_name(idiom.place.function)}() {what}: {percent(idiom.share)} of wall time",
        where=idiom.place,
        stage=main or None,
        evidence={
            "idiom": idiom.kind,
            "line": idiom.text,
            "lines": list(idiom.lines),
            "part_of_functions_own_time": idiom.part_of_function,
            "samples": samples,
        },
        **cost.figures,
        confidence="medium",
        remedy=instead,
        verify=record_again(profile),
        effort="minutes",
        risk="none if the order of elements is not read from it",
    )


RULE = Rule("slow-idiom", check)
