"""Where a command's text goes: to stdout, or into a file."""

from __future__ import annotations

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
