"""What is not an environment is said to be none, wherever it is made."""

from __future__ import annotations

import pytest

from goldsplit.fast.vector import SharedVectorEnv


class Board:
    """A user's own game, as it was before Gymnasium."""

    def reset(self) -> int:
        return 0

    def step(self, action: int) -> tuple[int, float, bool]:
        return action, 0.0, False


@pytest.mark.parametrize("backend", ["auto", "inprocess", "workers"])
def test_a_plain_class_is_refused_with_what_it_lacks(backend: str) -> None:
    with pytest.raises(
        Exception, match="Board is not a Gymnasium environment: it has no observation_space"
    ) as e:
        SharedVectorEnv([Board, Board], backend=backend, workers=1)
    assert "hint: derive the class from gymnasium.Env" in str(e.value)
    assert "close" in str(e.value)
