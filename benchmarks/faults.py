"""Does goldsplit find the faults that were planted, and nothing where they are fixed?

python benchmarks/faults.py                          all projects of tests/faults, in all surroundings
python benchmarks/faults.py --only tiny-batches      some of them, by the beginning of their code
python benchmarks/faults.py --surrounding worker     alone, in a worker process, in a pool's thread
python benchmarks/faults.py --runs kept              keep the recordings; judge again those that are there

The fault must be the first or second finding, at the right function, in at least 90 % of all cases; the
fixed programs must have no finding. `faults_embedding.py` says what the surroundings are, and which
projects make no sense in one of them.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import faults_embedding as embedding
import faults_judge as judge

RESULTS = Path(__file__).parent / "results" / "faults.json"
#: In how many of the projects the fault must be found.
BAR_SHARE = 0.9


def examine(project: judge.Project, surrounding: str, work: Path) -> dict[str, Any]:
    """Both programs of one project, as one row."""
    place = work if surrounding == "alone" else work / surrounding
    embed = functools.partial(embedding.embed, surrounding=surrounding)
    slow = judge.judge_slow(project, judge.record(project, "slow", place, embed))
    fixed = judge.judge_fixed(judge.record(project, "fixed", place, embed))
    return {
        "project": project.code,
        "surrounding": surrounding,
        "rank": slow.rank,
        "place_right": slow.place_right,
        "share": slow.finding.share if slow.finding else None,
        "ceiling_speedup": slow.finding.ceiling_speedup if slow.finding else None,
        "confidence": slow.finding.confidence if slow.finding else None,
        "found": slow.passed,
        "clean": fixed.passed,
        "slow_findings": [judge.describe(finding) for finding in slow.findings],
        "fixed_findings": [judge.describe(finding) for finding in fixed.findings],
        "fixed_disturbing": [finding.code for finding in fixed.disturbing],
    }


def line(row: dict[str, Any]) -> str:
    rank = "–" if row["rank"] is None else str(row["rank"])
    share = "–" if row["share"] is None else f"{row['share']:.0%}"
    place = "yes" if row["place_right"] else "no"
    verdict = "ok" if row["found"] and row["clean"] else "MISSED"
    others = ", ".join(row["fixed_disturbing"]) or "none"
    return (
        f"{row['project']:<32}{row['surrounding']:<8}{rank:>5}  {place:<6}{share:>6}  {verdict:<7} {others}"
    )


def details(row: dict[str, Any]) -> list[str]:
    """What was found instead, for a project with a wrong verdict."""
    parts = []
    for twin, right in (("slow", row["found"]), ("fixed", row["clean"])):
        if not right:
            parts += [f"    {twin}: {text}" for text in row[f"{twin}_findings"][:5] or ["no finding"]]
    return parts


def wanted(prefixes: list[str]) -> list[judge.Project]:
    """The projects to run; those without a planted fault cannot be judged."""
    chosen = judge.chosen(prefixes)
    if not chosen:
        raise SystemExit(
            f"no fault project begins with {prefixes}; there are: "
            + ", ".join(project.code for project in judge.projects())
        )
    for project in chosen:
        if not list(judge.planted_lines(project)):
            raise SystemExit(
                f"tests/faults/{project.code}: no line of slow/ ends in `# fault`\n"
                "hint: plant the fault and mark its line, see tests/faults/README.md"
            )
    return chosen


def run(chosen: list[judge.Project], surroundings: list[str], work: Path) -> list[dict[str, Any]]:
    rows = []
    print(
        f"{'project':<32}{'in':<8}{'rank':>5}  {'place':<6}{'share':>6}  {'verdict':<7} "
        "found in the fixed program"
    )
    for project in chosen:
        for surrounding in surroundings:
            reason = embedding.WITHOUT.get((project.code, surrounding))
            if reason is not None:
                print(f"{project.code:<32}{surrounding:<8}    –  {reason}")
                continue
            rows.append(examine(project, surrounding, work))
            print("\n".join([line(rows[-1]), *details(rows[-1])]), flush=True)
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", action="append", default=[], metavar="CODE")
    parser.add_argument("--surrounding", action="append", choices=embedding.SURROUNDINGS)
    parser.add_argument("--runs", type=Path, metavar="DIR")
    options = parser.parse_args()
    chosen, where = wanted(options.only), options.surrounding or list(embedding.SURROUNDINGS)
    if options.runs is not None:
        rows = run(chosen, where, options.runs.resolve())
    else:
        with tempfile.TemporaryDirectory(prefix="goldsplit-faults-") as work:
            rows = run(chosen, where, Path(work))
    found, clean = sum(row["found"] for row in rows), sum(row["clean"] for row in rows)
    print(f"\nfound {found} of {len(rows)}; fixed programs without a finding: {clean} of {len(rows)}")
    if not options.only and not options.surrounding:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps({"found": found, "clean": clean, "projects": rows}, indent=1) + "\n")
    return 0 if found >= BAR_SHARE * len(rows) and clean == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
