"""Which workers are alike, and which come next."""

from __future__ import annotations

import os
from collections import Counter

from goldsplit.record.outside.worker_kinds import (
    Worker,
    kinds_of,
    look_at,
    next_workers,
    samples_of,
    to_look_at,
)


def workers(*rows: tuple[int, int, str]) -> list[Worker]:
    return [Worker(pid, parent, b"python train.py", entry) for pid, parent, entry in rows]


def test_children_of_one_parent_are_alike_until_more_is_known() -> None:
    assert kinds_of(workers((11, 1, ""), (12, 1, ""), (13, 1, ""))) == [(11, 12, 13)]
    assert kinds_of(workers((11, 1, ""), (12, 11, ""))) == [(11,), (12,)], "a child of a child"
    assert kinds_of([]) == []


def test_workers_with_another_function_are_another_kind() -> None:
    known = workers((11, 1, "play"), (12, 1, "learn"), (13, 1, "play"), (14, 1, ""))
    assert kinds_of(known) == [(11, 13, 14), (12,)]


def test_another_command_is_another_kind() -> None:
    server = Worker(20, 1, b"python server.py")
    assert kinds_of([*workers((11, 1, "play")), server]) == [(11,), (20,)]


def test_numbers_in_a_command_make_no_kind() -> None:
    me = look_at(os.getpid(), "main")
    assert (me.pid, me.parent, me.entry) == (os.getpid(), os.getppid(), "main")
    assert not any(digit in me.command for digit in b"0123456789")
    assert look_at(99_999_999) == Worker(99_999_999, 0, b"")


def test_every_worker_of_a_kind_comes_up_in_turn() -> None:
    samples: Counter[int] = Counter()
    turns = []
    for _ in range(3):
        ((*some,),) = next_workers([(11, 12, 13, 14, 15)], samples)
        turns.append(some)
        samples.update(dict.fromkeys(some, 80))
    assert turns == [[11, 12], [13, 14], [15, 11]]
    assert samples_of((11, 12), samples) == 240


def test_the_kinds_with_the_fewest_samples_come_first() -> None:
    many = [(pid,) for pid in range(10, 20)]
    assert next_workers(many, dict.fromkeys(range(10, 15), 5)) == [(15,), (16,), (17,), (18,)]
    three = [(10, 11), (12, 13), (14, 15)]
    assert next_workers(three, {}) == [(10,), (12,), (14,)], "one of each"
    assert next_workers([], {}) == []


def test_only_siblings_that_nobody_knows_are_looked_at_and_few_at_a_time() -> None:
    assert to_look_at(workers((11, 1, ""), (12, 1, "play"), (13, 11, ""))) == [11]
    assert len(to_look_at(workers(*((pid, 1, "") for pid in range(10, 40))))) == 6
