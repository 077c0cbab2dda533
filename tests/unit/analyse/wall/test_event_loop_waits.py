"""What was asked of an event loop, read from the lines that asked."""

from __future__ import annotations

import textwrap

import pytest

from goldsplit.analyse.wall.event_loop_waits import Asked, asks_event_loop, in_event_loop, runs_coroutine
from goldsplit.model.recording import Frame, Recording

STD = "/usr/lib/python3.11"
USER = "/home/u/train.py"
RESULT = (
    Frame("Future.result", f"{STD}/concurrent/futures/_base.py", 451),
    Frame("Condition.wait", f"{STD}/threading.py", 327),
)
OWN_LOOP = (
    Frame("BaseEventLoop.run_until_complete", f"{STD}/asyncio/base_events.py", 640),
    Frame("BaseEventLoop._run_once", f"{STD}/asyncio/base_events.py", 1880),
    Frame("EpollSelector.select", f"{STD}/selectors.py", 468),
)
BATTLE = """
class Battle:
    async def step(self, action): ...
    async def reset(self): ...
    async def move(self, action): ...
    def observe(self): ...
"""


def asked(
    source: str, *frames: tuple[str, str], tail: tuple[Frame, ...] = RESULT, changed: float = 0.0
) -> str | None:
    """The stage for a stack of the user's functions, each at the line with a text; outermost first."""
    lines = (BATTLE + textwrap.dedent(source)).splitlines()
    own = [
        Frame(name, USER, next(n for n, line in enumerate(lines, 1) if text in line)) for name, text in frames
    ]
    stack = [*own, *tail]
    recording = Recording({"started": 100.0}, [], stack, [], [])
    return Asked(recording, lambda _: (lines, changed)).stage(tuple(range(len(stack))))


DIRECT = "asyncio.run_coroutine_threadsafe(battle.step(a), loop).result()"
WRAPPER = """
def ask(coroutine):
    future = asyncio.run_coroutine_threadsafe(coroutine, loop)
    return future.result()
"""
IN_ASK = ("ask", "future.result()")


@pytest.mark.parametrize(
    ("line", "stage"),
    [
        ("obs = ask(battle.step(a))", "env.step"),
        ("obs = self.client.ask(self.battle.reset(), timeout=3)", "env.reset"),
        ("obs = ask(coroutine=battle.step(a))", "env.step"),
        ("while not ask(battle.step(a))[2]: pass", "env.step"),
        ("memory.push(ask(battle.step(a)))", "env.step"),
        ("obs = ask(asyncio.wait_for(battle.step(a), 5))", "env.step"),
        ("obs = ask(asyncio.gather(*[b.step(a) for b in battles]))", "env.step"),
        # nothing that names a stage, or nothing that is known to be a coroutine
        ("obs = ask(battle.move(a))", None),
        ("obs = ask(battle.observe())", None),
        ("obs = ask(client.render())", None),
        # what another call has waited for already is not what is waited for now
        ("obs = ask(parse(ask(battle.step(a))))", None),
        ("obs = tell(battle.step(a)) or ask(x)", None),
        # where the name of what is called is not in the line
        ("obs = handler[0](battle.step(a))", None),
    ],
)
def test_the_line_that_asked_names_the_coroutine(line: str, stage: str | None) -> None:
    assert asked(f"{WRAPPER}\n{line}\n", ("<module>", line), IN_ASK) == stage


def test_the_waiting_line_itself_may_name_it() -> None:
    assert asked(f"x = {DIRECT}\n", ("<module>", DIRECT)) == "env.step"
    library = DIRECT.replace("battle.step", "player.render")
    assert asked(f"x = {library}\n", ("<module>", library)) == "env.render", "the function takes nothing else"


def test_names_stand_for_what_was_assigned_last_in_the_same_function() -> None:
    source = """
    def play(a):
        future = asyncio.run_coroutine_threadsafe(battle.reset(), loop)
        coroutine = battle.step(a)
        future = asyncio.run_coroutine_threadsafe(coroutine, loop)
        done = future.result(5)
        future = asyncio.run_coroutine_threadsafe(battle.reset(), loop)
    """
    assert asked(source, ("play", "done = future")) == "env.step"


def test_an_answer_that_is_handed_on_was_waited_for_before() -> None:
    source = f"""{WRAPPER}
def play(a):
    obs = ask(battle.step(a))
    ask(battle.move(obs))
"""
    assert asked(source, ("play", "ask(battle.move"), IN_ASK) is None


def test_statements_over_several_lines() -> None:
    source = f"""{WRAPPER}
def play(a):
    obs = ask(
        battle.step(
            a  # here
        ),
    )
"""
    assert asked(source, ("play", "# here"), IN_ASK) == "env.step"


@pytest.mark.parametrize(
    ("line", "inner"),
    [
        ("asyncio.run(battle.step(a))", Frame("run", f"{STD}/asyncio/runners.py", 190)),
        ("loop.run_until_complete(battle.step(a))", OWN_LOOP[0]),
    ],
)
def test_a_loop_that_the_thread_runs_itself(line: str, inner: Frame) -> None:
    assert asked(f"{line}\n", ("<module>", line), tail=(inner, *OWN_LOOP)) == "env.step"


def test_the_innermost_function_with_a_stage_ends_the_search() -> None:
    source = f"{WRAPPER}\ndef evaluate(policy):\n    ask(battle.move(1))\nask(battle.step(evaluate(p)))\n"
    outer = ("<module>", "ask(battle.step")
    assert asked(source, outer, ("evaluate", "ask(battle.move"), IN_ASK) is None
    inside = source.replace("battle.move(1)", "battle.reset()")
    assert asked(inside, outer, ("evaluate", "ask(battle.reset"), IN_ASK) == "env.reset"


def test_a_file_that_was_changed_is_gone_or_cannot_be_read_tells_nothing() -> None:
    line = "ask(battle.step(a))"
    source = f"{WRAPPER}\n{line}\n"
    assert asked(source, ("<module>", line), IN_ASK, changed=99.0) == "env.step"
    assert asked(source, ("<module>", line), IN_ASK, changed=101.0) is None
    assert asked(source + "\nprint 'Python 2'", ("<module>", line), IN_ASK) is None

    def gone(file: str) -> tuple[list[str], float]:
        raise FileNotFoundError(file)

    recording = Recording({}, [], [Frame("<module>", USER, 1), *RESULT], [], [])
    assert Asked(recording, gone).stage((0, 1, 2)) is None


def test_which_waits_are_waits_for_an_event_loop() -> None:
    main = Frame("main", USER, 1)
    queue = [main, Frame("Queue.get", f"{STD}/queue.py", 171), RESULT[1]]
    assert asks_event_loop([main, *RESULT], loop_beside=True)
    assert not asks_event_loop([main, *RESULT], loop_beside=False), "a pool's future"
    assert asks_event_loop([main, *OWN_LOOP], loop_beside=False)
    assert not asks_event_loop(queue, loop_beside=True)
    assert not asks_event_loop([main, *OWN_LOOP[:2], main, RESULT[1]], loop_beside=False), (
        "a lock in a coroutine"
    )


def test_what_an_event_loop_does() -> None:
    thread = Frame("Thread.run", f"{STD}/threading.py", 982)
    coroutine = [thread, *OWN_LOOP[:2], Frame("Battle.parse", USER, 5)]
    assert in_event_loop(coroutine)
    assert runs_coroutine(coroutine)
    assert not runs_coroutine([Frame("main", USER, 1), *OWN_LOOP])
    assert not in_event_loop([Frame("main", USER, 1), *RESULT])
