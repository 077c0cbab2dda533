"""n-step returns at insert: a window per environment in front of any replay buffer.

    steps = NStep(buffer, n=3, gamma=0.99, lanes=8)
    steps.extend(obs=..., action=..., reward=..., next_obs=..., terminated=..., truncated=...)   # 8 rows

What reaches the buffer is the first step of each window with the discounted sum of its rewards, the `next_*`
entries and `terminated` of its last step, and `discount`, which is gamma to the power of the window's length:

    target = reward + discount * (1 - terminated) * value(next_obs)

An episode's end closes all of its windows, shorter ones included; a truncated episode is bootstrapped from
its own last observation. No window ever spans two episodes.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from numba import njit

from goldsplit.fast.replay.batch import NO_STAMP, SlotIndices, stamped
from goldsplit.fast.replay.schema import AnyArray, Field, as_column, names_differ


class Extendable(Protocol):
    @property
    def fields(self) -> dict[str, Field]: ...
    def extend(self, **columns: Any) -> SlotIndices: ...


class NStep:
    """Turns single steps of `lanes` environments, all stepped together, into n-step transitions."""

    def __init__(self, buffer: Extendable, n: int, gamma: float, *, lanes: int = 1) -> None:
        if n < 1 or lanes < 1:
            raise ValueError(f"n and lanes must be at least 1, got n={n}, lanes={lanes}")
        if not 0.0 < gamma <= 1.0:
            raise ValueError(f"gamma must be above 0 and at most 1, got {gamma}")
        missing = [name for name in ("reward", "terminated", "discount") if name not in buffer.fields]
        if missing:
            raise ValueError(
                f"n-step returns need the fields {missing} in the buffer\nhint: Field((), np.float32)"
            )
        self.n, self.gamma, self.lanes = n, float(gamma), lanes
        self._buffer = buffer
        self._inputs = {name: field for name, field in buffer.fields.items() if name != "discount"}
        self._inputs["truncated"] = buffer.fields.get("truncated", Field((), np.bool_))
        self._first_names = [
            name
            for name in buffer.fields
            if name in self._inputs and not _from_last_step(name) and name != "reward"
        ]
        self._last_names = [name for name in buffer.fields if _from_last_step(name)]
        self._kept: dict[str, AnyArray] = {
            name: np.zeros((n, lanes, *buffer.fields[name].shape), buffer.fields[name].dtype)
            for name in self._first_names
        }
        self._rewards = np.zeros((n, lanes))
        self._discounts = np.array([self.gamma ** (back + 1) for back in range(n)])
        slots, numbers = np.empty((3, n * lanes), np.int64), np.empty(n * lanes)
        self._closed = (slots[0], slots[1], numbers, slots[2])
        self._filled: npt.NDArray[np.int64] = np.zeros(lanes, np.int64)
        self._time = 0

    def add(self, **step: Any) -> SlotIndices:
        """One step of the only lane; the slots of the windows that it closed (often none or one)."""
        if self.lanes != 1:
            raise ValueError(f"add takes one step of one lane, this has {self.lanes}\nhint: use extend(...)")
        return self.extend(**{name: np.asarray(value)[None] for name, value in step.items()})

    def extend(self, **columns: Any) -> SlotIndices:
        """One step of every lane, row i for lane i; the slots of the windows that it closed."""
        step = self._checked(columns)
        now = self._time % self.n
        for name in self._first_names:
            self._kept[name][now] = step[name]
        self._rewards[now] = step["reward"]
        self._filled += 1
        ended = step["terminated"].astype(bool) | step["truncated"].astype(bool)
        firsts, lanes, rewards, backs = self._closed
        count = close_windows(
            self._filled, ended, self._rewards, self._time, self.gamma, firsts, lanes, rewards, backs
        )
        self._time += 1
        if not count:
            return stamped(np.empty(0, np.int64), NO_STAMP)
        fields, firsts, lanes = self._buffer.fields, firsts[:count], lanes[:count]
        rows: dict[str, AnyArray] = {}
        for name in self._first_names:
            kept = self._kept[name]
            rows[name] = kept.reshape(-1, *kept.shape[2:])[firsts]
        rows |= {name: step[name][lanes] for name in self._last_names}
        rows["reward"] = rewards[:count].astype(fields["reward"].dtype)
        rows["discount"] = self._discounts[backs[:count]].astype(fields["discount"].dtype)
        return self._buffer.extend(**rows)

    def drop_open_windows(self) -> None:
        """Forget unfinished windows: for when the environments are reset before their episodes ended."""
        self._filled[:] = 0

    def _checked(self, columns: dict[str, Any]) -> dict[str, AnyArray]:
        if columns.keys() != self._inputs.keys():
            raise names_differ(self._inputs, columns)
        step = {name: as_column(name, field, columns[name], None) for name, field in self._inputs.items()}
        for name, column in step.items():
            if len(column) != self.lanes:
                raise ValueError(
                    f"field {name!r} has {len(column)} rows, one for each of {self.lanes} lanes expected"
                )
        return step


@njit(cache=True)
def close_windows(filled, ended, kept, time, gamma, firsts, lanes, rewards, backs):  # type: ignore[no-untyped-def]
    """Write down the windows that close now, and how many they are: the oldest first, then lane by lane.

    A lane's full window closes, and all of its windows where its episode has ended. For each: the row of its
    first step, its lane, the discounted sum of its rewards, and how many steps ago it began.
    """
    n, count = kept.shape[0], 0
    for back in range(n - 1, -1, -1):
        for lane in range(filled.size):
            if filled[lane] <= back or (back < n - 1 and not ended[lane]):
                continue
            total = 0.0
            for age in range(back + 1):
                total = kept[(time - age) % n, lane] + gamma * total
            firsts[count] = ((time - back) % n) * filled.size + lane
            lanes[count], rewards[count], backs[count] = lane, total, back
            count += 1
    for lane in range(filled.size):
        filled[lane] = 0 if ended[lane] else min(filled[lane], n - 1)
    return count


def _from_last_step(name: str) -> bool:
    return name.startswith("next_") or name in ("terminated", "truncated")
