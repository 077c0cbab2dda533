"""Compiled sampling for the Stable-Baselines3 buffer: drawn rows to the arrays of a batch.

Everything but the next observation and the end of the episode comes from the row that was drawn. Those come
from another row where the batch has n-step windows (the window's last row), or where each observation is
stored once (the row after it).

`where` is (times, environments, rows in time, environments in all), the first two one per drawn row;
`copying` is (address of the rows, bytes of a row, plan, addresses of the arrays, their ends, their timeouts).
"""

from __future__ import annotations

from numba import njit

from goldsplit.fast.replay.aligned import CACHE_LINE_BYTES
from goldsplit.fast.replay.rowcopy import ask_for_line, copy_bytes

_ROWS_AHEAD = 2
_LINES_AHEAD = 20


@njit(nogil=True, cache=True)
def sample_steps(where, ahead, slots, last_slots, copying):  # type: ignore[no-untyped-def]
    """Single steps; False where an index is out of range. `ahead`: the row after has the next observation."""
    if not _slots(where, slots):
        return False
    if ahead:
        n_envs = where[3]
        for i in range(slots.size):
            last_slots[i] = (slots[i] + n_envs) % (where[2] * n_envs)
    _copy(slots, last_slots, copying)
    return True


@njit(nogil=True, cache=True)
def sample_windows(where, newest, slots, last_slots, copying, window):  # type: ignore[no-untyped-def]
    """n-step windows. No window goes beyond the `newest` row, the end of an episode, or a reset."""
    if not _slots(where, slots):
        return False
    size, n_envs = where[2], where[3]
    rewards, ends, cuts, resets, powers, returns, discounts = window
    for i in range(slots.size):
        time, env = slots[i] // n_envs, slots[i] % n_envs
        total = rewards[time, env]
        length = 1
        while length < powers.size - 1 and not (ends[time, env] or cuts[time, env] or time == newest):
            following = time + 1 if time + 1 < size else 0
            if resets[following, env]:
                break
            time = following
            total += rewards[time, env] * powers[length]
            length += 1
        last_slots[i] = time * n_envs + env
        returns[i, 0] = total
        discounts[i, 0] = powers[length]
    _copy(slots, last_slots, copying)
    return True


@njit(nogil=True, cache=True)
def _slots(where, slots):  # type: ignore[no-untyped-def]
    times, envs, size, n_envs = where
    for i in range(times.size):
        time = times[i] + size if times[i] < 0 else times[i]
        if time < 0 or time >= size:
            return False
        slots[i] = time * n_envs + (envs[i] if n_envs > 1 else 0)
    return True


@njit(nogil=True, cache=True)
def _copy(slots, last_slots, copying):  # type: ignore[no-untyped-def]
    """Of the plan, one line per array: where its field begins in a row, its bytes, 1 if from the last row."""
    rows, row_bytes, plan, outs, dones, timeouts = copying
    lines = min((row_bytes + CACHE_LINE_BYTES - 1) // CACHE_LINE_BYTES, _LINES_AHEAD)
    for i in range(slots.size):
        if i + _ROWS_AHEAD < slots.size:
            ahead = rows + slots[i + _ROWS_AHEAD] * row_bytes
            for line in range(lines):
                ask_for_line(ahead + line * CACHE_LINE_BYTES)
        first, last = rows + slots[i] * row_bytes, rows + last_slots[i] * row_bytes
        for f in range(plan.shape[0]):
            count = plan[f, 1]
            copy_bytes(outs[f] + i * count, (last if plan[f, 2] else first) + plan[f, 0], count)
    for i in range(dones.shape[0]):  # an episode that its time limit cut off has not ended
        dones[i, 0] *= 1 - timeouts[i, 0]
