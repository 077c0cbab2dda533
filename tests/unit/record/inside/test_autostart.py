"""The autostart imports nothing of goldsplit before it knows that it can; so it spells names itself."""

from __future__ import annotations

import ast

from goldsplit.model.wire import File, Variable
from goldsplit.record.outside.launch import AUTOSTART


def test_the_autostart_spells_variables_and_files_as_the_run_format_does() -> None:
    tree = ast.parse((AUTOSTART / "sitecustomize.py").read_text())
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    spelled = {text for text in texts if str(text).startswith("GOLDSPLIT_") or str(text).endswith(".txt")}
    assert spelled == {Variable.RUN_DIR, Variable.DEBUG, File.TOO_OLD}


def test_the_autostart_imports_only_the_standard_library_at_the_top() -> None:
    tree = ast.parse((AUTOSTART / "sitecustomize.py").read_text())
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert {alias.name for node in imports for alias in node.names} == {"os", "sys"}
