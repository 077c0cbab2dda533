"""Write the overlays' pages from their modules: `python docs/generate_overlays.py`; --check only compares."""

from __future__ import annotations

import importlib
import inspect
import sys
from pathlib import Path

from goldsplit.model.overlays.overlay import OVERLAYS, Overlay

PAGES = Path(__file__).parent / "overlays"
INDEX = """# Overlays

An overlay changes a run of your unmodified program from outside:
`goldsplit record --with threads:1 -- python train.py`. `--with` can be given several times. The report says
in its first lines which overlays were on and what each of them changed. `goldsplit overlays` lists them.

| Overlay | What it does | Rules that offer it |
|---|---|---|
"""
ABLATIONS = """
Ablations are no remedies: they remove, replace or slow a part of the training, to see what it is worth.

| Overlay | What it does | Rules that offer it |
|---|---|---|
"""


def text_of(overlay: Overlay) -> str:
    """The docstring of an overlay's module."""
    module = importlib.import_module(f"goldsplit.record.inside.overlays.{overlay.place}")
    return inspect.cleandoc(module.__doc__ or "")


def file_of(overlay: Overlay) -> str:
    """The name of its page."""
    return overlay.name.replace(":", "-") + ".md"


def page(overlay: Overlay) -> str:
    """An overlay's page: its docstring below its name and how it is written."""
    title, _, body = text_of(overlay).partition("\n\n")
    example = overlay.name + (f":{overlay.example}" if overlay.example else "")
    usage = f"`{overlay.usage}`, for example `goldsplit record --with {example} -- python train.py`"
    title = title.replace("\n", " ")
    return f"# {overlay.name}\n\n{title}\n\n{usage}\n\n{body.strip()}\n\n[All overlays](README.md)\n"


def index(overlays: tuple[Overlay, ...]) -> str:
    """The tables of all overlays."""
    remedies, ablations = [], []
    for one in overlays:
        link = f"[{one.name}]({file_of(one)})"
        rules = ", ".join(f"[{rule}](../rules/{rule}.md)" for rule in one.rules)
        if one.is_ablation:
            ablations.append(f"| {link} | {one.summary} | {rules} |")
        else:
            remedies.append(f"| {link} | {one.summary} | {rules} |")
    text = INDEX + "\n".join(remedies) + "\n"
    return text + (ABLATIONS + "\n".join(ablations) + "\n" if ablations else "")


def wanted_pages() -> dict[str, str]:
    """File name → text, for all files of the folder."""
    return {"README.md": index(OVERLAYS)} | {file_of(one): page(one) for one in OVERLAYS}


def main() -> int:
    check = "--check" in sys.argv
    wanted = wanted_pages()
    PAGES.mkdir(exist_ok=True)
    there = {path.name: path.read_text() for path in PAGES.glob("*.md")}
    stale = sorted(name for name in wanted.keys() | there.keys() if wanted.get(name) != there.get(name))
    for name in stale if not check else ():
        if name in wanted:
            (PAGES / name).write_text(wanted[name])
        else:
            (PAGES / name).unlink()
    if stale:
        print(("stale: " if check else "renewed: ") + ", ".join(stale))
    return 1 if stale and check else 0


if __name__ == "__main__":
    sys.exit(main())
