"""Write each command's --help into its page: `python docs/generate_help.py`. With --check, only compare."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from goldsplit.cli.main import COMMANDS, cli

WIDTH = 90
REFERENCE = Path(__file__).parent / "reference"
BEGIN, END = "<!-- help begins -->", "<!-- help ends -->"


def help_block(command: click.Command) -> str:
    """What `goldsplit COMMAND --help` prints, between markers."""
    settings = cli.context_settings | {"terminal_width": WIDTH, "max_content_width": WIDTH}
    parent = click.Context(cli, info_name="goldsplit", **settings)
    with click.Context(command, info_name=command.name, parent=parent) as context:
        text = command.get_help(context)
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    return f"{BEGIN}\n```text\n{lines}\n```\n{END}"


def with_help(page: str, command: click.Command) -> str:
    """A page with its help block renewed."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"the page of `{command.name}` lacks {BEGIN} … {END}")
    return before + help_block(command) + after


def main() -> int:
    stale = []
    for command in COMMANDS:
        path = REFERENCE / f"{command.name}.md"
        page = path.read_text()
        renewed = with_help(page, command)
        if renewed != page:
            stale.append(path.name)
            if "--check" not in sys.argv:
                path.write_text(renewed)
    if stale:
        print(("stale: " if "--check" in sys.argv else "written: ") + ", ".join(stale))
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
