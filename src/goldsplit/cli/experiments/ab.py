"""goldsplit ab: try variants of a command in paired, interleaved trials, and judge them."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from goldsplit.cli import completion
from goldsplit.cli.experiments.after_plan import PlanCommand
from goldsplit.cli.experiments.engine_option import engine_named, engine_option
from goldsplit.cli.options import experiments_option, shown
from goldsplit.errors import ConfigError
from goldsplit.model.experiment.design import MOST_PAIRS

if TYPE_CHECKING:
    from goldsplit.experiment.carry_out import Carried
    from goldsplit.model.experiment.conclusion import Comparison
    from goldsplit.model.experiment.design import Plan

_FILE = click.Path(path_type=Path)


@click.command(cls=PlanCommand, context_settings={"allow_interspersed_args": False})
@click.option(
    "--variant",
    "variants",
    multiple=True,
    metavar="NAME:KEY=VALUE",
    help="A change: env=NAME=VALUE, args=…, with=OVERLAY, config=FILE:KEY=VALUE, rev=…, patch=FILE.",
)
@click.option(
    "--gate",
    "gates",
    multiple=True,
    metavar="NAME[=MAX_DROP][@SOURCE]",
    help="A quality that must not be lost: win_rate, return, vp_diff, end_reasons, or any metric.",
)
@click.option("--metric", help="What is compared.  [default: env_steps_per_second]")
@click.option("--pairs", type=click.IntRange(1, MOST_PAIRS), help="Pairs of trials.  [default: 8]")
@click.option(
    "--minimum-gain", type=click.FloatRange(0, 10), help="Gain worth having: 0.1 is 10 %.  [default: 0.1]"
)
@click.option("--duration", type=click.FloatRange(min=0.5), help="End each trial after this many seconds.")
@click.option("--seed", type=int, help="Seed of the first block, for {seed} in the command.  [default: 1]")
@click.option("--seed-variable", metavar="NAME", help="Environment variable that gets the seed, too.")
@click.option("--early-stop", is_flag=True, help="Look on the way, and stop when everything is decided.")
@click.option("--equivalent", is_flag=True, help="Compare trajectories at the same seeds before times.")
@click.option("--ci", is_flag=True, help="For shared machines: judge by CPU time, print Markdown.")
@click.option("--name", help="Name of the experiment.  [default: from the plan or the command]")
@experiments_option
@click.option("--resume", is_flag=True, help="Go on with the experiment of this name.")
@click.option("--json", "json_file", type=_FILE, help="Write the conclusion as JSON; - is standard output.")
@click.option(
    "--markdown", "markdown_file", type=_FILE, help="Write it for a pull request; - is standard output."
)
@engine_option
@click.option("--quiet", is_flag=True, help="No progress lines.")
@click.argument("plan_or_command", nargs=-1, type=click.UNPROCESSED, shell_complete=completion.command)
def ab(plan_or_command: tuple[str, ...], **options: Any) -> None:
    """Try variants of a command fairly: PLAN.toml, or all on the command line after --.

    \b
    goldsplit ab experiment.toml
    goldsplit ab --variant one:env=OMP_NUM_THREADS=1 --gate win_rate -- python train.py --seed {seed}

    Exit code: 0 keep, 1 roll back, 3 undecided. With --ci: 1 if a variant fails, plays worse, or is slower by
    the minimum gain or more; else 0.
    """
    from goldsplit.cli.experiments.progress_line import ProgressLine
    from goldsplit.cli.output_file import check_output
    from goldsplit.experiment.carry_out import carry_out
    from goldsplit.experiment.judgement import ci_exit_code, exit_code
    from goldsplit.experiment.trials import Experiment

    plan = make_plan(plan_or_command, options)
    check_output(options["json_file"], options["markdown_file"])
    folder, plan = experiment_folder(plan, options)
    line = ProgressLine(options["quiet"])
    line.begin(plan)
    with (
        engine_named(options["engine_name"]) as engine,
        Experiment(plan, folder, engine=engine) as experiment,
    ):
        carried = carry_out(experiment, line.before, line.after)
    show(carried, folder, options)
    judged = carried.comparison.judged
    code = ci_exit_code(judged, plan.minimum_gain) if options["ci"] else exit_code(judged)
    sys.exit(130 if carried.interrupted else code)


def make_plan(words: tuple[str, ...], options: dict[str, Any]) -> Plan:
    """The plan from its file, with what the command line changes."""
    from goldsplit.experiment.plan_checks import check_plan as check_design
    from goldsplit.experiment.plan_file import plan_of, read_plan_file
    from goldsplit.record.outside.launch import check_command
    from goldsplit.store.directory import clean_name

    in_file = bool(words) and words[0].endswith(".toml")
    command = words[1:] if in_file else words
    name = clean_name(Path(next((word for word in command if word.endswith(".py")), "ab")).stem)
    plan = read_plan_file(Path(words[0])) if in_file else plan_of({}, "the command line", name or "ab")
    plan = dataclasses.replace(plan, **_changes(command, options))
    check_plan(plan)
    check_design(plan)
    check_command(plan.command)
    return plan


def _changes(command: tuple[str, ...], options: dict[str, Any]) -> dict[str, Any]:
    """What the command line says."""
    from goldsplit.experiment.metrics import CPU_METRIC
    from goldsplit.experiment.plan_file import check_name, variant_texts
    from goldsplit.experiment.plan_sources import gate_text

    given = ("metric", "pairs", "minimum_gain", "seed", "seed_variable")
    changes: dict[str, Any] = {key: options[key] for key in given if options[key] is not None}
    changes |= {key: True for key in ("early_stop", "equivalent") if options[key]}
    if command:
        changes["command"] = command
    if options["variants"]:
        changes["variants"] = variant_texts(options["variants"])
    if options["gates"]:
        changes["gates"] = tuple(map(gate_text, options["gates"]))
    if options["duration"]:
        changes["duration_seconds"] = options["duration"]
    if options["name"]:
        changes["name"] = check_name(options["name"], "--name")
    if options["ci"] and options["metric"] is None:
        changes["metric"] = CPU_METRIC
    return changes


def check_plan(plan: Plan) -> None:
    """Refuse what cannot be compared."""
    if not plan.command:
        raise ConfigError("there is no command to try", "goldsplit ab --variant … -- python train.py")
    if not plan.others:
        raise ConfigError(
            "there is nothing to compare with", "give a --variant, or [variants.NAME] in the plan"
        )


def experiment_folder(plan: Plan, options: dict[str, Any]) -> tuple[Path, Plan]:
    """Where the experiment lives; a name that is taken gets a number, unless it is to go on."""
    from goldsplit.store.experiment_files import EXPERIMENTS, read_plan

    root = options["experiments"] or EXPERIMENTS
    folder = root / plan.name
    if options["resume"]:
        if dataclasses.replace(read_plan(folder), pairs=plan.pairs) != plan:
            raise ConfigError(
                f"experiment {plan.name} had another plan",
                "repeat its options (only --pairs may differ), or use another --name",
            )
        return folder, plan
    number = 1
    while folder.exists():
        number += 1
        folder = root / f"{plan.name}-{number}"
    return folder, dataclasses.replace(plan, name=folder.name)


def show(carried: Carried, folder: Path, options: dict[str, Any]) -> None:
    """The conclusion: as a table on stdout, or as what was asked for."""
    from goldsplit.cli.output_file import is_stdout, write_output
    from goldsplit.report.experiments.outcome_renderers import OutcomeMarkdown, OutcomeRenderer

    comparison: Comparison = carried.comparison
    json_file, markdown_file = options["json_file"], options["markdown_file"]
    if json_file is not None:
        write_output(json.dumps(comparison.to_json(), indent=1) + "\n", json_file)
    if markdown_file is not None or options["ci"]:
        write_output(OutcomeMarkdown().render(comparison), markdown_file)
    taken = any(file is not None and is_stdout(file) for file in (json_file, markdown_file))
    if not options["ci"] and not taken:
        click.echo(OutcomeRenderer.for_stream(sys.stdout).render(comparison), nl=False)
    if carried.stopped_early:
        click.echo("stopped early: everything is decided", err=True)
    if carried.interrupted:
        click.echo("interrupted; go on with the same command and --resume", err=True)
    click.echo(f"experiment: {shown(folder.resolve())}", err=True)
