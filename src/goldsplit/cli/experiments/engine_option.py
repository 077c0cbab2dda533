"""Where the trials of a command run: the option that all commands of experiments share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from goldsplit.experiment.engines.trial_engine import Engine

LOCAL, RAY = "local", "ray"

engine_option = click.option(
    "--engine",
    "engine_name",
    type=click.Choice([LOCAL, RAY]),
    default=LOCAL,
    show_default=True,
    help="Where trials run: here, or on the nodes of a Ray cluster (RAY_ADDRESS, or one of this machine).",
)


@contextmanager
def engine_named(name: str) -> Iterator[Engine]:
    """An engine, given back at the end."""
    from goldsplit.experiment.engines.trial_engine import LocalEngine

    engine: Engine
    if name == LOCAL:
        engine = LocalEngine()
    else:
        from goldsplit.experiment.engines.ray_engine import RayEngine

        engine = RayEngine()
    try:
        yield engine
    finally:
        engine.close()
