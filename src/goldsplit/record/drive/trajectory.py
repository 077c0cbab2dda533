"""The trajectory hash of an environment alone: equal play has an equal hash.

Observations go in with their types and shapes, floats bit by bit. Rewards go in as 64-bit floats, ends and
masks as True or False, because two equal engines may use different types for them. Actions are left out:
they follow from the seed, the policy and the masks.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from goldsplit.record.drive.problem import DriveError
from goldsplit.record.encoding import VERSION, NotPlain, encoded, encoded_bools, encoded_numbers


class Trajectory:
    """Takes what an environment returned, step by step."""

    def __init__(self) -> None:
        self._hash = blake2b(f"goldsplit trajectory {VERSION}".encode(), digest_size=16)
        self.steps = 0

    def reset(self, observation: Any) -> None:
        self._hash.update(b"R" + _observed(observation))

    def mask(self, mask: Any, lists_actions: bool) -> None:
        self._hash.update(b"M" + (_observed(mask) if lists_actions else encoded_bools(mask)))

    def step(self, observation: Any, reward: Any, ended: Any) -> None:
        self.steps += 1
        try:
            self._hash.update(b"S" + encoded(observation) + encoded_numbers(reward) + encoded_bools(ended))
        except NotPlain as found:
            raise _no_hash(found) from found

    def value(self) -> str:
        return self._hash.hexdigest()


def _observed(value: Any) -> bytes:
    try:
        return encoded(value)
    except NotPlain as found:
        raise _no_hash(found) from found


def _no_hash(found: NotPlain) -> DriveError:
    return DriveError(
        f"no trajectory hash: an observation holds a {found.kind}, which has no content that can be compared",
        "return arrays, numbers, texts, or lists, dicts and dataclasses of them; or leave --hash out",
    )
