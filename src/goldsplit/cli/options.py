"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

name_option = click.option("--name", default="", help="Name of the run.  [default: from the command]")
out_option = click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Directory that holds the runs.  [default: .goldsplit/runs]",
)
experiments_option = click.option(
    "--experiments",
    type=click.Path(path_type=Path),
    help="Directory that holds the experiments.  [default: .goldsplit/experiments]",
)
config_option = click.option(
    "--config",
    type=click.Path(path_type=Path),
    help="Explain the run with the stages of this file; `goldsplit map` writes one to correct.",
)


def run_root(out: Path | None) -> Path:
    """Where runs are written and looked for."""
    from goldsplit.store.directory import DEFAULT_ROOT

    return out or DEFAULT_ROOT


def shown(path: Path) -> str:
    """A path as the user would type it from here."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def mapping_in(config: Path | None) -> dict[str, str]:
    """The stages that a recording is explained with; none without --config."""
    from goldsplit.store.config import read_config

    return {} if config is None else read_config(config)
