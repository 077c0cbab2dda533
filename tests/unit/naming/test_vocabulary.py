"""Names are read by their parts."""

from __future__ import annotations

import pytest

from goldsplit.naming.vocabulary import means, parts_of


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("foeMoves", ("foe", "moves")),
        ("_let_ai_finish_its_round", ("let", "ai", "finish", "its", "round")),
        ("HTTPServer2", ("http", "server", "2")),
        ("calc_adv", ("calc", "adv")),
        ("", ()),
    ],
)
def test_parts(name: str, parts: tuple[str, ...]) -> None:
    assert parts_of(name) == parts


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("foeMoves", "opponent"),
        ("foeMoves", "step"),
        ("_let_ai_finish_its_round", "opponent"),
        ("collect_choices_and_mask_for_unit", "mask"),
        ("buildObs", "observe"),
        ("fitOnce", "learn"),
        ("calc_adv", "returns"),
        ("doRound", "step"),
        ("maj_reseau", "learn"),
        ("stp", "step"),
        ("rst", "reset"),
        ("waehle", "choose"),
        ("vybrat", "choose"),
        ("erabu", "choose"),
        ("rewards", "reward"),
    ],
)
def test_meanings(name: str, meaning: str) -> None:
    assert means(name, meaning)


@pytest.mark.parametrize("name", ["x", "tensor_to_cpu", "mv", "heapq"])
def test_a_name_without_a_known_word_means_no_step(name: str) -> None:
    assert not means(name, "step")


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("read_set", "network"),
        ("red_units", "network"),
        ("aus_datei", "done"),
        ("nova_engine", "reset"),
        ("lot_size", "sample"),
    ],
)
def test_short_words_of_one_language_mean_nothing_inside_names_of_another(name: str, meaning: str) -> None:
    assert not means(name, meaning)


def test_a_short_word_may_be_a_whole_name() -> None:
    assert means("aus", "done")
    assert means("nova", "reset")
