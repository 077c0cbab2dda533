"""Raw windows as gapless segments."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from goldsplit.analyse.wall.timeline import GAP, Segment, SegmentRow, ThreadTimeline, flatten
from goldsplit.model.recording import RawSpan

START, END = 1000, 2000


def flat(rows: list[RawSpan]) -> list[Segment]:
    """The window's segments, each with its start."""
    ends, nodes = flatten(rows, START, END)
    return list(map(Segment, [START, *ends], ends, nodes))


def check_cover(segments: list[Segment]) -> None:
    """The window is covered exactly once, in order."""
    assert segments[0].start_ns == START
    assert segments[-1].end_ns == END
    assert all(segment.end_ns > segment.start_ns for segment in segments)


spans = st.lists(
    st.tuples(st.integers(2, 9), st.integers(800, 2200), st.integers(0, 900)).map(
        lambda s: RawSpan(s[0], s[1], s[1] + s[2])
    ),
    max_size=30,
)


@given(spans)
def test_any_spans_cover_the_window_exactly_once(rows: list[RawSpan]) -> None:
    """Even spans that overlap without nesting, which clocks and packing may produce."""
    check_cover(flat(rows))


@st.composite
def nested(draw: st.DrawFn, low: int = START, high: int = END, depth: int = 0) -> list[RawSpan]:
    """Properly nested spans inside an interval."""
    rows: list[RawSpan] = []
    at = low
    for _ in range(draw(st.integers(0, 3))):
        if high - at < 2:
            break
        begin = draw(st.integers(at, high - 1))
        end = draw(st.integers(begin + 1, high))
        rows.append(RawSpan(draw(st.integers(2, 99)), begin, end))
        if depth < 3:
            rows += draw(nested(begin, end, depth + 1))
        at = end
    return rows


@given(nested())
def test_each_instant_belongs_to_the_innermost_span(rows: list[RawSpan]) -> None:
    segments = flat(rows)
    check_cover(segments)
    for segment in segments:
        middle = (segment.start_ns + segment.end_ns) // 2
        around = [row for row in rows if row.start_ns <= middle < row.end_ns]
        if not around:
            assert segment.node == GAP
        else:
            shortest = min(row.end_ns - row.start_ns for row in around)
            assert segment.node in {row.node for row in around if row.end_ns - row.start_ns == shortest}


def test_a_small_example() -> None:
    rows = [RawSpan(3, 1200, 1300), RawSpan(2, 1100, 1500), RawSpan(4, 1800, 2600), RawSpan(9, 100, 900)]
    assert flat(rows) == [
        Segment(1000, 1100, GAP),
        Segment(1100, 1200, 2),
        Segment(1200, 1300, 3),
        Segment(1300, 1500, 2),
        Segment(1500, 1800, GAP),
        Segment(1800, 2000, 4),
    ]


def test_an_empty_window_is_one_gap() -> None:
    assert flat([]) == [Segment(START, END, GAP)]
    assert flatten([], START, START) == ([], [])


def test_segments_between_two_instants(maker: Any) -> None:
    one = maker(7)
    step = one.node("env.step")
    one.raw(100, 200, (step, 110, 150))
    one.raw(500, 600, (step, 450, 650))
    timeline = ThreadTimeline(one.process, 0)
    assert timeline.between(120, 170) == [Segment(120, 150, step), Segment(150, 170, GAP)]
    assert timeline.between(0, 105) == [Segment(100, 105, GAP)]
    assert timeline.between(190, 510) == [Segment(190, 200, GAP), Segment(500, 510, step)]
    assert timeline.between(200, 500) == []
    assert timeline.between(610, 700) == []


def test_tasks_lie_beside_the_segments(maker: Any) -> None:
    one = maker(7)
    step, battle = one.node("act"), one.node("env.step", task=True)
    one.raw(100, 200, (step, 110, 150), (battle, 90, 180))
    timeline = ThreadTimeline(one.process, 0)
    assert {segment.node for segment in timeline.row} == {GAP, step}
    assert timeline.task_at(120) == battle
    assert timeline.task_at(185) is None


def test_work_and_waits_are_told_apart(maker: Any) -> None:
    one = maker(7)
    step, send, wait = one.node("env.step"), one.node("vec.send"), one.node("vec.recv", "vec.wait")
    one.raw(0, 100, (step, 10, 30), (send, 30, 40), (wait, 50, 90))
    timeline = ThreadTimeline(one.process, 0)
    assert list(timeline.work) == [Segment(10, 30, step)], "passing messages is no work"
    assert list(timeline.waits) == [Segment(50, 90, wait)]
    assert len(timeline.row) == 6


intervals = st.lists(st.integers(0, 200), min_size=2, max_size=12, unique=True).map(sorted)


@given(intervals, st.integers(-5, 210), st.integers(0, 100))
def test_a_row_is_searched_as_if_instant_by_instant(points: list[int], start: int, length: int) -> None:
    end = start + length
    starts, ends = points[0 : len(points) // 2 * 2 : 2], points[1::2]
    row = SegmentRow(starts, ends, list(range(2, 2 + len(ends))))
    covered = {t for a, b in zip(starts, ends, strict=True) for t in range(a, b)} & set(range(start, end))
    assert row.length_ns(start, end) == len(covered)
    found = row.between(start, end)
    assert {t for one in found for t in range(one.start_ns, one.end_ns)} == covered
    assert row.last(start, end) == ((found[-1].start_ns, found[-1].end_ns) if found else None)
    assert list(row.only({2})) == [Segment(starts[0], ends[0], 2)]
