"""Errors for users: a message, a hint, and the closest word."""

from __future__ import annotations

from goldsplit.errors import GoldsplitError
from goldsplit.train.errors import TrainError, closest


def test_a_train_error_is_one_that_the_command_line_prints() -> None:
    error = TrainError("what happened", "what to do")
    assert isinstance(error, GoldsplitError)
    assert (error.message, error.hint, str(error)) == (
        "what happened",
        "what to do",
        "what happened\nhint: what to do",
    )


def test_the_closest_word_is_named_and_only_a_close_one() -> None:
    assert closest("Bacth", ["batch", "envs"], "nothing") == "did you mean 'batch'?"
    assert closest("zzz", ["batch", "envs"], "nothing") == "nothing"
