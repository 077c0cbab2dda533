"""goldsplit horizon: how long a run of another length would take."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from goldsplit.cli import completion
from goldsplit.cli.options import config_option, mapping_in, out_option, run_root
from goldsplit.model.wire import Counter

_amount = click.FloatRange(min=1, max=1e15)


@click.command()
@config_option
@out_option
@click.option("--episodes", type=_amount, help="Episodes in all.")
@click.option("--env-steps", type=_amount, help="Environment steps in all.")
@click.option("--updates", type=_amount, help="Updates in all.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@click.argument("run", default="last", shell_complete=completion.runs)
def horizon(
    config: Path | None,
    out: Path | None,
    episodes: float | None,
    env_steps: float | None,
    updates: float | None,
    as_json: bool,
    run: str,
) -> None:
    """Expected wall time of RUN at another length, with more expensive steps and longer episodes counted in.

    Also says how far off simple proportion would be. Give one of --episodes, --env-steps, --updates.
    """
    from goldsplit import pipeline
    from goldsplit.report.horizon_terminal import HorizonRenderer
    from goldsplit.store.directory import find_run

    wanted = {Counter.EPISODES: episodes, Counter.ENV_STEPS: env_steps, Counter.UPDATES: updates}
    given = {unit: amount for unit, amount in wanted.items() if amount is not None}
    if len(given) != 1:
        raise click.UsageError("give one of --episodes, --env-steps and --updates")
    ((unit, amount),) = given.items()
    answer = pipeline.horizon(find_run(run, run_root(out)).path, unit, amount, mapping_in(config))
    if as_json:
        print(json.dumps(answer.to_json(), indent=1))
    else:
        print(HorizonRenderer.for_stream(sys.stdout).render(answer), end="")
