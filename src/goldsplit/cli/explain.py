"""goldsplit explain: the page of a rule, wherever goldsplit is installed."""

from __future__ import annotations

import difflib

import click

from goldsplit.cli import completion
from goldsplit.errors import ConfigError


@click.command()
@click.argument("rule", required=False, shell_complete=completion.rules)
def explain(rule: str | None) -> None:
    """Explain RULE, the code of a finding: what it sees, why that is slow, what to do, when not.

    Without RULE: a line for each.

    \b
    goldsplit explain constant-result
    """
    from goldsplit.diagnose.rule_pages import page_of, title_of
    from goldsplit.diagnose.rules import RULES

    known = {one.code: one for one in RULES}
    if rule is None:
        width = max(map(len, known))
        for code in sorted(known):
            click.echo(f"{code:<{width}}  {title_of(known[code])}")
        return
    if rule not in known:
        close = difflib.get_close_matches(rule.lower(), known, n=1)
        hint = f"did you mean {close[0]}?" if close else "`goldsplit explain` lists all rules"
        raise ConfigError(f"there is no rule {rule!r}", hint)
    click.echo(page_of(known[rule]), nl=False)
