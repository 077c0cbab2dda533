"""The driver's time between the messages of one round.

In a round the driver asks (workers, a pool) and then takes the answers, message after message. Between two
messages lie the loop over them and the library's code around its waits, which are no work of the run: this
time belongs to the messages, as long as it is short in itself and compared with the messages beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from goldsplit.analyse.wall.ownership import Owner
from goldsplit.analyse.wall.timeline import GAP, Segment
from goldsplit.model.stage import VEC, VEC_RECV, VEC_SEND

#: A gap between two messages longer than this may hold work: the message is prepared, or an answer used.
LONGEST_NS = 50_000


def handovers(row: list[Segment], owners: Mapping[int, Owner]) -> Iterator[tuple[Segment, str]]:
    """The gaps between messages of one round, each with its stage: that of the message before it."""
    asked = False  # a driver that only takes what comes has no rounds: what it does in between is its work
    for place, segment in enumerate(row):
        if segment.node != GAP:
            owner = owners[segment.node]
            asked = _is_message(owner) and (asked or owner.stage == VEC_SEND)
            continue
        beside = row[place - 1 : place] + row[place + 1 : place + 2]
        messages = [one for one in beside if one.node != GAP and _is_message(owners[one.node])]
        asked = asked and len(messages) == 2 and _length(segment) <= LONGEST_NS
        if asked and _length(segment) <= max(map(_length, messages)):
            yield segment, VEC_SEND if owners[messages[0].node].stage == VEC_SEND else VEC_RECV


def _is_message(owner: Owner) -> bool:
    return owner.waiting or owner.stage.startswith(VEC)


def _length(segment: Segment) -> int:
    return segment.end_ns - segment.start_ns
