"""Values as keys that are equal exactly when the values are, made without running user code.

The user's `__eq__`, `__hash__`, `__repr__` and properties are not called: only exact built-in types are read,
and objects by their instance attributes. What is too large raises `NotComparable`; it is never equal.
"""

from __future__ import annotations

from types import BuiltinFunctionType, FunctionType, MemberDescriptorType, ModuleType
from typing import Any

from goldsplit.record.inside.deep.attributes import OwnAttributes

#: Limits of a key: values in all, depth, bytes of one array, length of a text.
MOST_VALUES = 300
MOST_DEPTH = 6
MOST_BYTES = 65_536
MOST_TEXT = 200

_PLAIN = frozenset({int, str, bytes, type(None)})
_SMALL = frozenset({int, type(None)})
_TUPLES = frozenset({tuple})


class NotComparable(Exception):  # noqa: N818 - a way out, not an error
    """The value is too large, too deep, or of a kind that cannot be read from outside."""


class KeyMaker:
    """Makes keys within one budget of values. A cycle ends at the bound of depth."""

    __slots__ = ("left", "names")

    def __init__(self, names: frozenset[str] | None = None, most: int = MOST_VALUES) -> None:
        self.left = most
        self.names = names
        """Attributes of objects that count: those that the code in question can name; None: all."""

    def key(self, value: Any, depth: int = 0) -> Any:
        """The key of a value."""
        kind = type(value)
        if kind in _PLAIN:
            if (kind is str or kind is bytes) and len(value) > MOST_TEXT:
                return kind, len(value), hash(value)
            return value
        self.left -= 1
        if self.left < 0 or depth > MOST_DEPTH:
            raise NotComparable
        reader = _READERS.get(kind)
        if reader is None:
            reader = _READERS[kind] = reader_for(kind)
        return reader(self, value, depth + 1)

    def items(self, items: Any, depth: int) -> tuple[Any, ...]:
        """The keys of a container's items."""
        self.left -= len(items)
        if self.left < 0:
            raise NotComparable
        kinds = set(map(type, items))
        if kinds <= _SMALL:
            return tuple(items)  # the usual case, at the speed of C
        if kinds == _TUPLES and all(_SMALL.issuperset(map(type, item)) for item in list(items)):
            return tuple(items)  # positions on a board
        return tuple([self.key(item, depth) for item in list(items)])


def _read_bool(maker: KeyMaker, value: Any, depth: int) -> Any:
    return bool, value


def _read_float(maker: KeyMaker, value: Any, depth: int) -> Any:
    return float, value if value == value and value else repr(value)  # nan is nan; 0.0 is not -0.0


# Each key begins with its kind. Only a tuple's has none: its items' keys can never be a bare class.
def _read_tuple(maker: KeyMaker, value: Any, depth: int) -> Any:
    return maker.items(value, depth)


def _read_list(maker: KeyMaker, value: Any, depth: int) -> Any:
    return list, maker.items(value, depth)


def _read_set(maker: KeyMaker, value: Any, depth: int) -> Any:
    return set, frozenset(maker.items(value, depth))


def _read_dict(maker: KeyMaker, value: Any, depth: int) -> Any:
    pairs = list(value.items())
    return dict, maker.items([k for k, _ in pairs], depth), maker.items([v for _, v in pairs], depth)


def _read_deque(maker: KeyMaker, value: Any, depth: int) -> Any:
    return "deque", maker.items(list(value), depth)


def _read_identity(maker: KeyMaker, value: Any, depth: int) -> Any:
    """Functions, modules and classes are compared by identity: they live as long as the program."""
    return "the same", id(value)


def _read_array(maker: KeyMaker, array: Any, depth: int) -> Any:
    if array.nbytes > MOST_BYTES or array.dtype.hasobject:
        raise NotComparable
    return array.shape, array.dtype.str, hash(array.tobytes())


def _read_scalar(maker: KeyMaker, value: Any, depth: int) -> Any:
    return value.dtype.str, value.tobytes()


def _read_dtype(maker: KeyMaker, value: Any, depth: int) -> Any:
    return "dtype", value.str


def _read_tensor(maker: KeyMaker, tensor: Any, depth: int) -> Any:
    """A tensor in main memory by value; one on a device is never read: that would wait for the device."""
    if tensor.device.type != "cpu" or tensor.numel() * tensor.element_size() > MOST_BYTES:
        raise NotComparable
    try:
        return tensor.requires_grad, _read_array(maker, tensor.detach().__array__(), depth)
    except (RuntimeError, TypeError) as error:
        raise NotComparable from error


def _refuse(maker: KeyMaker, value: Any, depth: int) -> Any:
    raise NotComparable


class _ObjectReader:
    """Reads objects of one class by their own attributes, without going through the class."""

    __slots__ = ("kind", "own", "slots")

    def __init__(self, kind: Any, with_dict: bool, slots: tuple[Any, ...]) -> None:
        self.kind = kind
        self.own = OwnAttributes(kind) if with_dict else None
        self.slots = slots

    def __call__(self, maker: KeyMaker, value: Any, depth: int) -> Any:
        parts: list[Any] = [id(self.kind)]
        if self.own is not None:
            for name, attribute in self.own.read(value).items():
                if maker.names is None or name in maker.names:
                    parts.append(name)
                    parts.append(maker.key(attribute, depth))
        for slot in self.slots:
            if maker.names is None or slot.__name__ in maker.names:
                try:
                    parts.append((slot.__name__, maker.key(slot.__get__(value, self.kind), depth)))
                except AttributeError:
                    continue
        maker.left -= len(parts)
        return tuple(parts)


def reader_for(kind: Any) -> Any:
    """How to read values of a class that is met for the first time."""
    mro = type.__getattribute__(kind, "__mro__")
    known = _BY_NAME.get(f"{kind.__module__}.{kind.__name__}")
    if known is not None:
        return known
    if kind.__module__ == "numpy" and any(base.__name__ == "generic" for base in mro):
        return _read_scalar
    if type in mro:
        return _read_identity
    if any(base in mro for base in (int, float, str, bytes, list, tuple, dict, set, frozenset)):
        return _read_enum if any(base.__module__ == "enum" for base in mro) else _refuse
    slots = tuple(
        attribute
        for base in mro
        for attribute in type.__getattribute__(base, "__dict__").values()
        if type(attribute) is MemberDescriptorType
    )
    written_in_python = any("__module__" in type.__getattribute__(base, "__dict__") for base in mro[:-1])
    with_dict = kind.__dictoffset__ != 0
    if not written_in_python or not (with_dict or slots or kind.__basicsize__ == object.__basicsize__):
        return _refuse  # written in C: what it holds cannot be seen
    return _ObjectReader(kind, with_dict, slots)


def _read_enum(maker: KeyMaker, value: Any, depth: int) -> Any:
    """Members of an enum exist once each."""
    return "enum", id(value)


_READERS: dict[Any, Any] = {
    bool: _read_bool,
    float: _read_float,
    tuple: _read_tuple,
    list: _read_list,
    set: _read_set,
    frozenset: _read_set,
    dict: _read_dict,
    FunctionType: _read_identity,
    BuiltinFunctionType: _read_identity,
    ModuleType: _read_identity,
    type: _read_identity,
}
_BY_NAME: dict[str, Any] = {
    "numpy.ndarray": _read_array,
    "numpy.dtype": _read_dtype,
    "torch.Tensor": _read_tensor,
    "torch.nn.parameter.Parameter": _refuse,
    "collections.deque": _read_deque,
}


def can_be_key(value: Any) -> bool:
    """Whether a value could be the key of a dict, asked of its class only."""
    if type(value) is tuple:
        return all(map(can_be_key, value))
    mro = type.__getattribute__(type(value), "__mro__")
    known = (type.__getattribute__(base, "__dict__") for base in mro)
    return next((found["__hash__"] for found in known if "__hash__" in found), None) is not None


def short(value: Any) -> str:
    """A value as text for the reader, without calling the user's `__repr__`."""
    kind = type(value)
    if kind in _PLAIN or kind is bool or kind is float:
        text = repr(value)
        return text if len(text) <= 60 else text[:57] + "..."
    if kind in (tuple, list, set, frozenset, dict):
        if len(value) <= 4 and kind is not dict:
            return f"{kind.__name__} of {', '.join(short(item) for item in list(value)) or 'nothing'}"[:60]
        return f"{kind.__name__} of {len(value)}"
    shape = getattr(value, "shape", None) if kind.__module__ in ("numpy", "torch") else None
    return f"{kind.__name__}{tuple(shape)}" if shape is not None else kind.__name__
