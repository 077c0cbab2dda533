"""How often and how long to sample next: pure functions of what is known so far.

What counts is the beginning of the training loop, not that of the program: whoever records a minute wants to
know where it went. So the first half minute of the loop is sampled often, whatever came before it, and the
rest of the first minute makes up for it where that was expensive. Later the budget is smaller.
"""

from __future__ import annotations

from dataclasses import dataclass

#: In-loop samples of the driver, and of each kind of worker, that a report can rest on; wanted within the
#: first half minute of the loop.
ENOUGH_SAMPLES = 400
#: Samples per second that reach it, with some seconds lost to noticing the loop and to starting py-spy.
RATE_TO_REACH_IT = 18
#: The most samples per second: no core is free, one is, only stacks can tell the stages.
MOST_CROWDED, MOST_FREE, MOST_WITHOUT_SPANS = 25, 50, 60
LEAST_RATE, MOST_LATER = 2, 20
#: Share of the busy processors that sampling may cost: over the loop's first minute, and later.
FIRST_BUDGET, LATER_BUDGET = 0.025, 0.01
#: Never more than this share, even to reach enough samples: a program of hundreds of threads gets fewer.
MOST_SHARE = 0.06
#: A program that sleeps most of the time is sampled as if it kept so many processors busy.
LEAST_BUSY_CORES = 0.5
#: Processor seconds: to start py-spy for one process; and, until it is measured, to sample one process with
#: one thread, and each further thread.
START_SECONDS = 0.02
FIRST_GUESS_SECONDS, GUESS_PER_THREAD = 0.0004, 0.0001
FIRST_MINUTE = 60.0
#: Chunks end at these seconds of the loop. The first is short: it shows what a sample costs.
BORDERS = (8.0, 30.0, FIRST_MINUTE)
SHORTEST_CHUNK = 5.0
#: Later chunks: starting py-spy is expensive, but a killed run loses the last one.
LATER_CHUNK, LONGEST_CHUNK, LONG_RUN = 60.0, 120.0, 240.0
#: Chunks while no loop has been seen yet.
SEARCH_CHUNKS = (5.0, 5.0, 10.0, 20.0)
#: While somebody looks on (`--live`), stacks come soon and stay fresh: the first chunk, and each later one.
FIRST_WATCHED, WATCHED_CHUNK = 2.0, 10.0
#: After so many of them, about a minute, the program may have a loop that nothing here recognises.
MOST_SEARCHES = 5
#: The longest chunk where only stacks tell the stages: without it nothing is known of its time.
LONGEST_WITHOUT_SPANS = 20.0


@dataclass(frozen=True, slots=True)
class Situation:
    """What is known when the next chunk begins."""

    loop_seconds: float | None
    """Since the training loop began; None: it has not been seen yet."""
    fewest_samples: int
    """In-loop samples of the driver, or of the kind of worker that has fewest."""
    spent_seconds: float
    """Processor seconds that sampling has taken since the loop began."""
    tick_seconds: float
    """What one sample of everything that is sampled together costs."""
    processes: int
    """How many processes are sampled together: each needs its own py-spy."""
    busy_cores: float
    free_cores: float
    spans_tell_stages: bool = True
    chunks_before: int = 0
    """Chunks so far, if no loop has been seen in any of them."""
    is_watched: bool = False
    """Whether a panel shows the run while it goes on."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Samples per second, and seconds, of one chunk."""

    rate: int
    seconds: int


def next_pace(now: Situation) -> Pace:
    """The next chunk's rate and length."""
    seconds = chunk_seconds(now.loop_seconds, now.chunks_before)
    if not now.spans_tell_stages:
        seconds = min(seconds, LONGEST_WITHOUT_SPANS)
    if now.is_watched:
        seconds = min(seconds, WATCHED_CHUNK if now.fewest_samples or now.chunks_before else FIRST_WATCHED)
    return Pace(chunk_rate(now, seconds), round(seconds))


def chunk_seconds(loop_seconds: float | None, chunks_before: int) -> float:
    """How long the next chunk is."""
    if loop_seconds is None:
        return SEARCH_CHUNKS[min(chunks_before, len(SEARCH_CHUNKS) - 1)]
    for border in BORDERS:
        if border - loop_seconds >= SHORTEST_CHUNK:
            return border - loop_seconds
    return LATER_CHUNK if loop_seconds < LONG_RUN else LONGEST_CHUNK


def chunk_rate(now: Situation, seconds: float) -> int:
    """How many samples per second stay in the budget; more, if there would be too few to speak."""
    busy = max(LEAST_BUSY_CORES, now.busy_cores)
    starting = START_SECONDS * now.processes
    ceiling = MOST_SHARE * busy / now.tick_seconds
    if is_late(now):
        affordable = (LATER_BUDGET * busy - starting / seconds) / now.tick_seconds
        most = MOST_LATER
    else:
        budget = FIRST_BUDGET * busy * FIRST_MINUTE - now.spent_seconds
        affordable = (budget - starting) / (FIRST_MINUTE - (now.loop_seconds or 0.0)) / now.tick_seconds
        most = most_rate(now)
    has_enough = now.fewest_samples >= ENOUGH_SAMPLES or now.chunks_before > MOST_SEARCHES
    least = LEAST_RATE if has_enough else RATE_TO_REACH_IT
    return _within(affordable, least, min(most, max(LEAST_RATE, ceiling)))


def is_late(now: Situation) -> bool:
    """Whether the loop's first minute is over, or has been searched for in vain for as long."""
    if now.loop_seconds is None:
        return now.chunks_before > MOST_SEARCHES
    return now.loop_seconds + SHORTEST_CHUNK > FIRST_MINUTE


def most_rate(now: Situation) -> int:
    """More samples than these are not worth their cost."""
    if not now.spans_tell_stages:
        return MOST_WITHOUT_SPANS
    return MOST_FREE if now.free_cores >= 1.0 else MOST_CROWDED


def first_guess(threads: int) -> float:
    """What a sample of one process costs, until it is measured."""
    return FIRST_GUESS_SECONDS + GUESS_PER_THREAD * max(0, threads - 1)


def measured_tick(cpu_seconds: float, ticks: int, before: float) -> float:
    """What one sample cost in a chunk; the value from before, where it had too few to tell."""
    if ticks < 20:
        return before
    return max(1e-4, (cpu_seconds - min(START_SECONDS, cpu_seconds / 2)) / ticks)


def _within(rate: float, least: float, most: float) -> int:
    return int(min(most, max(least, rate)))
