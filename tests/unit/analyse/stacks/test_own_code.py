"""Time in no stage gets the name of the user's function that covers it."""

from __future__ import annotations

from goldsplit.analyse.stacks.own_code import OwnCode, Stack
from goldsplit.model.recording import Frame

FILE = "/home/me/train.py"
MODULE = Frame("<module>", FILE, 200)
NUMPY = Frame("dot", "/venv/lib/python3.11/site-packages/numpy/core.py", 3)


def fn(name: str, line: int) -> Frame:
    return Frame(name, FILE, line)


def own(*stacks: tuple[tuple[Frame, ...], int, str | None]) -> tuple[OwnCode, dict[str, int]]:
    """The names, and how many samples each has."""
    frames = list(dict.fromkeys(frame for stack, _, _ in stacks for frame in stack))
    rows = [Stack("main", tuple(map(frames.index, stack)), count, stage) for stack, count, stage in stacks]
    found = OwnCode(rows, frames)
    return found, {label: function.samples for label, function in found.functions.items()}


MAIN = fn("main", 150)


def test_the_first_function_below_the_loop_explains_all_inside_it() -> None:
    learn, inner, other = fn("learn", 45), fn("shuffle", 60), fn("weigh", 70)
    _, found = own(
        ((MODULE, MAIN), 50, "env.step"),
        ((MODULE, MAIN), 20, "act"),
        ((MODULE, MAIN, learn, inner), 30, None),
        ((MODULE, MAIN, learn, other, NUMPY), 30, None),
        ((MODULE, MAIN, learn), 20, None),
    )
    assert found == {"learn() train.py:45": 80}


def test_a_loop_around_stages_has_its_own_lines_only() -> None:
    names, found = own(
        ((MODULE, MAIN), 50, "env.step"),
        ((MODULE, MAIN), 20, "act"),
        ((MODULE, MAIN), 15, None),
        ((MODULE, MAIN, fn("tidy", 9)), 15, None),
    )
    assert found == {"main() train.py:150": 15, "tidy() train.py:9": 15}
    assert names.functions["main() train.py:150"].around
    assert not names.functions["tidy() train.py:9"].around


def test_a_forked_worker_is_in_no_function_of_its_parent() -> None:
    """A pool that is made in `main` forks its workers there: their stacks begin with it."""
    start = Frame("BaseProcess._bootstrap", "/usr/lib/python3.11/multiprocessing/process.py", 314)
    worker = Frame("worker", "/usr/lib/python3.11/multiprocessing/pool.py", 125)
    parent = (MODULE, MAIN, start, worker)
    names, found = own(
        ((*parent, fn("job", 12)), 70, "env.step"),
        ((*parent, fn("job", 12)), 9, "act"),
        ((*parent, fn("job", 12), fn("noise", 4)), 20, None),
        (parent, 20, None),
    )
    assert found == {"noise() train.py:4": 20}
    assert names.label("main", (0, 1, 2, 3)) is None


def test_where_no_stage_is_known_the_chain_around_everything_is_left_out() -> None:
    run = fn("Trainer.run", 120)
    _, found = own(
        ((MODULE, MAIN, run, fn("play", 30)), 60, None), ((MODULE, MAIN, run, fn("fit", 50)), 40, None)
    )
    assert found == {"play() train.py:30": 60, "fit() train.py:50": 40}


def test_a_workers_loop_around_messages_is_no_explanation() -> None:
    loop, turn = fn("worker", 20), fn("play_turn", 30)
    _, found = own(
        ((loop,), 5, "vec.send"),
        ((loop, turn, fn("push", 40)), 90, None),
        ((loop, turn, fn("see", 41)), 5, None),
    )
    assert found == {"play_turn() train.py:30": 95}


def test_a_script_without_functions_is_told_by_its_lines() -> None:
    _, found = own(
        ((MODULE,), 60, None), ((Frame("<module>", FILE, 120), NUMPY), 40, None), ((MODULE, NUMPY), 5, "act")
    )
    assert found == {"train.py:200": 60, "train.py:120": 40}


def test_small_parts_become_one_row_of_what_is_around_them() -> None:
    few = [((MODULE, MAIN, fn(f"f{i}", i)), 3, None) for i in range(1, 6)]
    _, found = own(((MODULE, MAIN), 50, "env.step"), ((MODULE, MAIN), 50, "act"), *few)
    assert found == {"main() train.py:150": 15}


def test_recursion_and_code_that_is_not_the_users() -> None:
    dig = fn("dig", 7)
    names, found = own(
        ((MODULE, MAIN), 50, "env.step"),
        ((MODULE, MAIN), 50, "act"),
        ((MODULE, MAIN, dig, dig, dig), 10, None),
        ((NUMPY,), 10, None),
    )
    assert found == {"dig() train.py:7": 10}
    assert names.label("main", (99,)) is None
