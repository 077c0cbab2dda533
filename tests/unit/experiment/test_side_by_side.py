"""Two profiles compared per env step."""

from __future__ import annotations

import dataclasses
from typing import Any

from goldsplit.analyse.profile import analyse
from goldsplit.experiment.side_by_side import side_by_side
from goldsplit.model.experiment.side_by_side import Change
from goldsplit.model.profile import Hotspot, Place, Profile, StageRow, UserLine
from goldsplit.model.progress import Window
from goldsplit.model.recording import Recording
from goldsplit.report.experiments.side_by_side_renderers import (
    SideBySideMarkdown,
    SideBySidePage,
    SideBySideRenderer,
)
from goldsplit.report.terminal import TerminalRenderer

NOTHING = analyse(Recording({}, [], [], [], []))


def stage(name: str, us: float, step_us: float, calls: int = 1000) -> StageRow:
    share = us / step_us
    exact = (calls, us, us, us, us, us, 1.0, 1.0, None, 0.0)
    return StageRow(name, "environment", "span", share, share, share, share, *exact)


def spot(function: str, share: float, samples: int, folder: str = "/a") -> Hotspot:
    return Hotspot(function, f"{folder}/game.py", 7, "env.step", share, share, samples, 2.0, "yours")


def run(
    step_us: float, stages: dict[str, float], spots: list[Hotspot], noise: float = 0.0, **changes: Any
) -> Profile:
    windows = []
    for i in range(10):
        shares = {name: us / step_us * (1 + noise * (-1) ** i) for name, us in stages.items()}
        windows.append(Window(float(i), 1.0, int(1e6 / step_us), None, None, None, shares))
    speed = dataclasses.replace(
        NOTHING.throughput, env_steps=1000, steady_env_steps=1000, windows=windows,
        seconds_per_1000_env_steps=step_us / 1000, **changes,
    )  # fmt: skip
    rows = [stage(name, us, step_us) for name, us in stages.items()]
    return dataclasses.replace(NOTHING, throughput=speed, stages=rows, hotspots=spots)


def test_stages_and_functions() -> None:
    first = run(
        1000, {"env.step": 700, "act": 300, "log": 1}, [spot("step", 0.6, 400), spot("rare", 0.01, 3)]
    )
    second = run(
        600,
        {"env.step": 290, "act": 310, "env.mask": 50},
        [spot("step", 0.3, 400, "/tree"), spot("mask", 0.08, 90)],
    )
    first = dataclasses.replace(first, trust=dataclasses.replace(first.trust, samples=700))
    found = side_by_side(first, second)
    assert found.speedup == 1000 / 600
    assert [(row.name, row.change) for row in found.stages] == [
        ("env.step", Change.CHEAPER),
        ("env.mask", Change.NEW),
        ("act", Change.NOISE),
    ]
    assert [(row.name, row.change) for row in found.functions] == [
        ("step (env.step)", Change.CHEAPER),
        ("mask (env.step)", Change.NEW),
    ]
    assert found.functions[0].where == "game.py:7"
    assert "not pairs" in found.warnings[0]


def test_what_a_run_may_only_not_have_seen_is_not_only_in_the_other() -> None:
    def with_samples(profile: Profile, samples: int, **changes: Any) -> Profile:
        trust = dataclasses.replace(profile.trust, samples=samples)
        return dataclasses.replace(profile, trust=trust, **changes)

    named, nothing = run(1000, {}, [spot("mask", 0.08, 90)]), run(1000, {}, [])
    line = UserLine(Place("/b/game.py", 9, "mask"), "env.step", 0.001, 2)
    for other, new, gone in (
        (with_samples(nothing, 1000), Change.NEW, Change.GONE),
        (with_samples(nothing, 40), Change.FEW_IN_FIRST, Change.FEW_IN_SECOND),
        (with_samples(nothing, 1000, user_lines=[line]), Change.FEW_IN_FIRST, Change.FEW_IN_SECOND),
    ):
        assert side_by_side(other, named).functions[0].change == new
        found = side_by_side(named, other)
        assert found.functions[0].change == gone
        shown = SideBySideRenderer(TerminalRenderer(width=80)).render(found)
        assert gone.replace(" samples", "") in shown.replace(" samples", "")


def test_each_line_of_markdown_says_what_it_is() -> None:
    first = run(1000, {"act": 500}, [], updates_per_env_step=0.25)
    found = side_by_side(first, run(1000, {"act": 500}, [], updates_per_env_step=1.0))
    bullets = [line for line in SideBySideMarkdown().render(found).splitlines() if line.startswith("- ")]
    assert [line.split(": ")[0] for line in bullets] == ["- A", "- B", "- Speed"] + ["- Warning"] * 4


def test_a_change_within_the_noise_of_windows_is_none() -> None:
    calm = side_by_side(run(1000, {"act": 500}, []), run(1300, {"act": 800}, []))
    assert calm.stages[0].change == Change.EXPENSIVE
    noisy = side_by_side(run(1000, {"act": 500}, [], noise=0.9), run(1300, {"act": 800}, [], noise=0.9))
    assert noisy.stages[0].change == Change.NOISE


def test_what_makes_runs_hard_to_compare_is_said() -> None:
    first = run(1000, {"act": 500}, [], updates_per_env_step=0.25)
    second = run(1000, {"act": 500}, [], updates_per_env_step=1.0)
    info = dataclasses.replace(NOTHING.run, host="other", python="3.12")
    trust = dataclasses.replace(NOTHING.trust, waited_for_cpu_share=0.4)
    told = " ".join(side_by_side(first, dataclasses.replace(second, run=info, trust=trust)).warnings)
    for words in (
        "updates per env step",
        "B had no core for 40 %",
        "on other",
        "versions",
        "no stack samples",
    ):
        assert words in told
    nothing = side_by_side(NOTHING, NOTHING)
    assert (nothing.speedup, nothing.stages, nothing.functions) == (None, [], [])
    assert "A counted no env steps" in " ".join(nothing.warnings)


def test_all_renderers() -> None:
    odd = "<script>|`x`\x1b[2J"
    first = run(1000, {odd: 700, "act": 300}, [spot(odd, 0.6, 400)])
    found = side_by_side(first, run(600, {odd: 290, "act": 310}, [spot(odd, 0.3, 400)]))
    text = SideBySideRenderer(TerminalRenderer(width=80)).render(found)
    assert max(map(len, text.splitlines())) <= 80
    assert "1.67x" in text
    assert "cheaper" in text
    assert "\x1b" not in text
    markdown = SideBySideMarkdown().render(found)
    assert "| stage |" in markdown
    page = SideBySidePage().render(found)
    assert "<script>" not in page
    assert "cheaper" in page
    for rendered in (text, markdown, page):
        assert "None" not in rendered
    for renderer in (SideBySideRenderer(TerminalRenderer()), SideBySideMarkdown(), SideBySidePage()):
        assert "nan" not in renderer.render(side_by_side(NOTHING, NOTHING))
