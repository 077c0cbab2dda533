"""Options may stand after the plan's file, too: `goldsplit ab plan.toml --name fps`."""

from __future__ import annotations

import click


class PlanCommand(click.Command):
    """A command whose words are PLAN.toml, or a training command of which nothing is our option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Options that follow the plan go before it; what comes after a `--`, or after a word, is the
        command's."""
        tail = self._words(ctx, args)
        plan = tail[0] if tail else ""
        ours = args[: len(args) - len(tail)]
        if plan.endswith(".toml") and "--" not in ours:
            rest = self._words(ctx, tail[1:])
            given = tail[1 : len(tail) - len(rest)]
            args = [*ours, *(word for word in given if word != "--"), "--", plan, *rest]
        return super().parse_args(ctx, args)

    def _words(self, ctx: click.Context, args: list[str]) -> list[str]:
        """What click takes for the command's own words."""
        found, _, _ = self.make_parser(ctx).parse_args(list(args))
        words = found.get("plan_or_command")
        return list(words) if isinstance(words, list | tuple) else []  # click has a mark of its own for none
