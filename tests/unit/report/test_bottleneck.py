"""What a headline says of the category that leads."""

from __future__ import annotations

import pytest

from goldsplit.model.profile import CategoryRow
from goldsplit.report.bottleneck import ceiling


@pytest.mark.parametrize(
    ("share", "most", "told"),
    [
        (0.5, 2.1, ". Even if this took no time, the run would be at most 2.10x as fast"),
        (0.96, 25.0, ". If this took no time, the run would be more than 20x as fast"),
        (0.99, None, ": it is the whole run"),
        (0.68, None, ". How fast the run could be without it is not known: the shares are too uncertain"),
    ],
)
def test_how_fast_the_run_could_be(share: float, most: float | None, told: str) -> None:
    """A share of 68 % whose interval ends at 100 % is not the whole run."""
    assert ceiling(CategoryRow("environment", share, share, share, most)) == told
