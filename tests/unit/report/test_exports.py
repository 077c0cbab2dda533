"""The exports against golden files, and the machine formats against their public definitions.

After a wanted change, look at the difference and write the files again:

    GOLDSPLIT_REGENERATE=1 python -m pytest tests/unit/report/test_exports.py
"""

from __future__ import annotations

import csv
import io
import json
import os
import xml.etree.ElementTree
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from goldsplit.diagnose.planning import make_plan
from goldsplit.model.detail import Detail
from goldsplit.model.pasting import joined
from goldsplit.model.report import Report
from goldsplit.report.formats.csv import TABLES, CsvRenderer
from goldsplit.report.formats.flamegraph import FlamegraphRenderer
from goldsplit.report.formats.perfetto import PerfettoRenderer
from goldsplit.report.formats.speedscope import SpeedscopeRenderer
from goldsplit.report.markdown import MarkdownRenderer, code, text
from goldsplit.report.plan import PlanRenderer, shell
from goldsplit.report.words import plain

TESTS = Path(__file__).parents[2]
RUNS = ("nothing", "attached", "subprocess", "single", "crashed", "deep", "nasty")
Reports = dict[str, Report]
Details = dict[str, Detail]


def check_golden(name: str, rendered: str) -> None:
    golden = TESTS / "golden" / name
    if os.environ.get("GOLDSPLIT_REGENERATE"):
        golden.write_text(rendered, encoding="utf-8")
    assert rendered == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("run", ["deep", "single", "attached", "nothing"])
def test_markdown_matches_its_golden_file(run: str, reports: Reports) -> None:
    plan = make_plan(reports[run].profile, reports[run].findings)
    check_golden(f"pull-request-{run}.md", MarkdownRenderer().render(reports[run], plan))


@pytest.mark.parametrize("run", ["deep", "subprocess", "nothing"])
def test_the_plan_matches_its_golden_file(run: str, reports: Reports) -> None:
    plan = make_plan(reports[run].profile, reports[run].findings)
    check_golden(f"plan-{run}.md", PlanRenderer().render(reports[run], plan))


def test_the_other_exports_match_their_golden_files(reports: Reports, details: Details) -> None:
    check_golden("flamegraph-deep.svg", FlamegraphRenderer().render(reports["deep"], details["deep"]))
    for name, renderer in (("speedscope", SpeedscopeRenderer()), ("perfetto", PerfettoRenderer())):
        data = json.loads(renderer.render(reports["deep"], details["deep"]))
        check_golden(f"{name}-deep.json", json.dumps(data, indent=1) + "\n")
    for table in TABLES:
        check_golden(f"{table}-deep.csv", CsvRenderer(table).render(reports["deep"]))


@pytest.mark.parametrize("run", RUNS)
def test_speedscope_files_are_valid(run: str, reports: Reports, details: Details) -> None:
    schema = json.loads((TESTS / "data" / "speedscope-file-format-schema.json").read_text())
    data = json.loads(SpeedscopeRenderer().render(reports[run], details[run]))
    jsonschema.validate(data, schema)
    for profile in data["profiles"]:
        assert len(profile["samples"]) == len(profile["weights"])
        assert profile["endValue"] == pytest.approx(sum(profile["weights"]))
        used = {frame for sample in profile["samples"] for frame in sample}
        assert used <= set(range(len(data["shared"]["frames"])))
    if run == "deep":
        wall = data["profiles"][0]
        assert wall["endValue"] == pytest.approx(0.85 * 100)
        assert [profile["unit"] for profile in data["profiles"]] == ["seconds", "none", "none"]


#: Phase → the fields that an event of it must have, and those that it may have.
REQUIRED = {
    "M": {"name", "ph", "pid", "tid", "args"},
    "X": {"name", "ph", "ts", "dur", "pid", "tid", "cat"},
    "C": {"name", "ph", "ts", "pid", "args"},
}
OPTIONAL = {"M": {"ts"}, "X": {"args"}, "C": {"tid"}}
METADATA = {
    "process_name": ("name", str),
    "thread_name": ("name", str),
    "process_sort_index": ("sort_index", int),
}


def check_event(event: dict[str, Any]) -> None:
    """One event as the Trace Event format has it."""
    phase = event["ph"]
    assert REQUIRED[phase] <= set(event) <= REQUIRED[phase] | OPTIONAL[phase]
    assert isinstance(event["name"], str)
    assert all(isinstance(event[key], int) for key in ("pid", "tid") if key in event)
    assert all(event[key] >= 0 for key in ("ts", "dur") if key in event)
    if phase == "M":
        key, kind = METADATA[event["name"]]
        assert set(event["args"]) == {key}
        assert isinstance(event["args"][key], kind)
    if phase == "C":
        assert event["args"]
        assert all(isinstance(value, (int, float)) for value in event["args"].values())


@pytest.mark.parametrize("run", RUNS)
def test_traces_are_valid(run: str, reports: Reports, details: Details) -> None:
    data = json.loads(PerfettoRenderer().render(reports[run], details[run]))
    assert data["displayTimeUnit"] in ("ms", "ns")
    events = data["traceEvents"]
    for event in events:
        check_event(event)
    named = {(event["pid"], event["tid"]) for event in events if event["name"] == "thread_name"}
    slices = [event for event in events if event["ph"] == "X"]
    assert {(event["pid"], event["tid"]) for event in slices} <= named, "every track has a name"
    check_nesting(slices)


def check_nesting(slices: list[dict[str, Any]]) -> None:
    """Slices of one track lie inside each other or apart; otherwise viewers drop them."""
    tracks: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for event in slices:
        tracks.setdefault((event["pid"], event["tid"]), []).append(event)
    for track in tracks.values():
        ends: list[int] = []
        for event in sorted(track, key=lambda event: (event["ts"], -event["dur"])):
            start_ns = round(1000 * event["ts"])  # viewers count in whole nanoseconds
            while ends and ends[-1] <= start_ns:
                ends.pop()
            end_ns = start_ns + round(1000 * event["dur"])
            assert not ends or end_ns <= ends[-1]
            ends.append(end_ns)


def test_a_trace_has_spans_counters_and_windows(reports: Reports, details: Details) -> None:
    data = json.loads(PerfettoRenderer().render(reports["deep"], details["deep"]))
    slices = [event for event in data["traceEvents"] if event["ph"] == "X"]
    step = next(event for event in slices if event["name"] == "env.step" and event["pid"] == 105)
    assert (step["ts"], step["dur"], step["cat"]) == (10e6, 3e3, "environment")
    counters = {event["name"] for event in data["traceEvents"] if event["ph"] == "C"}
    assert {"env steps/s", "memory (MiB)", "busy cores", "busy % of 105"} == counters
    assert [event["args"]["env.step %"] for event in slices if "env.step %" in event.get("args", {})] == [
        60.0
    ]


def test_a_flame_graph_tells_on_hover_and_without_sight(reports: Reports, details: Details) -> None:
    svg = FlamegraphRenderer().render(reports["deep"], details["deep"])
    tree = xml.etree.ElementTree.fromstring(svg)
    assert tree.get("role") == "img"
    titles = [element.text or "" for element in tree.iter("{http://www.w3.org/2000/svg}title")]
    assert any("sight.py:120" in title and "45 % of wall time" in title for title in titles)
    assert "Wall time by stage: env.step 62 %" in svg
    assert "<script" not in svg


def test_every_box_of_a_flame_graph_lies_inside_the_one_above(reports: Reports, details: Details) -> None:
    from goldsplit.report.formats.flamegraph import place_boxes

    detail = details["deep"]
    boxes = place_boxes(detail.flames[0], detail.frames, 1000)
    assert [(box.depth, round(box.x - 12), round(box.width)) for box in boxes] == [
        (0, 0, 620), (1, 0, 620), (2, 0, 450), (0, 620, 210), (1, 620, 210),
    ]  # fmt: skip
    assert [box.stage for box in boxes] == ["env.step"] * 3 + ["act"] * 2


def test_csv_leaves_a_cell_empty_where_nothing_was_measured(reports: Reports) -> None:
    rows = list(csv.DictReader(io.StringIO(CsvRenderer("stages").render(reports["attached"]))))
    assert [row["stage"] for row in rows] == ["env.step", "learn.backward", "replay.sample", "(no stage)"]
    assert (rows[0]["calls"], rows[0]["wall_share"]) == ("", "0.44")
    assert sum(float(row["wall_share"]) for row in rows) == pytest.approx(1.0)


def test_csv_of_findings_keeps_commas_and_quotes(reports: Reports) -> None:
    source = reports["nasty"].findings[0]
    (row,) = csv.DictReader(io.StringIO(CsvRenderer("findings").render(reports["nasty"]), newline=""))
    assert (row["title"], row["file"]) == (
        plain(source.title),
        plain(source.where.file if source.where else ""),
    )
    assert row["share"] == ""
    assert json.loads(row["evidence"])["x_us"] is None


def test_markdown_escapes_markup_but_leaves_file_names_alone() -> None:
    assert text("train_hexfight.py") == "train_hexfight.py"
    assert text("_x_ *y* a|b <b> `c`") == "\\_x\\_ \\*y\\* a\\|b &lt;b&gt; \\`c\\`"
    assert code("a|b`c`\nd") == "``a\\|b`c` d``"
    assert code("") == "`–`"


def test_a_command_in_markdown_has_every_character() -> None:
    """Another quote in the place of a backtick would end a quoted word: a shell would run what is in it."""
    command = joined(["train.py", "a`;id;`", "```"])
    assert code(command) == f"````{command}````"
    assert code("`") == "`` ` ``"
    assert shell(command) == ["````sh", command, "````"]
