"""Single values read from tensors."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.tensor_reads_per_step import RULE


def look(make: SimpleNamespace, **changes: object) -> SimpleNamespace:
    settings = {"calls": 4_000, "calls_per_env_step": 40.0, "share": 0.3}
    site = make.site("tensor_read", "Tensor.item", **(settings | changes))
    step = make.deep_function("train", self_share=0.6)
    return make.profile({"env.step": 0.6}, deep=make.deep_look(sites=[site], functions=[step]))


def test_a_board_read_cell_by_cell(make: SimpleNamespace) -> None:
    (found,) = RULE.check(look(make))
    assert found.share == pytest.approx(0.3)
    assert "40 times per env step" in found.title
    assert found.evidence["reads"] == "Tensor.item line 12"


@pytest.mark.parametrize(
    "changes",
    [{"calls_per_env_step": 1.0}, {"share": 0.001}, {"share": None}, {"stage": "replay.add"}],
    ids=["one read per action", "cheap", "not measured", "replay's own rule"],
)
def test_no_finding(make: SimpleNamespace, changes: dict[str, object]) -> None:
    assert list(RULE.check(look(make, **changes))) == []


def test_picking_the_element_goes_with_the_read(make: SimpleNamespace) -> None:
    profile = look(make)
    more = [
        make.site("tensor_op", "Tensor.__getitem__", share=0.2, amount=1.0),
        make.site("tensor_op", "Tensor.matmul", share=0.1, amount=64.0),
        make.site("tensor_op", "Tensor.__getitem__", share=0.1, amount=1.0, place=make.place(13)),
    ]
    profile.deep.sites.extend(more)
    (found,) = RULE.check(profile)
    assert found.share == pytest.approx(0.5)
    assert found.evidence["picking_share_of_windows"] == pytest.approx(0.2)
