"""Overlays as users write them."""

from __future__ import annotations

import importlib
import inspect
import os
import re

import pytest

from goldsplit.diagnose.rule import Rule
from goldsplit.diagnose.rules import RULES
from goldsplit.errors import ConfigError
from goldsplit.model.overlays.overlay import OVERLAYS, Overlay
from goldsplit.model.overlays.written import (
    LEAST_THREADS,
    check_together,
    options_of,
    parse_overlay,
    parse_overlays,
    variables_of,
)


@pytest.mark.parametrize("overlay", OVERLAYS, ids=lambda one: one.name)
def test_every_overlay_takes_its_example_and_has_code(overlay: Overlay) -> None:
    text = f"{overlay.name}:{overlay.example}" if overlay.example else overlay.name
    assert parse_overlay(text).overlay is overlay
    assert parse_overlay(text).text == text
    module = importlib.import_module(f"goldsplit.record.inside.overlays.{overlay.place}")
    assert callable(module.install)
    assert len(overlay.summary) <= 90
    assert bool(overlay.argument) == bool(overlay.example)


def test_overlays_are_offered_by_rules_that_exist() -> None:
    codes = {rule.code for rule in RULES}
    assert {rule for one in OVERLAYS for rule in one.rules} <= codes


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_list_has_every_rule_that_offers_an_overlay(rule: Rule) -> None:
    """What a rule writes itself stands in the list, too: the pages are made from it."""
    source = inspect.getsource(inspect.getmodule(rule.check) or rule.check)
    for text in re.findall(r'overlays=(?:tuple)?\(f?"([^"{]+)', source):
        (offered,) = (one for one in OVERLAYS if text == one.name or text.startswith(f"{one.name}:"))
        assert rule.code in offered.rules


@pytest.mark.parametrize(
    ("text", "told", "hint"),
    [
        ("thread:1", "no such overlay", "did you mean threads?"),
        ("no-validaton", "no such overlay", "did you mean no-validation?"),
        ("qwertz", "no such overlay", "`goldsplit overlays` lists them"),
        ("threads", "needs an argument", "write threads:N[,workers=M], for example --with threads:1"),
        ("threads:0", "cannot have the argument '0'", "threads:N"),
        ("threads:1,worker=2", "cannot have the argument", "workers=M"),
        ("no-validation:all", "cannot have the argument 'all'", "it takes no argument"),
        ("memo:function", "cannot have the argument", "MODULE:FUNCTION"),
        ("memo:m:f@month", "cannot have the argument", "@step|@episode|@run"),
        ("constant:m:f,verify=0", "cannot have the argument", "verify=N"),
    ],
)
def test_wrong_texts_are_refused_with_what_to_write(text: str, told: str, hint: str) -> None:
    with pytest.raises(ConfigError) as raised:
        parse_overlay(text)
    assert told in raised.value.message
    assert hint in raised.value.hint


def test_an_overlay_is_given_once() -> None:
    with pytest.raises(ConfigError, match="twice"):
        parse_overlays(("threads:1", " threads:1"))
    assert [one.text for one in parse_overlays(("threads:1", "no-validation"))] == [
        "threads:1",
        "no-validation",
    ]


@pytest.mark.parametrize(
    "texts",
    [
        ("threads:1", "threads:2"),
        ("seed:1", "no-eval", "seed:2"),
        ("every:2:learn.loss", "every:3:learn.loss"),
        ("memo:m:f@step", "memo:m:f@run"),
    ],
)
def test_overlays_that_contradict_each_other_are_not_on_together(texts: tuple[str, ...]) -> None:
    parse_overlays(texts)  # each alone is well: `try` may try both
    with pytest.raises(ConfigError, match="contradict"):
        check_together(texts)


def test_overlays_of_one_name_may_be_about_several_things() -> None:
    check_together(("memo:m:f", "memo:m:g", "skip:log", "skip:eval", "every:2:learn.loss", "every:2:eval"))


def test_a_stage_that_is_only_misspelt_is_refused_before_the_run() -> None:
    with pytest.raises(ConfigError, match=r"there is no stage 'env\.stp'") as raised:
        check_together(("skip:env.stp",))
    assert "did you mean env.step?" in raised.value.hint
    check_together(("skip:env.stp",), ["env.stp"])
    check_together(("skip:wholly.own",))


def test_more_threads_than_a_machine_can_use_are_refused() -> None:
    parse_overlays((f"threads:{LEAST_THREADS},workers=1",))
    for text in ("threads:100000", "threads:1,workers=100000"):
        with pytest.raises(ConfigError, match="threads") as raised:
            parse_overlays((text,))
        assert f"{os.cpu_count()} cores" in raised.value.hint


def test_options_follow_a_comma_or_stand_alone() -> None:
    assert options_of("m:f@step,verify=3") == ("m:f@step", {"verify": 3})
    assert options_of("verify=3") == ("", {"verify": 3})
    assert options_of("") == ("", {})


def test_threads_sets_variables_before_the_start() -> None:
    assert variables_of(parse_overlay("threads:3,workers=1"))["OMP_NUM_THREADS"] == "3"
    assert variables_of(parse_overlay("no-validation")) == {}
