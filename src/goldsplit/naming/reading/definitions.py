"""A function by its first line: name, parameters, decorators; its body is read by `source`."""

from __future__ import annotations

import ast

from goldsplit.naming.reading.code_facts import Function
from goldsplit.naming.reading.expressions import called_name, dotted, handed_on, own_nodes

_PROPERTIES = frozenset({"property", "cached_property"})


def function_of(
    node: ast.FunctionDef | ast.AsyncFunctionDef, file: str, qualname: str, owner: str
) -> Function:
    """All that can be said of a function before its body is read. `owner`: the class; "" for none."""
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    function = Function(file, qualname, owner, first, node.end_lineno or node.lineno)
    function.source = node.body
    names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    if owner and names and "staticmethod" not in decorators_of(node):
        function.self_name, names = names[0], names[1:]
    rest = [node.args.vararg] if node.args.vararg is not None else []
    function.parameters = (*names, *(argument.arg for argument in (*node.args.kwonlyargs, *rest)))
    function.hands_on = handed_on(node)
    function.is_property = bool(owner) and bool(_PROPERTIES.intersection(decorators_of(node)))
    function.is_generator = any(isinstance(one, ast.Yield) for one in own_nodes(node))
    return function


def decorators_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """The last parts of the decorators' names: `no_grad` of `@torch.no_grad()`."""
    return [called_name(one) or dotted(one).rpartition(".")[2] for one in node.decorator_list]
