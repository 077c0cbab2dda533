"""What an environment can be told to do, and ways to choose from it: random, first, zero.

Each class draws valid actions from its own generator, so that the random numbers of the environment and of
the program are not touched. A mask is what its source gives; None: everything is valid.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Protocol

from goldsplit.record.drive.masks import MaskSource, valid_actions, valid_places
from goldsplit.record.drive.problem import DriveError

_SIZES = ("n_actions", "num_actions", "action_size", "action_space_size", "action_dim")
#: Beyond this many, actions are made when they are chosen.
_PREPARED = 100_000


class Actions(Protocol):
    """The actions of one environment."""

    def choose(self, how: str, mask: Any) -> Any:
        """An action; `how` is random, first or zero."""


class Listed:
    """Numbered actions, or those that the environment itself lists as valid."""

    def __init__(self, size: int | None, values: Any, source: MaskSource | None, random: Random) -> None:
        self.size = size
        self.values = values
        self.source = source
        self.random = random.random
        self.dead_ends = 0
        """Times that a mask allowed nothing."""

    def choose(self, how: str, mask: Any) -> Any:
        if mask is None or self.source is None:
            return self._any(how)
        valid = valid_actions(mask, self.source)
        if not valid:
            self.dead_ends += 1
            return self._any(how)
        if how == "random":
            chosen = valid[int(self.random() * len(valid))]
        else:
            chosen = 0 if how == "zero" and 0 in valid else valid[0]
        return chosen if self.source.lists_actions else self.values(chosen)

    def _any(self, how: str) -> Any:
        if self.size is None:
            raise DriveError(
                "the environment allows no action, and does not say how many there are", POLICY_HINT
            )
        return self.values(int(self.random() * self.size) if how == "random" else 0)


class Sampled:
    """Any Gymnasium space; masks only for MultiDiscrete and MultiBinary (flat, as sb3-contrib has them)."""

    def __init__(self, space: Any, seed: int) -> None:
        self.space = space
        self.random = Random(seed).random
        space.seed(seed)
        self.choices = choices_of(space)
        self.zero: Any = None

    def choose(self, how: str, mask: Any) -> Any:
        if mask is not None and self.choices is not None:
            return self._of_each_choice(how, mask)
        if how == "random":
            return self.space.sample()
        if self.zero is None:
            self.zero = zero_of(self.space)
        return self.zero

    def _of_each_choice(self, how: str, mask: Any) -> Any:
        import numpy

        parts = mask if isinstance(mask, tuple | list) else [mask]
        flat = numpy.concatenate([numpy.asarray(part).reshape(-1) for part in parts])
        chosen, start = [], 0
        for size in self.choices or ():
            valid = valid_places(flat[start : start + size]) or [0]
            chosen.append(valid[int(self.random() * len(valid))] if how == "random" else valid[0])
            start += size
        return numpy.array(chosen, dtype=self.space.dtype).reshape(self.space.shape)


def choices_of(space: Any) -> list[int] | None:
    """How many values each choice of a space of several choices has; None for other spaces."""
    if type(space).__name__ == "MultiBinary":
        sizes = space.shape
        return [2] * int(sizes[0]) if len(sizes) == 1 else None
    choices = getattr(space, "nvec", None)
    return None if choices is None else [int(n) for n in choices.reshape(-1)]


POLICY_HINT = (
    "say how many there are in the class (n_actions = 4), or what to do: --policy package.module:function, "
    "which is given the observation (and the mask)"
)


def zero_of(space: Any) -> Any:
    """The zero of a space, moved into its bounds if it has bounds."""
    import numpy

    inner = getattr(space, "spaces", None)
    if isinstance(inner, dict) or hasattr(inner, "items"):
        return {key: zero_of(one) for key, one in inner.items()}  # type: ignore[union-attr]
    if inner is not None:
        return tuple(zero_of(one) for one in inner)
    if hasattr(space, "low") and hasattr(space, "high"):
        return numpy.clip(numpy.zeros(space.shape, space.dtype), space.low, space.high).astype(space.dtype)
    if isinstance(getattr(space, "n", None), int) or hasattr(getattr(space, "n", None), "item"):
        return space.dtype.type(getattr(space, "start", 0))
    if getattr(space, "shape", None) is not None and space.dtype is not None:
        return numpy.zeros(space.shape, space.dtype)
    raise DriveError(f"the action space {space} has no zero", "use --policy random")


def find_actions(env: Any, source: MaskSource | None, mask: Any, seed: int) -> Actions:
    """What the environment says about its actions: its space, a number, or its mask's size."""
    random = Random(seed)
    space: Any = getattr(env, "action_space", None)
    size = count_of(env)
    if is_counted(space):
        kind = numbered(int(space.n), int(getattr(space, "start", 0)), space.dtype.type)
        return Listed(size, kind, source, random)
    if callable(getattr(space, "sample", None)):
        return Sampled(space, seed)
    if isinstance(space, list | tuple | range):
        return Listed(size, space.__getitem__, source, random)
    if size is None and mask is not None and source is not None and not source.lists_actions:
        size = len(mask)
    if size is None and (source is None or not source.lists_actions):
        raise DriveError(
            f"{type(env).__name__} does not say which actions it takes: "
            "it has no action_space, no n_actions and no mask",
            POLICY_HINT,
        )
    return Listed(size, int, source, random)


def count_of(env: Any) -> int | None:
    """How many actions an environment says it has; None where it does not say, or they cannot be counted."""
    space: Any = getattr(env, "action_space", None)
    if is_counted(space):
        return int(space.n)
    if isinstance(space, list | tuple | range):
        return len(space)
    sizes = [space, *(getattr(env, name, None) for name in _SIZES), _size_in_spec(env)]
    return next((int(n) for n in sizes if isinstance(n, int) and not isinstance(n, bool) and n > 0), None)


def is_counted(space: Any) -> bool:
    """Whether a space is one number out of n (Gymnasium's or gym's Discrete)."""
    return type(space).__name__ == "Discrete" and hasattr(space, "n") and hasattr(space, "dtype")


def numbered(size: int, start: int, kind: Callable[[int], Any]) -> Callable[[int], Any]:
    """Place → action of the space's own type; prepared, because making a NumPy scalar is not free."""
    if size > _PREPARED:
        return lambda place: kind(start + place)
    return [kind(start + place) for place in range(size)].__getitem__


def _size_in_spec(env: Any) -> int | None:
    """dm_env: a spec with a number of values."""
    spec = getattr(env, "action_spec", None)
    found = getattr(spec() if callable(spec) else spec, "num_values", None)
    return None if found is None else int(found)
