"""goldsplit overlays: what can be changed in a run from outside."""

from __future__ import annotations

import json

import click

from goldsplit.model.overlays.overlay import OVERLAYS


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def overlays(as_json: bool) -> None:
    """List the overlays: what `goldsplit record --with` can change in an unmodified program."""
    if as_json:
        rows = [
            {
                "overlay": one.name,
                "usage": one.usage,
                "summary": one.summary,
                "rules": list(one.rules),
                "ablation": one.is_ablation,
            }
            for one in OVERLAYS
        ]
        print(json.dumps(rows, indent=1))
        return
    width = max(len(one.name) for one in OVERLAYS)
    for title, chosen in (("Remedies", False), ("Ablations: to see what a part is worth", True)):
        rows_of = [one for one in OVERLAYS if one.is_ablation == chosen]
        if rows_of:
            click.echo(title)
        for one in rows_of:
            click.echo(f"  {one.name:<{width}}  {one.summary}")
            if one.argument:
                click.echo(f"  {'':<{width}}  {one.usage}")
