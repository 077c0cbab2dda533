"""The lines of a loop that plays, beside its choice: what steps, sees, rewards, stores, draws and learns."""

from __future__ import annotations

from dataclasses import dataclass, field

from goldsplit.naming.inline.choice import Play, changes_weights
from goldsplit.naming.reading.line_tree import Line, Names
from goldsplit.naming.vocabulary import words_in

_NONE: Names = frozenset()
#: What tells somebody something.
TELLING = words_in("dump figure plot print savefig savetxt write writerow writerows")
#: What writes a file of numbers.
SAVING = words_in("dump save savez savez_compressed")
#: What draws some of many.
_PICKING = words_in("choice choices integers permutation randint randrange sample shuffle")


@dataclass(slots=True)
class Turn:
    """What the lines of one turn are for."""

    step: list[Line] = field(default_factory=list)
    observe: list[Line] = field(default_factory=list)
    reward: list[Line] = field(default_factory=list)
    learn: list[Line] = field(default_factory=list)
    store: list[Line] = field(default_factory=list)
    sample: list[Line] = field(default_factory=list)
    begin: list[Line] = field(default_factory=list)
    """Begins the next game, in the loop of the turns: `if over:`."""
    state: Names = _NONE
    """What the game's lines write and read."""
    seen: Names = _NONE
    """What the choice is made by."""
    chosen: Names = _NONE
    """The names of the action: of the next one, and of the last."""


def read_turn(play: Play) -> Turn:
    """The lines of a loop that plays."""
    found = Turn()
    lines = _units(play)
    same = _same_names(lines)
    acting = [play.choice, *play.leading]
    chosen = _alike(play.choice.drawn or play.choice.sets, same)
    units = [
        one for one in lines if one not in acting and not is_aside(one) and not _begins_list(one, chosen)
    ]
    made = frozenset().union(_NONE, *(one.sets for one in acting)) - chosen
    found.learn = _learning(units, play, made)
    rest = [one for one in units if one not in found.learn and not _is_nothing(one)]
    found.begin = [one for one in rest if _begins_anew(one, lines, found.learn)]
    rest = [one for one in rest if one not in found.begin]
    found.store = [one for one in rest if _stores(one, chosen)] or _lists(rest, chosen)
    kept = frozenset().union(_NONE, *(one.puts | one.places for one in found.store))
    found.store += [one for one in rest if one not in found.store and one.writes and one.writes <= kept]
    own = [one for line in [*rest, *found.learn] for one in line.inside()]
    found.sample = _samples([one for one in own if not one.writes & chosen], kept)
    rest = [one for one in rest if one not in found.store and one not in found.sample]
    acts_by = frozenset().union(_NONE, *(one.reads for one in acting))
    seen = _alike(acts_by - play.used - made - chosen, same)
    after = learning_after(play)
    outcome = frozenset().union(_NONE, *(one.reads for one in [*found.learn, *found.store, *after]))
    leaving = [*(one for one in play.loop.parts if one.leaves), *found.begin]
    ends = play.loop.tested.union(*(one.tested for one in leaving))
    game = _game(rest, chosen, seen | outcome | ends, play)
    found.seen, found.chosen = seen, chosen
    found.observe = _observing(game, seen, chosen, same)
    others = [one for one in game if one not in found.observe]
    found.reward = _rewarding(others, game, outcome - seen - ends - chosen, seen, ends)
    found.observe += _asking_for_both(found, game, chosen, same)
    others = [one for one in others if one not in found.observe]
    steps = [one for one in others if one not in found.reward]
    if not any(one.reads & chosen for one in steps):  # nothing else has the action: it is the step
        moved = [one for one in found.reward if one.reads & chosen]
        found.reward = [one for one in found.reward if one not in moved]
        steps += moved
    found.step = steps
    found.learn += _leading_to_learning(rest, game, found.learn)
    found.state = frozenset().union(_NONE, *(one.writes | one.reads for one in game)) - play.weights - kept
    return found


def _begins_list(line: Line, chosen: Names) -> bool:
    """Whether a line only begins the list that choices are put into."""
    return bool(line.sets) and line.sets <= chosen and not line.reads and not line.parts


def _learning(units: list[Line], play: Play, answers: Names) -> list[Line]:
    """What changes the numbers, reads them elsewhere, or keeps traces for that; also what makes of their
    answers to the choice what one of these needs: `goal = gain + gamma * q[a]`."""
    found = [
        one
        for one in units
        if changes_weights(one, play) or one.reads & play.weights or one.writes & play.traces
    ]
    needed = frozenset().union(_NONE, *(one.reads for one in found))
    return [one for one in units if one in found or (one.reads & answers and one.sets & needed)]


def _units(play: Play) -> list[Line]:
    """The lines of a turn, beginning behind the choice; conditions that learn and do more are taken apart."""
    found: list[Line] = []
    parts = play.loop.parts
    place = parts.index(play.choice)
    for one in (*parts[place + 1 :], *parts[: place + 1]):
        mixed = one.is_condition and one is not play.choice and changes_weights(one, play)
        found += one.parts if mixed and not all(changes_weights(part, play) for part in one.parts) else [one]
    return found


def is_aside(line: Line) -> bool:
    """Whether a line tells somebody something, or is for now and then only."""
    return line.rare or bool(line.calls & TELLING)


def _is_nothing(line: Line) -> bool:
    """Whether a line only gives a value another name, or counts."""
    copies = bool(line.copies) and len(line.copies) == len(line.writes)
    return not line.parts and not line.calls and (copies or line.writes == line.puts)


def _same_names(lines: list[Line]) -> list[Names]:
    """Names that stand for one thing: `seen = after` at the end of a turn."""
    return [frozenset(pair) for line in lines for one in line.inside() for pair in one.copies]


def _alike(names: Names, same: list[Names]) -> Names:
    for _ in range(3):
        names = names.union(*(pair for pair in same if pair & names))
    return names


def _begins_anew(line: Line, lines: list[Line], learning: list[Line]) -> bool:
    """Whether a condition, behind all that learns, sets several names of the game to what does not depend on
    the last one: `if over: row = col = 0`."""
    if not line.is_condition or not line.asks or any(one.first > line.first for one in learning):
        return False
    written = frozenset().union(_NONE, *(one.writes for one in lines if one is not line))
    needed = frozenset().union(_NONE, *(one.reads for one in lines if one is not line))
    anew = line.sets & needed
    return bool(line.header & written) and len(anew) >= 2 and not (line.reads - line.header) & written


def _stores(line: Line, chosen: Names) -> bool:
    """Whether a line keeps the action together with something else, or at a place of an array."""
    if line.is_loop or line.is_condition or line.changes:
        return False
    return bool(line.packed & chosen) and len(line.packed - line.puts - line.places) >= 2


def _lists(rest: list[Line], chosen: Names) -> list[Line]:
    """Lines that put one thing each into lists of their own, one of them the action."""
    plain = [one for one in rest if not one.parts and one.packed and one.writes == one.puts]
    lists = frozenset().union(_NONE, *(one.puts for one in plain if one.packed & chosen))
    used = frozenset().union(_NONE, *(one.reads for one in rest if one not in plain))
    return [one for one in plain if not one.puts & used] if lists - used else []


def learning_after(play: Play) -> list[Line]:
    """What learns behind the loop of a game, and the lines there that prepare it, last one first."""
    outer = [one for loop in play.around if loop.is_loop for one in loop.parts if one.first > play.loop.last]
    outer = [one for one in outer if one not in play.around and not is_aside(one)]
    found: list[Line] = []
    wanted = _NONE
    for one in sorted(outer, key=lambda one: -one.first):
        if changes_weights(one, play) or (one.writes & wanted and not _is_nothing(one)):
            found.append(one)
            wanted |= one.reads
    return found


def _samples(lines: list[Line], kept: Names) -> list[Line]:
    """What draws from what is kept, and takes it out by what was drawn."""
    plain = [one for one in lines if not one.parts]
    drawing = [one for one in plain if one.calls & _PICKING and one.sets]
    drawn = frozenset().union(_NONE, *(one.sets for one in drawing))
    from_kept = [one for one in drawing if one.reads & kept]
    taking = [one for one in plain if one.reads & kept and one.reads & drawn and one.sets]
    wanted = frozenset().union(_NONE, *(one.reads for one in taking))
    places = [one for one in drawing if one.sets & wanted]
    return list(dict.fromkeys([*from_kept, *taking, *places]))


def _game(rest: list[Line], chosen: Names, wanted: Names, play: Play) -> list[Line]:
    """The lines that go on from the action, and those that the next choice, or learning, needs of the
    game."""
    found: list[Line] = []
    state = chosen
    for _ in range(len(rest)):
        more = [one for one in rest if one not in found and one.writes and one.reads & state]
        if not more:
            break
        found += more
        state = state.union(*(one.writes for one in more))
    needed = wanted.union(*(one.reads for one in found))
    for _ in range(len(rest)):
        more = [
            one for one in rest if one not in found and one.writes & needed and not one.writes & play.used
        ]
        if not more:
            break
        found += more
        needed = needed.union(*(one.reads for one in more))
    return [one for one in rest if one in found and one.writes & _read_by_others(one, found, wanted)]


def _read_by_others(line: Line, game: list[Line], wanted: Names) -> Names:
    return wanted.union(*(one.reads for one in game if one is not line))


def _observing(game: list[Line], seen: Names, chosen: Names, same: list[Names]) -> list[Line]:
    """What makes what the choice is made by, out of the game; a state that goes round is the game itself."""
    found: list[Line] = []
    fresh = frozenset().union(_NONE, *(one.sets for one in game))
    for _ in range(len(game)):
        wanted = seen.union(*(one.reads for one in found))
        more = []
        for one in game:
            if one in found or not one.writes & wanted or one.reads & chosen:
                continue
            readers = [other for other in game if other is not one and other.reads & one.writes]
            round_again = _alike(one.sets, same) & one.reads
            lasting = (one.changes | (one.places | one.puts) - seen) - fresh
            if not round_again and not lasting and all(other in found for other in readers):
                more.append(one)
        if not more:
            break
        found += more
    return _with_beginnings(found, game)


def _asking_for_both(turn: Turn, game: list[Line], chosen: Names, same: list[Names]) -> list[Line]:
    """What is asked of the game for what is seen, and for the reward too: the game itself goes on without
    it."""
    found: list[Line] = []
    for _ in range(len(game)):
        known = [*turn.observe, *turn.reward, *found]
        more = [
            one
            for one in game
            if one not in known
            and not one.reads & chosen
            and _only_asks(one, game, same)
            and one.writes & turn.seen.union(*(other.reads for other in (*turn.observe, *found)))
            and _read_only_by(one, game, known)
        ]
        if not more:
            break
        found += more
    return found


def _only_asks(line: Line, game: list[Line], same: list[Names]) -> bool:
    """Whether a line keeps nothing for the next turn, and is not made of what it made in the last one."""
    fresh = frozenset().union(_NONE, *(one.sets for one in game))
    lasting = (line.changes | line.places | line.puts) - fresh
    return bool(line.sets) and not lasting and not _alike(line.writes, same) & line.reads


def _with_beginnings(found: list[Line], game: list[Line]) -> list[Line]:
    """With the lines that only begin what these fill: `seen = []`."""
    filled = frozenset().union(_NONE, *(one.puts | one.places for one in found))
    return [*found, *(one for one in game if one not in found and one.sets and one.sets <= filled)]


def _rewarding(others: list[Line], game: list[Line], told: Names, seen: Names, ends: Names) -> list[Line]:
    """What the numbers that are learned from are made of, and nothing else of the game but its end. What only
    decides between rewards (`if crash:`) belongs to the step."""
    found = [one for one in others if not one.writes & seen]
    for _ in range(len(game) + 1):
        users = [*found, *(one for one in game if one.sets and one.sets <= ends)]
        tallies = [one for one in game if _is_tally(one) and _read_only_by(one, game, users)]
        free = [one for one in game if one not in users and one not in tallies]
        kept = [
            one
            for one in found
            if one.writes & told.union(*(other.amounts for other in found if other is not one))
            and not any(one.writes & other.reads for other in free)
        ]
        if len(kept) == len(found):
            break
        found = kept
    return found


def _is_tally(line: Line) -> bool:
    """Whether a line only adds up: it costs nothing, and hides nothing."""
    return not line.parts and not line.calls and bool(line.changes)


def _read_only_by(line: Line, game: list[Line], users: list[Line]) -> bool:
    return all(one in users for one in game if one is not line and one.reads & line.writes)


def _leading_to_learning(rest: list[Line], game: list[Line], learning: list[Line]) -> list[Line]:
    found: list[Line] = []
    for _ in range(len(rest)):
        wanted = frozenset().union(_NONE, *(one.reads for one in [*learning, *found]))
        more = [one for one in rest if one not in game and one not in found and one.sets & wanted]
        more = [one for one in more if one.calls or one.parts]
        if not more:
            break
        found += more
    return found
