"""Which ways of writing are slow, and which only look like it."""

from __future__ import annotations

import ast
import textwrap

import pytest

from goldsplit.analyse.source_look.slow_idioms import list_attributes, slow_idioms


def kinds(body: str) -> list[str]:
    tree = ast.parse("def f(self, items):\n" + textwrap.indent(textwrap.dedent(body), "    "))
    return [seen.kind for seen in slow_idioms(tree.body[0])]


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("pop-first", "while items:\n    x = items.pop(0)"),
        ("pop-first", "for x in y:\n    items.insert(0, x)"),
        ("pop-first", "while items:\n    del items[0]"),
        ("search-in-list", "seen = []\nfor x in items:\n    if x not in seen:\n        seen.append(x)"),
        ("search-in-list", "seen = list(items)\nreturn [x for x in y if x in seen]"),
        ("grown-array", "for x in items:\n    out = np.append(out, x)"),
        ("grown-array", "for x in items:\n    self.all = torch.cat([self.all, x])"),
        ("sort-for-one", "return sorted(items, key=cost)[0]"),
        ("sort-for-one", "return sorted(items)[-1]"),
        ("grown-text", "for x in items:\n    self.text += str(x) + ','"),
        ("grown-text", "for x in items:\n    text = str(x) + text"),
        ("grown-text", "for x in items:\n    self.text = self.text + f'{x}'"),
        ("attribute-chain", "for x in items:\n    y += self.game.board.size * x"),
        ("attribute-chain", "return [self.game.board.cells[x] for x in items]"),
        ("attribute-chain", "while self.game.board.size > 3:\n    pass"),
        ("copy-to-choose", "return random.choice(list(items))"),
        (
            "exception-as-answer",
            "for x in items:\n    try:\n        y = t[x]\n    except KeyError:\n        y = 0",
        ),
    ],
)
def test_slow(kind: str, body: str) -> None:
    assert kinds(body) == [kind]


@pytest.mark.parametrize(
    "body",
    [
        "x = items.pop(0)",  # once
        "while items:\n    x = items.pop()",
        "while items:\n    x = table.pop(0, None)",  # a dict
        "seen = set()\nfor x in items:\n    if x in seen:\n        pass",
        "seen = []\nseen = set(seen)\nfor x in items:\n    x in seen",  # a set in the end
        "for x in items:\n    x in items",  # nobody knows what it is
        "for x in items:\n    out = np.append(other, x)",
        "parts = []\nfor x in items:\n    parts.append(x)\nout = np.concatenate(parts)",
        "return sorted(items)[:3]",
        "for x in items:\n    total += x",
        "for x in items:\n    text += str(x) + ','",  # Python makes it longer where it is
        "for x in items:\n    text = text + str(x)",
        "text = str(x) + text",  # once
        "y = self.game.board.size * 2",  # once
        "for x in items:\n    y += self.board.size * x",  # short
        "for x in items:\n    self.game.board = x\n    y += self.game.board.size",  # it changes
        "for x in items:\n    y += x.game.board.size",  # another one in each turn
        "for x in items:\n    y += f(g(x), h(x) + k(x) * 3) + self.game.board.size",  # little of the line
        "for x in self.game.board.cells:\n    y += x",  # looked up once
        "for x in items:\n    np.linalg.norm.thing(x)\n    a.b.c(x)",  # functions
        "return random.choice(items)",
        "try:\n    y = t[x]\nexcept KeyError:\n    y = 0",  # no loop
        "for x in items:\n    try:\n        y = read(x)\n    except OSError:\n        y = 0",
        "def inner():\n    while items:\n        items.pop(0)",  # a function of its own
    ],
)
def test_not_slow(body: str) -> None:
    assert kinds(body) == []


def test_attributes_of_a_class_that_hold_lists() -> None:
    source = """
    class Game:
        def reset(self):
            self.open, self.units = {}, None
            self.seen = []
            self.walls = []
        def load(self):
            self.walls = set()
        def ask(self, x):
            return [y for y in x if y in self.seen or y in self.walls]
    """
    owner = ast.parse(textwrap.dedent(source)).body[0]
    assert isinstance(owner, ast.ClassDef)
    assert list_attributes(owner) == {"self.seen"}
    assert [one.kind for one in slow_idioms(owner.body[2], list_attributes(owner))] == ["search-in-list"]
