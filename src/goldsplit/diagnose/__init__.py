"""Profile → findings and plan: one rule per file in rules/."""
