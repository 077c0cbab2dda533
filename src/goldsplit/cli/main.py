"""Entry point: the list of commands, and the one place where errors become messages."""

from __future__ import annotations

import contextlib
import difflib
import errno
import io
import os
import sys
import traceback
from pathlib import Path

import click

import goldsplit
from goldsplit.cli.attach import attach
from goldsplit.cli.doctor import doctor
from goldsplit.cli.env import env
from goldsplit.cli.experiments.ab import ab
from goldsplit.cli.experiments.compare_command import compare
from goldsplit.cli.experiments.ledger import ledger
from goldsplit.cli.experiments.sweep import sweep
from goldsplit.cli.experiments.try_command import try_command
from goldsplit.cli.experiments.tune import tune
from goldsplit.cli.explain import explain
from goldsplit.cli.export import export
from goldsplit.cli.horizon import horizon
from goldsplit.cli.map import map_command
from goldsplit.cli.overlays import overlays
from goldsplit.cli.plan import plan
from goldsplit.cli.record import record
from goldsplit.cli.report import report
from goldsplit.cli.runs import runs
from goldsplit.cli.shell import this_shell
from goldsplit.cli.show import show
from goldsplit.cli.stages import stages
from goldsplit.cli.whatif import whatif
from goldsplit.errors import GoldsplitError
from goldsplit.model.pasting import in_text, joined, our_command, will_paste_in
from goldsplit.model.wire import Variable
from goldsplit.report.words import plain
from goldsplit.train.command import train

#: What the shell's `sysexits.h` calls an error of the program itself.
EXIT_OWN_ERROR = 70
NEW_LINE = "\n"

COMMANDS = (
    record,
    attach,
    env,
    show,
    report,
    export,
    plan,
    explain,
    whatif,
    horizon,
    try_command,
    ab,
    sweep,
    tune,
    compare,
    ledger,
    train,
    runs,
    stages,
    map_command,
    overlays,
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
    will_paste_in(this_shell())
    try:
        cli.main(standalone_mode=False, prog_name="goldsplit")
        sys.stdout.flush()  # here an error in it can be told
    except click.exceptions.Exit as leave:
        sys.exit(leave.exit_code)
    except click.Abort:
        sys.exit(130)
    except click.ClickException as error:
        shown = io.StringIO()
        with_closest(error).show(shown)
        print(in_text(shown.getvalue()), file=sys.stderr, end="")
        sys.exit(2)
    except GoldsplitError as error:
        complain(error.message, error.hint)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)
    except Exception as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            complain(f"cannot write: {error.strerror}", "free some space, or write to another disk")
            _forget_unwritten()
            sys.exit(2)
        if Variable.DEBUG in os.environ:
            raise
        complain(*own_error(error))
        sys.exit(EXIT_OWN_ERROR)


def _forget_unwritten() -> None:
    """What stdout still holds would fail again at exit, and Python would complain about it."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def with_closest(error: click.ClickException) -> click.ClickException:
    """Of the options that a misspelt one resembles, click names several, in the order of the alphabet."""
    if not isinstance(error, click.NoSuchOption) or not error.possibilities:
        return error
    close = difflib.get_close_matches(error.option_name, error.possibilities, n=1, cutoff=0.0)
    return click.NoSuchOption(error.option_name, possibilities=close, ctx=error.ctx)


def complain(message: str, hint: str) -> None:
    """An error as text: names in it may come from a run file."""
    print(f"error: {in_text(plain(message, keep=NEW_LINE))}", file=sys.stderr)
    if hint:
        print(f"hint: {in_text(plain(hint, keep=NEW_LINE))}", file=sys.stderr)


def own_error(error: Exception) -> tuple[str, str]:
    """The last resort: an error that nobody expected, without a traceback, and what to do about it."""
    frames = traceback.extract_tb(error.__traceback__)
    at = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    about = "".join(f"; {note}" for note in getattr(error, "__notes__", ()))
    again = our_command(joined(sys.argv[1:]))
    return (
        f"goldsplit itself failed{at}: {type(error).__name__}: {str(error)[:200]}{about}",
        "please report this, with the run if you may share it; this shows where it was: "
        f"{Variable.DEBUG}=1 {again}",
    )
