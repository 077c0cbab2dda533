"""goldsplit tune: search settings, prove the best of them, write profiles."""

from __future__ import annotations

import dataclasses
import math
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from goldsplit.cli.experiments.engine_option import engine_named, engine_option
from goldsplit.cli.options import experiments_option, shown
from goldsplit.model.experiment.design import MOST_PAIRS
from goldsplit.model.pasting import joined, our_command

if TYPE_CHECKING:
    from goldsplit.experiment.carry_out import Carried
    from goldsplit.experiment.engines.trial_engine import Engine
    from goldsplit.experiment.search.tuning import Candidate, Search, Space
    from goldsplit.model.experiment.conclusion import Comparison
    from goldsplit.model.experiment.design import Plan


@click.command()
@click.option("--candidates", type=click.IntRange(1, 1000), help="Settings to try.  [default: 12]")
@click.option(
    "--pairs", type=click.IntRange(1, MOST_PAIRS), help="Pairs of the final experiment.  [default: 8]"
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path(),
    help="Directory for the profiles.  [default: .]",
)
@experiments_option
@engine_option
@click.option("--quiet", is_flag=True, help="No progress lines.")
@click.argument("space_file", metavar="SPACE.toml", type=click.Path(path_type=Path))
def tune(space_file: Path, **options: Any) -> None:
    """Search the settings of SPACE.toml, each paired with those in use, and prove the best of them.

    Writes speed.toml (the fastest) and balance.toml (the fastest that passed all gates), for
    `goldsplit record --profile`. Exit code: 0 something was found, 1 nothing better, 3 undecided.
    """
    from goldsplit.cli.experiments.ab import experiment_folder
    from goldsplit.cli.output_file import output_folder
    from goldsplit.experiment.judgement import exit_code
    from goldsplit.experiment.plan_checks import check_plan
    from goldsplit.experiment.search import tuning
    from goldsplit.experiment.search.optuna_search import OptunaSearch
    from goldsplit.record.outside.launch import check_command
    from goldsplit.report.experiments.outcome_renderers import OutcomeRenderer

    space = tuning.read_space(space_file)
    space = dataclasses.replace(space, candidates=options["candidates"] or space.candidates)
    pairs = options["pairs"] or space.plan.pairs
    space = dataclasses.replace(space, plan=dataclasses.replace(space.plan, pairs=pairs))
    space = tuning.limited(space)
    check_plan(space.plan)
    check_command(space.plan.command)
    output_folder(options["output"])
    search = OptunaSearch(space.values, space.plan.base.settings, space.plan.seed)
    folder, plan = experiment_folder(space.plan, {"experiments": options["experiments"], "resume": False})
    space = dataclasses.replace(space, plan=plan)
    with engine_named(options["engine_name"]) as engine:
        final, carried = searched(space, search, folder, engine, options["quiet"])
    click.echo(OutcomeRenderer.for_stream(sys.stdout).render(carried.comparison), nl=False)
    write_profiles(final, carried.comparison, options["output"])
    click.echo(f"experiment: {shown(folder.resolve())}", err=True)
    sys.exit(130 if carried.interrupted else exit_code(carried.comparison.judged))


def searched(space: Space, search: Search, folder: Path, engine: Engine, quiet: bool) -> tuple[Plan, Carried]:
    """The search, then the experiment with the best of it; ends the command where there is nothing to
    prove."""
    from goldsplit.cli.experiments.progress_line import ProgressLine
    from goldsplit.experiment.carry_out import carry_out
    from goldsplit.experiment.engines.one_trial import Interrupted, Tools
    from goldsplit.experiment.search import tuning
    from goldsplit.experiment.trials import Experiment

    told = _Told(space.candidates, quiet)
    try:
        tried = tuning.try_candidates(space, search, folder, Tools(), told.candidate, engine)
    except (Interrupted, KeyboardInterrupt):
        click.echo("interrupted: nothing was proven, nothing is written", err=True)
        sys.exit(130)
    best = tuning.finalists(tried)
    if not best:
        click.echo(tuning.nothing_faster(tried), err=True)
        sys.exit(1)
    line = ProgressLine(quiet)
    final = tuning.final_plan(space, best)
    line.begin(final)
    with Experiment(final, folder, engine=engine) as experiment:
        return final, carry_out(experiment, line.before, line.after)


class _Told:
    """A line for each candidate."""

    def __init__(self, total: int, quiet: bool) -> None:
        self.total, self.quiet = total, quiet

    def candidate(self, number: int, one: Candidate) -> None:
        setting = ", ".join(f"{name}={value}" for name, value in one.settings.items())
        gain = "failed" if one.log_gain is None else f"{math.exp(one.log_gain):.2f}x in one pair"
        if not self.quiet:
            click.echo(f"candidate {number + 1} of {self.total}: {setting}: {gain}", err=True)


def recordable(plan: Plan) -> list[str]:
    """The command as one recording takes it: with a seed, for which only experiments have a place; the places
    of settings stay, and --profile fills them."""
    from goldsplit.experiment.engines.one_trial import OUT_PLACEHOLDER
    from goldsplit.experiment.variants import SEED_PLACEHOLDER

    seeded = (part.replace(SEED_PLACEHOLDER, str(plan.seed)) for part in plan.command)
    return [part.replace(OUT_PLACEHOLDER, "out") for part in seeded]


def write_profiles(plan: Plan, comparison: Comparison, output: Path) -> None:
    """speed.toml and balance.toml, as far as something was proven."""
    from goldsplit.experiment.search.tuning import chosen
    from goldsplit.report.experiments.outcome_text import variant_details
    from goldsplit.store.beside_runs.settings_profile import SettingsProfile, write_profile

    settings = {variant.name: variant.settings for variant in plan.variants}
    base = plan.base
    found = chosen(comparison)
    for name in ("speed", "balance"):
        if name not in found:
            click.echo(f"no {name}.toml: no setting was proven for it", err=True)
            continue
        one, file = found[name], output / f"{name}.toml"
        evidence = [
            f"{name}, {time.strftime('%Y-%m-%d')}: {one.verdict}, {one.why}",
            f"paired with {', '.join(f'{k}={v}' for k, v in base.settings.items())}",
            *variant_details(one),
            our_command(f"record --profile {joined([str(file)])} -- {joined(recordable(plan))}"),
        ]
        write_profile(
            file,
            SettingsProfile(settings[one.variant], base.environment, base.overlays),
            evidence,
        )
        click.echo(f"written: {file}", err=True)
