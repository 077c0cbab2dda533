"""Floats of whole pictures, followed through names and calls to the slice that thins them out."""

from __future__ import annotations

import ast
import textwrap

import pytest

from goldsplit.analyse.source_look.late_crops import Function, Thinned, thinned_late


def seen(text: str) -> Thinned | None:
    """What is seen in the last function of a text; it may call those above it."""
    made = ast.parse(textwrap.dedent(text)).body
    functions = {one.name: one for one in made if isinstance(one, ast.FunctionDef)}

    def resolve(call: ast.Call) -> Function | None:
        return functions.get(
            call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func)
        )

    return thinned_late(list(functions.values())[-1], resolve)


def test_in_one_function() -> None:
    found = seen(
        """
        def look(frame):
            wide = frame.astype(np.float32)
            name = "unrelated"
            return wide[::2, ::2]
        """
    )
    assert found == Thinned(5, (3, 5))


def test_out_of_a_call_in_a_call_through_a_list_and_names() -> None:
    found = seen(
        """
        def each(self):
            out = []
            for picture in self.pictures:
                out.append(torch.as_tensor(picture, dtype=torch.float32).permute(2, 0, 1))
            return torch.stack(out)

        def grey(self):
            wide = self.each()
            return (wide * WEIGHTS).sum(dim=1)

        def look(self):
            all_of_it = self.grey()
            middle = all_of_it[:, 20:180, :]
            small = middle[:, ::STRIDE, ::STRIDE]
            return small
        """
    )
    assert found is not None
    assert found.crop == 15
    assert found.lines == (13, 14, 15)


@pytest.mark.parametrize(
    "body",
    [
        "small = frame[::2, ::2]\n    return small.astype(np.float32)",
        "return frame[::2, ::2].float() / 255.0",
        "return torch.as_tensor(frame[20:100:2, ::2], dtype=torch.float32)",
        "return frame[::2, ::2] / 255.0",
        "wide = frame.astype(np.float32)\n    return wide[::2]",
        "wide = frame.astype(np.float32)\n    return wide[:, 10:50]",
        "wide = frame.astype(np.float32)\n    return wide[::-1, ::1]",
        "wide = frame.astype(np.int64)\n    return wide[::2, ::2]",
        "wide = frame.astype(np.float32)\n    wide = frame\n    return wide[::2, ::2]",
        "share = float(frame.mean())\n    return frame[::2, ::2] * share",
    ],
    ids=[
        "first",
        "one-line",
        "inside",
        "scaled",
        "rows",
        "bounds",
        "mirror",
        "whole-numbers",
        "other",
        "number",
    ],
)
def test_no_whole_picture_is_thinned_out(body: str) -> None:
    assert seen(f"def look(frame):\n    {body}\n") is None


def test_what_a_call_has_thinned_out_already_is_no_whole_picture() -> None:
    text = """
        def bright(self, step):
            return self.shot[::step, ::step].astype(np.float32)

        def look(self):
            return self.bright(4).mean(axis=2)
        """
    assert seen(text) is None


def test_functions_that_call_each_other_come_to_an_end() -> None:
    text = """
        def one(self):
            return self.two()

        def two(self):
            return self.one()[::2, ::2]
        """
    assert seen(text) is None
