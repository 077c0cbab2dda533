"""Sum and minimum of 16 numbers that lie side by side, in vector instructions.

Written out because the compiler does not find them in a loop, and a priority tree does little else. The order
of the additions is fixed, so that the same 16 numbers give the same sum wherever it is computed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped, unused-ignore]
from numba import types
from numba.extending import intrinsic

FAN_OUT = 16


@intrinsic  # type: ignore[misc, unused-ignore]
def sum_of_singles(_typing: Any, _address: Any) -> Any:
    """The sum of 16 float32 from an address on, in float64."""

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        values = _load(builder, args[0], ir.FloatType())
        return _folded(builder, builder.fpext(values, _vector(ir.DoubleType())), builder.fadd)

    return types.float64(types.int64), codegen


@intrinsic  # type: ignore[misc, unused-ignore]
def sum_of_doubles(_typing: Any, _address: Any) -> Any:
    """The sum of 16 float64 from an address on."""

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _folded(builder, _load(builder, args[0], ir.DoubleType()), builder.fadd)

    return types.float64(types.int64), codegen


@intrinsic  # type: ignore[misc, unused-ignore]
def smallest_single(_typing: Any, _address: Any) -> Any:
    """The smallest of 16 float32 from an address on."""

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _smallest(builder, _load(builder, args[0], ir.FloatType()))

    return types.float32(types.int64), codegen


@intrinsic  # type: ignore[misc, unused-ignore]
def smallest_above_zero(_typing: Any, _address: Any) -> Any:
    """The smallest of 16 float32 that is above zero; infinity when there is none."""

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        values = _load(builder, args[0], ir.FloatType())
        zeros, infinities = (ir.Constant(values.type, [x] * FAN_OUT) for x in (0.0, float("inf")))
        above = builder.fcmp_ordered(">", values, zeros)
        return _smallest(builder, builder.select(above, values, infinities))

    return types.float32(types.int64), codegen


def _vector(number: Any) -> Any:
    return ir.VectorType(number, FAN_OUT)


def _load(builder: Any, address: Any, number: Any) -> Any:
    values = builder.load(builder.inttoptr(address, _vector(number).as_pointer()))
    values.align = 4  # a copied tree may lie anywhere; where lines are kept whole this costs nothing
    return values


def _smallest(builder: Any, values: Any) -> Any:
    def smaller(a: Any, b: Any) -> Any:
        return builder.select(builder.fcmp_ordered("<", a, b), a, b)

    return _folded(builder, values, smaller)


def _folded(builder: Any, values: Any, combine: Callable[[Any, Any], Any]) -> Any:
    """One number from many: the first half with the second, until one is left."""
    while values.type.count > 1:
        half = values.type.count // 2
        low, high = (_picked(builder, values, range(at, at + half)) for at in (0, half))
        values = combine(low, high)
    return builder.extract_element(values, ir.IntType(32)(0))


def _picked(builder: Any, values: Any, lanes: range) -> Any:
    numbers = ir.Constant(ir.VectorType(ir.IntType(32), len(lanes)), list(lanes))
    return builder.shuffle_vector(values, values, numbers)
