"""The anchor of a game in lines: the line in a loop that chooses the action, and the numbers it chooses by.

An action is a name that is drawn at random or is the best of many, in one branch at least, by numbers that
other lines of the training change. The game's names are told from these numbers by their beginnings: a game
is set anew in each round, what is learned is made once and changed from then on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from goldsplit.naming.reading.code_facts import Function
from goldsplit.naming.reading.line_tree import Line, Names, line_tree
from goldsplit.naming.vocabulary import words_in

#: What draws an action, or takes the best one.
_DRAWING = words_in(
    """
    argmax argmin binomial choice choices gauss integers multinomial multivariate_normal normal normalvariate
    randint randn randrange searchsorted standard_normal uniform
    """
)
_NONE: Names = frozenset()


@dataclass(frozen=True, slots=True)
class Play:
    """A loop that plays, turn by turn."""

    loop: Line
    around: tuple[Line, ...]
    """The loops and conditions around it, outermost first."""
    choice: Line
    leading: tuple[Line, ...]
    """The lines before the choice, in its loop, that use the learned numbers for it."""
    weights: Names
    """The numbers that are learned."""
    used: Names
    """These, and what is made of them for a game: one of a population."""
    traces: Names = _NONE
    """What is made of them for a game, and changed in each turn: traces of what was done."""


def read_lines(function: Function) -> tuple[Line, ...]:
    """All lines of a function."""
    return line_tree(function.source, _DRAWING)


def find_play(lines: tuple[Line, ...]) -> Play | None:
    """The first loop that chooses its actions by numbers that are learned; one that plays for a test only now
    and then is none."""
    places = [(loop, around) for loop, around in _loops(lines, ()) if not any(one.rare for one in around)]
    inner_first = sorted(places, key=lambda one: -len(one[1]))
    # a search in a population draws its numbers, not its actions; its games are the innermost loops
    for drawn_only, ordered in ((True, places), (False, inner_first)):
        for loop, around in ordered:
            for line in loop.parts:
                found = _judge(lines, loop, around, line, drawn_only)
                if found is not None:
                    return found
    return None


def _loops(lines: Iterable[Line], around: tuple[Line, ...]) -> Iterator[tuple[Line, tuple[Line, ...]]]:
    for line in lines:
        if line.is_loop:
            yield line, around
        yield from _loops(line.parts, (*around, line))


def _judge(
    lines: tuple[Line, ...], loop: Line, around: tuple[Line, ...], line: Line, drawn_only: bool
) -> Play | None:
    listed = _lists_choices(line) if drawn_only else _NONE
    whole = any(one.is_loop for one in line.inside()) and not listed
    chosen = listed or (line.drawn if drawn_only else line.sets)
    if whole or not chosen or line.rare or (not drawn_only and line.is_condition):
        return None
    before = [one for one in loop.parts if one.last < line.first]
    wanted = _wanted(line, before)
    outside = [one for outer in around if outer.is_loop for one in outer.parts if one.last < loop.first]
    entering = [outer for outer in around if outer.is_loop]  # `for one in population:` gives one of it
    wanted_outside = wanted - frozenset().union(*(one.sets for one in loop.parts))
    sources = _sources(wanted_outside, outside, entering)
    weights = frozenset(one for one in sources if is_learned(lines, loop, around, one, line))
    made = _made_of(weights, outside, entering) - weights
    begun = frozenset().union(
        _NONE, *(one.sets for one in loop.parts)
    )  # a first action: it goes on as others
    traces = (made & (loop.changes | loop.places | loop.puts)) - begun
    used = weights | (made - begun - traces)
    leading = _leading(line, before, used)
    if drawn_only:  # `a = argmax(…)`, and then `if random() < eps: a = randrange(n)`
        leading += [one for one in loop.parts if one.first > line.last and _draws_again(one, line)]
    reads = line.reads.union(*(one.reads for one in leading))
    if not weights or not reads & used:
        return None
    if not drawn_only and not any(one.drawn & used for one in outside):
        drawn = frozenset().union(_NONE, *(one.drawn for one in outside))
        if not any(one.reads & drawn and one.writes & used for one in outside):
            return None
    others = [one for one in loop.parts if one is not line and one not in leading]
    others = [one for one in others if not one.reads & weights]  # these learn
    if not any(one.reads & chosen and one.writes for one in others):
        copied = frozenset(new for one in loop.parts for new, old in one.copies if old in chosen)
        if not any(one.reads & copied and one.writes for one in others):
            return None
    return Play(loop, around, line, tuple(leading), weights, used, traces)


def _lists_choices(line: Line) -> Names:
    """The lists that a loop over many games, which has no other loop in it, puts a choice for each into."""
    plain = line.is_loop and not any(one.is_loop for part in line.parts for one in part.inside())
    return line.drawn & line.puts if plain and not line.tested else _NONE


def _draws_again(line: Line, choice: Line) -> bool:
    loops = any(one.is_loop for one in line.inside())
    return bool(line.drawn & choice.drawn) and line.writes <= choice.drawn and not loops


def _wanted(line: Line, before: list[Line]) -> Names:
    """The names that lead to a choice."""
    wanted = line.reads
    for one in reversed(before):
        if one.writes & wanted:
            wanted |= one.reads
    return wanted


def _sources(wanted: Names, outside: list[Line], entering: list[Line]) -> Names:
    """With what these are made of, in the loops around."""
    for one in sorted([*outside, *entering], key=lambda one: -one.first):
        own, read = (one.targets, one.header) if one in entering else (one.sets, one.reads)
        if own & wanted:
            wanted |= read
    return wanted


def _made_of(weights: Names, outside: list[Line], entering: list[Line]) -> Names:
    made = weights
    for one in sorted([*outside, *entering], key=lambda one: one.first):
        own, read = (one.targets, one.header) if one in entering else (one.sets, one.reads)
        if read & made:
            made |= own
    return made


def _leading(choice: Line, before: list[Line], used: Names) -> list[Line]:
    """The lines before a choice that put the learned numbers to use for it."""
    made = used
    for one in before:
        if one.reads & made and not one.changes & used:
            made |= one.writes - used
    found: list[Line] = []
    wanted = choice.reads
    for one in reversed(before):
        begun = one.is_condition and one.places & one.header & used  # `if seen not in table: table[seen] = …`
        if not one.is_loop and (begun or ((one.writes - used) & wanted and one.reads & made)):
            wanted |= one.reads
            found.append(one)
    return found


def is_learned(
    lines: tuple[Line, ...], loop: Line, around: tuple[Line, ...], name: str, choice: Line
) -> bool:
    """Whether a name stands for numbers that are made once, and changed while the training goes on."""
    outer = around[0] if around else loop
    made = [one for one in lines if one.last < outer.first and name in one.sets]
    if any(name in one.plain_numbers for one in made) or not made:
        return False
    varying = frozenset().union(_NONE, *(one.writes for one in outer.inside() if not one.parts))
    changed = False
    for one, conditions in _leaves(outer, ()):
        if choice.first <= one.first <= choice.last:
            continue
        after = one.first > loop.last
        if name in one.changes:
            changed = True
        elif name in one.places or (name in one.sets and after):
            own = one.given & varying - {name}
            if own and (after or name in one.places):
                changed = True
            elif not any(name in condition.tested for condition in conditions):
                return False  # it is emptied, or begun anew
        elif name in one.sets and name not in {old for _, old in one.copies}:
            return False  # a game is set anew
    return changed or _changed_by_alias(outer, name)


def _leaves(line: Line, conditions: tuple[Line, ...]) -> Iterator[tuple[Line, tuple[Line, ...]]]:
    if not line.parts:
        yield line, conditions
    for part in line.parts:
        yield from _leaves(part, (*conditions, line) if line.is_condition else conditions)


def _changed_by_alias(outer: Line, name: str) -> bool:
    """`for w, g in ((W, 1.0), (b, 2.0)): w -= g` changes W and b."""
    return any(
        one.is_loop and name in one.header and bool(one.changes & one.targets) for one in outer.inside()
    )


def changes_weights(line: Line, play: Play) -> bool:
    """Whether a line changes what is learned."""
    names = play.weights
    outer = play.around[0] if play.around else play.loop
    varying = frozenset().union(_NONE, *(one.writes for one in outer.inside() if not one.parts))
    for one in line.inside():
        if one.changes & names or any(_changed_by_alias(one, name) for name in names if one.is_loop):
            return True
        placed = (one.places | one.sets) & names
        if not one.parts and placed and one.given & varying - placed:
            return True
    return False
