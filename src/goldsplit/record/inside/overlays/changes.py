"""What an overlay changed in this process: counted as facts, so that a report can say it."""

from __future__ import annotations

from goldsplit.model.fact_wire import FACT_SEPARATOR, FactKind
from goldsplit.model.overlays.overlay import CHANGE_SEPARATOR
from goldsplit.model.wire import Counter, Key, Line
from goldsplit.record.inside.core import count_one
from goldsplit.record.inside.engine import ENGINE


class Changes:
    """Counts of one overlay. Pickled as its text, so that what holds one can be sent to a worker."""

    __slots__ = ("_keys", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._keys: dict[str, str] = {}

    def __reduce__(self) -> tuple[type[Changes], tuple[str]]:
        return Changes, (self.text,)

    def count(self, what: str) -> None:
        """Count one change, in the calling thread."""
        count_one(self._keys.get(what) or self._key(what, FactKind.OVERLAY))

    def see(self, what: str) -> None:
        """Count something that is worth saying but changed nothing: an answer that was verified."""
        count_one(self._keys.get(what) or self._key(what, FactKind.OVERLAY_SAW))

    def _key(self, what: str, kind: str) -> str:
        name = FACT_SEPARATOR.join((kind, self.text + CHANGE_SEPARATOR + what, ""))
        key = Counter.FACT_COUNT + name
        if kind in (FactKind.OVERLAY, FactKind.OVERLAY_SAW):
            self._keys[what] = key
        return key

    def find(self, what: str) -> None:
        """The function that the overlay names is there, and is replaced."""
        count_one(self._key(what, FactKind.OVERLAY_FOUND))

    def miss(self, why: str) -> None:
        """It was not there."""
        count_one(self._key(why, FactKind.OVERLAY_MISSED))

    def note(self, text: str) -> None:
        """Say why something was not changed; the report shows it."""
        ENGINE.events.append({Key.KIND: Line.NOTE, Key.TEXT: f"overlay {self.text}: {text}"})
        count_one(self._key(text, FactKind.OVERLAY_WHY))
