"""Profile → Findings: one rule per file in rules/."""
