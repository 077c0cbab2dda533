"""One source, many targets: one field instead of one call for each."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.one_to_many import RULE


def look(make: SimpleNamespace, **changes: object) -> SimpleNamespace:
    settings = {
        "total_share": 0.6, "self_share": 0.6, "compared": 600, "distinct_arguments": 600,
        "distinct_results": 30, "shared_argument": 1, "groups": 50, "mean_group": 6.0,
    }  # fmt: skip
    function = make.deep_function("path_length", **(settings | changes))
    cost = make.function_cost("path_length", 0.6)
    deep = make.deep_look(functions=[function])
    return make.profile({"env.step": 0.7}, deep=deep, functions=[cost])


def test_calls_that_share_a_source(make: SimpleNamespace) -> None:
    (found,) = make.found(RULE, look(make))
    assert found.where.function == "path_length"
    assert found.share == pytest.approx(0.5), "all but one call of six for each source"
    assert found.ceiling_speedup == pytest.approx(2.0)
    assert "one field for each source" in found.remedy


@pytest.mark.parametrize(
    "changes",
    [
        {"shared_argument": None},
        {"mean_group": 1.5},
        {"groups": 3},
        {"compared": 20},
        {"kind": "method", "shared_argument": 0},
        {"distinct_results": 1, "constant_result": "True"},
    ],
    ids=["nothing shared", "pairs only", "few sources", "few calls", "only the object", "constant"],
)
def test_no_finding(make: SimpleNamespace, changes: dict[str, object]) -> None:
    assert make.found(RULE, look(make, **changes)) == []
