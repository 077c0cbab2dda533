"""What every renderer promises: it renders any run, never raises, and never shows what was not measured."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import re
import xml.etree.ElementTree
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from goldsplit.diagnose.planning import make_plan
from goldsplit.model.detail import Detail
from goldsplit.model.plan import Plan
from goldsplit.model.report import Report
from goldsplit.report.formats.csv import TABLES, CsvRenderer
from goldsplit.report.formats.flamegraph import FlamegraphRenderer
from goldsplit.report.formats.perfetto import PerfettoRenderer
from goldsplit.report.formats.speedscope import SpeedscopeRenderer
from goldsplit.report.html.renderer import HtmlRenderer
from goldsplit.report.markdown import MarkdownRenderer
from goldsplit.report.plan import PlanRenderer
from goldsplit.report.terminal import TerminalRenderer

Render = Callable[[Report, Plan, Detail], str]

RENDERERS: dict[str, Render] = {
    "terminal": lambda report, plan, detail: TerminalRenderer(width=80).render(report),
    "terminal in colour": lambda report, plan, detail: TerminalRenderer(colour=True, width=120).render(
        report
    ),
    "json": lambda report, plan, detail: json.dumps(report.to_json(), allow_nan=False),
    "html": lambda report, plan, detail: HtmlRenderer().render(report, detail),
    "markdown": lambda report, plan, detail: MarkdownRenderer().render(report, plan),
    "plan": lambda report, plan, detail: PlanRenderer().render(report, plan),
    "flamegraph": lambda report, plan, detail: FlamegraphRenderer().render(report, detail),
    "speedscope": lambda report, plan, detail: SpeedscopeRenderer().render(report, detail),
    "perfetto": lambda report, plan, detail: PerfettoRenderer().render(report, detail),
    **{
        f"csv {table}": lambda report, plan, detail, table=table: CsvRenderer(table).render(report)
        for table in TABLES
    },
}
RUNS = ("nothing", "attached", "subprocess", "single", "crashed", "deep", "nasty")
#: No report may show these. `NaN` as JavaScript has it may stand in a script of the page.
NO_FIGURE = re.compile(r"(?<![\w.])(nan|None|inf)(?![\w.])")


@pytest.fixture(scope="module")
def made() -> ModuleType:
    """The hand-written runs of the renderers' unit tests."""
    path = Path(__file__).parents[1] / "unit" / "report" / "conftest.py"
    spec = importlib.util.spec_from_file_location("made_reports", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def rendered(made: ModuleType) -> Callable[[str, str], str]:
    """rendered(renderer, run)."""

    def render(renderer: str, run: str) -> str:
        report = made.MAKERS[run]()
        detail = made.detail_of(run, made.NASTY) if run == "nasty" else made.detail_of(run)
        return RENDERERS[renderer](report, make_plan(report.profile, report.findings), detail)

    return render


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("renderer", RENDERERS)
def test_it_renders_every_kind_of_run(renderer: str, run: str, rendered: Callable[[str, str], str]) -> None:
    text = rendered(renderer, run)
    assert text.strip()
    assert NO_FIGURE.findall(text) == []
    text.encode("utf-8")


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("renderer", RENDERERS)
def test_it_renders_the_same_again(renderer: str, run: str, rendered: Callable[[str, str], str]) -> None:
    assert rendered(renderer, run) == rendered(renderer, run)


@pytest.mark.parametrize("renderer", sorted(set(RENDERERS) - {"json", "terminal in colour"}))
def test_names_are_never_obeyed(renderer: str, rendered: Callable[[str, str], str]) -> None:
    """A name is no markup, no control sequence, and does not turn the line around."""
    text = rendered(renderer, "nasty")
    assert {char for char in text if not char.isprintable()} <= {"\n", "\xa0"}
    if renderer in ("html", "flamegraph", "markdown", "plan"):
        assert "</script><b>" not in outside_code(text)


def outside_code(text: str) -> str:
    """A text without Markdown's code, in which nothing is markup: as many backticks end it as begin it."""
    blocks = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return re.sub(r"(?<![`\\])(`+)(?!`).*?(?<!`)\1(?!`)", "", blocks)


@pytest.mark.parametrize("run", RUNS)
def test_machine_formats_can_be_read_back(run: str, rendered: Callable[[str, str], str]) -> None:
    for renderer in ("json", "speedscope", "perfetto"):
        json.loads(rendered(renderer, run), parse_constant=pytest.fail)
    assert xml.etree.ElementTree.fromstring(rendered("flamegraph", run)).tag.endswith("svg")
    for table in TABLES:
        rows = list(csv.reader(io.StringIO(rendered(f"csv {table}", run))))
        assert len({len(row) for row in rows}) == 1


@pytest.mark.parametrize("run", RUNS)
def test_tables_in_markdown_keep_their_columns(run: str, rendered: Callable[[str, str], str]) -> None:
    for renderer in ("markdown", "plan"):
        width = 0
        for line in rendered(renderer, run).splitlines():
            cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
            assert not (cells and width) or cells == width, line
            width = cells
