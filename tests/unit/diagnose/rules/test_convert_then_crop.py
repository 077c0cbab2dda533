"""Whole frames converted, then cropped."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.convert_then_crop import RULE


def look(make: SimpleNamespace, left: float | None = 16_384.0, **changes: object) -> SimpleNamespace:
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
