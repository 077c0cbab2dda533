"""goldsplit ledger: what was predicted, what was measured, and how fast each commit was."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from goldsplit.cli.options import experiments_option, out_option, run_root
from goldsplit.model.pasting import our_command


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.option("--no-commits", is_flag=True, help="Experiments only: do not read the recordings.")
@out_option
@experiments_option
def ledger(as_json: bool, no_commits: bool, out: Path | None, experiments: Path | None) -> None:
    """All experiments made here: predicted beside measured gains; and throughput by git commit."""
    from goldsplit.experiment.ledger import ledger as collect
    from goldsplit.report.experiments.ledger_terminal import LedgerRenderer
    from goldsplit.store.experiment_files import EXPERIMENTS

    found = collect(experiments or EXPERIMENTS, run_root(out), commits=not no_commits)
    if as_json:
        print(json.dumps(found.to_json(), indent=1))
    elif not found.rows and not found.commits:
        click.echo(
            f"no experiments and no runs of a git commit here; make one: {our_command('ab --help')}", err=True
        )
    else:
        print(LedgerRenderer.for_stream(sys.stdout).render(found), end="")
