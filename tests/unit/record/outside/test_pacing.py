"""How often and how long to sample, from what is known so far."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldsplit.record.outside import pacing
from goldsplit.record.outside.pacing import ENOUGH_SAMPLES, Pace, Situation, measured_tick, next_pace

NOW = Situation(
    loop_seconds=1.0,
    fewest_samples=0,
    spent_seconds=0.0,
    tick_seconds=0.0005,
    processes=1,
    busy_cores=1.0,
    free_cores=0.0,
)


def simulated(now: Situation, until: float) -> tuple[float, float]:
    """Samples and processor seconds of a run that is sampled chunk after chunk until then."""
    samples, spent, at = 0.0, 0.0, now.loop_seconds or 0.0
    while at < until:
        pace = next_pace(
            dataclasses.replace(now, loop_seconds=at, fewest_samples=int(samples), spent_seconds=spent)
        )
        seconds = min(pace.seconds, until - at)
        samples += pace.rate * (seconds - 0.3)
        spent += pacing.START_SECONDS * now.processes + pace.rate * seconds * now.tick_seconds
        at += seconds + 0.2
    return samples, spent


@pytest.mark.parametrize("tick_seconds", [0.0002, 0.0005, 0.001, 0.002, 0.003])
@pytest.mark.parametrize("noticed_after", [0.3, 2.0, 4.0])
def test_half_a_minute_of_the_loop_gives_enough_samples(tick_seconds: float, noticed_after: float) -> None:
    now = dataclasses.replace(NOW, tick_seconds=tick_seconds, loop_seconds=noticed_after)
    samples, _ = simulated(now, 30.0)
    assert samples >= ENOUGH_SAMPLES


@pytest.mark.parametrize(("tick_seconds", "busy_cores"), [(0.0003, 1.0), (0.001, 1.0), (0.002, 2.0)])
def test_the_first_minute_stays_in_its_budget(tick_seconds: float, busy_cores: float) -> None:
    now = dataclasses.replace(NOW, tick_seconds=tick_seconds, busy_cores=busy_cores)
    _, spent = simulated(now, 60.0)
    assert spent <= 1.1 * pacing.FIRST_BUDGET * busy_cores * 60


@pytest.mark.parametrize("tick_seconds", [0.0003, 0.001, 0.002])
def test_a_long_run_stays_in_the_smaller_budget(tick_seconds: float) -> None:
    now = dataclasses.replace(NOW, tick_seconds=tick_seconds)
    samples, spent = simulated(now, 600.0)
    sooner, spent_sooner = simulated(now, 60.0)
    assert (spent - spent_sooner) / 540 <= 1.1 * pacing.LATER_BUDGET
    assert samples > 2 * sooner, "a longer run knows more"


def test_a_loop_that_nothing_recognises_is_not_sampled_densely_for_ever() -> None:
    rates = [
        next_pace(dataclasses.replace(NOW, loop_seconds=None, chunks_before=n, tick_seconds=0.002)).rate
        for n in (0, 5, 6, 99)
    ]
    assert rates == [pacing.RATE_TO_REACH_IT, pacing.RATE_TO_REACH_IT, 4, 4]


def test_chunks_do_not_get_shorter_than_starting_them_is_worth() -> None:
    lengths = [next_pace(dataclasses.replace(NOW, loop_seconds=at)).seconds for at in (0, 6, 28, 57, 70, 500)]
    assert lengths == [8, 24, 32, 60, 60, 120]


def test_while_no_loop_is_seen_chunks_are_short_and_dense_enough() -> None:
    before = [
        next_pace(dataclasses.replace(NOW, loop_seconds=None, chunks_before=n, spans_tell_stages=False))
        for n in range(5)
    ]
    assert [pace.seconds for pace in before] == [5, 5, 10, 20, 20]
    assert all(pace.rate >= pacing.RATE_TO_REACH_IT for pace in before)


def test_where_only_stacks_tell_the_stages_more_are_taken_in_shorter_chunks() -> None:
    without = dataclasses.replace(NOW, spans_tell_stages=False, tick_seconds=0.0003, loop_seconds=300.0)
    assert next_pace(without).seconds == pacing.LONGEST_WITHOUT_SPANS
    first = dataclasses.replace(without, loop_seconds=0.0)
    assert next_pace(first).rate == pacing.MOST_WITHOUT_SPANS
    assert next_pace(dataclasses.replace(first, spans_tell_stages=True)).rate == pacing.MOST_CROWDED


def test_a_free_core_allows_more() -> None:
    cheap = dataclasses.replace(NOW, tick_seconds=0.0002)
    assert next_pace(cheap).rate == pacing.MOST_CROWDED
    assert next_pace(dataclasses.replace(cheap, free_cores=1.0)).rate == pacing.MOST_FREE


def test_a_sample_of_hundreds_of_threads_is_too_expensive_to_be_frequent() -> None:
    assert next_pace(dataclasses.replace(NOW, tick_seconds=0.02)).rate == 3
    assert next_pace(dataclasses.replace(NOW, tick_seconds=1.0)).rate == pacing.LEAST_RATE


def test_what_was_overspent_is_made_up_for() -> None:
    enough = dataclasses.replace(NOW, loop_seconds=30.0, fewest_samples=ENOUGH_SAMPLES, tick_seconds=0.003)
    assert next_pace(dataclasses.replace(enough, spent_seconds=0.2)).rate > pacing.LEAST_RATE
    assert next_pace(dataclasses.replace(enough, spent_seconds=1.5)).rate == pacing.LEAST_RATE


def test_a_sleeping_program_is_sampled_too() -> None:
    assert next_pace(dataclasses.replace(NOW, busy_cores=0.0)).rate >= pacing.RATE_TO_REACH_IT


@given(
    st.builds(
        Situation,
        loop_seconds=st.none() | st.floats(0, 1e6),
        fewest_samples=st.integers(0, 10_000),
        spent_seconds=st.floats(0, 1e4),
        tick_seconds=st.floats(1e-5, 10),
        processes=st.integers(1, 200),
        busy_cores=st.floats(0, 256),
        free_cores=st.floats(-10, 256),
        spans_tell_stages=st.booleans(),
        chunks_before=st.integers(0, 100),
    )
)
def test_rate_and_length_stay_in_their_limits(now: Situation) -> None:
    pace = next_pace(now)
    assert pacing.LEAST_RATE <= pace.rate <= pacing.MOST_WITHOUT_SPANS
    assert pacing.SHORTEST_CHUNK <= pace.seconds <= pacing.LONGEST_CHUNK
    assert isinstance(pace, Pace)


def test_the_cost_of_a_sample_is_without_that_of_the_start() -> None:
    assert measured_tick(cpu_seconds=0.22, ticks=200, before=9.0) == pytest.approx(0.001)
    assert measured_tick(cpu_seconds=0.25, ticks=19, before=9.0) == 9.0, "too few to tell"
    assert measured_tick(cpu_seconds=0.04, ticks=100, before=9.0) == pytest.approx(0.0002)
    assert pacing.first_guess(9) > pacing.first_guess(1)


def test_who_looks_on_sees_stacks_soon_and_fresh_ones_later() -> None:
    watched = dataclasses.replace(NOW, is_watched=True)
    assert next_pace(watched).seconds == pacing.FIRST_WATCHED <= 3
    assert next_pace(dataclasses.replace(watched, loop_seconds=None)).seconds == pacing.FIRST_WATCHED
    later = dataclasses.replace(watched, loop_seconds=400.0, fewest_samples=900)
    assert (
        next_pace(later).seconds
        == pacing.WATCHED_CHUNK
        < next_pace(dataclasses.replace(later, is_watched=False)).seconds
    )
