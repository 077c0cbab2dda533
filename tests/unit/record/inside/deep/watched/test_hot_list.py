"""The list of hot functions as a recorded process reads it."""

from __future__ import annotations

import json
import os
from pathlib import Path

from goldsplit.model.wire import File
from goldsplit.record.inside.deep.watched.hot_list import HotList


def put(folder: Path, text: str) -> None:
    draft = folder / "draft"
    draft.write_text(text)
    os.replace(draft, folder / File.HOT)  # noqa: PTH105 - as the launcher does


def test_a_list_is_news_once_and_again_when_it_was_replaced(tmp_path: Path) -> None:
    hot = HotList(str(tmp_path))
    assert hot.news() == []
    put(tmp_path, json.dumps({"functions": [["/a.py", "Game.step", 7]]}))
    assert hot.news() == [("/a.py", "Game.step", 7)]
    assert hot.news() == []
    put(tmp_path, json.dumps({"functions": [["/a.py", "Game.step", 7], ["/a.py", "sight", 9]]}))
    assert len(hot.news()) == 2


def test_a_damaged_list_is_no_list(tmp_path: Path) -> None:
    for text in ("", "{", "[]", '{"functions": 3}', '{"functions": [["/a.py"]]}'):
        put(tmp_path, text)
        assert HotList(str(tmp_path)).news() == []
