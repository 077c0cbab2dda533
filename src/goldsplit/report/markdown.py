"""The table for a pull request: category, time, share, and whether it can be optimised."""

from __future__ import annotations

import re

from goldsplit.model.finding import WORTHWHILE_SHARE, Finding
from goldsplit.model.pasting import joined
from goldsplit.model.plan import Plan, StageAnswer
from goldsplit.model.profile import Hotspot, Profile, StageRow
from goldsplit.model.report import Report
from goldsplit.model.stage import VOCABULARY
from goldsplit.report import finding_text, next_step, verdict, words

_MEANING = {stage.name: stage.meaning for stage in VOCABULARY}
#: What Markdown would read as markup. An underscore inside a word is none.
_MARKUP = re.compile(r"[\\`*\[\]|]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
#: More findings than this are not for a pull request.
MOST_FINDINGS = 5


class MarkdownRenderer:
    """`render` takes data only."""

    def render(self, report: Report, plan: Plan) -> str:
        """Speed, the table, whose code it is, the first findings, and how far to trust it."""
        profile = report.profile
        lines = [
            f"## Where the time goes: {code(profile.run.name or profile.run.id)}",
            "",
            f"**Throughput**: {text(verdict.speed(profile).text)}  ",
            f"**Measured**: {text(verdict.phases(profile))}, {code(joined(profile.run.command))}",
            "",
            *breakdown(profile, plan),
            "",
        ]
        lines += [whose_code(plan), ""] if plan.share_by_kind else []
        lines += finding_list(plan)
        lines.append(f"_{text(verdict.trust(profile).text)} · goldsplit, run {text(profile.run.id)}_")
        return "\n".join(lines) + "\n"


def breakdown(profile: Profile, plan: Plan) -> list[str]:
    """The stages, the small ones together, and what no stage explains."""
    if not profile.stages:
        return [f"Time by category: {words.NOT_MEASURED}."]
    answers = {answer.stage: answer for answer in plan.answers}
    small = {answer.stage for answer in plan.answers if answer.answer == "small"}
    rows = [
        [stage_title(row.stage), f"{row.wall_seconds:.1f}", words.share(row.wall_share), told]
        for row in profile.stages
        if row.stage not in small
        for told in [optimizable(row, answers.get(row.stage))]
    ]
    if small:
        rows.append(small_stages([row for row in profile.stages if row.stage in small]))
    rest = profile.unattributed
    unknown = [f"{rest.wall_seconds:.1f}", words.share(rest.wall_share), "No stack shows your code in it"]
    rows += [["In no stage", *unknown]] if rest.wall_share >= 0.001 else []
    return table(["Category", "Time (s)", "% of wall time", "Optimizable?"], rows, "lrrl")


def small_stages(small: list[StageRow]) -> list[str]:
    """One row for all stages that are too small to notice."""
    seconds, share = sum(row.wall_seconds for row in small), sum(row.wall_share for row in small)
    named = words.listing([code(row.stage) for row in small], 4)
    most = f"No: {words.speedup(1.0 / (1.0 - WORTHWHILE_SHARE))} at most each"
    return [f"Small: {named}", f"{seconds:.1f}", words.share(share), most]


def stage_title(stage: str) -> str:
    """A stage and what it means."""
    meaning = _MEANING.get(stage)
    return f"{code(stage)}: {meaning}" if meaning else code(stage)


def optimizable(row: StageRow, answer: StageAnswer | None) -> str:
    """The fourth column: whose code it is, and how much it can save at most."""
    ceiling = words.known(row.ceiling_speedup)
    saves = f"; {words.speedup(row.ceiling_speedup)} at most" if ceiling is not None else ""
    if answer is None or answer.answer == "unknown":
        told = f"{words.NOT_MEASURED}: no hot function was sampled in it"
    else:
        told = whose_stage(answer)
    numbers = ", ".join(str(number) for number in answer.steps) if answer is not None else ""
    return told + (f"; finding {numbers}" if numbers else "") + saves


def whose_stage(answer: StageAnswer) -> str:
    """To whom the code of a stage's hot functions belongs."""
    mostly = f", mostly {function(answer.hottest)}" if answer.hottest is not None else ""
    if answer.answer == "yes":
        return f"**Yes**: your code{mostly}"
    if answer.answer == "partly":
        return f"**Partly**: {words.share(answer.own_share)} of its hot code is yours{mostly}"
    kind = answer.hottest.kind if answer.hottest is not None else "library"
    return f"Only by calling it less: {text(kind)} code{mostly}"


def whose_code(plan: Plan) -> str:
    """Wall time in hot functions by owner: changing your own code cannot reach the rest."""
    parts = [f"{text(kind)} {words.share(share)}" for kind, share in plan.share_by_kind.items()]
    return f"**Whose code** (share of wall time in the sampled hot functions): {', '.join(parts)}"


def finding_list(plan: Plan) -> list[str]:
    """The first findings, numbered as in the table."""
    if not plan.steps:
        return []
    lines = ["**Findings**", ""]
    for number, step in enumerate(plan.steps[:MOST_FINDINGS], 1):
        lines.append(f"{number}. {finding_line(step.finding)}")
    hidden = len(plan.steps) - MOST_FINDINGS
    return [*lines, *([f"\n… and {hidden} more"] if hidden > 0 else []), ""]


def finding_line(finding: Finding) -> str:
    """One finding in one line."""
    place = finding_text.where(finding.where)
    parts = [text(finding.title), code(place) if place else "", finding_text.gain(finding)]
    return " – ".join(part for part in parts if part)


def function(spot: Hotspot) -> str:
    """A function and its place."""
    return f"{code(spot.function)} ({text(next_step.place(spot))})" if spot.file else code(spot.function)


def table(titles: list[str], rows: list[list[str]], sides: str) -> list[str]:
    """A Markdown table; `sides` has l or r for each column."""
    rule = ["---:" if side == "r" else "---" for side in sides]
    return [f"| {' | '.join(cells)} |" for cells in (titles, rule, *rows)]


def text(value: str) -> str:
    """Any text as Markdown on one line: what would be markup is escaped."""
    flat = _MARKUP.sub(r"\\\g<0>", " ".join(words.plain(value).split()))
    return flat.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def code(value: str) -> str:
    """A name or command as code; a pipe would end the table's cell. Backticks stay as they are: another
    character in their place could end a word that is quoted for the shell."""
    flat = (" ".join(words.plain(value).split()) or words.DASH).replace("|", r"\|")
    pad = " " if flat[0] == "`" or flat[-1] == "`" else ""
    ticks = fence(flat, 1)
    return f"{ticks}{pad}{flat}{pad}{ticks}"


def fence(value: str, shortest: int) -> str:
    """As many backticks as begin and end code that has this text: more than any row of them inside it."""
    return "`" * max(shortest, *(len(row) + 1 for row in re.findall("`+", value)), 0)
