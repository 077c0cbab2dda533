"""Which remedies to try on a run: those that its findings offer, and the cheap ones that always are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from goldsplit.diagnose.tried_findings import joint_most
from goldsplit.errors import ConfigError
from goldsplit.experiment.remedies.verdicts import WITH_TARGET
from goldsplit.model.experiment.tried import Candidate
from goldsplit.model.fact_wire import FactKind
from goldsplit.model.finding import Finding
from goldsplit.model.overlays.written import parse_overlay
from goldsplit.model.profile import Profile
from goldsplit.model.report import Report

#: Findings whose ceiling is lower are not worth the trials.
LEAST_CEILING = 1.02
#: Native threads that use less of a process's processor time compute nothing worth naming.
NATIVE_SHARE = 0.1
OTHER_START = "start:forkserver"
#: What an overlay does, as lines in one's own code.
FOR_GOOD = {
    "threads": "torch.set_num_threads({0}) at the start, or OMP_NUM_THREADS={0} before python",
    "no-validation": "torch.distributions.Distribution.set_default_validate_args(False) at the start",
    "constant": "test once, outside of the loop, for what makes {0} answer the same, and skip the call",
    "memo": "keep the answers of {0} in a dict, emptied when what it reads changes",
    "compiled-text": "compile each text once (code = compile(text, …)) and keep the code in a dict",
    "quiet": "print and log every few seconds, not in every step",
    "lean-info": "return only what the trainer reads in info",
    "start": 'multiprocessing.set_start_method("{0}") under if __name__ == "__main__"',
    "no-eval": "evaluate less often",
    "no-checkpoint": "save less often",
    "fast:gae": "goldsplit.fast.returns.gae",
    "fast:replay": "goldsplit.fast.replay.sb3.GoldsplitReplayBuffer as replay_buffer_class",
    "fast:vector": "goldsplit.fast.vector.sb3.SharedVecEnv or goldsplit.fast.vector.SharedVectorEnv",
}


def candidates(report: Report, extra: Sequence[str] = (), only: bool = False) -> list[Candidate]:
    """Every remedy once, the one with the largest predicted gain first. `extra`: what the user asks for;
    `only`: nothing else."""
    found = [] if only else [*from_findings(report), *always(report.profile)]
    found = [*(asked_for(report, text) for text in extra), *found]
    kept: dict[str, Candidate] = {}
    for one in found:
        before = kept.get(one.overlay)
        if before is None or (one.predicted_gain or 0.0) > (before.predicted_gain or 0.0):
            kept[one.overlay] = one
    hoped = {text: one.likely_speedup for one in report.findings if one.unbounded for text in one.overlays}
    return sorted(kept.values(), key=lambda one: -(one.predicted_gain or hoped.get(one.overlay, 1.0)))


def from_findings(report: Report) -> Iterator[Candidate]:
    """What findings offer, as far as these overlays exist; of several for one finding the best. One overlay
    for several findings has a joint prediction, as it has one gain."""
    offered: dict[str, list[Finding]] = {}
    for finding in report.findings:
        ceiling = finding.ceiling_speedup
        if ceiling is not None and ceiling < LEAST_CEILING:
            continue
        known = [
            text for text in finding.overlays if is_remedy(text) and not is_so_already(text, report.profile)
        ]
        if known:
            offered.setdefault(known[0], []).append(finding)
    for overlay, served in offered.items():
        yield for_findings(report.profile, overlay, served)


def asked_for(report: Report, text: str) -> Candidate:
    """What the user names; where findings offer just that, with their prediction."""
    overlay = parse_overlay(text).text
    served = [one for one in report.findings if overlay in one.overlays]
    if served:
        return for_findings(report.profile, overlay, served)
    return Candidate(overlay, "", "as you asked", None, for_good(overlay))


def for_findings(profile: Profile, overlay: str, served: Sequence[Finding]) -> Candidate:
    """An overlay that fixes these findings; the most expensive of them speaks for it."""
    first = max(served, key=lambda finding: finding.most_speedup or 0.0)
    text = "; ".join(part for part in (first.remedy, in_code(overlay, first.remedy)) if part)
    return Candidate(overlay, first.code, first.title, joint_most(profile, served), text)


def in_code(text: str, remedy: str) -> str:
    """The overlay's own sentence, where it tells more than the remedy does."""
    says_where = text.startswith(WITH_TARGET) and bool(remedy)
    return "" if says_where or for_good(text) in remedy else for_good(text)


def always(profile: Profile) -> Iterator[Candidate]:
    """Cheap to try, and no profile can tell what they do on this machine: one computing thread, where a
    process has several; another way to start worker processes."""
    if has_pool(profile):
        yield Candidate("threads:1", "", "one computing thread", None, for_good("threads:1"))
    workers = sum(lane.role == "env-worker" for lane in profile.lanes)
    if workers and exists(OTHER_START) and not is_so_already(OTHER_START, profile):
        yield Candidate(OTHER_START, "", "another start method", None, for_good(OTHER_START))


def is_so_already(text: str, profile: Profile) -> bool:
    """Whether an overlay would change nothing: all processes were started by its method anyway."""
    methods = {fact.detail for fact in profile.facts if fact.kind == FactKind.START_METHOD}
    return text.startswith("start:") and methods == {text.partition(":")[2]}


def has_pool(profile: Profile) -> bool:
    """Whether a process computes with several threads: torch says so, or native threads used processor
    time."""
    pools = [fact.detail for fact in profile.facts if fact.kind == FactKind.TORCH_POOL]
    if pools:
        return any(detail.isdigit() and int(detail) > 1 for detail in pools)
    return any(
        one.native_threads and one.cpu_seconds - one.python_cpu_seconds >= NATIVE_SHARE * one.cpu_seconds
        for one in profile.processes
    )


def is_remedy(text: str) -> bool:
    """Whether there is such an overlay, and it leaves the training what it is: an ablation does not."""
    return exists(text) and not parse_overlay(text).overlay.is_ablation


def exists(text: str) -> bool:
    """Whether there is such an overlay, with such an argument."""
    try:
        parse_overlay(text)
    except ConfigError:
        return False
    return True


def for_good(text: str) -> str:
    """What to write in the code instead of an overlay."""
    name = max(
        (name for name in FOR_GOOD if text == name or text.startswith(f"{name}:")), default="", key=len
    )
    argument = text[len(name) + 1 :].partition(",")[0].partition("@")[0]
    return FOR_GOOD.get(name, "").format(argument)
