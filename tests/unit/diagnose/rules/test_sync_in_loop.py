from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.sync_in_loop import RULE

sys.path.insert(0, str(Path(__file__).parents[1]))
from device_profiles import LOSS, READ, device

STAGES = {"learn.backward": 0.5, "env.step": 0.4}


def test_two_lines_that_wait(make: SimpleNamespace) -> None:
    use = device(waits=[READ, LOSS], busy_share=0.4, waited_share=0.3)
    (finding,) = make.found(RULE, make.profile(STAGES, devices=[use]))
    assert finding.where.line == 12
    assert len(finding.evidence["lines"]) == 2
    assert finding.ceiling_speedup == pytest.approx(1 / 0.7)


@pytest.mark.parametrize(
    "changes",
    [
        {"waits": [READ]},  # the action's read: the game needs it
        {"waits": [READ, LOSS], "busy_share": 0.98},  # the device is the limit
        {"waits": [READ, LOSS], "waited_share": 0.01},
        {"waits": [READ, LOSS], "busy_share": None},
    ],
)
def test_nothing_to_gain(make: SimpleNamespace, changes: dict[str, object]) -> None:
    assert make.found(RULE, make.profile(STAGES, devices=[device(**changes)])) == []
