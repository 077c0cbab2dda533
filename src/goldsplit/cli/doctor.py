"""goldsplit doctor: what works on this machine."""

from __future__ import annotations

import click


@click.command()
def doctor() -> None:
    """Check what recording needs on this machine, and say what to do about what is missing."""
    click.echo("not yet")
