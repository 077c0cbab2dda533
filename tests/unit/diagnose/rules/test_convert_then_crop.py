"""Whole frames converted, then cropped."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.convert_then_crop import RULE

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
