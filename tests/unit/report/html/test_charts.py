"""What the drawing code is given."""

from __future__ import annotations

import json

import pytest

from goldsplit.model.detail import Detail
from goldsplit.model.report import Report
from goldsplit.report.html.charts import chart_data, embedded_json, stage_order, stage_paint


def test_json_inside_a_script_keeps_its_meaning_and_cannot_end_it() -> None:
    data = {"name": "</script><!-- & \u2028 é"}
    text = embedded_json(data)
    assert json.loads(text) == data
    assert not set("<>&\u2028é") & set(text)


def test_a_figure_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        embedded_json({"share": float("nan")})


def test_a_category_has_one_colour_in_several_shades(reports: dict[str, Report], detail: Detail) -> None:
    paint = stage_paint(reports["subprocess"].profile, detail)
    assert paint["env.step"] == ("environment", 0)
    assert paint["learn.backward"] == ("learning", 0)
    assert paint["learn.optimizer"] == ("learning", 1)


def test_stages_of_a_category_lie_together(reports: dict[str, Report], detail: Detail) -> None:
    order = stage_order(reports["subprocess"].profile, detail)
    assert order == ["env.step", "act", "learn.backward", "learn.optimizer", "vec.send", "log"]


def test_only_frames_that_are_shown_are_numbered(reports: dict[str, Report], detail: Detail) -> None:
    data = chart_data(reports["subprocess"].profile, detail)
    assert len(data["frames"]) == 5
    first = data["flames"][0]
    assert first["nodes"][:4] == [0, 0, 0.62, 0]
    assert data["frames"][1] == ["Battle.step", 1, 12, 1]
    assert data["files"][1] == "/home/me/wargame/battle.py"
    assert [flame["name"] for flame in data["flames"]] == [
        "the whole run, by wall time",
        "train.py 101 (driver)",
    ]
