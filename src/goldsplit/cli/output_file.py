"""Where a command's text goes: to stdout, or into a file."""

from __future__ import annotations

import os
from pathlib import Path

import click

from goldsplit.errors import OutputError

output_option = click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="File to write.  [default: standard output]",
)


def is_stdout(output: Path) -> bool:
    """`-` is standard output, as everywhere."""
    return str(output) == "-"


def check_output(*outputs: Path | None) -> None:
    """Refuse files that cannot be written, before minutes are spent on what is to stand in them."""
    for output in outputs:
        if output is None or is_stdout(output):
            continue
        folder = output.parent
        why = (
            "it is a directory"
            if output.is_dir()
            else f"there is no directory {folder}"
            if not folder.is_dir()
            else "no permission"
            if not os.access(output if output.exists() else folder, os.W_OK)
            else ""
        )
        if why:
            raise OutputError(
                f"cannot write {output}: {why}", "choose a file in a directory that exists and can be written"
            )


def output_folder(folder: Path) -> Path:
    """A directory for files that are written at the end; made now, where it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"cannot make the directory {folder}: {error.strerror or error}", "choose another one with -o"
        ) from error
    if not os.access(folder, os.W_OK):
        raise OutputError(f"cannot write into {folder}: no permission", "choose another directory with -o")
    return folder


def write_output(text: str, output: Path | None) -> None:
    """Print a text as UTF-8, whatever the terminal's encoding, or write it into a file and say so."""
    data = text.encode("utf-8", "replace")
    if output is None or is_stdout(output):
        click.echo(data, nl=False)
        return
    try:
        output.write_bytes(data)
    except OSError as error:
        raise OutputError(
            f"cannot write {output}: {error.strerror or error}",
            "choose another file with -o, in a directory that exists and can be written",
        ) from error
    click.echo(f"written: {output}", err=True)
