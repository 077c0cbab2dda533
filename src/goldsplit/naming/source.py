"""Read one source file into facts: its functions, what they call with what, and where the results go."""

from __future__ import annotations

import ast
import re

from goldsplit.naming.code_facts import (
    MODULE,
    Assignment,
    Call,
    Class,
    Function,
    SourceFile,
    Value,
)
from goldsplit.naming.expressions import (
    called,
    called_name,
    dotted,
    elements_of,
    goes_backward,
    in_loop,
    is_now_and_then,
    keys_of,
    names_in,
)

_WITHOUT_GRADIENTS = frozenset({"no_grad", "inference_mode"})
_ENTRY_POINT = re.compile(r"[a-zA-Z_][\w.]*:[a-zA-Z_]\w*")


def read(text: str, file: str) -> SourceFile:
    """Read one file. Raises SyntaxError and the like for what is no Python."""
    found = SourceFile(file)
    tree = ast.parse(text)
    for node in ast.walk(tree):  # gymnasium's `entry_point="package.module:Class"`
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and _ENTRY_POINT.fullmatch(node.value)
        ):
            module, _, name = node.value.partition(":")
            found.imports.setdefault(node.value, (module, name))
    whole = Function(file, MODULE, "", 1, len(text.splitlines()) or 1)
    found.functions.append(whole)
    _Body(found, whole, "").read(tree.body)
    return found


class _Body:
    """Reads the statements of one function."""

    def __init__(self, found: SourceFile, function: Function, prefix: str) -> None:
        self.found, self.function, self.prefix = found, function, prefix
        self.order = 0
        self.loops: tuple[int, ...] = ()
        self.conditions: list[ast.expr] = []
        self.no_grad = 0
        self.loop_conditions: list[int] = []  # how many conditions were open where each loop began

    def read(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self.order += 1
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        function = self.function
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.define(node)
            case ast.ClassDef():
                self.define_class(node)
            case ast.Import():
                for alias in node.names:
                    self.found.imports[alias.asname or alias.name.split(".")[0]] = (alias.name, "")
            case ast.ImportFrom():
                module = "." * node.level + (node.module or "")
                for alias in node.names:
                    self.found.imports[alias.asname or alias.name] = (module, alias.name)
            case ast.Assign():
                for target in node.targets:
                    self.assign(target, node.value)
            case ast.AnnAssign() if node.value is not None:
                self.assign(node.target, node.value)
            case ast.AugAssign():
                if isinstance(node.target, ast.Attribute | ast.Subscript) and not isinstance(
                    node.value, ast.Constant
                ):
                    root = dotted(node.target)
                    if function.self_name and root.startswith(function.self_name + "."):
                        function.changes_attributes = True
                self.assign(node.target, node.value)
                function.assignments[-1].added = True
            case ast.Return():
                if node.value is not None:
                    self.value(node.value)
                    elements = [self.pure(element) for element in elements_of(node.value)]
                    for element, key in zip(elements, keys_of(node.value), strict=False):
                        element.names |= {key}
                    function.returns.append(tuple(elements))
            case ast.For() | ast.AsyncFor():
                self.assign_each(node.target, node.iter)
                if goes_backward(node.iter):
                    function.counts_backward = True
                self.loop(node, frozenset(), ())
            case ast.While():
                value = self.value(node.test)
                self.ask(node.test)
                self.loop(node, value.names, value.calls)
            case ast.If():
                self.value(node.test)
                leaves = any(isinstance(inner, ast.Break | ast.Return) for inner in node.body)
                self.ask(node.test, leaves)
                self.conditions.append(node.test)
                self.read(node.body)
                self.read(node.orelse)
                self.conditions.pop()
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    self.value(item.context_expr)
                    if item.optional_vars is not None:
                        self.assign(item.optional_vars, item.context_expr)
                without = any(called_name(item.context_expr) in _WITHOUT_GRADIENTS for item in node.items)
                self.no_grad += without
                self.read(node.body)
                self.no_grad -= without
            case ast.Try() | ast.TryStar():
                self.read(node.body)
                for handler in node.handlers:
                    self.read(handler.body)
                self.read(node.orelse)
                self.read(node.finalbody)
            case ast.Match():
                self.value(node.subject)
                for case in node.cases:
                    self.conditions.append(node.subject)
                    self.read(case.body)
                    self.conditions.pop()
            case _:
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self.value(child)

    def loop(
        self, node: ast.For | ast.AsyncFor | ast.While, names: frozenset[str], calls: tuple[Call, ...]
    ) -> None:
        self.function.loop_names[node.lineno] = names
        self.function.loop_calls[node.lineno] = calls
        self.loops += (node.lineno,)
        self.loop_conditions.append(len(self.conditions))
        for statement in node.body:
            known = len(self.function.calls)
            self.read([statement])
            calls = tuple(self.function.calls[known:])
            self.function.statements.append(in_loop(statement, node.lineno, calls))
        self.loop_conditions.pop()
        self.loops = self.loops[:-1]
        self.read(node.orelse)

    def ask(self, test: ast.expr, leaves: bool = True) -> None:
        """Remember names that a condition asks for alone; `leaves`: it ends a loop."""
        parts = test.values if isinstance(test, ast.BoolOp) else [test]
        for part in parts:
            inner = part.operand if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not) else part
            if isinstance(inner, ast.Call) and len(inner.args) == 1 and isinstance(inner.func, ast.Name):
                inner = inner.args[0]  # bool(over), any(over)
            if name := dotted(inner):
                self.function.ends.add(name)
                if leaves:
                    self.function.leaves.add(name)

    def define(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        outer = self.function
        owner = self.prefix.rpartition(".")[2] if self.prefix and not self.prefix.endswith("<locals>") else ""
        qualname = f"{self.prefix}.{node.name}" if self.prefix else node.name
        if outer.qualname != MODULE and not owner:
            qualname = f"{outer.qualname}.<locals>.{node.name}"
        first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
        function = Function(self.found.file, qualname, owner, first, node.end_lineno or node.lineno)
        names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
        static = any(dotted(one) == "staticmethod" for one in node.decorator_list)
        if owner and names and not static:
            function.self_name, names = names[0], names[1:]
        function.parameters = (*names, *(argument.arg for argument in node.args.kwonlyargs))
        self.found.functions.append(function)
        if owner:
            kind = next((one for one in reversed(self.found.classes) if one.name == owner), None)
            if kind is not None:
                kind.methods.setdefault(node.name, function)
        _Body(self.found, function, "").read(node.body)

    def define_class(self, node: ast.ClassDef) -> None:
        bases = tuple(filter(None, map(dotted, node.bases)))
        self.found.classes.append(Class(self.found.file, node.name, bases))
        before, self.prefix = self.prefix, f"{self.prefix}.{node.name}" if self.prefix else node.name
        if self.function.qualname != MODULE and not before:
            self.prefix = f"{self.function.qualname}.<locals>.{node.name}"
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self.statement(statement)
        self.prefix = before

    def assign_each(self, target: ast.expr, node: ast.expr) -> None:
        """What a loop binds: `zip` and `enumerate` give each name its own part."""
        self.value(node)
        pairs = [(target, node)]
        if isinstance(node, ast.Call) and isinstance(target, ast.Tuple):
            name = dotted(node.func)
            if name == "zip" and len(node.args) == len(target.elts):
                pairs = list(zip(target.elts, node.args, strict=True))
            elif name == "enumerate" and len(target.elts) == 2 and node.args:
                self.assign_each(target.elts[1], node.args[0])
                return
        for one, value in pairs:
            self.assign_known(one, self.pure(value))

    def assign_known(self, target: ast.expr, value: Value) -> None:
        targets = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
        names = tuple(map(dotted, targets))
        self.function.assignments.append(Assignment(names, len(names) > 1, value, self.order, each=True))

    def assign(self, target: ast.expr, node: ast.expr) -> None:
        value = self.value(node)
        inner = node.value if isinstance(node, ast.Await) else node
        direct = next(
            (call for call in value.calls if isinstance(inner, ast.Call) and call.line == inner.lineno), None
        )
        if isinstance(inner, ast.Call) and value.calls:
            direct = value.calls[-1]  # the outermost one is written down last
        if isinstance(target, ast.Tuple | ast.List):
            targets = tuple(dotted(element) for element in target.elts)
            elements: tuple[Value, ...] = ()
            if isinstance(node, ast.Tuple) and len(node.elts) == len(targets):
                elements = tuple(self.pure(element) for element in node.elts)
            found = Assignment(targets, True, value, self.order, direct, elements)
        else:
            found = Assignment((dotted(target),), False, value, self.order, direct)
        self.function.assignments.append(found)

    def pure(self, node: ast.expr) -> Value:
        """A value whose calls are known already."""
        names = frozenset(names_in(node))
        lines = {(inner.lineno, called(inner)[1]) for inner in ast.walk(node) if isinstance(inner, ast.Call)}
        calls = tuple(call for call in self.function.calls if (call.line, call.name) in lines)
        return Value(names, calls, dotted(node))

    def value(self, node: ast.expr) -> Value:
        """An expression; its calls are written down, inner ones first."""
        calls: list[Call] = []
        self.collect(node, calls)
        return Value(frozenset(names_in(node)), tuple(calls), dotted(node))

    def collect(self, node: ast.AST, calls: list[Call]) -> None:
        if isinstance(node, ast.comprehension) and goes_backward(node.iter):
            self.function.counts_backward = True
        if not isinstance(node, ast.Call):
            for child in ast.iter_child_nodes(node):
                self.collect(child, calls)
            return
        inner: list[Call] = []
        self.collect(node.func, inner)
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        for argument in given:
            self.collect(argument, inner)
        receiver, name = called(node)
        around = self.conditions[self.loop_conditions[-1] :] if self.loop_conditions else self.conditions
        call = Call(
            name=name,
            receiver=receiver,
            line=node.lineno,
            order=self.order,
            arguments=tuple(frozenset(names_in(argument)) for argument in given),
            made=tuple(dotted(one.func) if isinstance(one, ast.Call) else "" for one in given),
            keywords=tuple(keyword.arg or "" for keyword in node.keywords),
            inner=tuple(inner),
            loops=self.loops,
            now_and_then=any(is_now_and_then(test) for test in around),
            conditional=bool(around),
            no_grad=self.no_grad > 0,
        )
        self.function.calls.append(call)
        calls += inner
        calls.append(call)
