"""The tables of the deep look: functions, lines, caches."""

from __future__ import annotations

from goldsplit.model.deep import CacheUse, DeepFunction, DeepLook, Site
from goldsplit.report import words
from goldsplit.report.html.table import Cell, Column, Row, Table, bar, short_file

MOST_ROWS = 40


def deep_tables(deep: DeepLook | None) -> list[Table]:
    """What the deep look saw; no table that would be empty."""
    if deep is None:
        return []
    tables = [_deep_functions(deep.functions), _deep_sites(deep.sites), _deep_caches(deep.caches)]
    return [table for table in tables if table.rows]


def _deep_functions(functions: list[DeepFunction]) -> Table:
    columns = [
        Column("function"),
        Column("where", narrow=False),
        Column("calls/step", True),
        Column("self", True),
        Column("total", True, False),
        Column("repeated", True, False, "calls with arguments seen before, of those compared"),
        Column("cost of repeats", True),
        Column("results", narrow=False),
    ]
    longest = max((one.self_share for one in functions), default=0.0)
    rows = [
        Row(
            [
                Cell(words.plain(one.place.function)),
                Cell(short_file(one.place.file, one.place.line), title=words.plain(one.place.file)),
                Cell(words.per_step(one.calls_per_env_step), one.calls_per_env_step),
                Cell(words.share(one.self_share), one.self_share, bar(one.self_share, longest)),
                Cell(words.share(one.total_share), one.total_share),
                Cell(f"{one.repeats} of {one.compared}" if one.compared else words.NOT_MEASURED, one.repeats),
                Cell(words.share(one.repeat_share if one.compared else None), one.repeat_share),
                Cell(_results(one)),
            ]
        )
        for one in functions[:MOST_ROWS]
    ]
    return Table("Functions of your own code, every call seen", columns, rows)


def _results(one: DeepFunction) -> str:
    if not one.compared:
        return words.NOT_MEASURED
    if one.constant_result is not None:
        return f"always {words.plain(one.constant_result)}"
    if not one.repeats:
        return words.plural(one.distinct_results, "different result")
    if one.differing:
        return f"differed {words.plural(one.differing, 'time')}: unsafe to cache"
    return "equal every time"


def _deep_sites(sites: list[Site]) -> Table:
    columns = [
        Column("calls"),
        Column("kind", narrow=False),
        Column("from"),
        Column("calls/step", True),
        Column("share", True),
        Column("different", True, False, "different arguments, of those compared"),
        Column("detail", narrow=False),
    ]
    rows = [
        Row(
            [
                Cell(words.plain(site.callee)),
                Cell(words.label(site.kind)),
                Cell(short_file(site.place.file, site.place.line), title=words.plain(site.place.function)),
                Cell(words.per_step(site.calls_per_env_step), site.calls_per_env_step),
                Cell(words.share(site.share), site.share),
                Cell(words.DASH if site.distinct is None else f"{site.distinct} of {site.compared}"),
                Cell(words.plain(site.detail)),
            ]
        )
        for site in sites[:MOST_ROWS]
    ]
    return Table("Lines that call something worth knowing about", columns, rows)


def _deep_caches(caches: list[CacheUse]) -> Table:
    columns = [
        Column("cache"),
        Column("kind", narrow=False),
        Column("hits", True),
        Column("misses", True),
        Column("clears", True),
        Column("key", True, False, "cost of making the key and asking"),
        Column("value", True, False, "cost of computing the value"),
    ]
    rows = [
        Row(
            [
                Cell(words.plain(one.place.function), title=short_file(one.place.file, one.place.line)),
                Cell(words.label(one.kind)),
                Cell(words.count(one.hits), one.hits),
                Cell(words.count(one.misses), one.misses),
                Cell(words.count(one.clears), one.clears),
                Cell(words.duration(one.key_us), one.key_us),
                Cell(words.duration(one.value_us), one.value_us),
            ]
        )
        for one in caches[:MOST_ROWS]
    ]
    return Table("Caches of your own", columns, rows)
