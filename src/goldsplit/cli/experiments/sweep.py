"""goldsplit sweep: the same command at several settings, beside what was predicted."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from goldsplit.cli import completion
from goldsplit.cli.experiments.engine_option import engine_named, engine_option
from goldsplit.cli.options import experiments_option, shown
from goldsplit.model.experiment.design import MOST_PAIRS

if TYPE_CHECKING:
    from goldsplit.experiment.search.sweeping import Predict
    from goldsplit.experiment.trials import Experiment
    from goldsplit.model.experiment.design import Plan
    from goldsplit.model.whatif import Prediction, Scenario

_FILE = click.Path(path_type=Path)


@click.command(context_settings={"allow_interspersed_args": False})
@click.option(
    "--set",
    "settings",
    multiple=True,
    required=True,
    metavar="NAME=A,B,C",
    help="Values of {NAME} in the command; the first is compared with.",
)
@click.option("--metric", default="env_steps_per_second", show_default=True, help="What is compared.")
@click.option(
    "--pairs", type=click.IntRange(1, MOST_PAIRS), help="Blocks.  [default: the fewest that can decide]"
)
@click.option("--duration", type=click.FloatRange(min=0.5), help="End each trial after this many seconds.")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the first block, for {seed}.")
@click.option("--name", default="sweep", show_default=True, help="Name of the experiment.")
@experiments_option
@click.option("--resume", is_flag=True, help="Go on with the sweep of this name.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@engine_option
@click.option("--quiet", is_flag=True, help="No progress lines.")
@click.argument("command", nargs=-1, type=click.UNPROCESSED, required=True, shell_complete=completion.command)
def sweep(command: tuple[str, ...], **options: Any) -> None:
    """Measure COMMAND at several settings in interleaved trials: the curve, beside the what-if's prediction.

    \b
    goldsplit sweep --set n_envs=1,2,4,8 -- python train.py --envs {n_envs} --steps 20000
    """
    from goldsplit.cli.experiments.ab import experiment_folder
    from goldsplit.cli.experiments.progress_line import ProgressLine
    from goldsplit.experiment.carry_out import carry_out
    from goldsplit.experiment.search.sweeping import sweep_of
    from goldsplit.experiment.trials import Experiment
    from goldsplit.report.experiments.sweep_terminal import SweepRenderer

    folder, plan = experiment_folder(sweep_plan(command, options), options)
    line = ProgressLine(options["quiet"])
    line.begin(plan)
    with (
        engine_named(options["engine_name"]) as engine,
        Experiment(plan, folder, engine=engine) as experiment,
    ):
        carried = carry_out(experiment, line.before, line.after)
    found = sweep_of(plan, experiment.trials, prediction_of(experiment))
    if options["as_json"]:
        print(json.dumps(found.to_json(), indent=1))
    else:
        print(SweepRenderer.for_stream(sys.stdout).render(found), end="")
    click.echo(f"experiment: {shown(folder.resolve())}", err=True)
    sys.exit(130 if carried.interrupted else 0)


def sweep_plan(command: tuple[str, ...], options: dict[str, Any]) -> Plan:
    """The plan of a sweep: a variant for each setting."""
    from goldsplit.experiment.plan_checks import check_plan
    from goldsplit.experiment.plan_file import check_name
    from goldsplit.experiment.search.sweeping import check_places, settings_of, usual_pairs, variant_of
    from goldsplit.model.experiment.design import Plan
    from goldsplit.record.outside.launch import check_command

    settings = settings_of(options["settings"])
    check_places(command, settings[0])
    plan = Plan(
        name=check_name(options["name"], "--name"),
        command=command,
        variants=tuple(map(variant_of, settings)),
        metric=options["metric"],
        pairs=options["pairs"] or usual_pairs(len(settings)),
        seed=options["seed"],
        duration_seconds=options["duration"],
    )
    check_plan(plan)
    check_command(command)
    return plan


def prediction_of(experiment: Experiment) -> Predict:
    """What the first complete recording of the first setting predicts."""
    from goldsplit import pipeline
    from goldsplit.store.experiment_files import RUNS

    base = experiment.plan.base.name
    runs = [trial.run for trial in experiment.trials if trial.variant == base and trial.complete]

    def predict(scenario: Scenario) -> Prediction | None:
        if not runs:
            return None
        return pipeline.what_if(experiment.folder / RUNS / runs[0], scenario).prediction

    return predict
