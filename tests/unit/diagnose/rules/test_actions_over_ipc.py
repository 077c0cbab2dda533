from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.actions_over_ipc import RULE
from goldsplit.model.profile import Fact, Profile

STAGES = {"env.step": 0.3, "vec.send": 0.2, "vec.wait": 0.2, "act": 0.2}


def commands(make: SimpleNamespace, **counts: float) -> list[Fact]:
    return [
        make.fact("command", name.replace("__", ":"), count, place=make.place(20 + i, "choose"))
        for i, (name, count) in enumerate(counts.items())
    ]


def test_masks_and_random_actions_by_message(make: SimpleNamespace, team: Callable[..., Profile]) -> None:
    asked = commands(
        make, step=20_000, env_method__action_masks=20_000, env_method__sample_action=10_000, reset=2
    )
    (finding,) = make.found(RULE, team(STAGES, facts=asked))
    assert finding.where == make.place(21, "choose")
    assert finding.evidence["questions_per_step"] == pytest.approx(1.5)
    assert finding.share == pytest.approx(0.4 * 30_000 / 50_002)


def test_the_users_own_commands_are_known_by_name(
    make: SimpleNamespace, team: Callable[..., Profile]
) -> None:
    asked = commands(make, step=20_000, get_legal_moves=20_000)
    (finding,) = make.found(RULE, team(STAGES, facts=asked))
    assert finding.evidence["questions"] == {"get_legal_moves": 20_000}


@pytest.mark.parametrize(
    "counts", [{"step": 20_000}, {"step": 20_000, "env_method__statistics": 200}, {"step": 9, "close": 20}]
)
def test_rare_questions_are_fine(
    make: SimpleNamespace, team: Callable[..., Profile], counts: dict[str, float]
) -> None:
    assert make.found(RULE, team(STAGES, facts=commands(make, **counts))) == []


def test_without_workers_nothing_is_asked(make: SimpleNamespace) -> None:
    asked = commands(make, step=20_000, env_method__action_masks=20_000)
    assert make.found(RULE, make.profile(STAGES, facts=asked)) == []
