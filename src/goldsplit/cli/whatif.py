"""goldsplit whatif: what would the run gain? A prediction from one recording."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from goldsplit.cli import completion
from goldsplit.cli.options import config_option, mapping_in, out_option, run_root


@click.command()
@config_option
@out_option
@click.option(
    "--stage",
    "stages",
    multiple=True,
    metavar="STAGE",
    shell_complete=completion.stages,
    help="A stage that becomes faster; with --faster.",
)
@click.option(
    "--faster",
    "factors",
    multiple=True,
    type=float,
    metavar="K",
    help="How many times faster; one per --stage.",
)
@click.option(
    "--free",
    multiple=True,
    metavar="STAGE",
    shell_complete=completion.stages,
    help="A stage that would cost nothing.",
)
@click.option("--envs", type=click.IntRange(min=1), help="Environments in all.")
@click.option("--workers", type=click.IntRange(min=1), help="Worker processes or threads.")
@click.option("--updates-per-step", type=float, help="Updates per env step.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@click.argument("run", default="last", shell_complete=completion.runs)
def whatif(
    config: Path | None,
    out: Path | None,
    stages: tuple[str, ...],
    factors: tuple[float, ...],
    free: tuple[str, ...],
    envs: int | None,
    workers: int | None,
    updates_per_step: float | None,
    as_json: bool,
    run: str,
) -> None:
    """Predict the speed-up of RUN from what was recorded: an id, a name, a path, or `last` (the default).

    Without options: how much each stage can save at most. Several options are answered together.
    """
    from goldsplit import pipeline
    from goldsplit.model.whatif import Scenario
    from goldsplit.report.whatif_terminal import WhatIfRenderer
    from goldsplit.store.directory import find_run

    remaining = _remaining(stages, factors, free)
    if updates_per_step is not None and not 0.0 <= updates_per_step <= 1e6:
        raise click.BadParameter("must be a number from 0 on", param_hint="--updates-per-step")
    scenario = Scenario(remaining, envs, workers, updates_per_step)
    answer = pipeline.what_if(find_run(run, run_root(out)).path, scenario, mapping_in(config))
    if as_json:
        print(json.dumps(answer.to_json(), indent=1))
    else:
        print(WhatIfRenderer.for_stream(sys.stdout).render(answer), end="")


def _remaining(
    stages: tuple[str, ...], factors: tuple[float, ...], free: tuple[str, ...]
) -> dict[str, float]:
    """Stage → what remains of its cost."""
    if len(stages) != len(factors):
        raise click.UsageError(
            f"{len(stages)} --stage but {len(factors)} --faster; give pairs: --stage env.step --faster 2"
        )
    for factor in factors:
        if not 0.0 < factor < 1e9:
            raise click.BadParameter(
                f"{factor:g} is not a positive number; for no cost at all: --free", param_hint="--faster"
            )
    named = [*stages, *free]
    twice = next((stage for stage in named if named.count(stage) > 1), None)
    if twice is not None:
        raise click.UsageError(f"stage {twice} is given more than once")
    faster = {stage: 1.0 / factor for stage, factor in zip(stages, factors, strict=True)}
    return faster | dict.fromkeys(free, 0.0)
