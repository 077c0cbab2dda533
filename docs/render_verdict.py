"""Put a real verdict into the README and into docs/images/verdict.svg.

make demo
python docs/render_verdict.py .goldsplit/runs/ID   # the run named demo
"""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from goldsplit import pipeline
from goldsplit.report.last_screen import last_screen
from goldsplit.report.terminal import TerminalRenderer

ROOT = Path(__file__).parents[1]
BEGIN, END = "<!-- verdict begins -->", "<!-- verdict ends -->"
#: Paths of the machine that recorded the run do not help a reader.
INTERPRETER = re.compile(r"(\x1b\[\d+m)?\S*/bin/python[\d.]*")


def shown(text: str) -> str:
    """The report with `python` instead of the path of our virtual environment."""
    return INTERPRETER.sub(r"\1python", text)


def picture(text: str, width: int, title: str) -> str:
    """Text with colours as SVG, without downloaded fonts."""
    console = Console(record=True, width=width, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(text))
    svg = console.export_svg(title=title)
    return re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)


def main() -> None:
    run = Path(sys.argv[1])
    report = pipeline.report(run)
    plain = shown(last_screen(report, run.name, TerminalRenderer(width=80)))
    painted = shown(last_screen(report, run.name, TerminalRenderer(colour=True, width=80)))
    readme = ROOT / "README.md"
    before, _, rest = readme.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    readme.write_text(f"{before}{BEGIN}\n```text\n{plain}```\n{END}{after}")
    image = ROOT / "docs" / "images" / "verdict.svg"
    image.parent.mkdir(exist_ok=True)
    command = shown(" ".join(report.profile.run.command[:6]))
    image.write_text(picture(painted, 80, f"goldsplit record --deep -- {command} …"))


if __name__ == "__main__":
    main()
