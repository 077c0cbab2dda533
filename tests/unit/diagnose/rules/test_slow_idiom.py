"""A slow way of writing counts only where samples say that its line is hot."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.slow_idiom import RULE
from goldsplit.model.hot_code.source_look import Idiom, IdiomKind, SourceLook


def run(make: SimpleNamespace, share: float = 0.3, part: float = 0.6, samples: int = 100) -> SimpleNamespace:
    place = make.place(36, "Cave.flood")
    idiom = Idiom(IdiomKind.SEARCH_IN_LIST, place, "if cell not in seen:", (36,), share, part)
    cost = make.function_cost(
        "Cave.flood", 0.5, samples=samples, stages={"env.observe": 0.5}, own_lines={36: share}
    )
    return make.profile({"env.observe": 0.6}, functions=[cost], source=SourceLook([idiom]))


def test_a_hot_line_is_found(make: SimpleNamespace) -> None:
    (found,) = make.found(RULE, run(make))
    assert found.where.line == 36
    assert found.share == pytest.approx(0.3)
    assert found.stage == "env.observe"
    assert "set" in found.remedy
    assert found.ceiling_speedup == pytest.approx(1 / 0.7)
    assert found.share_low < 0.3 < found.share_high


def test_cold_lines_and_few_samples_are_not(make: SimpleNamespace) -> None:
    assert make.found(RULE, run(make, share=0.02)) == []
    assert make.found(RULE, run(make, part=0.1)) == []
    assert make.found(RULE, run(make, samples=10)) == []


def test_every_kind_has_its_words(make: SimpleNamespace) -> None:
    kinds = [value for name, value in vars(IdiomKind).items() if name.isupper()]
    for kind in kinds:
        seen = run(make)
        idiom = seen.source.idioms[0]
        changed = Idiom(kind, idiom.place, idiom.text, idiom.lines, idiom.share, idiom.part_of_function)
        functions = seen.functions
        again = make.profile({"env.observe": 0.6}, functions=functions, source=SourceLook([changed]))
        (found,) = make.found(RULE, again)
        assert found.evidence["idiom"] == kind
