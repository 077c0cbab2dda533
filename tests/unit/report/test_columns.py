"""One list of columns per table: an entry shows up on the terminal and on the page."""

from __future__ import annotations

import dataclasses

import pytest

from goldsplit.model.profile import StageRow
from goldsplit.model.report import Report
from goldsplit.report import columns, words
from goldsplit.report.column import Column, On
from goldsplit.report.html import table
from goldsplit.report.terminal_tables import lane_table, lay_out, widths_of

P50: Column[StageRow] = Column("p50", lambda row: row.p50_us, words.duration, right=True, width=7)


def test_a_new_column_is_one_entry(reports: dict[str, Report]) -> None:
    rows = columns.stage_rows(reports["subprocess"].profile)
    lines = lay_out((*columns.STAGES, P50), rows, 120)
    assert lines[0].endswith("ceiling     p50")
    assert lines[1].endswith("  2.63x 2.48 ms")
    page = table.lay_out("", (*columns.STAGES, P50), rows)
    assert page.columns[-1] is P50
    assert page.rows[0].cells[-1].text == "2.48 ms"


def test_a_column_may_be_for_one_side_only(reports: dict[str, Report]) -> None:
    rows = columns.stage_rows(reports["subprocess"].profile)
    here, there = (dataclasses.replace(P50, on=on) for on in (On.TERMINAL, On.PAGE))
    assert "p50" in lay_out((*columns.STAGES, here), rows, 120)[0]
    assert "p50" not in lay_out((*columns.STAGES, there), rows, 120)[0]
    assert here not in table.lay_out("", (*columns.STAGES, here), rows).columns


def test_a_column_too_many_leaves_out_what_can_be_spared(reports: dict[str, Report]) -> None:
    rows = columns.stage_rows(reports["subprocess"].profile)
    wide = lay_out((*columns.STAGES, P50), rows, 90)
    assert " p95 " in wide[0]
    narrow = lay_out((*columns.STAGES, P50), rows, 80)
    assert " p95 " not in narrow[0]
    assert max(map(len, narrow)) <= 80


@pytest.mark.parametrize("width", range(72, 121))
def test_columns_take_the_whole_width_and_no_more(width: int, reports: dict[str, Report]) -> None:
    spots = reports["deep"].profile.hotspots
    shown = [column for column in columns.HOTSPOTS if On.TERMINAL in column.on and column.title != "stage"]
    assert sum(widths_of(shown, spots, width)) + len(shown) - 1 == width


def test_much_processor_time_still_fits_its_column(reports: dict[str, Report]) -> None:
    lanes = [
        dataclasses.replace(reports["single"].profile.lanes[0], cpu_seconds=used)
        for used in (999.94, 1234.5, 86400.0, None)
    ]
    found = [line.split()[-4] for line in lane_table(lanes, 80)[1:]]
    assert found == ["999.9", "1234", "86400", "–"]


def test_a_long_text_is_shortened_where_it_hurts_least() -> None:
    assert words.without_folder("wargame/sight.py:120", 20) == "wargame/sight.py:120"
    assert words.without_folder("wargame/sight.py:120", 19) == "sight.py:120"
    assert words.without_folder("wargame/sight.py:120", 9) == "…t.py:120"
    assert words.whole_parts("act 21 %, learn.backward 8.0 %", 30) == "act 21 %, learn.backward 8.0 %"
    assert words.whole_parts("act 21 %, learn.backward 8.0 %", 29) == "act 21 %"
    assert words.whole_parts("learn.backward 8.0 %", 9) == "learn.ba…"
