"""Transitions are stored one at a time, and each is converted or moved alone.

## What it sees

Calls in the stage `replay.add` (or in a function named `push`, `store_transition`, ...) that convert or
move data: `torch.tensor`, `torch.as_tensor`, `.cpu()`, `.numpy()`, `.item()`, about once per stored
transition or more, and the time of storing.

## Why it is slow

A tensor of 20 numbers costs as much to make as one of 2,000: some microseconds of bookkeeping, several
times per transition. From a GPU each of them is a copy that waits for the device. With 256 environments
this makes a thousand small conversions per vector step, where four would be enough.

## Example

```python
for i in range(n):  # slow
    memory.push(torch.tensor(obs[i]), torch.tensor(actions[i]), torch.tensor(rewards[i]))

from goldsplit.fast.replay import Field, UniformReplay  # fast: arrays in, one copy per field

memory = UniformReplay(100_000, {"obs": Field((20,), np.float32), "action": Field((), np.int64)})
memory.extend(obs=obs, action=actions)
```

## What to do

Store NumPy arrays as the environment gives them, a batch at a time
(`goldsplit.fast.replay.UniformReplay.extend`), and convert the sampled batch once.

## When not

With a single environment one `add` per step is right; only the conversion inside it is expensive.
"""

from __future__ import annotations

from collections.abc import Iterator

from goldsplit.diagnose.deep_ceilings import Cost, cost_of, cost_of_sites
from goldsplit.diagnose.deep_places import bare_name, enclosing_function, function_at
from goldsplit.diagnose.deep_reading import by_function, callees_with_lines, calls_per_step
from goldsplit.diagnose.rule import Rule, percent, record_again, row_of
from goldsplit.diagnose.savings import speedup_without
from goldsplit.model.deep import Site
from goldsplit.model.deep_files.deep_wire import SiteKind
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile
from goldsplit.model.stage import REPLAY_ADD, REPLAY_SAMPLE
from goldsplit.model.usual_names import stage_of_function

#: Conversions per env step; a batched push has one per field and vector step, far fewer.
LEAST_CONVERSIONS_PER_STEP = 1.0
#: What makes a batch of single items.
_JOINERS = frozenset({"stack", "cat", "vstack", "concatenate"})


def check(profile: Profile) -> Iterator[Finding]:
    """One finding per function that converts while it stores."""
    if profile.deep is None:
        return
    sites = [site for site in profile.deep.sites if is_storing(site) and is_conversion(site)]
    for lines in by_function(sites).values():
        per_step = calls_per_step(lines)
        if per_step is None or per_step < LEAST_CONVERSIONS_PER_STEP:
            continue
        worst = lines[0]
        conversions = cost_of_sites(profile, lines, worst.place)
        function = function_at(profile.deep, worst.place)
        whole = cost_of(profile, worst.place, worst.stage, function.total_share) if function else conversions
        if not conversions.worth_mentioning:
            continue
        larger = with_sampling(profile, max(whole, conversions, key=lambda cost: cost.share))
        yield Finding(
            code=RULE.code,
            title=f"{bare_name(worst.place.function)}() converts {per_step:,.0f} times per env step, one "
            f"transition at a time: {percent(larger.share)} of wall time",
            where=worst.place,
            stage=worst.stage,
            evidence={
                "conversions_per_env_step": per_step,
                "conversions_share": conversions.share,
                "conversions": callees_with_lines(lines),
            },
            **larger.figures,
            confidence="high",
            remedy="store arrays as they are, a batch at once (goldsplit.fast.replay.UniformReplay.extend), "
            "and convert the sampled batch once",
            verify=record_again(profile, deep=True),
            effort="hours",
            overlays=("fast:replay",),
        )


def with_sampling(profile: Profile, storing: Cost) -> Cost:
    """What was stored item by item is put together item by item for each batch: then that is saved too."""
    sites = profile.deep.sites if profile.deep is not None else []
    row = row_of(profile, REPLAY_SAMPLE)
    joined = [site for site in sites if site.stage == REPLAY_SAMPLE and bare_name(site.callee) in _JOINERS]
    if row is None or not joined:
        return storing
    saves = storing.saves | {REPLAY_SAMPLE: row.wall_share}
    return Cost(sum(saves.values()), speedup_without(profile, saves), saves)


def is_conversion(site: Site) -> bool:
    """Whether a line converts something to a tensor, or a tensor to something else."""
    return site.kind in (SiteKind.CONVERSION, SiteKind.TENSOR_READ) or site.callee == "torch.tensor"


def is_storing(site: Site) -> bool:
    """Whether a line stores transitions, by its stage or by its function's name."""
    return (
        site.stage == REPLAY_ADD or stage_of_function(enclosing_function(site.place.function)) == REPLAY_ADD
    )


RULE = Rule("replay-item-by-item", check, needs_deep=True)
