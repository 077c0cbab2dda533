"""One HTML file that works offline: it contains template, style and drawing code."""

from __future__ import annotations

import math
from collections.abc import Mapping
from importlib.resources import files

import jinja2
from markupsafe import Markup

from goldsplit.model.detail import Detail
from goldsplit.model.report import Report
from goldsplit.report import words
from goldsplit.report.html.charts import chart_data, embedded_json
from goldsplit.report.html.content import page_content

#: The drawing code, in the order in which it must be read.
SCRIPTS = ("draw.js", "time.js", "lanes.js", "flame.js", "tables.js")


class HtmlRenderer:
    """`render` takes data only. `rules`: the code of a rule → its page, for the rules of the findings."""

    def __init__(self, rules: Mapping[str, str] | None = None) -> None:
        self.rules = rules or {}

    def render(self, report: Report, detail: Detail) -> str:
        """The whole page. Whatever comes from the run is escaped: as HTML, or as JSON inside a script."""
        environment = jinja2.Environment(
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            finalize=printable,
        )
        environment.filters["glued"] = lambda text: Markup.escape(words.glued(text))
        template = environment.from_string(_part("page.html.j2"))
        return template.render(
            **page_content(report, detail, self.rules),
            style=Markup(_part("style.css")),
            script=Markup("".join(_part(name) for name in SCRIPTS)),
            data=Markup(embedded_json(chart_data(report.profile, detail))),
        )


def printable(value: object) -> object:
    """What the template shows of a value: names without control characters, nothing for NaN and infinity."""
    if isinstance(value, float) and not math.isfinite(value):
        return ""
    return words.plain(value, keep="\n\t") if type(value) is str else value


def _part(name: str) -> str:
    return files("goldsplit.report.html").joinpath("page", name).read_text(encoding="utf-8")
