"""Whole frames converted, then cropped."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.convert_then_crop import RULE
from goldsplit.model.hot_code.source_look import LateCrop, SourceLook

CROPPED = "Tensor(3, 240, 224, 3) to Tensor(3, 64, 64, 3)"


def look(
    make: SimpleNamespace, left: float | None = 16_384.0, taken: str = CROPPED, **changes: object
) -> SimpleNamespace:
    settings = {"stage": "env.observe", "calls_per_env_step": 3.0, "share": 0.3, "amount": 161_280.0}
    sites = [make.site("conversion", "torch.as_tensor", **(settings | changes))]
    if left is not None:
        crop = make.site(
            "tensor_op",
            "Tensor.__getitem__",
            stage="env.observe",
            place=make.place(13),
            amount=left,
            share=0.01,
            detail=taken,
        )
        sites.append(crop)
    builder = make.deep_function("train", stage="env.observe", self_share=0.5)
    deep = make.deep_look(sites=sites, functions=[builder])
    return make.profile({"env.observe": 0.5}, deep=deep)


def test_whole_frames_for_a_small_crop(make: SimpleNamespace) -> None:
    (found,) = RULE.check(look(make))
    assert found.share == pytest.approx(0.3)
    assert "161,280" in found.title
    assert "16,384" in found.title
    assert "goldsplit.fast.frames.FrameRing" in found.remedy


@pytest.mark.parametrize("left", [None, 161_280.0, 150_000.0])
def test_no_crop_or_a_small_one(make: SimpleNamespace, left: float | None) -> None:
    assert list(RULE.check(look(make, left=left))) == []


@pytest.mark.parametrize(
    "changes", [{"amount": 30.0}, {"amount": None}, {"share": 0.001}], ids=["features", "unknown", "cheap"]
)
def test_no_finding(make: SimpleNamespace, changes: dict[str, object]) -> None:
    assert list(RULE.check(look(make, **changes))) == []


@pytest.mark.parametrize(
    "taken",
    [
        "Tensor(1024, 16) to Tensor(256, 16)",
        "Tensor(256, 323) to Tensor(256, 10)",
        "Tensor(128, 3, 84, 84) to Tensor(32, 3, 84, 84)",
        "Tensor(128, 3, 84, 84) to Tensor(3, 84, 84)",
        "",
    ],
    ids=["minibatch", "some-features", "minibatch-of-pictures", "one-picture", "unknown"],
)
def test_a_part_of_a_batch_is_no_crop(make: SimpleNamespace, taken: str) -> None:
    assert list(RULE.check(look(make, taken=taken))) == []


@pytest.mark.parametrize(
    "taken",
    ["Tensor(240, 224) to Tensor(128, 128)", "Tensor(240, 224, 3) to Tensor(128, 224, 3)"],
    ids=["grey", "rows-of-one-picture"],
)
def test_a_part_of_one_picture_is_a_crop(make: SimpleNamespace, taken: str) -> None:
    assert len(list(RULE.check(look(make, taken=taken)))) == 1


def test_what_shares_memory_converts_nothing(make: SimpleNamespace) -> None:
    profile = look(make)
    shared = make.site(
        "conversion",
        "torch.from_numpy",
        stage="env.observe",
        calls_per_env_step=3.0,
        share=0.3,
        amount=161_280.0,
    )
    sites = [shared, *(site for site in profile.deep.sites if site.callee == "Tensor.__getitem__")]
    deep = make.deep_look(sites=sites, functions=list(profile.deep.functions))
    assert list(RULE.check(make.profile({"env.observe": 0.5}, deep=deep))) == []


def through_a_call(
    make: SimpleNamespace, second: str = "Tensor(4, 160, 160) to Tensor(4, 80, 80)"
) -> SimpleNamespace:
    """One function converts frame by frame, another one calls it and crops what it gave, in two lines."""
    sites = [
        make.site(
            "conversion",
            "torch.as_tensor",
            stage="env.observe",
            place=make.place(12, "stacked"),
            amount=100_800.0,
            share=0.1,
            detail="ndarray(210, 160, 3) to Tensor(210, 160, 3)",
        )
    ]
    for line, shapes in ((40, "Tensor(4, 210, 160) to Tensor(4, 160, 160)"), (41, second)):
        sites.append(
            make.site(
                "tensor_op",
                "Tensor.__getitem__",
                stage="env.observe",
                place=make.place(line, "image"),
                amount=1.0,
                detail=shapes,
            )
        )
    image = make.function_cost("image", 0.3, stages={"env.observe": 0.3})
    stacked = make.function_cost("stacked", 0.1, stages={"env.observe": 0.1}, callers={image.key: 0.1})
    deep = make.deep_look(sites=sites, functions=[make.deep_function("image"), make.deep_function("stacked")])
    return make.profile({"env.observe": 0.5}, deep=deep, functions=[image, stacked])


def test_a_crop_of_what_a_call_has_converted(make: SimpleNamespace) -> None:
    (found,) = RULE.check(through_a_call(make))
    assert (found.where.function, found.where.line) == ("image", 41)
    assert "100,800" in found.title
    assert "19,200" in found.title
    assert found.share == pytest.approx(0.3)


def test_a_crop_of_something_else_ends_the_chain(make: SimpleNamespace) -> None:
    (found,) = RULE.check(through_a_call(make, second="Tensor(4, 90, 90) to Tensor(4, 45, 45)"))
    assert found.where.line == 40
    assert "76,800" in found.title


def test_a_crop_in_a_function_that_does_not_call_it(make: SimpleNamespace) -> None:
    seen = through_a_call(make)
    seen.functions[1].callers.clear()
    assert list(RULE.check(seen)) == []


def by_source(make: SimpleNamespace, lines: dict[int, float], **changes: object) -> SimpleNamespace:
    crop = LateCrop(make.place(14, "look"), "grey[::8, ::8]", (12, 14))
    cost = make.function_cost("look", sum(lines.values()), lines=lines)
    source = SourceLook(late_crops=(crop,))
    return make.profile({"env.step": 0.6}, functions=[cost], source=source, **changes)


def test_the_source_alone_tells_where_its_lines_are_hot(make: SimpleNamespace) -> None:
    (found,) = RULE.check(by_source(make, {12: 0.3, 13: 0.2, 14: 0.1}))
    assert found.where.line == 14
    assert found.share == pytest.approx(0.4)
    assert found.evidence["keeps"] == "grey[::8, ::8]"
    assert list(RULE.check(by_source(make, {12: 0.01, 13: 0.4, 14: 0.01}))) == []


def test_what_sizes_have_shown_is_not_told_again(make: SimpleNamespace) -> None:
    sized = through_a_call(make)
    crop = LateCrop(make.place(41, "image"), "x[:, ::2]", (40, 41))
    lines = dataclasses.replace(sized.functions[0], lines={40: 0.2, 41: 0.1})
    functions = [lines, sized.functions[1]]
    seen = dataclasses.replace(sized, functions=functions, source=SourceLook(late_crops=(crop,)))
    assert len(list(RULE.check(seen))) == 1
