"""What the page's drawing code reads: plain values, short, in one JSON object."""

from __future__ import annotations

import json
from typing import Any

from goldsplit.model.detail import Detail, Flame, LaneStrip, ThreadName
from goldsplit.model.profile import Profile
from goldsplit.model.stage import CATEGORIES, category_of
from goldsplit.report import words

#: Shades of a category's colour; when they are used up, more stages share the last one.
SHADES = 4
#: More threads than this are listed in the table only.
MOST_STRIPS = 40
_KINDS = ("stage", "yours", "library", "native", "device")


def embedded_json(data: Any) -> str:
    """JSON for a script element: no text in it can end the element or start a comment."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)  # ASCII only: no odd line ends either
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def stage_paint(profile: Profile, detail: Detail) -> dict[str, tuple[str, int]]:
    """Stage → category and shade, the largest stage of each category in its full colour."""
    names = [row.stage for row in profile.stages]
    names += [stage for window in detail.windows for stage in window.stages]
    names += [frame.function for frame in detail.frames if frame.kind == "stage"]
    used: dict[str, int] = {}
    paint: dict[str, tuple[str, int]] = {}
    for name in names:
        if name not in paint:
            category = "none" if name.startswith("(") else category_of(name).replace(" ", "-")
            paint[name] = (category, min(SHADES - 1, used.get(category, 0)))
            used[category] = used.get(category, 0) + 1
    return paint


def chart_data(profile: Profile, detail: Detail) -> dict[str, Any]:
    """Everything that is drawn."""
    paint = stage_paint(profile, detail)
    return {
        "paint": {stage: list(how) for stage, how in paint.items()},
        "categories": [category.replace(" ", "-") for category in CATEGORIES],
        "steady": [_short(detail.steady_start), _short(detail.steady_end)],
        "wall": _short(profile.run.wall_seconds),
        "aside": ["not analysed" if profile.phases.startup_seconds is None else "start-up", "shutdown"],
        "order": stage_order(profile, detail),
        "windows": [
            {
                "start": _short(window.start),
                "seconds": _short(window.seconds),
                "rate": None if window.env_steps_per_second is None else _short(window.env_steps_per_second),
                "stages": {stage: _short(share) for stage, share in window.stages.items()},
                "rest": _short(window.unattributed_share),
            }
            for window in detail.windows
        ],
        "samples": profile.trust.samples,
        "strips": [_strip(strip) for strip in detail.strips[:MOST_STRIPS]],
        **_flame_data(detail),
    }


def stage_order(profile: Profile, detail: Detail) -> list[str]:
    """Stages of the chart over time: by category, so that shades of a colour touch, then by their share."""
    order = [row.stage for row in profile.stages]
    order += sorted({stage for window in detail.windows for stage in window.stages} - set(order))
    return sorted(order, key=lambda stage: CATEGORIES.index(category_of(stage)))


def _strip(strip: LaneStrip) -> list[list[float | None]]:
    return [
        [
            _short(cell.start),
            _short(cell.seconds),
            _short(cell.busy_share),
            _short(cell.wait_share),
            None if cell.barrier_share is None else _short(cell.barrier_share),
        ]
        for cell in strip.cells
    ]


def _flame_data(detail: Detail) -> dict[str, Any]:
    """Flames with new numbers for the frames that they show; each file is named once."""
    frame_numbers: dict[int, int] = {}
    flames = [_flame(flame, detail.threads, frame_numbers) for flame in detail.flames]
    files: dict[str, int] = {}
    frames = []
    for number in frame_numbers:
        frame = detail.frames[number]
        file = files.setdefault(frame.file, len(files))
        frames.append([frame.function, file, frame.line, _KINDS.index(frame.kind)])
    return {"flames": flames, "frames": frames, "files": list(files), "kinds": list(_KINDS)}


def _flame(flame: Flame, threads: list[ThreadName], frame_numbers: dict[int, int]) -> dict[str, Any]:
    flat: list[float] = []
    for node in flame.nodes:
        number = frame_numbers.setdefault(node.frame, len(frame_numbers))
        flat += [number, node.depth, _short(node.weight), _short(node.own)]
    whole = flame.thread is None
    return {
        "name": "the whole run, by wall time" if flame.thread is None else thread_name(threads[flame.thread]),
        "unit": "of wall time" if whole else "of its samples",
        "samples": flame.samples,
        "hidden": flame.hidden_boxes,
        "nodes": flat,
    }


def thread_name(thread: ThreadName) -> str:
    """A thread in a few words."""
    name = thread.process if thread.thread in ("", "MainThread") else f"{thread.process} {thread.thread}"
    return f"{words.plain(name)} {thread.pid} ({thread.role})"


def _short(value: float) -> float:
    """Five digits: more cannot be seen, and the page stays small."""
    return float(f"{value:.5g}")
