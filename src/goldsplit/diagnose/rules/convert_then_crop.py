"""Whole frames are converted, and then most of each frame is thrown away.

## What it sees

A function that converts images (`astype`, `torch.as_tensor(..., dtype=...)`, `.float()`, `.to(...)`) and
then crops or shrinks the result, or a function that calls it and crops what it returns: clearly more elements
are converted than are left after the crop. Where the deep look saw no sizes, the source of hot functions
tells: floats of whole pictures, followed from name to name and out of calls, that a slice with steps
(`[:, ::2, ::2]`) thins out.

## Why it is slow

Converting bytes to floats makes four bytes out of one, for every pixel, also for the status bar and the
borders that no policy sees. In a real project, one frame took 1,538 us as written, 802 us after its author's
own fix, and 100 us when cropped before converting.

## Example

```python
stack = torch.stack([torch.as_tensor(f, dtype=torch.float32) for f in frames])  # slow
stack = stack[:, 56:224, 16:224].mean(-1) / 255.0

from goldsplit.fast.frames import FrameRing  # fast: crop, grey and scale in one pass, one new frame per step

ring = FrameRing((240, 224, 3), stack=4, crop=(56, 16, 168, 208))
stack = ring.push(frame)
```

## What to do

Crop and shrink while the frame is bytes, then convert what is left; and keep converted frames instead of
converting the whole stack again. `goldsplit.fast.frames.FrameRing` does both.

## When not

If the crop is almost the whole frame, or if shrinking needs floats (bilinear on a GPU).
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator
from typing import Any

from goldsplit.diagnose.deep_ceilings import Cost, cost_of_function, cost_of_lines, cost_of_sites
from goldsplit.diagnose.deep_places import bare_name, enclosing_function, function_at
from goldsplit.diagnose.deep_reading import by_function, sites_of, verify_command
from goldsplit.diagnose.rule import Rule, percent
from goldsplit.diagnose.savings import overlap, sampled_function
from goldsplit.model.deep import DeepLook, Site
from goldsplit.model.deep_files.deep_wire import SiteKind
from goldsplit.model.finding import Finding, Place
from goldsplit.model.hot_code.source_look import LateCrop
from goldsplit.model.profile import Profile

#: An image, not a vector of features.
LEAST_ELEMENTS = 2048.0
#: At most this part of the converted elements may be left.
MOST_LEFT = 0.8
#: Of wall time, on lines that only the source speaks of.
LEAST_SHARE = 0.03
_SHAPE = re.compile(r"\(([\d, ]+)\)")
_CROPS = ("crop", "resize", "interpolate", "pool", "slice", "narrow")
_TAKES_A_PART = "__getitem__"
#: Gives a tensor over the same memory: nothing is converted.
_SHARES_MEMORY = "from_numpy"
#: Sizes of a last dimension that holds colours.
_COLOURS = (1, 3, 4)


def check(profile: Profile) -> Iterator[Finding]:
    """One finding per function that converts more than it keeps: by sizes that were seen or by source."""
    seen = list(by_sizes(profile))
    yield from seen
    for crop in profile.source.late_crops:
        found = by_source(profile, crop)
        if found is not None and not any(same_chain(profile, found, other) for other in seen):
            yield found


def by_sizes(profile: Profile) -> Iterator[Finding]:
    """What the deep look saw: how much was converted, and how much a crop left of it."""
    deep = profile.deep
    if deep is None:
        return
    images = [
        site
        for site in sites_of(deep, SiteKind.CONVERSION)
        if (elements(site) or 0.0) >= LEAST_ELEMENTS and not site.callee.endswith(_SHARES_MEMORY)
    ]
    for lines in by_function(images).values():
        worst = max(lines, key=lambda site: site.share or 0.0)
        converted, left = elements(worst), elements_left(deep, worst)
        where, whole = worst.place, cost_of_crop(profile, deep, lines)
        crops = crops_in_a_caller(profile, deep, worst) if left is None else []
        if crops and converted is not None:
            where = crops[-1].place
            whole = cost_around(profile, deep, where, whole)
            left = converted * math.prod(part_left(crop) for crop in crops)
        if left is None or converted is None or left > MOST_LEFT * converted or not whole.worth_mentioning:
            continue
        yield finding_of(
            profile,
            where,
            worst.stage,
            whole,
            f"{bare_name(worst.place.function)}() converts {converted:,.0f} elements and then "
            f"{'' if where is worst.place else bare_name(where.function) + '() '}keeps {left:,.0f}",
            {
                "converted_by": worst.callee,
                "elements_converted": converted,
                "elements_left": left,
                "conversions_per_env_step": worst.calls_per_env_step,
                "shape": worst.detail,
            },
        )


def by_source(profile: Profile, crop: LateCrop) -> Finding | None:
    """What the source says of a function, where samples say that these lines are hot."""
    known = sampled_function(profile, crop.place)
    cost = cost_of_lines(profile, known, crop.lines) if known is not None else None
    if known is None or cost is None or cost.share < LEAST_SHARE:
        return None
    main = max(cost.saves, key=lambda stage: cost.saves[stage], default="")
    return finding_of(
        profile,
        crop.place,
        main or None,
        cost,
        f"{bare_name(crop.place.function)}() makes whole pictures floats, then keeps a part",
        {
            "keeps": crop.text,
            "lines": list(crop.lines),
            "samples": round(known.samples * cost.share / known.share),
        },
    )


def same_chain(profile: Profile, one: Finding, other: Finding) -> bool:
    """Whether two findings are of one function, or of one that is called inside the other."""
    return one.where == other.where or overlap(profile, one, other) > 0.0


def finding_of(
    profile: Profile, where: Place, stage: str | None, cost: Cost, what: str, evidence: dict[str, Any]
) -> Finding:
    return Finding(
        code=RULE.code,
        title=f"{what}: {percent(cost.share)} of wall time",
        where=where,
        stage=stage,
        evidence=evidence,
        **cost.figures,
        confidence="medium",
        remedy="crop and shrink while the frame is bytes, then convert what is left: "
        "goldsplit.fast.frames.FrameRing",
        verify=verify_command(profile, stage),
        effort="hours",
        risk="rounding differs in the last bit if the order of shrinking and scaling changes",
    )


def cost_of_crop(profile: Profile, deep: DeepLook, lines: list[Site]) -> Cost:
    """At most the whole function, which works on all elements until it crops: what is left fits into a cache
    and costs less than its part. The conversion alone where the function was not seen."""
    conversion = cost_of_sites(profile, lines, lines[0].place)
    function = function_at(deep, lines[0].place)
    if function is None:
        return conversion
    whole = cost_of_function(profile, function)
    return max(whole, conversion, key=lambda cost: cost.share)


def crops_in_a_caller(profile: Profile, deep: DeepLook, conversion: Site) -> list[Site]:
    """The crops, one of what the other has left, of such pictures in a function that calls the one that
    converts them; of several such functions the one that leaves least."""
    function = enclosing_function(conversion.place.function)
    known = sampled_function(profile, dataclasses.replace(conversion.place, function=function))
    shapes = shapes_of(conversion)
    if known is None or not shapes:
        return []
    chains: list[list[Site]] = [[]]
    for caller in known.callers:
        size, chain = picture_size(shapes[-1]), []
        for site in sorted(deep.sites, key=lambda one: one.place.line):
            if (
                key_of_function(site) == caller
                and takes_a_crop(site)
                and picture_size(shapes_of(site)[0]) == size
            ):
                chain.append(site)
                size = picture_size(shapes_of(site)[-1])
        chains.append(chain)
    return min(chains, key=lambda chain: math.prod(part_left(crop) for crop in chain))


def key_of_function(site: Site) -> str:
    """The function that a line is in, as samples name it."""
    return f"{site.place.file}:{enclosing_function(site.place.function)}"


def cost_around(profile: Profile, deep: DeepLook, crop: Place, conversion: Cost) -> Cost:
    """At most the whole function that crops, with the one that it calls to convert."""
    function = function_at(deep, crop)
    if function is None:
        return conversion
    return max(cost_of_function(profile, function), conversion, key=lambda cost: cost.share)


def part_left(crop: Site) -> float:
    """What a crop leaves of each picture, 0..1."""
    before, after = shapes_of(crop)[0], shapes_of(crop)[-1]
    return math.prod(after) / max(1, math.prod(before))


def picture_size(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Rows and columns of a picture in any order of its dimensions: the two largest of the last three."""
    return tuple(sorted(shape[-3:])[-2:])


def elements(site: Site) -> float | None:
    """Elements that a conversion handles: as counted, else from the last shape in its detail."""
    if site.amount is not None:
        return site.amount
    shapes = shapes_of(site)
    return float(math.prod(shapes[-1])) if shapes else None


def shapes_of(site: Site) -> list[tuple[int, ...]]:
    """The shapes in a site's detail: what went in, and what came out."""
    return [
        tuple(int(size) for size in text.split(",") if size.strip()) for text in _SHAPE.findall(site.detail)
    ]


def elements_left(deep: DeepLook, conversion: Site) -> float | None:
    """Elements of the smallest crop after the conversion in the same function; None without a crop."""
    here = (conversion.place.file, enclosing_function(conversion.place.function))
    crops = [
        site.amount
        for site in sites_of(deep, SiteKind.TENSOR_OP, SiteKind.CONVERSION)
        if (site.place.file, enclosing_function(site.place.function)) == here
        and site.place.line >= conversion.place.line
        and site.amount is not None
        and (any(word in site.callee for word in _CROPS) or takes_a_crop(site))
    ]
    return min(crops, default=None)


def takes_a_crop(site: Site) -> bool:
    """Whether a line takes a part of each picture. Rows of a batch (a minibatch, one column of features) are
    none: there the first dimension gets shorter, or there is only one other."""
    shapes = shapes_of(site)
    if not site.callee.endswith(_TAKES_A_PART) or len(shapes) < 2 or len(shapes[0]) != len(shapes[-1]):
        return False
    before, after = shapes[0], shapes[-1]
    shorter = [axis for axis, (was, is_now) in enumerate(zip(before, after, strict=True)) if is_now < was]
    if len(before) == 2:
        return len(shorter) == 2
    return any(axis > 0 for axis in shorter) or (
        bool(shorter) and len(before) == 3 and before[-1] in _COLOURS
    )


RULE = Rule("convert-then-crop", check)
