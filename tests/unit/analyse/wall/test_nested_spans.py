"""Spans of a raw window, cut so that they nest."""

from __future__ import annotations

from goldsplit.analyse.wall.nested_spans import nested

NODES = ("rollout", "vec.wait", "env.step", "env.observe", "act")


def cut(*spans: tuple[str, float, float]) -> list[tuple[str, float, float]]:
    """Stage, start and end in seconds of spans in a window from 10 to 20."""
    made = [(NODES.index(stage), round(start * 1e9), round(end * 1e9)) for stage, start, end in spans]
    kept = nested(made, 10_000_000_000, 20_000_000_000)
    return [(NODES[node], start / 1e9, end / 1e9) for node, start, end in kept]


def test_of_two_that_are_alike_the_parent_is_outside() -> None:
    assert cut(("env.observe", 11.0, 12.0), ("env.step", 11.0, 12.0)) == [
        ("env.step", 11.0, 12.0),
        ("env.observe", 11.0, 12.0),
    ]


def test_a_span_that_was_open_before_begins_with_its_stretch() -> None:
    assert cut(("rollout", 2.0, 30.0), ("act", 11.0, 12.0)) == [("rollout", 10.0, 20.0), ("act", 11.0, 12.0)]


def test_of_two_that_were_open_before_the_longer_is_outside() -> None:
    assert cut(("vec.wait", 9.0, 14.0), ("rollout", 2.0, 30.0)) == [
        ("rollout", 10.0, 20.0),
        ("vec.wait", 10.0, 14.0),
    ]


def test_a_child_that_ends_late_is_cut_to_its_parent() -> None:
    assert cut(("env.step", 11.0, 12.0), ("env.observe", 11.5, 12.25)) == [
        ("env.step", 11.0, 12.0),
        ("env.observe", 11.5, 12.0),
    ]


def test_what_lies_outside_the_stretch_is_left_out() -> None:
    assert cut(("act", 1.0, 2.0), ("act", 20.0, 21.0), ("act", 19.0, 21.0)) == [("act", 19.0, 20.0)]
    assert cut() == []
