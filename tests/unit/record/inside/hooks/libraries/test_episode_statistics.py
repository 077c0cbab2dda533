"""The lists of returns that tell us what is added."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from goldsplit.record.inside.hooks.libraries.episode_statistics import ToldList, ToldQueue


@pytest.mark.parametrize("told", [ToldQueue([1.0, 2.0], 5), ToldList([1.0, 2.0])])
def test_pickles_and_copies_have_nothing_of_ours(told: Any) -> None:
    plain = type(told).__mro__[1]
    for again in (pickle.loads(pickle.dumps(told)), copy.deepcopy(told)):
        assert type(again) is plain
        assert again == told
        assert getattr(again, "maxlen", 5) == 5
    assert b"goldsplit" not in pickle.dumps(told)
    assert repr(told) == repr(copy.deepcopy(told))
