"""What every rule must have: a page, a test, a fault project, and no finding without evidence."""

from __future__ import annotations

import importlib
import importlib.util
import re
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from goldsplit.diagnose.findings import diagnose
from goldsplit.diagnose.rule import ANY, Rule
from goldsplit.diagnose.rule_pages import text_of, title_of
from goldsplit.diagnose.rules import RULES

ROOT = Path(__file__).resolve().parents[3]
every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
#: These need hardware that a test machine may not have: only hand-made profiles test them.
WITHOUT_PROJECT = frozenset(
    {"device-idle", "full-precision-products", "launch-bound-learner", "pageable-copies", "sync-in-loop"}
)


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


pages = load(ROOT / "docs" / "generate_rules.py")


def test_rules_are_sorted_and_named_once() -> None:
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes))


@every_rule
def test_the_code_is_the_modules_name(rule: Rule) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.code)
    name = f"goldsplit.diagnose.rules.{rule.code.replace('-', '_')}"
    assert importlib.import_module(name).RULE is rule


def test_every_module_is_in_the_list() -> None:
    folder = ROOT / "src" / "goldsplit" / "diagnose" / "rules"
    modules = {path.stem.replace("_", "-") for path in folder.glob("*.py") if "RULE = " in path.read_text()}
    assert modules == {rule.code for rule in RULES}


@every_rule
def test_the_docstring_is_a_page(rule: Rule) -> None:
    text = text_of(rule)
    headings = tuple(re.findall(r"^## (.+)$", text, flags=re.MULTILINE))
    assert headings == pages.HEADINGS
    example = text.partition("## Example")[2].partition("## What to do")[0]
    assert "```python" in example or "```sh" in example
    assert len(title_of(rule)) <= 110


@every_rule
def test_the_page_is_in_sync(rule: Rule) -> None:
    path = pages.PAGES / f"{rule.code}.md"
    assert path.exists(), "run `python docs/generate_rules.py`"
    assert path.read_text() == pages.page(rule), "run `python docs/generate_rules.py`"


def test_the_index_is_in_sync_and_no_page_is_left_over() -> None:
    assert (pages.PAGES / "README.md").read_text() == pages.index(RULES), (
        "run `python docs/generate_rules.py`"
    )
    assert {path.name for path in pages.PAGES.glob("*.md")} == set(pages.wanted_pages())


@every_rule
def test_it_has_a_test(rule: Rule) -> None:
    assert file_of_test(rule).exists()


@every_rule
def test_it_has_a_fault_project_with_both_programs(rule: Rule) -> None:
    if rule.code in WITHOUT_PROJECT:
        pytest.skip("needs a GPU")
    folder = ROOT / "tests" / "faults" / rule.code
    assert (folder / "fault.toml").exists()
    assert (folder / "slow" / "train.py").exists()
    assert (folder / "fixed" / "train.py").exists()
    assert marked_lines(folder / "slow"), (
        f"no line of {rule.code}/slow ends in `# fault`: see tests/faults/README.md"
    )
    assert not marked_lines(folder / "fixed")


def marked_lines(folder: Path) -> list[str]:
    lines = [line.rstrip() for path in folder.rglob("*.py") for line in path.read_text().splitlines()]
    return [line for line in lines if line.endswith("# fault")]


def file_of_test(rule: Rule) -> Path:
    return ROOT / "tests" / "unit" / "diagnose" / "rules" / f"test_{rule.code.replace('-', '_')}.py"


@every_rule
def test_nothing_is_left_to_write(rule: Rule) -> None:
    """`make new-rule` marks what is to be written with TODO."""
    module = ROOT / "src" / "goldsplit" / "diagnose" / "rules" / f"{rule.code.replace('-', '_')}.py"
    files = [module, file_of_test(rule), *(ROOT / "tests" / "faults" / rule.code).rglob("*.py")]
    left = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in files
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if "TODO" in line
    ]
    assert left == [], "write what is marked TODO in these lines"


@every_rule
def test_nothing_measured_gives_no_finding(rule: Rule, make: SimpleNamespace) -> None:
    assert list(rule.check(make.not_measured())) == []


@every_rule
def test_stacks_alone_of_a_balanced_run_give_no_finding(rule: Rule, make: SimpleNamespace) -> None:
    assert list(rule.check(make.from_stacks())) == []


@every_rule
def test_it_yields_only_to_rules_that_exist(rule: Rule) -> None:
    assert rule.code not in rule.yields_to
    for code in set(rule.yields_to) - {ANY}:
        other = next((other for other in RULES if other.code == code), None)
        assert other is not None, code
        assert rule.code not in other.yields_to, "two rules that yield to each other both disappear"


def test_all_rules_together_on_an_empty_profile(make: SimpleNamespace) -> None:
    assert diagnose(make.not_measured()) == ()
