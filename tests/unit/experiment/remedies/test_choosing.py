"""Which remedies are tried, for how long, and what is said about each: pure parts of `goldsplit try`."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import pytest

from goldsplit.analyse.profile import analyse
from goldsplit.experiment.comparison import Equal
from goldsplit.experiment.remedies import candidates as choosing
from goldsplit.experiment.remedies.schedule import (
    BESIDE_SECONDS,
    Pace,
    make_schedule,
    pace_of,
    recording_seconds,
    trials_for,
)
from goldsplit.experiment.remedies.verdicts import fit_together, is_hopeless, subject, wrong_at_once
from goldsplit.model.experiment.trial import TrialStatus
from goldsplit.model.experiment.tried import KEEP, Candidate, Measured, Tried
from goldsplit.model.fact_wire import FactKind
from goldsplit.model.finding import Finding
from goldsplit.model.overlays.overlay import OVERLAYS, OverlayUse
from goldsplit.model.profile import Fact, ProcessFigures, Profile
from goldsplit.model.recording import Recording
from goldsplit.model.report import Report


def a_profile(*, pool: str = "", native: float = 0.0) -> Profile:
    facts = [Fact(FactKind.TORCH_POOL, pool, 1, "driver", 1.0, 0.0)] if pool else []
    processes = [ProcessFigures(1, "driver", 10.0, 10.0, 10.0 - native, [], native_threads=3)]
    empty = analyse(Recording({}, [], [], [], []))
    return dataclasses.replace(empty, facts=facts, processes=processes)


def a_finding(overlays: tuple[str, ...], ceiling: float | None) -> Finding:
    return Finding("r", "title", None, None, {}, 0.3, ceiling, "high", "do it", "", overlays=overlays)


def texts(found: list[Candidate]) -> list[str]:
    return [one.overlay for one in found]


def test_one_overlay_for_two_findings_is_one_candidate_with_a_joint_prediction() -> None:
    both = (a_finding(("compiled-text",), 1.2), a_finding(("compiled-text",), 1.7))
    (found,) = choosing.candidates(Report(a_profile(), both))
    assert (found.predicted_gain or 0.0) >= 1.7


def test_what_the_user_names_keeps_its_findings_prediction() -> None:
    report = Report(a_profile(), (a_finding(("constant:game:sees", "memo:game:sees"), 1.4),))
    (found,) = choosing.candidates(report, extra=("memo:game:sees",), only=True)
    assert (found.finding, found.predicted_gain) == ("r", 1.4)
    (other,) = choosing.candidates(report, extra=("quiet",), only=True)
    assert (other.finding, other.predicted_gain) == ("", None)


def test_findings_offer_and_the_largest_comes_first() -> None:
    found = choosing.candidates(
        Report(
            a_profile(pool="2"),
            (
                a_finding(("constant:game:sees", "memo:game:sees"), 1.4),
                a_finding(("no-such-overlay",), 3.0),
                a_finding(("every:4:learn.loss",), 3.0),
                a_finding(("memo:game:path",), 1.01),
                a_finding(("compiled-text",), 2.0),
            ),
        ),
        extra=("no-validation",),
    )
    assert texts(found) == ["compiled-text", "constant:game:sees", "no-validation", "threads:1"]
    assert found[1].for_good == "do it"  # the rule names the function, the overlay would say it again
    assert found[0].for_good.startswith("do it; compile each text once")
    assert found[3].predicted_gain is None


def test_a_remedy_without_a_ceiling_is_tried_in_the_order_of_its_finding() -> None:
    threads = dataclasses.replace(a_finding(("threads:1",), None), share=0.6, unbounded=True)
    found = choosing.candidates(Report(a_profile(pool="2"), (a_finding(("compiled-text",), 2.0), threads)))
    assert [(one.overlay, one.predicted_gain) for one in found] == [
        ("threads:1", None),
        ("compiled-text", 2.0),
    ]


def test_only_what_the_user_asks_for() -> None:
    report = Report(a_profile(pool="2"), (a_finding(("compiled-text",), 2.0),))
    assert texts(choosing.candidates(report, ("threads:2",), only=True)) == ["threads:2"]


@pytest.mark.parametrize(
    ("pool", "native", "has"), [("1", 5.0, False), ("4", 0.0, True), ("", 5.0, True), ("", 0.1, False)]
)
def test_a_pool_that_computes(pool: str, native: float, has: bool) -> None:
    assert choosing.has_pool(a_profile(pool=pool, native=native)) is has


@pytest.mark.parametrize(
    ("methods", "offered"),
    [((), True), (("fork",), True), (("forkserver",), False), (("fork", "forkserver"), True)],
)
def test_a_start_method_that_the_program_has_is_not_offered(methods: tuple[str, ...], offered: bool) -> None:
    worker = SimpleNamespace(role="env-worker")
    facts = [Fact(FactKind.START_METHOD, one, 1, "driver", 2.0, 0.0) for one in methods]
    profile = dataclasses.replace(a_profile(), lanes=[worker], facts=facts)
    report = Report(profile, (a_finding((choosing.OTHER_START,), 2.0),))
    assert (choosing.OTHER_START in texts(list(choosing.always(profile)))) is offered
    assert (choosing.OTHER_START in texts(choosing.candidates(report))) is offered


def test_every_remedy_says_how_to_have_it_for_good() -> None:
    for one in OVERLAYS:
        if not one.is_ablation and one.name != "seed":
            text = f"{one.name}:{one.example}" if one.example else one.name
            assert choosing.for_good(text), one.name
    assert "game:sees" in choosing.for_good("memo:game:sees@run,verify=3")


def test_a_schedule_fits_its_time() -> None:
    found = [Candidate(f"memo:a:f{n}", "r", "t", 1.5, "") for n in range(6)]
    for seconds in (60.0, 300.0, 900.0, 3600.0):
        made = make_schedule(found, seconds, Pace(3.0, 100.0, None))
        spent = trials_for(len(made.candidates)) * (made.trial_seconds + BESIDE_SECONDS)
        assert spent <= seconds + 1 or len(made.candidates) == 1
        assert [*made.candidates, *made.left_out] == found
        assert made.trial_seconds >= 3.0 + 4.0
    assert made.left_out == ()


def test_trials_are_long_enough_for_slow_games_and_as_the_user_says() -> None:
    one = [Candidate("threads:1", "", "t", None, "")]
    assert make_schedule(one, 60.0, Pace(2.0, 1.0, None)).trial_seconds == 52.0
    assert make_schedule(one, 60.0, Pace(2.0, 1.0, None), 5.0).trial_seconds == 5.0
    short = make_schedule([*one, *one], 200.0, Pace(2.0, 100.0, 2.5))
    assert len(short.candidates) == 2  # the command itself ends after 2.5 s


def test_the_recording_says_how_long_a_trial_must_be() -> None:
    profile = a_profile()
    pace = pace_of(dataclasses.replace(profile, run=dataclasses.replace(profile.run, status="complete")))
    assert pace.whole_seconds == profile.run.wall_seconds
    assert pace_of(dataclasses.replace(profile, run=dataclasses.replace(profile.run, status="interrupted")))
    assert recording_seconds(900.0) == 90.0
    assert recording_seconds(60.0) == 12.0


def test_what_is_wrong_at_once(make: SimpleNamespace) -> None:
    stopped = make.trial(
        0, "x", status=TrialStatus.FAILED, problem="exit code 4: f(3) gives 5, but 4 was kept"
    )
    fails = make.trial(0, "x", status=TrialStatus.FAILED, problem="exit code 1: TypeError")
    fine = make.trial(0, "x")
    same, other = Equal("yes"), Equal("no", "reward differs in step 8")
    assert wrong_at_once("memo:a:f", stopped, same, []) == (
        "it would have changed an answer: f(3) gives 5, but 4 was kept"
    )
    assert wrong_at_once("memo:a:f", fails, same, []).startswith("the program fails with it: exit code 1")
    assert "reward differs in step 8" in wrong_at_once("memo:a:f", fine, other, [])
    assert wrong_at_once("threads:1", fine, other, [OverlayUse("threads:1", {"torch": 1})]) == ""
    assert wrong_at_once("threads:1", fine, same, [OverlayUse("threads:1")])


def test_hopeless_needs_four_pairs_without_any_gain(make: SimpleNamespace) -> None:
    plan = make.plan("fast")
    even = [make.trial(block, name) for block in range(4) for name in ("base", "fast")]
    assert is_hopeless(plan, plan.others[0], even)
    assert not is_hopeless(plan, plan.others[0], even[:6])
    once = [*even[:6], even[6], make.trial(3, "fast", 9.0)]
    assert not is_hopeless(plan, plan.others[0], once)


def test_two_remedies_of_one_function_are_not_put_on_together() -> None:
    names = (
        "constant:a:f,after=9",
        "memo:a:f@run",
        "memo:a:g",
        "threads:1",
        "threads:2",
        "fast:gae",
        "fast:replay",
    )
    kept = [Tried(Candidate(text, "", "", None, ""), Measured(), "yes", "", KEEP, "") for text in names]
    assert fit_together(kept) == ("constant:a:f,after=9", "memo:a:g", "threads:1", "fast:gae", "fast:replay")
    assert subject("memo:a:f@run") == subject("constant:a:f,after=9")
