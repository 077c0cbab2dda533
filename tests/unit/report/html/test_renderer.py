"""The page: its words against golden files, what it escapes, what it says where nothing was measured.

After a wanted change, look at the difference and write the files again:

    GOLDSPLIT_REGENERATE=1 python -m pytest tests/unit/report/html
"""

from __future__ import annotations

import dataclasses
import html.parser
import json
import os
import re
from pathlib import Path

import pytest

from goldsplit.model.detail import Detail, FlameFrame
from goldsplit.model.profile import Hotspot
from goldsplit.model.report import Report
from goldsplit.report.html.renderer import SCRIPTS, HtmlRenderer
from goldsplit.report.verdict import verdict

GOLDEN = Path(__file__).parents[3] / "golden"
NOTHING = Detail(0.0, 0.0)
BLOCKS = {
    "p",
    "h1",
    "h2",
    "h3",
    "div",
    "tr",
    "li",
    "dt",
    "section",
    "summary",
    "caption",
    "header",
    "nav",
    "dl",
    "ul",
}


class Reader(html.parser.HTMLParser):
    """What a person reads on the page: text, one line per block; no style, no script."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = [""]
        self.hidden = 0
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.hidden += tag in ("style", "script")
        if tag in BLOCKS:
            self.lines.append("")

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in ("style", "script")
        if tag in ("td", "th", "dt"):
            self.lines[-1] += " | "

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.lines[-1] += " ".join(data.split()) + (" " if data[-1:].isspace() else "")

    def text(self) -> str:
        lines = [line.strip().rstrip("|").strip() for line in self.lines]
        return "\n".join(line for line in lines if line) + "\n"


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    return reader


@pytest.mark.parametrize("name", ["findings", "attached", "nothing"])
def test_its_words_match_the_golden_file(
    name: str, reports: dict[str, Report], with_findings: Report, detail: Detail
) -> None:
    report = with_findings if name == "findings" else reports[name]
    text = read(HtmlRenderer().render(report, detail if name == "findings" else NOTHING)).text()
    golden = GOLDEN / f"html-{name}.txt"
    if os.environ.get("GOLDSPLIT_REGENERATE"):
        golden.write_text(text)
    assert text == golden.read_text()


@pytest.mark.parametrize("name", ["subprocess", "single", "attached", "crashed", "nothing"])
def test_the_verdict_has_the_words_of_the_terminal(name: str, reports: dict[str, Report]) -> None:
    text = read(HtmlRenderer().render(reports[name], NOTHING)).text()
    for line in verdict(reports[name]):
        assert " ".join(line.text.split()) in text


def test_nothing_in_a_name_can_break_out_of_the_page(reports: dict[str, Report], detail: Detail) -> None:
    evil = '</script><script>alert(1)</script><img src=x onerror="alert(2)">&<!--\u2028'
    spot = Hotspot(evil, f"/home/{evil}.py", 1, "env.step", 0.5, 0.5, 9, None, "yours")
    profile = reports["subprocess"].profile
    profile = dataclasses.replace(
        profile,
        hotspots=[spot],
        run=dataclasses.replace(profile.run, name=evil, command=["python", evil]),
        trust=dataclasses.replace(profile.trust, notes=[evil]),
    )
    detail = dataclasses.replace(
        detail, frames=[*detail.frames[:1], FlameFrame(evil, evil, 1, "yours"), *detail.frames[2:]]
    )
    page = HtmlRenderer().render(Report(profile), detail)
    reader = read(page)
    assert [tag for tag, _ in reader.tags].count("script") == 2
    assert not any(tag == "img" or "onerror" in attributes for tag, attributes in reader.tags)
    assert data_of(page)["frames"][1][0] == evil
    assert "<!--" not in page


def data_of(page: str) -> dict[str, object]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data: dict[str, object] = json.loads(found[1])
    return data


def test_the_page_needs_nothing_from_elsewhere(with_findings: Report, detail: Detail) -> None:
    page = HtmlRenderer().render(with_findings, detail)
    for tag, attributes in read(page).tags:
        assert not attributes.get("src"), tag
        if tag in ("a", "link"):
            assert str(attributes["href"]).startswith(("#", "data:"))
    assert "@import" not in page
    assert "url(http" not in page
    outside = re.findall(r"https?://[\w./-]+", page)
    assert set(outside) <= {"http://www.w3.org/2000/svg"}, "a namespace is a name, not an address"


def test_every_chart_has_words_and_a_table(with_findings: Report, detail: Detail) -> None:
    tags = read(HtmlRenderer().render(with_findings, detail)).tags
    charts = {attributes["data-chart"]: attributes for _, attributes in tags if "data-chart" in attributes}
    tables = {attributes["data-table-of"] for _, attributes in tags if "data-table-of" in attributes}
    assert set(charts) == {"stages", "time", "lanes", "flame"} == tables
    for name, attributes in charts.items():
        assert attributes["role"] == ("tree" if name == "flame" else "img")
        assert attributes["aria-label"]


def test_the_scripts_never_write_html() -> None:
    folder = Path(__file__).parents[4] / "src" / "goldsplit" / "report" / "html" / "page"
    assert sorted(SCRIPTS) == sorted(path.name for path in folder.glob("*.js"))
    for name in SCRIPTS:
        text = (folder / name).read_text()
        assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|fetch\(", text)
