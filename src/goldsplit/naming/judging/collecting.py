"""A `step` of a trainer, a runner or a world that collects: it steps environments itself, by actions that it
chooses itself. It plays, it is no step of the game, whatever it is called.

`def step(self, horizon): for _ in range(horizon): view, gain, over, _ = self.envs.step(self.net(view))`
"""

from __future__ import annotations

from goldsplit.model.stage import ENV_STEP
from goldsplit.model.usual_names import stage_of_function
from goldsplit.naming.judging.inner_games import made_of
from goldsplit.naming.reading.code_facts import Call, Function
from goldsplit.naming.vocabulary import means

#: (view, gain, over, …): with fewer parts the names must tell that it is a step's result.
_PLAINLY_A_STEP = 4
_PERHAPS_A_STEP = 3


def collects(function: Function) -> bool:
    """Whether a function steps an environment by what it chooses itself, and never by what it is given: what
    hands its action on is a wrapper, also if it makes other moves beside it."""
    inner = _steps_in(function)
    given = set().union(*(made_of(function, one) for one in function.parameters), set())
    handed_on = any(names & given for call in inner for names in call.arguments)
    return any(call.loops for call in inner) and not handed_on


def _steps_in(function: Function) -> list[Call]:
    """The calls that step another object: named so, with a result that is taken apart as a step's."""
    found = []
    for one in function.assignments:
        call = one.direct
        if call is None or stage_of_function(call.name) != ENV_STEP or not one.unpacked:
            continue
        enough = len(one.targets) >= _PLAINLY_A_STEP or (
            len(one.targets) >= _PERHAPS_A_STEP and any(means(name, "done") for name in one.targets)
        )
        if enough and call.arguments and call.receiver not in ("", function.self_name):
            found.append(call)
    return found
