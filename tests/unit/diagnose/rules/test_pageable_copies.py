from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.pageable_copies import RULE

sys.path.insert(0, str(Path(__file__).parents[1]))
from device_profiles import COPY, device

STAGES = {"learn.backward": 0.5, "env.step": 0.4}


def test_copies_from_ordinary_memory(make: SimpleNamespace) -> None:
    (finding,) = make.found(RULE, make.profile(STAGES, devices=[device(copies=[COPY])]))
    assert finding.share == pytest.approx(0.08)
    assert "pinned" in finding.remedy


@pytest.mark.parametrize("changes", [{"memory": "pinned"}, {"direction": "DtoH"}, {"share_of_windows": 0.01}])
def test_other_copies(make: SimpleNamespace, changes: dict[str, object]) -> None:
    copy = dataclasses.replace(COPY, **changes)  # type: ignore[arg-type]
    assert make.found(RULE, make.profile(STAGES, devices=[device(copies=[copy])])) == []
