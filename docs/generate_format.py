"""Write the tables of the run directory's page from the code: `python docs/generate_format.py`; or --check.

Names are the constants of `model/wire.py`; what each means is the text below it there, or the comment beside
it. The versions are the history above `FORMAT_VERSION` in `model/recording.py`.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from pathlib import Path

from goldsplit.model import recording, wire

PAGE = Path(__file__).parent / "reference" / "run-directory.md"
MARKED = re.compile(r"<!-- (\w+) begins -->\n.*?<!-- \1 ends -->", re.DOTALL)
TITLES = {"File": "File", "Line": "`k`", "Counter": "Counter", "WaitDetail": "Begins with"}
HISTORY = re.compile(r"^#: (\d+): (.*)$", re.MULTILINE)


def source_of(module: object) -> str:
    return Path(module.__file__).read_text()  # type: ignore[attr-defined]


def comments(source: str) -> dict[int, str]:
    """Line → the comment at its end."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {one.start[0]: one.string.lstrip("# ") for one in tokens if one.type == tokenize.COMMENT}


def meanings(name: str) -> dict[str, str]:
    """What the names of a class of `wire.py` are in files → what they mean."""
    source = source_of(wire)
    beside = comments(source)
    classes = {one.name: one.body for one in ast.parse(source).body if isinstance(one, ast.ClassDef)}
    body = classes[name]
    found = {}
    for statement, below in zip(body, [*body[1:], None], strict=True):
        if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
            continue
        constant = statement.targets[0].id
        text = beside.get(statement.lineno, "")
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            text = " ".join(str(below.value.value).split())
        if not text:
            raise SystemExit(f"model/wire.py: {name}.{constant} does not say what it means")
        if not constant.endswith("_PREFIX"):  # that of the name below it
            key = getattr(getattr(wire, name), constant)
            found[key] = text[:1].lower() + text[1:].rstrip(".")
    return found


def table(name: str) -> str:
    """One class as a table."""
    rows = [f"| `{key}` | {text.replace('|', '/')} |" for key, text in meanings(name).items()]
    return "\n".join([f"| {TITLES.get(name, 'Key')} | Meaning |", "|---|---|", *rows])


def versions() -> str:
    """The history of the format."""
    rows = ["| Version | What it has, or what changed | Read by this goldsplit |", "|---|---|---|"]
    for number, text in HISTORY.findall(source_of(recording)):
        is_read = int(number) in recording.READABLE_FORMATS
        told = ("yes, and written" if int(number) == recording.FORMAT_VERSION else "yes") if is_read else "no"
        rows.append(f"| {number} | {text.rstrip('.')} | {told} |")
    return "\n".join(rows)


def renewed(page: str) -> str:
    """The page with its tables as the code has them."""

    def block(found: re.Match[str]) -> str:
        made = versions() if found[1] == "Versions" else table(found[1])
        return f"<!-- {found[1]} begins -->\n{made}\n<!-- {found[1]} ends -->"

    return MARKED.sub(block, page)


def main() -> int:
    page = PAGE.read_text()
    wanted = renewed(page)
    if wanted == page:
        return 0
    if "--check" not in sys.argv:
        PAGE.write_text(wanted)
    print(f"{'stale' if '--check' in sys.argv else 'written'}: {PAGE.name}")
    return 1 if "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
