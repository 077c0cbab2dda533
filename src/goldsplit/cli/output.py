"""Where a command's text goes: to stdout, or into a file; and words that are nearly right."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path

import click

from goldsplit.errors import ConfigError, OutputError

output_option = click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="File to write.  [default: standard output]",
)


def write_output(text: str, output: Path | None) -> None:
    """Print a text as UTF-8, whatever the terminal's encoding, or write it into a file and say so.

    `-` is standard output, as everywhere."""
    if output is None or str(output) == "-":
        click.echo(text.encode(), nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputError(
            f"cannot write {output}: {error.strerror or error}",
            "choose a file in a directory that exists and can be written, or leave -o out",
        ) from error
    click.echo(f"written: {output}", err=True)


def chosen(wanted: str, known: Sequence[str], what: str) -> str:
    """One of the known words; otherwise an error with the closest match."""
    if wanted in known:
        return wanted
    close = difflib.get_close_matches(wanted.lower(), known, n=1, cutoff=0.4)
    hint = f"did you mean {close[0]}? " if close else ""
    raise ConfigError(f"unknown {what} {wanted!r}", f"{hint}there are: {', '.join(known)}")
