from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.record.inside.device.captures import Captures


def graph_class() -> Any:
    class Graph:
        def capture_begin(self, fails: bool = False) -> None:
            if fails:
                raise RuntimeError("no")

        def capture_end(self) -> str:
            return "done"

    return Graph


def test_nobody_asks_while_a_graph_is_recorded() -> None:
    captures, kind = Captures(), graph_class()
    captures.watch(SimpleNamespace(cuda=SimpleNamespace(CUDAGraph=kind)))
    graph = kind()
    with captures.kept_away() as alone:
        assert alone
    graph.capture_begin()
    with captures.kept_away() as alone:
        assert not alone
    assert graph.capture_end() == "done"
    with captures.kept_away() as alone:
        assert alone
    assert captures.count == 1


def test_a_graph_that_could_not_begin_is_not_open() -> None:
    captures, kind = Captures(), graph_class()
    captures.watch(SimpleNamespace(cuda=SimpleNamespace(CUDAGraph=kind)))
    with pytest.raises(RuntimeError):
        kind().capture_begin(fails=True)
    assert captures.open == 0


def test_two_questions_at_once() -> None:
    captures = Captures()
    with captures.kept_away() as first, captures.kept_away() as second:
        assert first
        assert not second
