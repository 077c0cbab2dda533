"""goldsplit stages: the vocabulary."""

from __future__ import annotations

import click

from goldsplit.model.stage import VOCABULARY


@click.command()
def stages() -> None:
    """List the stages that goldsplit knows; your own names (game.pathfinding) are welcome too."""
    width = max(len(stage.name) for stage in VOCABULARY)
    category_width = max(len(stage.category) for stage in VOCABULARY)
    for stage in VOCABULARY:
        click.echo(f"{stage.name:<{width}}  {stage.category:<{category_width}}  {stage.meaning}")
