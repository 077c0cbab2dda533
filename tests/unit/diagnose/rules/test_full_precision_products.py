from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.full_precision_products import RULE

sys.path.insert(0, str(Path(__file__).parents[1]))
from device_profiles import device

STAGES = {"learn.backward": 0.8, "env.step": 0.1}
PLAIN = {
    "busy_share": 0.8,
    "product_share": 0.5,
    "half_precision_share": 0.0,
    "matmul_precision": "highest",
    "capability": [9, 0],
}


def test_products_in_full_float32(make: SimpleNamespace) -> None:
    (finding,) = make.found(RULE, make.profile(STAGES, devices=[device(**PLAIN)]))
    # Products take 0.8 * 0.5 of wall time, but the host waits for the device only 0.3 of it.
    assert finding.share == pytest.approx(0.3)
    assert finding.ceiling_speedup == pytest.approx(1 / 0.7)
    assert "set_float32_matmul_precision" in finding.remedy


@pytest.mark.parametrize(
    "changes",
    [
        {"matmul_precision": "high"},
        {"half_precision_share": 0.4},
        {"capability": [7, 0]},
        {"capability": None},
        {"product_share": 0.1},
        {"product_share": None},
        {"waited_share": 0.1},
    ],
)
def test_nothing_to_try(make: SimpleNamespace, changes: dict[str, object]) -> None:
    assert make.found(RULE, make.profile(STAGES, devices=[device(**(PLAIN | changes))])) == []
