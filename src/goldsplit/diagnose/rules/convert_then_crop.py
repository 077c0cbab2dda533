"""Whole frames are converted, and then most of each frame is thrown away.

## What it sees

A function that converts images (`astype`, `torch.as_tensor(..., dtype=...)`, `.float()`, `.to(...)`) and
then crops or shrinks the result: clearly more elements are converted than are left after the crop.

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

import math
import re
from collections.abc import Iterator

from goldsplit.diagnose.deep_ceilings import Cost, cost_of_function, cost_of_sites
from goldsplit.diagnose.deep_places import bare_name, enclosing_function, function_at
from goldsplit.diagnose.deep_reading import by_function, sites_of, verify_command
from goldsplit.diagnose.rule import Rule, percent
from goldsplit.model.deep import DeepLook, Site
from goldsplit.model.deep_files.deep_wire import SiteKind
from goldsplit.model.finding import Finding
from goldsplit.model.profile import Profile

#: An image, not a vector of features.
LEAST_ELEMENTS = 2048.0
#: At most this part of the converted elements may be left.
MOST_LEFT = 0.8
_SHAPE = re.compile(r"\(([\d, ]+)\)")
_CROPS = ("crop", "resize", "interpolate", "pool", "slice", "narrow")
_TAKES_A_PART = "__getitem__"
#: Gives a tensor over the same memory: nothing is converted.
_SHARES_MEMORY = "from_numpy"
#: Sizes of a last dimension that holds colours.
_COLOURS = (1, 3, 4)


def check(profile: Profile) -> Iterator[Finding]:
    """One finding per function that converts more than it keeps."""
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
        if left is None or converted is None or left > MOST_LEFT * converted:
            continue
        cost = cost_of_crop(profile, deep, lines)
        if not cost.worth_mentioning:
            continue
        yield Finding(
            code=RULE.code,
            title=f"{bare_name(worst.place.function)}() converts {converted:,.0f} elements and then keeps "
            f"{left:,.0f}: {percent(cost.share)} of wall time",
            where=worst.place,
            stage=worst.stage,
            evidence={
                "converted_by": worst.callee,
                "elements_converted": converted,
                "elements_left": left,
                "conversions_per_env_step": worst.calls_per_env_step,
                "shape": worst.detail,
            },
            **cost.figures,
            confidence="medium",
            remedy="crop and shrink while the frame is bytes, then convert what is left: "
            "goldsplit.fast.frames.FrameRing",
            verify=verify_command(profile, worst.stage),
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


def elements(site: Site) -> float | None:
    """Elements that a conversion handles: as counted, else from the last shape in its detail."""
    if site.amount is not None:
        return site.amount
    shapes = _SHAPE.findall(site.detail)
    return float(math.prod(int(size) for size in shapes[-1].split(",") if size.strip())) if shapes else None


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
    shapes = [
        tuple(int(size) for size in text.split(",") if size.strip()) for text in _SHAPE.findall(site.detail)
    ]
    if not site.callee.endswith(_TAKES_A_PART) or len(shapes) < 2 or len(shapes[0]) != len(shapes[-1]):
        return False
    before, after = shapes[0], shapes[-1]
    shorter = [axis for axis, (was, is_now) in enumerate(zip(before, after, strict=True)) if is_now < was]
    if len(before) == 2:
        return len(shorter) == 2
    return any(axis > 0 for axis in shorter) or (
        bool(shorter) and len(before) == 3 and before[-1] in _COLOURS
    )


RULE = Rule("convert-then-crop", check, needs_deep=True)
