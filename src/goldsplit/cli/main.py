"""Entry point: the list of commands, and the one place where errors become messages."""

from __future__ import annotations

import sys

import click

import goldsplit
from goldsplit.cli.attach import attach
from goldsplit.cli.doctor import doctor
from goldsplit.cli.env import env
from goldsplit.cli.export import export
from goldsplit.cli.horizon import horizon
from goldsplit.cli.map import map_command
from goldsplit.cli.plan import plan
from goldsplit.cli.record import record
from goldsplit.cli.report import report
from goldsplit.cli.runs import runs
from goldsplit.cli.show import show
from goldsplit.cli.stages import stages
from goldsplit.cli.whatif import whatif
from goldsplit.errors import GoldsplitError

COMMANDS = (
    record,
    attach,
    env,
    show,
    report,
    export,
    plan,
    whatif,
    horizon,
    runs,
    stages,
    map_command,
    doctor,
)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(goldsplit.__version__, prog_name="goldsplit")
def cli() -> None:
    """Where does your reinforcement-learning training spend its time, and what would a fix save?

    \b
    Start here:   goldsplit record -- python train.py
    Then:         goldsplit show last
    """


for _command in COMMANDS:
    cli.add_command(_command)


def main() -> None:
    """Run a command; an expected error is printed with its hint, without a traceback, and exits with 2."""
    try:
        cli.main(standalone_mode=False, prog_name="goldsplit")
    except click.exceptions.Exit as leave:
        sys.exit(leave.exit_code)
    except click.Abort:
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except GoldsplitError as error:
        print(f"error: {error.message}", file=sys.stderr)
        if error.hint:
            print(f"hint: {error.hint}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)
