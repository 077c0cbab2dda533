"""The page of a rule: the text at the head of its module."""

from __future__ import annotations

import importlib
import inspect

from goldsplit.diagnose.rule import Rule


def text_of(rule: Rule) -> str:
    """The docstring of a rule's module."""
    module = importlib.import_module(f"goldsplit.diagnose.rules.{rule.code.replace('-', '_')}")
    return inspect.cleandoc(module.__doc__ or "")


def title_of(rule: Rule) -> str:
    """What a rule finds, in one line."""
    return text_of(rule).split("\n\n", 1)[0].replace("\n", " ").rstrip(".")


def page_of(rule: Rule) -> str:
    """Markdown: what it sees, why it is slow, an example, what to do, when not."""
    _, _, body = text_of(rule).partition("\n\n")
    deep = "\n*Needs a deep look: `goldsplit record --deep`.*\n" if rule.needs_deep else ""
    return f"# {rule.code}\n\n{title_of(rule)}.\n{deep}\n{body.strip()}\n"
