"""Read one source file into facts: its functions, what they call with what, and where the results go."""

from __future__ import annotations

import ast

from goldsplit.naming.reading import conditions
from goldsplit.naming.reading.code_facts import (
    MODULE,
    Assignment,
    Call,
    Class,
    Function,
    SourceFile,
    Statement,
    Value,
)
from goldsplit.naming.reading.comprehensions import COMPREHENSIONS, give_own_names, made_by
from goldsplit.naming.reading.definitions import decorators_of, function_of
from goldsplit.naming.reading.expressions import (
    called,
    called_name,
    dotted,
    elements_of,
    entry_points,
    every_name,
    goes_backward,
    is_flags,
    key_of,
    keys_of,
    names_in,
    targets_of,
)
from goldsplit.naming.reading.place import Place
from goldsplit.naming.reading.reaching import ELSE, IF, LAST, OTHER
from goldsplit.naming.reading.statements import bound_by, changes_own, in_loop, increment

_WITHOUT_GRADIENTS = frozenset({"no_grad", "inference_mode"})


def read(text: str, file: str) -> SourceFile:
    """Read one file. Raises SyntaxError and the like for what is no Python."""
    found, tree = SourceFile(file), ast.parse(text)
    give_own_names(tree)
    for point in entry_points(tree):
        module, _, name = point.partition(":")
        found.imports.setdefault(point, (module, name))
    found.functions.append(Function(file, MODULE, "", 1, len(text.splitlines()) or 1, source=tree.body))
    _Body(found, found.functions[0], "").read(tree.body)
    return found


class _Body(Place):
    """Reads the statements of one function."""

    def __init__(self, found: SourceFile, function: Function, prefix: str) -> None:
        super().__init__()
        self.found, self.function, self.prefix = found, function, prefix
        self.made: dict[ast.Call, Call] = {}

    def read(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self.order += 1
            self.statement(statement)

    def read_inside(self, statements: list[ast.stmt], place: int, branch: int) -> None:
        """Statements that may be left out; `place` tells their block."""
        around, self.blocks = self.blocks, (*self.blocks, (place, branch))
        self.read(statements)
        self.blocks = around

    def read_each(self, statements: list[ast.stmt], around: int, kept: list[Statement]) -> None:
        """All of a function, a loop or a condition; its own statements are kept."""
        for statement in statements:
            known = len(self.function.calls)
            self.read([statement])
            kept.append(in_loop(statement, around, tuple(self.function.calls[known:])))

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
                self.count_up(node)
            case ast.AnnAssign() if node.value is not None:
                self.assign(node.target, node.value)
            case ast.AugAssign():
                function.changes_attributes |= changes_own(node, function.self_name)
                self.assign(node.target, node.value)
                function.assignments[-1].added = True
                self.count_up(node)
            case ast.Return():
                if node.value is not None:
                    loops, self.loops = self.loops, ()  # what is returned is made once
                    self.value(node.value)
                    self.loops = loops
                    elements = [self.pure(one) for one in elements_of(node.value) or [node.value]]
                    for element, key in zip(elements, keys_of(node.value), strict=False):
                        element.names |= {key}
                    function.returns.append(tuple(elements))
            case ast.For() | ast.AsyncFor():
                self.assign_each(node.target, node.iter)
                if goes_backward(node.iter):
                    function.counts_backward = True
                    function.backward_loops.append((node.lineno, node.end_lineno or node.lineno))
                function.other_ends.add(node.lineno)
                self.loop(node, frozenset(), ())
            case ast.While():
                value = self.value(node.test)
                self.ask(node.test)
                function.conditions.append(conditions.enough_for(node.test, holds=False))
                other = not conditions.only_asks(node.test) and not isinstance(node.test, ast.Constant)
                function.other_ends |= {node.lineno} if other else set()
                function.over_when = conditions.over_when(node.test, holds=False) | function.over_when
                self.loop(node, value.names, value.calls)
            case ast.If():
                test = self.value(node.test)
                function.conditions.append(conditions.enough_for(node.test))
                leaves = any(isinstance(inner, ast.Break | ast.Return) for inner in node.body)
                self.ask(node.test, leaves)
                if self.loops and leaves:  # a loop's own condition was there before, and is kept
                    loop, known = self.loops[-1], function.leaving_calls
                    function.leaving[loop] = function.leaving.get(loop, test.names) | test.names
                    known[loop] = (*known.get(loop, ()), *test.calls)
                    other = not conditions.only_asks(node.test) and not conditions.asks_clock(node.test)
                    function.other_ends |= {loop} if other else set()
                    function.over_when = conditions.over_when(node.test, holds=True) | function.over_when
                self.conditions.append(node.test)
                around, place = self.blocks, self.order
                self.blocks += ((place, IF),)
                self.read_each(node.body, node.lineno, function.blocks if self.loops else [])
                self.blocks = around
                self.conditions[-1] = ast.UnaryOp(ast.Not(), node.test)
                self.read_inside(node.orelse, place, ELSE)
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
                place = self.order
                self.read_inside(node.body, place, OTHER)
                for handler in node.handlers:
                    self.read_inside(handler.body, place, LAST)
                self.read_inside(node.orelse, place, OTHER)
                self.read(node.finalbody)
            case ast.Match():
                self.value(node.subject)
                for case in node.cases:
                    self.conditions.append(node.subject)
                    self.read_inside(case.body, case.body[0].lineno, OTHER)
                    self.conditions.pop()
            case _:
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self.value(child)

    def count_up(self, node: ast.Assign | ast.AugAssign) -> None:
        """Remember `n += 1` and `n = n + 1`; any other value that a name gets in a loop begins anew."""
        found = increment(node, self.loops, self.around())
        if found is not None:
            self.function.increments.append(found)
        elif self.loops:
            self.function.set_in_loops |= bound_by(node)

    def loop(
        self, node: ast.For | ast.AsyncFor | ast.While, names: frozenset[str], calls: tuple[Call, ...]
    ) -> None:
        self.function.loop_names[node.lineno] = names
        self.function.loop_calls[node.lineno] = calls
        self.loops += (node.lineno,)
        self.loop_conditions.append(len(self.conditions))
        blocks, place = self.blocks, self.order
        self.blocks += ((place, OTHER),)
        self.read_each(node.body, node.lineno, self.function.statements)
        self.blocks = blocks
        self.loop_conditions.pop()
        self.loops = self.loops[:-1]
        self.read_inside(node.orelse, place, LAST)

    def ask(self, test: ast.expr, leaves: bool = True) -> None:
        """Remember names that a condition asks for alone; `leaves`: it ends a loop."""
        names = conditions.asked_alone(test)
        self.function.ends |= names
        self.function.leaves |= names if leaves else set()

    def define(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        outer = self.function
        owner = self.prefix.rpartition(".")[2] if self.prefix and not self.prefix.endswith("<locals>") else ""
        qualname = f"{self.prefix}.{node.name}" if self.prefix else node.name
        if outer.qualname != MODULE and not owner:
            qualname = f"{outer.qualname}.<locals>.{node.name}"
        function = function_of(node, self.found.file, qualname, owner)
        self.found.functions.append(function)
        if owner:
            kind = next((one for one in reversed(self.found.classes) if one.name == owner), None)
            function.kind = kind
            if kind is not None:
                kind.methods.setdefault(node.name, function)
        body = _Body(self.found, function, "")
        body.no_grad = sum(name in _WITHOUT_GRADIENTS for name in decorators_of(node))  # `@torch.no_grad()`
        body.read_each(node.body, 0, function.body)

    def define_class(self, node: ast.ClassDef) -> None:
        bases = tuple(filter(None, map(dotted, node.bases)))
        self.found.classes.append(Class(self.found.file, node.name, bases))
        before, self.prefix = self.prefix, f"{self.prefix}.{node.name}".strip(".")
        if self.function.qualname != MODULE and not before:
            self.prefix = f"{self.function.qualname}.<locals>.{node.name}"
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self.statement(statement)
        self.prefix = before

    def assign_each(self, target: ast.expr, node: ast.expr) -> tuple[Call, ...]:
        """What a loop binds: `zip` and `enumerate` give each name its own part. Returns the calls in it."""
        calls = self.value(node).calls
        pairs = [(target, node)]
        if isinstance(node, ast.Call) and isinstance(target, ast.Tuple):
            name = dotted(node.func)
            if name == "zip" and len(node.args) == len(target.elts):
                pairs = list(zip(target.elts, node.args, strict=True))
            elif name == "enumerate" and len(target.elts) == 2 and node.args:
                self.assign_each(target.elts[1], node.args[0])
                return calls
        for one, value in pairs:
            self.assign_known(one, self.pure(value))
        return calls

    def assign_known(self, target: ast.expr, value: Value) -> None:
        targets = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
        names = tuple(map(dotted, targets))
        found = Assignment(names, len(names) > 1, value, self.order, each=True)
        self.function.assignments.append(self.bound_here(found, target))

    def assign(self, target: ast.expr, node: ast.expr) -> None:
        value = self.value(node)
        made = made_by(node)
        direct = self.made.get(made) if made is not None else None
        if isinstance(target, ast.Tuple | ast.List):
            targets = tuple(dotted(element) for element in target.elts)
            elements: tuple[Value, ...] = ()
            if isinstance(node, ast.Tuple) and len(node.elts) == len(targets):
                elements = tuple(self.pure(element) for element in node.elts)
            found = Assignment(targets, True, value, self.order, direct, elements)
        else:
            found = Assignment((dotted(target),), False, value, self.order, direct)
            found.key = key_of(target, node)
        self.function.assignments.append(self.bound_here(found, target))
        if self.loops and self.around():
            asked = {name for test in self.around() for name in names_in(test)}
            for name in targets_of(target):
                self.function.decided_by[name] = self.function.decided_by.get(name, frozenset()) | asked
        if is_flags(node):
            self.function.flags |= set(targets_of(target))

    def pure(self, node: ast.expr) -> Value:
        """A value whose calls are known already."""
        names = frozenset(names_in(node))
        lines = {(inner.lineno, called(inner)[1]) for inner in ast.walk(node) if isinstance(inner, ast.Call)}
        calls = tuple(call for call in self.function.calls if (call.line, call.name) in lines)
        return Value(names, calls, dotted(node), conditions.enough_for(node))

    def value(self, node: ast.expr) -> Value:
        """An expression; its calls are written down, inner ones first."""
        calls: list[Call] = []
        self.collect(node, calls)
        return Value(frozenset(names_in(node)), tuple(calls), dotted(node), conditions.enough_for(node))

    def collect(self, node: ast.AST, calls: list[Call]) -> None:
        if isinstance(node, COMPREHENSIONS):
            for part in node.generators:
                self.function.counts_backward |= goes_backward(part.iter)
                calls += self.assign_each(part.target, part.iter)
            for child in ast.iter_child_nodes(node):
                for one in child.ifs if isinstance(child, ast.comprehension) else [child]:
                    self.collect(one, calls)
            return
        if isinstance(node, ast.IfExp):
            if any(isinstance(one, ast.Call) for way in (node.body, node.orelse) for one in ast.walk(way)):
                self.ask(node.test, leaves=False)  # `start() if out.over else out`, not a word to print
                self.function.conditions.append(conditions.enough_for(node.test))
            self.collect(node.test, calls)
            self.conditions.append(node.test)
            self.collect(node.body, calls)
            self.conditions[-1] = ast.UnaryOp(ast.Not(), node.test)
            self.collect(node.orelse, calls)
            self.conditions.pop()
            return
        if not isinstance(node, ast.Call):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                self.read_attribute(node)
            for child in ast.iter_child_nodes(node):
                self.collect(child, calls)
            return
        inner: list[Call] = []
        self.collect(node.func.value if isinstance(node.func, ast.Attribute) else node.func, inner)
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        for argument in given:
            self.collect(argument, inner)
        receiver, name = called(node)
        call = self.call_at(node, receiver, name)
        call.arguments = tuple(frozenset(names_in(argument)) for argument in given)
        call.picked = tuple(frozenset(every_name(one)) for one in given if isinstance(one, ast.Subscript))
        call.made = tuple(dotted(one.func) if isinstance(one, ast.Call) else "" for one in given)
        call.keywords = tuple(keyword.arg or "" for keyword in node.keywords)
        call.inner = tuple(inner)
        self.made[node] = call
        self.function.calls.append(call)
        calls += [*inner, call]

    def read_attribute(self, node: ast.Attribute) -> None:
        """Remember an attribute that is read: it may be a property, and this a call."""
        name = dotted(node)
        if name and name not in self.function.attributes:
            owner, _, last = name.rpartition(".")
            self.function.attributes[name] = self.call_at(node, owner, last)
