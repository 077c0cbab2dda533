"""What a shell offers after the tab key: runs, stages, formats, rules. docs/reference/completion.md says how.

Nothing here may complain: the user is in the middle of a line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class

#: The newest runs; more would only scroll away.
MOST_RUNS = 50

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


@add_completion_class
class BrokenWords(BashComplete):
    """bash breaks words at `=`: `--format=spe` arrives as three, which click would read as a value `=`."""

    def get_completion_args(self) -> tuple[list[str], str]:
        words, begun = super().get_completion_args()
        return without_breaks(words), begun


def without_breaks(words: list[str]) -> list[str]:
    """The words without each `=` that stands between an option of ours and its value."""
    ours = words.index("--") if "--" in words else len(words)
    return [
        word
        for place, word in enumerate(words)
        if not (word == "=" and 0 < place < ours and words[place - 1].startswith("--"))
    ]


def runs(context: click.Context, _: click.Parameter, begun: str) -> list[CompletionItem]:
    """Ids and names of runs, the newest first, each with its command."""
    from goldsplit.cli.options import run_root
    from goldsplit.report.run_list import command_text
    from goldsplit.report.words import clip
    from goldsplit.store.directory import list_runs

    out = context.params.get("out")
    entries = list_runs(run_root(Path(out) if out else None))[::-1]
    found = {"last": "the newest run"}
    for entry in entries[:MOST_RUNS]:
        for name in (entry.id, entry.name):
            if name and name.isprintable() and " " not in name:
                found.setdefault(name, clip(command_text(entry.header), 60))
    return [CompletionItem(name, help=told) for name, told in found.items() if name.startswith(begun)]


def stages(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    """Names of stages; of TARGET=STAGE, what follows the target."""
    from goldsplit.model.stage import VOCABULARY

    target, separator, name = begun.rpartition("=")
    return [
        CompletionItem(f"{target}{separator}{stage.name}", help=stage.meaning)
        for stage in VOCABULARY
        if stage.name.startswith(name)
    ]


def command(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Files, as the shell would offer them for the command by itself. bash breaks words at `:` and `=`: there
    the name that follows `--stage core.env:Battle.step=` arrives here as well."""
    words = context.params.get(parameter.name or "") or ()
    if words and words[-1] == "=":
        return stages(context, parameter, begun)
    return [CompletionItem(begun, type="file")]


def rules(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    """Codes of rules."""
    from goldsplit.diagnose.rule_pages import title_of
    from goldsplit.diagnose.rules import RULES

    return [CompletionItem(rule.code, help=title_of(rule)) for rule in RULES if rule.code.startswith(begun)]


def one_of(names: Iterable[str]) -> Complete:
    """A fixed list."""
    known = tuple(names)

    def complete(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
        return [CompletionItem(name) for name in known if name.startswith(begun)]

    return complete
