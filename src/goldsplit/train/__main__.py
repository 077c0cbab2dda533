"""`python -m goldsplit.train dqn …`: the command as a program of its own, to be recorded like any other."""

from __future__ import annotations

import sys

import click

from goldsplit.errors import GoldsplitError
from goldsplit.train.command import INTERRUPTED, train


def main() -> None:
    """Run the command; an expected error is printed with its hint, without a traceback, and exits with 2."""
    try:
        train.main(standalone_mode=False, prog_name="python -m goldsplit.train")
    except click.exceptions.Exit as leave:
        sys.exit(leave.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(INTERRUPTED)
    except click.ClickException as error:
        error.show(sys.stderr)
        sys.exit(2)
    except GoldsplitError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
