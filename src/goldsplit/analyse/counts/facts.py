"""Facts that the hooks of all processes counted."""

from __future__ import annotations

import re

from goldsplit.analyse.counts.series import Series
from goldsplit.model.finding import Place
from goldsplit.model.naming import FACT_SEPARATOR
from goldsplit.model.profile import Fact

_PLACE = re.compile(r"(.*?):(\d+):(.*)", re.DOTALL)
_END = 1 << 62


def facts(series: dict[int, Series], roles: dict[int, str]) -> list[Fact]:
    """Every fact of every process, threads added together."""
    numbers: dict[tuple[int, str], list[float]] = {}
    for pid, one in series.items():
        for full in one.counters():
            name = full.split(":", 1)[1]
            for prefix, index in (("fact_n:", 0), ("fact_sum:", 1)):
                if name.startswith(prefix):
                    row = numbers.setdefault((pid, name.removeprefix(prefix)), [0.0, 0.0])
                    row[index] += one.count(full, _END)
    found = []
    for (pid, name), (count, amount) in numbers.items():
        kind, detail, place = name.split(FACT_SEPARATOR)
        found.append(Fact(kind, detail, pid, roles.get(pid, "other"), count, amount, read_place(place)))
    return sorted(found, key=lambda fact: (fact.kind, fact.detail, fact.pid))


def read_place(text: str) -> Place | None:
    """The inverse of the recorder's `place_of`; names of functions may hold colons, and of files too."""
    found = _PLACE.fullmatch(text)
    return Place(found[1], int(found[2]), found[3]) if found else None
