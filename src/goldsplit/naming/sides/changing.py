"""What a function changes in the game, beside what it only keeps for itself."""

from __future__ import annotations

from goldsplit.model.stage import ENV_RESET
from goldsplit.naming.decision import Decision
from goldsplit.naming.reading.code_facts import Assignment, Function

#: For `kept`: a function may write all of its own object, but no piece.
ALL_ITS_OWN = 1 << 20


def changes_game(d: Decision, function: Function, kept: int = 1) -> bool:
    """Whether a function moves or changes things that others look at: more of its own object than `kept`
    sums, or anything of the pieces that it goes through or is given."""
    if not function.self_name:
        return False
    own = f"{function.self_name}."
    parts = {one.targets[0]: one for one in function.assignments if one.value.name.startswith(own)}
    written = [target for one in function.assignments for target in one.targets if one not in parts.values()]
    if any(_writes_into(one, name) for one in function.assignments for name in one.targets if name in parts):
        return True
    made = _made_here(d, function)
    seen = {
        name
        for name in written
        if "." in name and name.partition(".")[0] not in made and _is_seen(d, function, name)
    }
    of_itself = {name for name in seen if name.startswith(own) or name.partition(".")[0] in parts}
    return bool(seen - of_itself) or len(of_itself) > kept


def _writes_into(assignment: Assignment, name: str) -> bool:
    """Whether an assignment changes what a name stands for: `ball[0] = 1`, `ball += pull`; not where the name
    gets another value, as in a second loop over pieces."""
    return assignment.added or name not in assignment.whole


def _made_here(d: Decision, function: Function) -> set[str]:
    """The names of objects that a function makes itself: what it writes into them changes nothing."""
    return {
        target
        for one in function.assignments
        if one.direct is not None and d.program.is_class(function, one.direct) is not None
        for target in one.targets
    }


def _is_seen(d: Decision, function: Function, name: str) -> bool:
    """Whether anything else reads an attribute, beside what begins a game: `self.last_distance`, which a
    reward keeps for its next call, is not the game's."""
    readers = d.readers.get(name.rpartition(".")[2], set()) - {function}
    return any(one.name != "__init__" and d.stage_of(one) != ENV_RESET for one in readers)
