"""The documentation keeps up: a page per command, fresh help, every stage and field, no broken link."""

from __future__ import annotations

import dataclasses
import importlib.util
import re
import subprocess
import sys
import xml.etree.ElementTree
from pathlib import Path
from types import ModuleType

import pytest

from goldsplit.cli.main import COMMANDS
from goldsplit.errors import GoldsplitError
from goldsplit.model import profile, progress
from goldsplit.model.device import device_use
from goldsplit.model.finding import Finding
from goldsplit.model.report import REPORT_FORMAT, Report
from goldsplit.model.stage import CATEGORIES, VOCABULARY

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted(DOCS.rglob("*.md")),
]
#: Names in the recipes of CONTRIBUTING.md that stand for something new.
MADE_UP = re.compile(r"my_rule|poolgym|prometheus|sleep.in.step|swiftrl")
RECORDS = [
    profile.RunInfo,
    profile.Phases,
    progress.Window,
    progress.Throughput,
    profile.StageRow,
    profile.Unattributed,
    profile.Lane,
    profile.LaneStage,
    profile.Hotspot,
    progress.Drift,
    profile.SystemFigures,
    profile.Trust,
    profile.Profile,
    device_use.DeviceUse,
    device_use.DeviceStage,
    device_use.DeviceIdle,
    device_use.DeviceCopy,
    device_use.DeviceWait,
    Finding,
]


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_help", DOCS / "generate_help.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: str(command.name))
def test_every_command_has_a_page_with_its_help(command: object, generator: ModuleType) -> None:
    page = REFERENCE / f"{getattr(command, 'name')}.md"  # noqa: B009
    assert page.is_file(), f"write {page.relative_to(ROOT)}"
    assert generator.with_help(page.read_text(), command) == page.read_text(), (
        "run: python docs/generate_help.py"
    )


def test_every_command_is_in_the_index() -> None:
    index = (DOCS / "index.md").read_text()
    for command in COMMANDS:
        assert f"(reference/{command.name}.md)" in index


def test_every_page_is_in_the_index_or_linked_from_a_page() -> None:
    linked = {target.resolve() for page in PAGES for target, _ in local_links(page)}
    own = [page for page in PAGES if page.name not in ("README.md", "index.md") and "fast" not in page.parts]
    assert [str(page.relative_to(ROOT)) for page in own if page.resolve() not in linked] == []


def test_every_stage_is_documented() -> None:
    text = (REFERENCE / "stages.md").read_text()
    for stage in VOCABULARY:
        assert f"| `{stage.name}` | {stage.category} | {stage.meaning} |" in text
    assert {stage.category for stage in VOCABULARY} <= set(CATEGORIES)


def test_the_page_of_the_run_directory_is_that_of_the_code() -> None:
    done = subprocess.run([sys.executable, str(DOCS / "generate_format.py"), "--check"], capture_output=True)
    assert done.returncode == 0, "run: python docs/generate_format.py"
    page = (DOCS / "reference" / "run-directory.md").read_text()
    parts = "File Header Line Key Counter WaitDetail Named Stacks System Versions"
    for part in parts.split():
        assert f"<!-- {part} ends -->" in page


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: str(record.__name__))
def test_every_field_of_the_report_is_documented(record: type) -> None:
    text = (REFERENCE / "report-json.md").read_text()
    named = set(re.findall(r"`([a-z0-9_]+)`", text)) | set(re.findall(r"^## (\w+)$", text, re.MULTILINE))
    missing = {field.name for field in dataclasses.fields(record)} - named
    assert missing == set()


def test_the_report_has_no_part_that_is_not_a_section() -> None:
    text = (REFERENCE / "report-json.md").read_text()
    sections = set(re.findall(r"^## (\w+)$", text, re.MULTILINE))
    assert {field.name for field in dataclasses.fields(profile.Profile)} <= sections
    assert {field.name for field in dataclasses.fields(Report)} - {"profile"} <= sections
    assert REPORT_FORMAT in text


def test_every_option_is_explained_somewhere_in_its_help() -> None:
    for command in COMMANDS:
        for parameter in command.params:
            if parameter.param_type_name == "option" and parameter.name != "help":
                assert getattr(parameter, "help", None), f"{command.name} {parameter.name} has no help"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_link_inside_the_documentation_is_broken(page: Path) -> None:
    broken = []
    for target, anchor in local_links(page):
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(f"{target.name}#{anchor}")
    assert broken == []


@pytest.mark.parametrize(
    "page", ["CONTRIBUTING.md", "docs/concepts/how-it-works.md", "docs/concepts/glossary.md"]
)
def test_files_and_names_of_the_code_are_there(page: str) -> None:
    """In code type: a path from here or the end of one, a constant, a function."""
    said = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", (ROOT / page).read_text(), flags=re.DOTALL))
    package = ROOT / "src" / "goldsplit"
    code = "\n".join(file.read_text() for part in (package, ROOT / "tests") for file in part.rglob("*.py"))
    missing = []
    for name in said:
        if MADE_UP.search(name):
            continue
        if re.fullmatch(r"[\w./-]+(\.py|\.c|\.md|\.toml|/)", name):
            known = (ROOT / name).exists() or any(any(root.rglob(name)) for root in (package, ROOT / "tests"))
        elif re.fullmatch(r"_?[A-Z][A-Z_]+|_?[a-z]+(_[a-z]+)+", name):
            known = re.search(rf"\b{name}\b", code) is not None
        else:
            known = True
        if not known:
            missing.append(name)
    assert missing == []


def local_links(page: Path) -> list[tuple[Path, str]]:
    """Every link of a page that leads into this repository: file and anchor."""
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    found = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" not in link and not link.startswith("mailto:"):
            path, _, anchor = link.partition("#")
            found.append((page.parent / path if path else page, anchor))
    return found


def anchors(page: Path) -> set[str]:
    """The headings of a page as they appear in links."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_anchor_of_a_heading() -> None:
    page = DOCS / "guides" / "own-loop.md"
    assert {"pickles", "is-it-right", "1-map-functions-on-the-command-line"} <= anchors(page)


def test_the_error_tree_in_the_docstring_is_the_real_one() -> None:
    from goldsplit import errors

    for child in GoldsplitError.__subclasses__():
        assert child.__name__ in (errors.__doc__ or "")


def test_the_readme_shows_a_real_verdict_and_its_picture_needs_nothing_from_elsewhere() -> None:
    block = (ROOT / "README.md").read_text().partition("<!-- verdict begins -->")[2]
    assert "Bottleneck" in block.partition("<!-- verdict ends -->")[0]
    picture = (DOCS / "images" / "verdict.svg").read_text()
    assert xml.etree.ElementTree.fromstring(picture).tag.endswith("svg")
    assert "Bottleneck" in picture
    assert "@font-face" not in picture


def test_both_make_targets_are_in_the_readme_and_in_the_makefile() -> None:
    readme, makefile = (ROOT / "README.md").read_text(), (ROOT / "Makefile").read_text()
    for target in ("demo", "test"):
        assert f"make {target}" in readme
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
