"""The HTML report in a real browser: Debian's chromium with its driver, headless. Installs nothing."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from goldsplit.analyse.detail import look_closer
from goldsplit.analyse.profile import analyse
from goldsplit.model.detail import Detail, SourceFile, SourceLine
from goldsplit.model.finding import Finding, Place
from goldsplit.model.recording import FORMAT_VERSION
from goldsplit.model.report import Report
from goldsplit.report.html.renderer import HtmlRenderer

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
HOW_TO_INSTALL = "no browser to test the page in; install one: apt-get install chromium chromium-driver"
HOUR_LONG = Path(__file__).parent / "hour_long.py"
NARROW, WIDE = 400, 1280
PROGRAM = """
import time

class Game:
    def reset(self):
        self.total = 0
        return self.total

    def walk(self, far):
        return sum(i * i for i in range(far))

    def step(self, action):
        self.total += self.walk(3000)
        return self.total, 0.0, False, {}

game = Game()
game.reset()
end = time.monotonic() + 3
while time.monotonic() < end:
    game.step(0)
"""
Command = Callable[..., subprocess.CompletedProcess[str]]


class Browser:
    """What the tests ask of a page; waits for conditions, never for a time."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, page: Path, width: int = WIDE, dark: bool = False) -> float:
        """Open a page from disk; how many seconds it took until it was drawn and could be used."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        begun = time.monotonic()
        self.driver.get(page.as_uri())
        self.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
        return time.monotonic() - begun

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def find(self, css: str) -> Any:
        return self.driver.find_element("css selector", css)

    def click(self, css: str) -> None:
        self.run("document.querySelector(arguments[0]).click()", css)

    def type(self, css: str, text: str) -> None:
        script = "const e = document.querySelector(arguments[0]); e.value = arguments[1];"
        self.run(
            script + "e.dispatchEvent(new Event('input')); e.dispatchEvent(new Event('change'))", css, text
        )

    def boxes(self) -> list[str]:
        """The boxes of the flame view by their text for screen readers."""
        found: list[str] = self.run(
            "return [...document.querySelectorAll('#flame-chart .box')].map((box) => box.ariaLabel)"
        )
        return found

    def errors(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser")]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if not (CHROMIUM.exists() and DRIVER.exists()):
        pytest.skip(HOW_TO_INSTALL)
    os.environ["SE_OFFLINE"] = "true"  # selenium would look for a browser to download
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    profile = tmp_path_factory.mktemp("profile")
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        f"--user-data-dir={profile}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    driver.set_script_timeout(30)
    yield Browser(driver)
    driver.quit()


@pytest.fixture(scope="module")
def hour() -> tuple[Report, Detail]:
    """An hour-long run with sixteen processes and twenty thousand different stacks."""
    spec = importlib.util.spec_from_file_location("hour_long", HOUR_LONG)
    assert spec is not None
    assert spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    recording = module.hour_long_recording()
    return Report(analyse(recording)), look_closer(recording)


@pytest.fixture(scope="module")
def hour_page(tmp_path_factory: pytest.TempPathFactory, hour: tuple[Report, Detail]) -> Path:
    page = tmp_path_factory.mktemp("hour") / "report.html"
    page.write_text(HtmlRenderer().render(*hour))
    return page


@pytest.fixture(scope="module")
def recorded_page(record: Callable[..., Any], goldsplit: Command) -> Path:
    """A page of a real recording, through the command line."""
    run = record(PROGRAM, options=("--rate", "100"))
    done = goldsplit("report", str(run.run_dir), "-o", "page.html", cwd=run.directory)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    return Path(run.directory) / "page.html"


def test_an_hour_makes_a_small_page(hour_page: Path) -> None:
    assert hour_page.stat().st_size < 3_000_000, "6 MB are allowed; real names may be longer than these"


def test_an_hour_opens_fast_and_without_a_complaint(browser: Browser, hour_page: Path) -> None:
    browser.open(hour_page)  # the browser itself warms up
    took = min(browser.open(hour_page) for _ in range(3))
    assert browser.errors() == []
    assert took < 3
    assert len(browser.boxes()) > 100
    assert browser.run("return document.querySelectorAll('.strip .cells path').length") == 16 * 4


def test_the_flame_view_zooms_and_resets(browser: Browser, hour_page: Path) -> None:
    browser.open(hour_page)
    before = browser.boxes()
    wide = "return document.querySelector(`[data-box='${arguments[0]}']`).getBoundingClientRect().width"
    narrow = browser.run(wide, 1)
    browser.click("#flame-chart [data-box='1']")
    assert browser.run(wide, 1) > 1.3 * narrow
    assert "everything" in browser.run("return document.getElementById('flame-path').textContent")
    browser.click("#flame-reset")
    assert browser.boxes() == before


def test_the_flame_view_goes_by_keyboard(browser: Browser, hour_page: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.open(hour_page)
    browser.run("document.querySelector('#flame-chart [tabindex=\"0\"]').focus()")
    for key in (Keys.ARROW_DOWN, Keys.ENTER):
        browser.driver.switch_to.active_element.send_keys(key)
    assert browser.run("return document.activeElement.dataset.box") == "1"
    assert browser.run("return document.getElementById('flame-path').children.length") == 3
    browser.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert browser.run("return document.getElementById('flame-path').children.length") == 0


def test_escape_resets_a_zoom_that_was_made_with_the_mouse(browser: Browser, hour_page: Path) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    browser.open(hour_page)
    steps = "return document.getElementById('flame-path').children.length"
    ActionChains(browser.driver).click(browser.find("#flame-chart [data-box='1']")).perform()
    assert browser.run(steps) > 0
    ActionChains(browser.driver).send_keys(Keys.ESCAPE).perform()
    assert browser.run(steps) == 0


def test_the_flame_view_counts_samples_as_the_verdict_does(
    browser: Browser, hour_page: Path, hour: tuple[Report, Detail]
) -> None:
    browser.open(hour_page)
    told = browser.run("return document.getElementById('flame-read').textContent")
    assert f"of the run's {hour[0].profile.trust.samples} stack samples" in told


@pytest.mark.parametrize("dark", [False, True])
def test_a_button_switches_between_dark_and_light(browser: Browser, hour_page: Path, dark: bool) -> None:
    browser.open(hour_page, WIDE, dark)
    back = "return getComputedStyle(document.body).backgroundColor"
    before = browser.run(back)
    browser.click("#theme")
    after = browser.run(back)
    assert after != before
    browser.click("#theme")
    assert browser.run(back) == before
    browser.open(hour_page, WIDE, not dark)
    assert browser.run(back) == after, "the same colours as those of the system"


def test_time_without_windows_is_not_recorded(
    browser: Browser, hour: tuple[Report, Detail], tmp_path: Path
) -> None:
    report, detail = hour
    windows = detail.windows
    third = len(windows) // 3
    gap = dataclasses.replace(detail, windows=windows[:third] + windows[2 * third :])
    (tmp_path / "gap.html").write_text(HtmlRenderer().render(report, gap))
    browser.open(tmp_path / "gap.html")
    asides = "return [...document.querySelectorAll('#time-chart .aside title')].map((e) => e.textContent)"
    assert browser.run(asides).count("not recorded") == 1
    assert browser.run("return document.querySelector('#time-chart .rate').getAttribute('d')").count("M") == 2
    assert browser.run("return document.getElementById('time-legend').textContent").endswith("not recorded")


def test_a_thread_is_not_called_idle_where_nothing_was_recorded(
    browser: Browser, hour: tuple[Report, Detail], tmp_path: Path
) -> None:
    report, detail = hour
    third = len(detail.strips[0].cells) // 3
    whole, *others = detail.strips
    cut = dataclasses.replace(whole, cells=whole.cells[:third] + whole.cells[2 * third :])
    (tmp_path / "gap.html").write_text(
        HtmlRenderer().render(report, dataclasses.replace(detail, strips=[cut, *others]))
    )
    browser.open(tmp_path / "gap.html")
    missing = "return [...document.querySelectorAll('.strip .missing')].map((e) => e.getBBox().width)"
    first, *rest = browser.run(missing)
    width = browser.run("return document.querySelector('.strip .cells').clientWidth")
    assert 0.25 * width < first < 0.45 * width
    assert rest == [0] * len(others)
    assert "not recorded" in browser.run("return document.querySelector('#lanes .legend').textContent")


def test_a_finding_leads_to_its_source_the_flame_view_and_its_rule(
    browser: Browser, hour: tuple[Report, Detail], tmp_path: Path
) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    report, detail = hour
    spot = next(one for one in report.profile.hotspots if one.kind == "yours")
    line = SourceLine(spot.line, "x = 1", 0.1, 0.1, 9)
    source = SourceFile(spot.file, 0.1, 0.1, [line], "")
    place = Place(spot.file, spot.line, spot.function)
    finding = Finding("hot-function", "look", place, spot.stage, {}, 0.4, 1.6, "low", "change it", "")
    page = HtmlRenderer({finding.code: "# hot-function\n\nWhy it is slow."}).render(
        Report(report.profile, (finding,)), dataclasses.replace(detail, sources=[source])
    )
    (tmp_path / "links.html").write_text(page)
    browser.open(tmp_path / "links.html")
    browser.run("document.querySelectorAll('details.source').forEach((fold) => { fold.open = false; })")
    browser.click(".card a[href^='#source-']")
    assert browser.run("return document.querySelector('tr:target td.text').textContent") == "x = 1"
    assert browser.run("return document.querySelector('details.source').open")
    browser.click(".card a[data-find]")
    found = browser.run(
        "return [...document.querySelectorAll('#flame-chart .found')].map((e) => e.ariaLabel)"
    )
    assert found
    assert all(label.startswith(spot.function) for label in found)
    assert "Why it is slow." in browser.run("return document.querySelector('.card .rule pre').textContent")
    ActionChains(browser.driver).send_keys(Keys.ESCAPE).perform()
    assert browser.run("return document.querySelectorAll('#flame-chart .found').length") == 0
    assert browser.run("return document.getElementById('flame-search').value") == ""


def test_hot_spots_have_file_and_line_on_a_phone(browser: Browser, hour_page: Path) -> None:
    browser.open(hour_page, NARROW)
    shown = browser.run(
        "return [...document.querySelector('#hotspot-table tbody tr').cells]"
        ".filter((cell) => cell.offsetWidth).map((cell) => cell.textContent)"
    )
    assert any(re.search(r"\.py:\d+$", text) for text in shown)


def test_search_marks_boxes_and_sums_their_share(browser: Browser, hour_page: Path) -> None:
    browser.open(hour_page)
    browser.type("#flame-search", "select_action")
    assert browser.run("return document.querySelectorAll('#flame-chart .found').length") == 1
    assert "1 box, 12 % of wall time" in browser.run("return document.getElementById('flame-found').value")
    browser.type("#flame-search", "no such thing")
    assert "0 boxes" in browser.run("return document.getElementById('flame-found').value")


def test_filters_choose_stage_thread_and_whose_code(browser: Browser, hour_page: Path) -> None:
    browser.open(hour_page)
    browser.type("#flame-stage", "act")
    shown = browser.boxes()
    assert shown[0].startswith("act:")
    assert not any(label.startswith("env.step") for label in shown)
    browser.type("#flame-view", "2")
    assert browser.boxes()[0].startswith("env.step: 100 % of its samples")
    kinds = """return [...document.querySelectorAll('#hotspot-table tbody tr')]
      .filter((row) => !row.hidden).map((row) => row.dataset.kind)"""
    assert set(browser.run(kinds)) == {"yours", "library"}
    browser.click("button.filter[data-kind=library]")
    assert set(browser.run(kinds)) == {"library"}


def test_tables_sort_by_their_heads(browser: Browser, hour_page: Path) -> None:
    browser.open(hour_page)
    first = "return document.querySelector('#stage-table tbody td').textContent"
    browser.click("#stage-table th:nth-child(2) button")
    assert "env.step" in browser.run(first)
    browser.click("#stage-table th:nth-child(2) button")
    assert browser.run(first) in ("(no stage)", "vec.send"), "both have 5 %"
    assert browser.run("return document.querySelector('#stage-table [aria-sort]').ariaSort") == "ascending"


def test_a_window_is_read_out(browser: Browser, hour_page: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.open(hour_page)
    browser.run("document.getElementById('time-chart').focus()")
    browser.driver.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    read = browser.run("return document.getElementById('time-read').textContent")
    assert "env steps/s: env.step" in read


@pytest.mark.parametrize("dark", [False, True])
def test_a_narrow_window_needs_no_sideways_scrolling(browser: Browser, hour_page: Path, dark: bool) -> None:
    browser.open(hour_page, NARROW, dark)
    assert browser.run("return document.documentElement.scrollWidth") <= NARROW
    smallest = """return Math.min(...[...document.querySelectorAll('p, td, dd, li')]
      .map((e) => parseFloat(getComputedStyle(e).fontSize)))"""
    assert browser.run(smallest) >= 12
    opened = "document.querySelectorAll('details').forEach((fold) => { fold.open = true; })"
    browser.run(opened)
    assert browser.run("return document.documentElement.scrollWidth") <= NARROW


def test_long_names_need_no_sideways_scrolling(
    browser: Browser, hour: tuple[Report, Detail], tmp_path: Path
) -> None:
    report, detail = hour
    name = "TheDirectorOfTheWholeTraining.conduct_one_whole_iteration_of_it() train.py:58"
    first, *others = detail.windows
    named = dataclasses.replace(first, stages={**first.stages, name: 0.1})
    page = HtmlRenderer().render(report, dataclasses.replace(detail, windows=[named, *others]))
    (tmp_path / "long.html").write_text(page)
    browser.open(tmp_path / "long.html", NARROW)
    assert name in browser.run("return document.getElementById('time-legend').textContent")
    assert browser.run("return document.documentElement.scrollWidth") <= NARROW


def test_a_stage_in_a_table_is_not_broken_in_the_middle(browser: Browser, hour_page: Path) -> None:
    browser.open(hour_page)
    cells = "[...document.querySelectorAll('#hotspot-table tbody tr')].map((row) => row.cells[2])"
    assert browser.run(f"return {cells}.every((cell) => cell.clientWidth >= 120)")


def test_dark_is_dark_and_readable(browser: Browser, hour_page: Path) -> None:
    contrast = """
    const linear = (v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    const light = (text) => {
      const [r, g, b] = text.match(/[\\d.]+/g).map((v) => linear(Number(v) / 255));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const text = light(getComputedStyle(document.querySelector(arguments[0])).color);
    const back = light(getComputedStyle(document.querySelector("section")).backgroundColor);
    return [back, (Math.max(text, back) + 0.05) / (Math.min(text, back) + 0.05)];"""
    for dark in (False, True):
        browser.open(hour_page, WIDE, dark)
        for css in ("dd", ".hint", "th", "a"):
            background, ratio = browser.run(contrast, css)
            assert (background < 0.1) is dark
            assert ratio >= 4.5, f"{css} is hard to read"


def test_everything_has_alternative_text(browser: Browser, hour_page: Path) -> None:
    browser.open(hour_page)
    silent = """
    const wanted = "[role=img], [role=tree], [role=region], svg, button, select, input";
    return [...document.querySelectorAll(wanted)]
      .filter((e) => !e.closest("[aria-hidden=true]") && !e.closest("[role=img]:not([aria-label=''])"))
      .filter((e) => !e.ariaLabel && !e.textContent.trim() && !(e.labels && e.labels.length))
      .map((e) => e.outerHTML.slice(0, 90))"""
    assert browser.run(silent) == []
    tables = browser.run("return [...document.querySelectorAll('[data-chart]')].map((e) => e.dataset.chart)")
    assert sorted(tables) == ["flame", "lanes", "stages", "time"]
    for name in tables:
        rows = f"return document.querySelectorAll(\"details[data-table-of='{name}'] tbody tr\").length"
        assert browser.run(rows) > 0


def test_a_real_recording_shows_its_source(browser: Browser, recorded_page: Path) -> None:
    browser.open(recorded_page)
    assert browser.errors() == []
    source = browser.run("return document.getElementById('source').textContent")
    assert "return sum(i * i for i in range(far))" in source
    assert any(label.startswith("Game.step") for label in browser.boxes())
    assert json.loads(browser.run("return document.getElementById('data').textContent"))["windows"]


def test_an_empty_run_says_why_it_is_empty(browser: Browser, goldsplit: Command, tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    header = {
        "format_version": FORMAT_VERSION,
        "id": "empty",
        "command": ["true"],
        "status": "crashed",
        "exit_code": 1,
    }
    (run / "run.json").write_text(json.dumps(header))
    done = goldsplit("report", str(run), "-o", "empty.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    browser.open(tmp_path / "empty.html", NARROW)
    assert browser.errors() == []
    empty = browser.run("return [...document.querySelectorAll('.empty')].map((e) => e.textContent)")
    assert len(empty) >= 7
    assert sum("ot measured" in text for text in empty) >= 7
