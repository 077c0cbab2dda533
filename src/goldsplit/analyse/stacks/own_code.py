"""Names for time in no stage: the user's own functions that cover it.

The samples in no stage form a tree of calls. From its root downwards, functions around the whole loop say
nothing: they hold stages of several kinds, or messages, or (where hardly a stage is known) nearly all
samples. The first function below them that is no such loop explains everything inside it, and names it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from goldsplit.analyse.stacks.user_frames import is_users, since_fork
from goldsplit.model.finding import Place
from goldsplit.model.recording import Frame
from goldsplit.model.stage import VEC_SEND, category_of

#: Rows on fewer samples, or with a smaller share of a thread's samples, are one row of their common function.
LEAST_SAMPLES = 8
LEAST_SHARE = 0.01
#: A function with stages of two categories inside it, each with this share of it, is a loop around them.
LEAST_OF_CATEGORY = 0.02
#: Where hardly a stage is known: a function with so much of a thread's samples is around the loop.
AROUND_ALL = 0.9
MODULE = "<module>"

Call = tuple[str, str, int]
"""File, function, and for the top level of a script the line; 0 elsewhere."""
Path = tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class Stack:
    """A sampled stack of some kind of thread."""

    kind: str
    frames: tuple[int, ...]
    count: int
    stage: str | None


@dataclass(frozen=True, slots=True)
class OwnFunction:
    """One function of the user's own that stands for time in no stage."""

    place: Place
    samples: int
    around: bool
    """Only its own lines count: it is a loop around stages, or a script's top level."""
    categories: tuple[str, ...]
    """Of the known stages inside it, the largest first."""


@dataclass(slots=True)
class _Node:
    unnamed: int = 0
    ends_here: int = 0
    total: int = 0
    categories: Counter[str] = field(default_factory=Counter)
    below: dict[Call, _Node] = field(default_factory=lambda: defaultdict(_Node))


class OwnCode:
    """Which function of the user's own each stack in no stage belongs to."""

    def __init__(self, stacks: Iterable[Stack] = (), frames: list[Frame] | None = None) -> None:
        self._frames = frames or []
        self._labels: dict[tuple[str, tuple[int, ...]], str] = {}
        self.functions: dict[str, OwnFunction] = {}
        by_kind: dict[str, list[Stack]] = defaultdict(list)
        for stack in stacks:
            by_kind[stack.kind].append(stack)
        for kind in by_kind:
            self._name(by_kind[kind])

    def label(self, kind: str, frames: tuple[int, ...]) -> str | None:
        """The name of a stack in no stage, as `learn() train.py:45`; None: no code of the user's in it."""
        return self._labels.get((kind, frames))

    def _name(self, stacks: list[Stack]) -> None:
        paths = {stack.frames: user_path(stack.frames, self._frames) for stack in stacks}
        root = _tree((stack, paths[stack.frames]) for stack in stacks)
        unnamed = [stack for stack in stacks if stack.stage is None and paths[stack.frames]]
        if not unnamed:
            return
        chosen: dict[Path, bool] = {}
        _choose(root, (), root.total, _is_known(root), chosen)
        members: dict[Path, list[Stack]] = defaultdict(list)
        for stack in unnamed:
            members[_owner(paths[stack.frames], chosen)].append(stack)
        least = max(LEAST_SAMPLES, LEAST_SHARE * root.total)
        small = [path for path, inside in members.items() if sum(s.count for s in inside) < least]
        if len(small) > 1 or (small and small[0] and len(members) > 1):
            rest = [stack for path in small for stack in members.pop(path)]
            common = _common([paths[stack.frames] for stack in rest])
            chosen[common] = chosen.get(common, False) and common in members
            members[common] = members.get(common, []) + rest
        for path, inside in members.items():
            self._add(path, inside, not chosen.get(path, False), _at(root, path))

    def _add(self, path: Path, stacks: list[Stack], around: bool, node: _Node) -> None:
        place = self._place(path, stacks)
        label = label_of(place)
        known = self.functions.get(label)
        samples = sum(stack.count for stack in stacks) + (known.samples if known else 0)
        categories = tuple(name for name, _ in node.categories.most_common())
        self.functions[label] = OwnFunction(place, samples, around, categories)
        for stack in stacks:
            self._labels[stack.kind, stack.frames] = label

    def _place(self, path: Path, stacks: list[Stack]) -> Place:
        """The function, at the line of it that was seen most often."""
        file, function, _ = path[-1] if path else ("", MODULE, 0)
        lines: Counter[tuple[str, int]] = Counter()
        for stack in stacks:
            for frame in self._known(stack):
                if is_users(frame) and frame.line and frame.function == function and file in ("", frame.file):
                    lines[frame.file, frame.line] += stack.count
        seen = lines.most_common(1)
        found, line = seen[0][0] if seen else self._outermost(stacks)
        return Place(file or found, line, function)

    def _outermost(self, stacks: list[Stack]) -> tuple[str, int]:
        frame = next(frame for frame in self._known(stacks[0]) if is_users(frame))
        return frame.file, frame.line

    def _known(self, stack: Stack) -> list[Frame]:
        """A stack's frames; numbers of lines that were lost are unknown."""
        return [self._frames[i] for i in stack.frames if i < len(self._frames)]


def label_of(place: Place) -> str:
    """`learn() train.py:45`; for a script's top level only `train.py:120`."""
    file = place.file.rpartition("/")[2]
    where = f"{file}:{place.line}" if place.line else file
    return where if place.function in (None, "", MODULE) else f"{place.function}() {where}"


def user_path(places: tuple[int, ...], frames: list[Frame]) -> Path:
    """The user's own calls of a stack, outermost first, each once; what ends at a script's top level has its
    line as a call of its own."""
    own = [frame for frame in since_fork([frames[i] for i in places if i < len(frames)]) if is_users(frame)]
    path = list(dict.fromkeys((frame.file, frame.function, 0) for frame in own))
    if own and own[-1].function == MODULE:
        path.append((own[-1].file, MODULE, own[-1].line))
    return tuple(path)


def _tree(stacks: Iterable[tuple[Stack, Path]]) -> _Node:
    root = _Node()
    for stack, path in stacks:
        node = root
        for call in (None, *path):
            node = node.below[call] if call is not None else root
            node.total += stack.count
            if stack.stage is None:
                node.unnamed += stack.count
            else:
                node.categories[category_of(stack.stage)] += stack.count
        if stack.stage is None:
            node.ends_here += stack.count
    return root


def _is_known(root: _Node) -> bool:
    """Whether enough stages are known to tell loops by what lies inside them."""
    return _holds_a_loop(root)


def _holds_a_loop(node: _Node) -> bool:
    """Stages of two kinds, or messages (a worker asks, is asked, and answers), make a loop."""
    found = _categories(node)
    return len(found) >= 2 or category_of(VEC_SEND) in found


def _categories(node: _Node) -> list[str]:
    return [name for name, count in node.categories.items() if count >= LEAST_OF_CATEGORY * node.total]


def _is_around(node: _Node, call: Call, whole: int, known: bool) -> bool:
    if call[1] == MODULE and not call[2]:
        return True
    if _holds_a_loop(node):
        return True
    return not known and node.total >= AROUND_ALL * whole and node.ends_here < 0.5 * node.unnamed


def _choose(node: _Node, path: Path, whole: int, known: bool, chosen: dict[Path, bool]) -> None:
    """Fill `chosen`: path → whether the function stands for all inside it, or only for its own lines."""
    for call, below in node.below.items():
        if not below.unnamed:
            continue
        inner = (*path, call)
        if _is_around(below, call, whole, known):
            if below.ends_here:
                chosen[inner] = False
            _choose(below, inner, whole, known, chosen)
        else:
            chosen[inner] = True


def _owner(path: Path, chosen: Mapping[Path, bool]) -> Path:
    """The chosen function that a stack belongs to."""
    for length in range(1, len(path) + 1):
        if chosen.get(path[:length]) and length <= len(path):
            return path[:length]
    return path


def _common(paths: list[Path]) -> Path:
    """What several paths have in common at their beginning."""
    shared: list[Call] = []
    for calls in zip(*paths, strict=False):
        if len(set(calls)) > 1:
            break
        shared.append(calls[0])
    return tuple(shared)


def _at(root: _Node, path: Path) -> _Node:
    node = root
    for call in path:
        node = node.below[call]
    return node
