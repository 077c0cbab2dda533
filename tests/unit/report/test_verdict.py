"""Lines of the verdict: for whom the driver waits, who had the cores, what was counted, what is next."""

from __future__ import annotations

import dataclasses

import pytest

from goldsplit.model.launched import record_again
from goldsplit.model.profile import Lane, Profile
from goldsplit.model.recording import CUT_OFF, KEPT_OUT, LOST_WORKER
from goldsplit.model.report import Report
from goldsplit.report.driver_waits import waited_for
from goldsplit.report.next_step import next_step
from goldsplit.report.verdict import counted, warnings, what_next, whose_cores


@pytest.fixture
def profile(reports: dict[str, Report]) -> Profile:
    return reports["single"].profile


def loop_of(driver: Lane, **changes: float) -> Lane:
    """An event loop in another thread, for which the driver waits."""
    shares = {"busy_share": 0.1, "wait_share": 0.8, "charged_share": 0.6} | changes
    return dataclasses.replace(driver, role="other", thread="Thread-1 (run_forever)", thread_id=8, **shares)


def test_a_wait_that_no_work_explains_names_whom_the_driver_waits_for(profile: Profile) -> None:
    wait = dataclasses.replace(profile.stages[0], stage="wait")
    driver = profile.lanes[0]
    assert waited_for(wait, [driver]) == "No recorded thread was working in that time."
    told = "The driver waits mostly for its thread Thread-1 (run_forever) (60 % of the time)"
    assert waited_for(wait, [driver, loop_of(driver)]) == f"{told}, which itself waits 80 % of the time."
    assert waited_for(wait, [driver, loop_of(driver, wait_share=0.2)]) == f"{told}."
    elsewhere = dataclasses.replace(loop_of(driver), pid=99)
    assert "mostly for thread Thread-1 (run_forever) of pid 99 (60 %" in waited_for(wait, [driver, elsewhere])
    worker = dataclasses.replace(elsewhere, thread="MainThread")
    assert "mostly for pid 99 (60 %" in waited_for(wait, [driver, worker])


def test_other_programs_are_blamed_where_this_run_left_cores_free(profile: Profile) -> None:
    def told(cpu_percent: float | None) -> str:
        return whose_cores(dataclasses.replace(profile.system, cpu_percent=cpu_percent, cores=4))

    assert "this run kept only 0.5 of 4 cores busy: other programs" in told(50.0)
    assert "use fewer workers or threads" in told(350.0)
    assert "use fewer workers or threads" in told(None)


def test_without_code_of_your_own_the_next_step_is_a_deeper_look_then_the_plan(
    reports: dict[str, Report],
) -> None:
    shallow = dataclasses.replace(reports["subprocess"].profile, hotspots=[])
    assert "goldsplit record --deep -- python train.py" in next_step(shallow).command
    deep = dataclasses.replace(reports["deep"].profile, hotspots=[])
    assert next_step(deep).command == f"goldsplit plan {deep.run.id}"


def test_counters_of_your_own_are_shown_and_no_others(profile: Profile) -> None:
    counters = {"user:path_searches": 14356.0, "tensor_reads:item": 4867.0}
    flow = dataclasses.replace(profile.throughput, env_steps=2503, counters=counters)
    text = counted(dataclasses.replace(profile, throughput=flow)).text
    assert text.startswith("2503 env steps")
    assert text.endswith("path_searches 14356")


@pytest.mark.parametrize(
    "told",
    [
        f"{KEPT_OUT}: python -E does not load what starts goldsplit in it",
        f"{CUT_OFF}: No space left on device",
        f"{LOST_WORKER} 8 was killed by SIGKILL (out of memory?)",
    ],
)
def test_what_makes_most_of_a_recording_missing_is_the_first_warning(
    reports: dict[str, Report], told: str
) -> None:
    profile = reports["crashed"].profile
    trust = dataclasses.replace(profile.trust, notes=[*profile.trust.notes, told])
    lines = warnings(dataclasses.replace(profile, trust=trust))
    assert [line.text == told for line in lines] == [True] + [False] * (len(lines) - 1)
    assert next(line for line in lines if line.text != told).text == warnings(profile)[0].text


def test_a_program_that_keeps_the_recorder_out_is_to_be_recorded_without_that_option(
    reports: dict[str, Report],
) -> None:
    single = reports["single"]
    told = f"{KEPT_OUT}: python -E does not load what starts goldsplit in it"
    trust = dataclasses.replace(single.profile.trust, notes=[told])
    kept_out = dataclasses.replace(single.profile, trust=trust)
    line = what_next(dataclasses.replace(single, profile=kept_out))
    assert "without the option of Python" in line.text
    assert "--deep" in record_again(single.profile, deep=True)
    assert "--deep" not in record_again(kept_out, deep=True), "a deep look would see nothing"
