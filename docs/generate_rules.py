"""Write the rules' pages from their modules: `python docs/generate_rules.py`. With --check, only compare."""

from __future__ import annotations

import sys
from pathlib import Path

from goldsplit.diagnose.rule import Rule
from goldsplit.diagnose.rule_pages import page_of, title_of
from goldsplit.diagnose.rules import RULES

PAGES = Path(__file__).parent / "rules"
HEADINGS = ("What it sees", "Why it is slow", "Example", "What to do", "When not")
INDEX = """# Rules

Each finding of a report is made by one of these rules. A rule reports something only if measured facts show
it, and says how certain it is. What costs less than 2 % of the wall time is listed as "not worth your time".

| Rule | What it finds | Needs `--deep` |
|---|---|---|
"""


def page(rule: Rule) -> str:
    """A rule's page, with the way back."""
    return f"{page_of(rule)}\n[All rules](README.md)\n"


def index(rules: tuple[Rule, ...]) -> str:
    """The table of all rules."""
    lines = [
        f"| [{rule.code}]({rule.code}.md) | {title_of(rule)} | {'yes' if rule.needs_deep else ''} |"
        for rule in sorted(rules, key=lambda rule: rule.code)
    ]
    return INDEX + "\n".join(lines) + "\n"


def wanted_pages() -> dict[str, str]:
    """File name → text, for all files of the folder."""
    return {"README.md": index(RULES)} | {f"{rule.code}.md": page(rule) for rule in RULES}


def main() -> int:
    check = "--check" in sys.argv
    wanted = wanted_pages()
    PAGES.mkdir(exist_ok=True)
    there = {path.name: path.read_text() for path in PAGES.glob("*.md")}
    stale = sorted(name for name in wanted.keys() | there.keys() if wanted.get(name) != there.get(name))
    for name in stale if not check else ():
        if name in wanted:
            (PAGES / name).write_text(wanted[name])
        else:
            (PAGES / name).unlink()
    if stale:
        print(("stale: " if check else "renewed: ") + ", ".join(stale))
    return 1 if stale and check else 0


if __name__ == "__main__":
    sys.exit(main())
