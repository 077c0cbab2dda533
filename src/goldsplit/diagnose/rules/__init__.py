"""The rules, in one explicit list. A rule is a module with a docstring (its page) and `RULE`."""

from __future__ import annotations

from goldsplit.diagnose.rule import Rule

#: One line per rule, sorted by name.
RULES: tuple[Rule, ...] = ()
