"""A recorded run as a Python object: `goldsplit.load()`."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from goldsplit import pipeline
from goldsplit.model.report import Report
from goldsplit.store.directory import DEFAULT_ROOT, find_run


@dataclass(frozen=True, slots=True)
class LoadedReport(Report):
    """A report that a notebook shows as the HTML page of `goldsplit report`."""

    path: Path = field(default_factory=Path)
    """The run's directory."""

    def _repr_html_(self) -> str:
        from goldsplit.report.html.renderer import HtmlRenderer

        explained, detail = pipeline.report_closely(self.path)
        rendered = HtmlRenderer(pipeline.rule_pages(explained)).render(explained, detail)
        page = escape(rendered, quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:70vh;border:0"></iframe>'


def load(run: str | Path = "last", root: Path | None = None) -> LoadedReport:
    """The report of a run: an id, a name, a path, or `last`. `root`: where runs are looked for."""
    path = find_run(str(run), root or DEFAULT_ROOT).path
    report = pipeline.report(path)
    return LoadedReport(report.profile, report.findings, path)
