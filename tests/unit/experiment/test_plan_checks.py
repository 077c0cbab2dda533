"""Mistakes that are found before a trial is made, or after the first."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from goldsplit.errors import CommandError, ConfigError
from goldsplit.experiment.carry_out import Progress, carry_out
from goldsplit.experiment.plan_checks import check_plan
from goldsplit.experiment.trials import Experiment
from goldsplit.model.experiment.design import Source, SourceKind, Variant


@pytest.mark.parametrize("metric", ["stage:env.step", "stage:my_part", "stage:learn() train.py:45"])
def test_stages_that_there_may_be(metric: str, make: SimpleNamespace) -> None:
    check_plan(make.plan(metric=metric))


def test_settings_are_in_their_places_before_overlays_are_read(make: SimpleNamespace) -> None:
    good = Variant("a", overlays=("threads:{threads}",), settings={"threads": "2"})
    check_plan(make.plan(variants=(Variant("base"), good)))
    bad = Variant("a", overlays=("threads:{threads}",))
    with pytest.raises(ConfigError, match="variant a: "):
        check_plan(make.plan(variants=(Variant("base"), bad)))


def test_a_target_needs_rewards(make: SimpleNamespace) -> None:
    asked = {"metric": "seconds_to_target", "target_reward": 1.0}
    with pytest.raises(ConfigError, match="needs the rewards"):
        check_plan(make.plan(**asked))
    check_plan(make.plan(**asked, metrics={"r": Source(SourceKind.CSV, "a.csv", "r")}))


def test_a_stage_that_the_program_has_not_ends_it_after_one_trial(
    make: SimpleNamespace, tmp_path: Path
) -> None:
    world = make.world({"base": 10.0, "fast": 5.0})
    with (
        Experiment(make.plan(metric="stage:my_part"), tmp_path, world.tools()) as experiment,
        pytest.raises(CommandError, match="no time in stage:my_part"),
    ):
        carry_out(experiment, lambda _: None, lambda _: None)
    assert len(world.commands) <= 2


def test_trials_are_counted_in_the_order_in_which_they_begin(make: SimpleNamespace, tmp_path: Path) -> None:
    """Also where several run at once, so that none has ended when the third begins."""
    said: list[Progress] = []
    with Experiment(make.plan(pairs=3), tmp_path, make.world({}).tools()) as experiment:
        inner = experiment.engine.run

        def all_begin_at_once(order, rows, before):  # type: ignore[no-untyped-def]
            for row in rows:
                before(row)
            yield from inner(order, rows, lambda row: None)

        experiment.engine.run = all_begin_at_once  # type: ignore[method-assign]
        carry_out(experiment, said.append, lambda _: None)
    assert [(one.number, one.total) for one in said] == [(number, 6) for number in range(1, 7)]
