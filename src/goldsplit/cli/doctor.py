"""goldsplit doctor: what works on this machine."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import click

from goldsplit.cli.options import out_option, run_root
from goldsplit.model.pasting import our_command

if TYPE_CHECKING:
    from goldsplit.record.outside.machine_checks import Check

WIDTH = 100
NAME_WIDTH = 18


@click.command()
@out_option
def doctor(out: Path | None) -> None:
    """Check what recording needs on this machine, and say what to do about what is missing.

    Exits with 0 if runs can be recorded at all, with 1 if not.
    """
    from goldsplit.record.outside.machine_checks import examine

    checks = examine(run_root(out))
    click.echo(checkup_text(checks), nl=False)
    sys.exit(0 if can_record(checks) else 1)


def can_record(checks: list[Check]) -> bool:
    """Whether everything is there that recording cannot do without."""
    return all(check.ok for check in checks if check.needed)


def checkup_text(checks: list[Check]) -> str:
    """One paragraph per check, and the conclusion."""
    lines = []
    for check in checks:
        mark = "FAIL" if not check.ok else "note" if check.hint else "ok"
        lines += textwrap.wrap(
            f"{mark:<5}{check.name:<{NAME_WIDTH}}{check.detail}",
            WIDTH,
            break_on_hyphens=False,
            subsequent_indent=" " * (NAME_WIDTH + 5),
        )
        if check.hint:
            indent = " " * (NAME_WIDTH + 5)
            lines += textwrap.wrap(
                f"hint: {check.hint}",
                WIDTH,
                initial_indent=indent,
                subsequent_indent=indent,
                break_on_hyphens=False,
            )
    return "\n".join([*lines, "", conclusion(checks)]) + "\n"


def conclusion(checks: list[Check]) -> str:
    """The last line."""
    missing = [check.name for check in checks if not check.ok]
    if not can_record(checks):
        return f"Recording does not work here: {', '.join(missing)}."
    if missing:
        return f"Recording works, with less detail: {', '.join(missing)}."
    return f"Everything that recording needs is here. Start: {our_command('record -- python train.py')}"
