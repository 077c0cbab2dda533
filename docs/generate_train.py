"""Write the tables of trainers' options and profiles into their page; with --check, only compare.

python docs/generate_train.py
"""

from __future__ import annotations

import sys
import tomllib
from dataclasses import Field, fields
from pathlib import Path
from typing import Any

from goldsplit.train.options import KINDS, TrainOptions
from goldsplit.train.settings.given import SHIPPED, shipped_profiles
from goldsplit.train.settings.option_values import demands, meaning, reads_as

PAGE = Path(__file__).parent / "reference" / "train.md"
HEAD = "| Key | Default | Takes | At a resume | Meaning |\n|---|---|---|---|---|\n"


def option_row(option: Field[Any]) -> str:
    """One option as a line of a table."""
    takes = demands(option).removeprefix(f"{option.name} takes ").removesuffix(f" ({meaning(option).doc})")
    may_change = "as before" if meaning(option).kept else "may change"
    default = reads_as(option.default)
    return f"| `{option.name}` | `{default}` | {takes} | {may_change} | {meaning(option).doc} |"


def option_tables() -> dict[str, str]:
    """The options of every trainer, and those of each one alone."""
    shared = [one.name for one in fields(TrainOptions)]
    tables = {"all": HEAD + "\n".join(option_row(one) for one in fields(TrainOptions))}
    for kind, options in KINDS.items():
        own = [one for one in fields(options) if one.name not in shared]
        tables[kind] = HEAD + "\n".join(option_row(one) for one in own)
    return tables


def profile_table() -> str:
    """What each shipped profile sets, side by side."""
    names = shipped_profiles()
    contents = {name: tomllib.loads((SHIPPED / f"{name}.toml").read_text()) for name in names}
    defaults = {one.name: one.default for one in fields(TrainOptions)}
    keys = list(dict.fromkeys(key for content in contents.values() for key in content))
    lines = [f"| Key | default | {' | '.join(names)} |", f"|---|---|{'---|' * len(names)}"]
    for key in keys:
        values = [defaults[key], *(contents[name].get(key, defaults[key]) for name in names)]
        lines.append(f"| `{key}` | {' | '.join(f'`{reads_as(value)}`' for value in values)} |")
    return "\n".join(lines)


def with_tables(page: str) -> str:
    """The page with its tables renewed."""
    for name, table in {**option_tables(), "profiles": profile_table()}.items():
        begin, end = f"<!-- {name} begins -->", f"<!-- {name} ends -->"
        before, found, rest = page.partition(begin)
        _, closed, after = rest.partition(end)
        if not found or not closed:
            raise SystemExit(f"the page lacks {begin} … {end}")
        page = f"{before}{begin}\n{table}\n{end}{after}"
    return page


def main() -> int:
    page = PAGE.read_text()
    renewed = with_tables(page)
    if renewed == page:
        return 0
    if "--check" in sys.argv:
        print(f"stale: {PAGE.name}")
        return 1
    PAGE.write_text(renewed)
    print(f"written: {PAGE.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
