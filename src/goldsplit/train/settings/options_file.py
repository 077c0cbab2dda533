"""The options of a training as TOML: into its folder, to be read by people and again as a profile."""

from __future__ import annotations

from dataclasses import Field, fields
from pathlib import Path
from typing import Any

from goldsplit.train.options import KINDS, TrainOptions
from goldsplit.train.settings.given import OPTIONS_FILE
from goldsplit.train.settings.option_values import meaning, reads_as

HEAD = """\
# The options of a training with goldsplit train {kind}. Use them again:
#   goldsplit train {kind} --profile {file} --folder ANOTHER
# The folder is not among them, so that a second training does not write into the first one's.
"""
LEFT_OUT = ("folder",)


def write_options(kind: str, options: TrainOptions, folder: Path) -> Path:
    """Write the file into the folder, which is made where it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / OPTIONS_FILE
    path.write_text(as_toml(kind, options, path), encoding="utf-8")
    return path


def as_toml(kind: str, options: TrainOptions, path: Path) -> str:
    """All options: those of every trainer, then those of this one as a table."""
    shared = {one.name for one in fields(TrainOptions)}
    every = [one for one in fields(KINDS[kind]) if one.name not in LEFT_OUT]
    lines = [HEAD.format(kind=kind, file=path)]
    lines += [_line(one, options) for one in every if one.name in shared]
    lines += ["", f"[{kind}]"]
    lines += [_line(one, options) for one in every if one.name not in shared]
    return "\n".join(lines) + "\n"


def _line(option: Field[Any], options: TrainOptions) -> str:
    written = f"{option.name} = {reads_as(getattr(options, option.name))}"
    return f"{written:<32} # {meaning(option).doc}"
