"""What rules share."""

from __future__ import annotations

import pytest

from goldsplit.diagnose.rule import percent


@pytest.mark.parametrize(
    ("share", "text"), [(0.256, "26 %"), (0.0996, "10 %"), (0.0234, "2.3 %"), (1.0, "100 %")]
)
def test_percent(share: float, text: str) -> None:
    assert percent(share) == text
