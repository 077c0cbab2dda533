"""Makes all files that a new rule needs: `make new-rule NAME=my-rule`.

The files come from tools/rule_template. What is left to write is marked TODO; tests fail until it is done.
"""

from __future__ import annotations

import keyword
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TEMPLATE = Path(__file__).parent / "rule_template"
INDEX = "src/goldsplit/diagnose/rules/__init__.py"
NAME = re.compile(r"[a-z]+(-[a-z]+)*")

NEXT_STEPS = """
What to do next:
  1. {module_file}: write check() and the texts marked TODO
  2. {test_file}: write a profile with the fault, and some without it
  3. {fault}/slow/train.py: plant the fault and end its line in `# fault`;
     {fault}/fixed/train.py: the same program without the fault (see tests/faults/README.md)
  4. {python} docs/generate_rules.py
  5. {python} -m pytest tests/unit/diagnose -k "{code} or {module}"
     fails until all of this is done, and says what is missing
  6. {python} benchmarks/faults.py --only {code}
     records both programs and says whether the rule finds the fault, and nothing in the fixed program"""


def main(arguments: list[str]) -> int:
    code = arguments[0] if arguments else ""
    problem = problem_with(code)
    if problem is not None:
        print(f"error: {problem[0]}\nhint: {problem[1]}", file=sys.stderr)
        return 2
    for path, template in files_of(code).items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(filled_in((TEMPLATE / template).read_text(), code))
    index = ROOT / INDEX
    index.write_text(with_entry(index.read_text(), module_of(code)))
    if make_pages() != 0:
        print("error: docs/generate_rules.py failed\nhint: see above; then run it again", file=sys.stderr)
        return 1
    print("\n".join(["Made:", *(f"  {path}" for path in [*files_of(code), page_of(code)])]))
    print(f"Changed:\n  {INDEX}\n  docs/rules/README.md\n{next_steps(code)}")
    return 0


def problem_with(code: str) -> tuple[str, str] | None:
    """Why a rule cannot have this name, and a hint; None if it can."""
    if not code:
        return "the rule needs a name", "make new-rule NAME=my-rule"
    if not NAME.fullmatch(code) or keyword.iskeyword(code):
        return (
            f"{code!r} cannot be the name of a rule",
            "use lower-case words with hyphens between them, as in repeated-calls",
        )
    there = [path for path in [*files_of(code), page_of(code)] if (ROOT / path).exists()]
    if there:
        return f"there is a rule {code} already: {there[0]}", "choose another name, or edit that rule"
    return None


def module_of(code: str) -> str:
    return code.replace("-", "_")


def page_of(code: str) -> str:
    return f"docs/rules/{code}.md"


def files_of(code: str) -> dict[str, str]:
    """File → the template that it is made from. The page is made from the rule's docstring."""
    return {
        f"src/goldsplit/diagnose/rules/{module_of(code)}.py": "rule.py",
        f"tests/unit/diagnose/rules/test_{module_of(code)}.py": "test.py",
        f"tests/faults/{code}/fault.toml": "fault.toml",
        f"tests/faults/{code}/slow/train.py": "train.py",
        f"tests/faults/{code}/fixed/train.py": "train.py",
    }


def filled_in(text: str, code: str) -> str:
    """A template with the rule's name instead of my-rule."""
    return text.replace("my-rule", code).replace("my_rule", module_of(code))


def with_entry(text: str, module: str) -> str:
    """The list of all rules with one more, in both places where rules are named in order."""
    lines = text.split("\n")
    for ending in (",", ".RULE,"):
        entry = re.compile(rf"    (\w+){re.escape(ending)}")
        there = [(number, match[1]) for number, line in enumerate(lines) if (match := entry.fullmatch(line))]
        place = next((number for number, name in there if name > module), there[-1][0] + 1)
        lines.insert(place, f"    {module}{ending}")
    return "\n".join(lines)


def make_pages() -> int:
    """Write the pages of all rules, from the sources here; its exit code."""
    sources = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "docs/generate_rules.py"]
    return subprocess.call(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": sources}, stdout=subprocess.DEVNULL
    )


def next_steps(code: str) -> str:
    module_file, test_file, *_ = files_of(code)
    return NEXT_STEPS.format(
        code=code,
        module=module_of(code),
        module_file=module_file,
        test_file=test_file,
        fault=f"tests/faults/{code}",
        python=".venv/bin/python",
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
