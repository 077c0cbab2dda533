"""goldsplit try: record a program, try the remedies of its findings, and say which of them pay."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from goldsplit.cli import completion
from goldsplit.cli.experiments.engine_option import engine_named, engine_option
from goldsplit.cli.experiments.progress_line import one_row, spoken
from goldsplit.cli.options import experiments_option, out_option, run_root, shown
from goldsplit.errors import CommandError, ConfigError

if TYPE_CHECKING:
    from goldsplit.experiment.remedies.try_task import Step
    from goldsplit.model.experiment.design import Plan
    from goldsplit.model.experiment.tried import TryResult
    from goldsplit.model.report import Report

_FILE = click.Path(path_type=Path)


@click.command(name="try", context_settings={"allow_interspersed_args": False})
@click.option(
    "--minutes",
    type=click.FloatRange(min=0.1),
    default=15.0,
    show_default=True,
    help="Time for everything; what does not fit is left out.",
)
@click.option(
    "--overlay",
    "overlays",
    multiple=True,
    metavar="OVERLAY[:ARGUMENT]",
    help="A remedy to try as well; `goldsplit overlays` lists them.",
)
@click.option("--only", is_flag=True, help="Try nothing but what --overlay names.")
@click.option(
    "--trial-seconds",
    type=click.FloatRange(min=0.5),
    help="End each trial after this many seconds.  [default: from the recording and --minutes]",
)
@click.option(
    "--seed-arg",
    metavar="OPTION",
    help="The command's option for a seed, e.g. --seed; or write {seed} in the command.",
)
@click.option("--seed-variable", default="", metavar="NAME", help="Environment variable that gets the seed.")
@click.option("--seed", type=click.IntRange(min=1), default=1, show_default=True, help="The first seed.")
@click.option(
    "--stage",
    "stage_texts",
    multiple=True,
    metavar="TARGET=STAGE",
    shell_complete=completion.stages,
    help="Map a function to a stage, as for `goldsplit record`.",
)
@click.option("--progress", metavar="TARGET", help="One call of this function is one step.")
@click.option("--config", type=_FILE, help="Settings file.  [default: goldsplit.toml, if there]")
@click.option("--name", default="", help="Name of run and experiment.  [default: from the command]")
@out_option
@experiments_option
@click.option("--json", "json_file", type=_FILE, help="Write the result as JSON; - is standard output.")
@engine_option
@click.option("--quiet", is_flag=True, help="No progress lines.")
@click.argument("command", nargs=-1, type=click.UNPROCESSED, required=True, shell_complete=completion.command)
def try_command(command: tuple[str, ...], **options: Any) -> None:
    """Record COMMAND, try the remedies of its findings from outside, and say which of them pay.

    Your files stay as they are. Every remedy is timed in pairs of short trials with and without it, and what
    the environments return is compared. Ctrl-C keeps what is done.

    \b
    goldsplit try -- python train.py
    goldsplit try --minutes 5 --seed-arg --seed -- python train.py --steps 100000
    goldsplit try --only --overlay threads:1 -- python train.py

    Exit code: 0 done, 2 bad input or a command that fails, 130 interrupted.
    """
    from goldsplit import pipeline
    from goldsplit.cli.output_file import check_output
    from goldsplit.experiment.remedies.candidates import candidates
    from goldsplit.experiment.remedies.schedule import make_schedule, pace_of
    from goldsplit.experiment.remedies.try_task import Task
    from goldsplit.experiment.remedies.trying import Trying
    from goldsplit.store.experiment_files import write_tried

    begun = time.monotonic()
    deadline = begun + 60 * options["minutes"]
    plan = make_plan(command, options)
    check_output(options["json_file"])
    folder = new_folder(plan, options)
    line = TryLine(options["quiet"])
    run_dir = record_first(plan, folder, options, line)
    report = pipeline.report(run_dir)
    plan = with_metric(plan, report)
    found = candidates(report, options["overlays"], options["only"])
    schedule = make_schedule(
        found, deadline - time.monotonic(), pace_of(report.profile), options["trial_seconds"]
    )
    task = Task(run_dir.name, plan, folder, schedule, deadline)
    with engine_named(options["engine_name"]) as engine:
        result = Trying(task, line.before, engine=engine).go()
    line.clear()
    write_tried(run_dir, result.to_json())
    show(result, folder, options)
    sys.exit(130 if result.interrupted else 0)


def make_plan(command: tuple[str, ...], options: dict[str, Any]) -> Plan:
    """What is common to all trials; bad input is refused before anything runs."""
    from goldsplit.model.experiment.design import Plan, Variant
    from goldsplit.model.overlays.written import parse_overlays
    from goldsplit.record.outside.launch import check_command
    from goldsplit.store.config import load_stages
    from goldsplit.store.directory import clean_name

    if options["only"] and not options["overlays"]:
        raise ConfigError(
            "--only without --overlay leaves nothing to try", "name a remedy: --overlay threads:1"
        )
    parse_overlays(options["overlays"])
    check_command(command)
    if options["seed_arg"]:
        command = (*command, options["seed_arg"], "{seed}")
    script = Path(next((part for part in command if part.endswith(".py")), command[0])).stem
    return Plan(
        name=clean_name(options["name"]) or f"try-{clean_name(script)}",
        command=command,
        variants=(Variant("base"),),
        seed=options["seed"],
        seed_variable=options["seed_variable"],
        stages=load_stages(options["config"], options["stage_texts"], options["progress"]),
    )


def new_folder(plan: Plan, options: dict[str, Any]) -> Path:
    """Where the trials are kept."""
    from goldsplit.cli.experiments.ab import experiment_folder

    folder, _ = experiment_folder(plan, {"experiments": options["experiments"], "resume": False})
    return folder


def record_first(plan: Plan, folder: Path, options: dict[str, Any], line: TryLine) -> Path:
    """The recording that findings come from, with a deep look; what the command prints goes into a file."""
    from goldsplit import pipeline
    from goldsplit.experiment.engines.one_trial import no_tick
    from goldsplit.experiment.remedies.schedule import recording_seconds
    from goldsplit.experiment.variants import Prepared
    from goldsplit.record.outside.launch import RecordOptions

    seconds = recording_seconds(60 * options["minutes"])
    line.say(f"recording for {spoken(seconds)} at most; all of it ends in {spoken(60 * options['minutes'])}")
    folder.mkdir(parents=True, exist_ok=True)
    output = folder / "recording.txt"
    first = Prepared(plan.variants[0], plan.command, {})
    recording = RecordOptions(
        stages=plan.stages,
        deep=True,
        duration_seconds=seconds,
        environment=first.environment_for(plan.seed, plan.seed_variable),
        output=output,
    )
    begun = time.monotonic()
    run_dir, end = pipeline.record(
        first.command_for(plan.seed), run_root(options["out"]), plan.name, recording, no_tick
    )
    line.clear()
    by_us = time.monotonic() - begun >= seconds
    if end.status == "interrupted" and not by_us:
        click.echo("interrupted while recording: nothing was tried", err=True)
        sys.exit(130)
    if end.exit_code and not by_us:
        last = output.read_text(errors="replace").strip().splitlines()[-1:] if output.exists() else []
        told = f": {last[0]}" if last else ""
        raise CommandError(
            f"the command fails with exit code {end.exit_code}{told}",
            f"its output is in {shown(output.resolve())}",
        )
    return run_dir


def with_metric(plan: Plan, report: Report) -> Plan:
    """Env steps per second; updates, where no step is counted."""
    import dataclasses

    flow = report.profile.throughput
    if flow.env_steps:
        return plan
    if flow.updates:
        return dataclasses.replace(plan, metric="updates_per_second")
    hint = "name what is one step: --progress module:function"
    run = report.profile.run
    if run.status != "complete":
        hint = (
            f"the recording was ended after {spoken(run.wall_seconds)}: if the first step comes later, "
            f"give more --minutes; else {hint}"
        )
    raise CommandError("neither env steps nor updates were counted, so nothing can be compared", hint)


def show(result: TryResult, folder: Path, options: dict[str, Any]) -> None:
    """The result: as a table on stdout, or as JSON."""
    from goldsplit.cli.output_file import is_stdout, write_output
    from goldsplit.report.experiments.try_renderer import TryRenderer

    json_file = options["json_file"]
    if json_file is not None:
        write_output(json.dumps(result.to_json(), indent=1) + "\n", json_file)
    if json_file is None or not is_stdout(json_file):
        click.echo(TryRenderer.for_stream(sys.stdout).render(result), nl=False)
    click.echo(f"run: {result.run} · trials: {shown(folder.resolve())}", err=True)


class TryLine:
    """What is being tried and when all of it ends: one line on a terminal, else one line each."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self.on_terminal = sys.stderr.isatty()

    def before(self, step: Step) -> None:
        """A trial begins."""
        which = f"trial {step.number} of {step.total}"
        self.say(f"{which}, all of it ends in {spoken(step.seconds_left)} at the latest: {step.what}")

    def say(self, text: str) -> None:
        if self.quiet:
            return
        row = f"\r\x1b[K{one_row(text)}" if self.on_terminal else text
        click.echo(row, err=True, nl=not self.on_terminal)

    def clear(self) -> None:
        if self.on_terminal and not self.quiet:
            click.echo("\r\x1b[K", err=True, nl=False)
