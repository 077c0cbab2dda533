"""Running trials without processes: order, seeds, failures, Ctrl-C, going on, early stops."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from goldsplit.errors import CommandError
from goldsplit.experiment.blocks import block_order
from goldsplit.experiment.carry_out import Carried, Progress, carry_out, progress
from goldsplit.experiment.engines.one_trial import Interrupted
from goldsplit.experiment.trials import Experiment
from goldsplit.model.experiment.conclusion import Verdict
from goldsplit.model.experiment.design import Plan, Variant
from goldsplit.model.experiment.trial import Trial
from goldsplit.store.experiment_files import list_experiments, read_plan, read_result, read_trials


def carried(experiment: Experiment) -> tuple[Carried, list[Progress], list[Trial]]:
    before: list[Progress] = []
    after: list[Trial] = []
    with experiment:
        return carry_out(experiment, before.append, after.append), before, after


def test_every_block_has_every_variant_once_in_a_drawn_order(make: SimpleNamespace) -> None:
    plan = make.plan("a", "b", pairs=40)
    orders = [tuple(block_order(plan, block)) for block in range(40)]
    assert all(sorted(order) == ["a", "b", "base"] for order in orders)
    assert len(set(orders)) == 6
    for position in range(3):
        assert max(Counter(order[position] for order in orders[:39]).values()) == 13
    assert orders == [tuple(block_order(plan, block)) for block in range(40)]


def test_a_whole_experiment(make: SimpleNamespace, tmp_path: Path) -> None:
    world = make.world({"base": 10.0, "fast": 5.0})
    plan = make.plan(
        command=("python", "train.py", "--seed={seed}"), seed_variable="SEED", stages={"a:b": "act"}
    )
    done, before, after = carried(Experiment(plan, tmp_path / "e", world.tools()))
    assert len(after) == 16
    assert done.comparison.judged[0].effect.gain == pytest.approx(2.0)
    assert {command[2] for command in world.commands} == {f"--seed={1 + b}" for b in range(8)}
    options = world.options[0]
    assert (options.environment["SEED"], options.environment["PYTHONHASHSEED"]) == ("1", "1")
    assert (options.stacks, options.stages, options.directory) == (False, {"a:b": "act"}, None)
    assert before[0].seconds_left is None
    assert before[8].seconds_left == pytest.approx(4 * (10.05 + 5.05))
    assert before[-1].number == before[-1].total == 16
    assert after[0].runner_seconds == pytest.approx(0.05)
    assert read_plan(tmp_path / "e") == plan
    assert read_trials(tmp_path / "e") == after
    found = read_result(tmp_path / "e")
    assert found is not None
    assert found["judged"][0]["verdict"] == Verdict.UNPROVEN
    assert list_experiments(tmp_path) == [tmp_path / "e"]


def test_ctrl_c_keeps_what_is_done_and_a_broken_block_is_made_again(
    make: SimpleNamespace, tmp_path: Path
) -> None:
    plan = make.plan(pairs=3)
    world = make.world({"base": 10.0, "fast": 5.0})
    world.interrupt_at = 3  # the second trial of the second block
    done, _, after = carried(Experiment(plan, tmp_path / "e", world.tools()))
    assert done.interrupted
    assert len(after) == 3
    assert done.comparison.judged[0].effect.pairs == 1
    again = make.world({"base": 10.0, "fast": 5.0})
    done, _, after = carried(Experiment(plan, tmp_path / "e", again.tools()))
    assert [trial.block for trial in after] == [1, 1, 2, 2]
    assert done.comparison.judged[0].effect.pairs == 3
    assert not done.interrupted


def test_a_failed_trial_is_kept_and_a_variant_that_only_fails_is_given_up(
    make: SimpleNamespace, tmp_path: Path
) -> None:
    world = make.world({})
    world.fails = lambda variant, number: 1 if variant == "fast" else 0
    done, _, after = carried(Experiment(make.plan(), tmp_path / "e", world.tools()))
    failed = [trial for trial in after if not trial.complete]
    assert len(failed) == 2
    assert failed[0].problem == "exit code 1: one line | TypeError: unhashable"
    assert len(after) == 10
    assert done.comparison.judged[0].verdict == Verdict.FAILED


def test_without_the_base_there_is_no_experiment(make: SimpleNamespace, tmp_path: Path) -> None:
    world = make.world({})
    world.fails = lambda variant, number: 3 if variant == "base" else 0
    with pytest.raises(CommandError, match="exit code 3: one line"):
        carried(Experiment(make.plan(), tmp_path / "e", world.tools()))


def test_it_stops_early_at_a_planned_look(make: SimpleNamespace, tmp_path: Path) -> None:
    world = make.world({"base": 10.0, "fast": 5.0})
    done, _, after = carried(Experiment(make.plan(pairs=16, early_stop=True), tmp_path / "e", world.tools()))
    assert done.stopped_early
    assert len(after) == 24


def test_blocks_with_some_variants_only(make: SimpleNamespace, tmp_path: Path) -> None:
    world = make.world({})
    plan = make.plan("a", "b")
    with Experiment(plan, tmp_path / "e", world.tools()) as experiment:
        assert {trial.variant for trial in experiment.run_block(0)} == {"base", "a", "b"}
        assert {trial.variant for trial in experiment.run_block(1, ("base", "a"))} == {"base", "a"}
        assert progress(experiment, experiment.left(), 0, 5).total == 5 + 21


def test_a_trial_that_we_end_ourselves_counts(make: SimpleNamespace, tmp_path: Path) -> None:
    world = make.world({"base": 10.0, "fast": 10.0})
    world.interrupt_at = 0
    with Experiment(make.plan(duration_seconds=8.0), tmp_path / "e", world.tools()) as experiment:
        assert experiment.run_trial(0, 0, "base").complete
    world.commands.clear()
    with Experiment(make.plan(), tmp_path / "f", world.tools()) as experiment, pytest.raises(Interrupted):
        experiment.run_trial(0, 0, "base")


def test_overlays_and_own_folders_reach_the_recorder(make: SimpleNamespace, tmp_path: Path) -> None:
    world = make.world({})
    base = Variant("base", environment={"LOGS": "{out}/logs"})
    plan = Plan("t", ("python", "train.py", "--out={out}"), (base, Variant("x")))
    with Experiment(plan, tmp_path / "e", world.tools()) as experiment:
        experiment.run_trial(2, 0, "base")
    own = (tmp_path / "e" / "files" / "2-base").resolve()
    assert world.commands[0][2] == f"--out={own}"
    assert world.options[0].environment["LOGS"] == f"{own}/logs"
    assert world.options[0].output == own / "output.txt"
