"""Which calls are verified, and how a run is stopped."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest

from goldsplit.model.wire import File, Variable
from goldsplit.record.inside.overlays.kept_answers import CannotKeep, copy_of, needs_copy
from goldsplit.record.inside.overlays.verification import Share, differs, fingerprint, shown, stop_the_run


def test_a_share_of_calls_at_irregular_distances() -> None:
    share = Share(10, first=3)
    taken = [n for n in range(10_003) if share.takes()]
    assert taken[:3] == [0, 1, 2]
    assert 900 <= len(taken) <= 1100
    assert len({b - a for a, b in itertools.pairwise(taken)}) > 10
    every = Share(1, first=0)
    assert all(every.takes() for _ in range(5))


def test_stopping_leaves_the_reason_and_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    codes: list[int] = []
    monkeypatch.setattr(os, "_exit", codes.append)
    monkeypatch.setenv(Variable.RUN_DIR, str(tmp_path))
    stop_the_run("first")
    stop_the_run("second")
    assert (tmp_path / File.STOPPED).read_text() == "first"
    assert codes == [4, 4]


def test_values_in_the_message() -> None:
    class Broken:
        """Cannot be shown."""

        def __repr__(self) -> str:
            raise ValueError

    assert shown(Broken()) == "a Broken"
    assert len(shown("x" * 1000)) == 300
    text = differs("memo:m:f", "m:f", (1,), 2, 3)
    assert text == "overlay memo:m:f stopped the run: m:f with (1,) gives 3, but the kept answer was 2"


def test_fingerprints() -> None:
    assert fingerprint([1, 2]) == fingerprint([1, 2]) != fingerprint((1, 2))
    assert fingerprint(iter("a")) is None


def test_tensors_with_a_history_are_not_kept() -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(CannotKeep):
        copy_of([torch.ones(2, requires_grad=True)])
    plain = torch.ones(2)
    assert copy_of(plain) is not plain
    assert needs_copy((1, [2]))
    assert not needs_copy((1, "a"))
