"""The emulator: its starts, its table of grays, saved moments, and what is said where it is missing."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from goldsplit.games.retro import retro_rules as rules
from goldsplit.games.retro.emulator import GRAYS, learn_grays, needed, new_emulator, restored, saved, starts


def test_a_missing_library_is_named_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ale_py", None)
    with pytest.raises(rules.RetroError, match=r"Retro needs ale_py.*\nhint: pip install 'goldsplit"):
        new_emulator(1)


def test_what_is_there_is_imported() -> None:
    assert needed("json", "no hint is needed").dumps([1]) == "[1]"


def test_the_kept_starts_are_what_waiting_gives() -> None:
    pytest.importorskip("ale_py")
    emulator = new_emulator(1)
    kept = starts()
    assert len(kept) == rules.MOST_NOOPS
    for start in kept:
        emulator.act(0)
        assert np.array_equal(emulator.getScreen(), start.screen)
        assert np.array_equal(emulator.getRAM(), start.ram)


def test_a_restored_emulator_goes_on_as_the_first_one() -> None:
    pytest.importorskip("ale_py")
    first, second = new_emulator(4), new_emulator(4)
    for action in (5, 5, 3, 3, 11, 4):
        first.act(action)
    restored(second, saved(first))
    for action in (3, 3, 11, 11, 4, 5, 5, 0):
        first.act(action)
        second.act(action)
        assert np.array_equal(first.getScreen(), second.getScreen())
        assert np.array_equal(first.getRAM(), second.getRAM())


def test_grays_are_learned_from_a_screen() -> None:
    pytest.importorskip("ale_py")
    emulator = new_emulator(1)
    emulator.act(0)
    screen, colours = emulator.getScreen(), emulator.getScreenRGB().astype(np.float64)
    learn_grays(screen, emulator)
    wanted = np.floor(colours @ [77 / 256, 150 / 256, 29 / 256] + 0.5)
    assert np.array_equal(GRAYS[screen], wanted)
    assert GRAYS[screen].max() > 0


def test_gray_has_the_usual_weights() -> None:
    weights = np.array([rules.RED, rules.GREEN, rules.BLUE]) / 256
    assert weights.sum() == 1
    assert np.abs(weights - [0.299, 0.587, 0.114]).max() < 0.002
    assert rules.gray_of(np.array([255, 255, 255], np.uint8)) == 255
