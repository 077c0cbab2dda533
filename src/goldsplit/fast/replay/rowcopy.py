"""Compiled row copies between the packed rows of a buffer and one contiguous array per field.

Everything is bytes and addresses here, so that one compiled signature serves every dtype, shape and number of
fields. A row copy is a memcpy: a loop over elements loses by several times on image rows. The caller keeps
the arrays behind the addresses alive for the length of the call.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped, unused-ignore]
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from goldsplit.fast.replay.aligned import CACHE_LINE_BYTES

# How far ahead a random row is asked for, and how much of it: after that the hardware follows the row itself.
_ROWS_AHEAD = 2
_LINES_AHEAD = 20


@intrinsic  # type: ignore[misc, unused-ignore]
def copy_bytes(_typing: Any, _to: Any, _source: Any, _count: Any) -> Any:
    signature = types.void(types.int64, types.int64, types.int64)

    def codegen(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        pointer = ir.IntType(8).as_pointer()
        to, source, count = args
        cgutils.raw_memcpy(
            builder, builder.inttoptr(to, pointer), builder.inttoptr(source, pointer), count, itemsize=1
        )
        return context.get_dummy_value()

    return signature, codegen


@intrinsic  # type: ignore[misc, unused-ignore]
def ask_for_line(_typing: Any, _address: Any) -> Any:
    signature = types.void(types.int64)

    def codegen(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        pointer, int32 = ir.IntType(8).as_pointer(), ir.IntType(32)
        function_type = ir.FunctionType(ir.VoidType(), [pointer, int32, int32, int32])
        prefetch = cgutils.get_or_insert_function(builder.module, function_type, "llvm.prefetch.p0")
        read, keep, data = int32(0), int32(3), int32(1)
        builder.call(prefetch, [builder.inttoptr(args[0], pointer), read, keep, data])
        return context.get_dummy_value()

    return signature, codegen


@intrinsic  # type: ignore[misc, unused-ignore]
def _stream_line(_typing: Any, _to: Any, _source: Any) -> Any:
    """Write one aligned cache line past the caches: the line is not read first, and nothing is evicted."""
    signature = types.void(types.int64, types.int64)

    def codegen(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        half_line = ir.VectorType(ir.IntType(8), CACHE_LINE_BYTES // 2)
        for offset in (0, CACHE_LINE_BYTES // 2):
            to, source = (builder.add(address, ir.IntType(64)(offset)) for address in args)
            value = builder.load(builder.inttoptr(source, half_line.as_pointer()))
            value.align = 1
            store = builder.store(value, builder.inttoptr(to, half_line.as_pointer()))
            store.align = CACHE_LINE_BYTES // 2
            store.set_metadata("nontemporal", builder.module.add_metadata([ir.IntType(32)(1)]))
        return context.get_dummy_value()

    return signature, codegen


@intrinsic  # type: ignore[misc, unused-ignore]
def _finish_streams(_typing: Any) -> Any:
    """Streamed lines are visible to other threads before anything that is written after this."""

    def codegen(context: Any, builder: Any, _signature: Any, _args: Any) -> Any:
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), codegen


@njit(nogil=True, cache=True)
def gather_rows(rows_address, row_bytes, slots, field_offsets, field_bytes, out_addresses):  # type: ignore[no-untyped-def]
    """Copy field f of row slots[i] to out_addresses[f] + i * field_bytes[f]."""
    lines = min((row_bytes + CACHE_LINE_BYTES - 1) // CACHE_LINE_BYTES, _LINES_AHEAD)
    for i in range(slots.size):
        if i + _ROWS_AHEAD < slots.size:
            ahead = rows_address + slots[i + _ROWS_AHEAD] * row_bytes
            for line in range(lines):
                ask_for_line(ahead + line * CACHE_LINE_BYTES)
        row = rows_address + slots[i] * row_bytes
        for f in range(field_offsets.size):
            count = field_bytes[f]
            copy_bytes(out_addresses[f] + i * count, row + field_offsets[f], count)


@njit(nogil=True, cache=True)
def scatter_rows(rows_address, row_bytes, slots, field_offsets, field_bytes, source_addresses):  # type: ignore[no-untyped-def]
    """Copy source_addresses[f] + i * field_bytes[f] to field f of row slots[i]."""
    for i in range(slots.size):
        row = rows_address + slots[i] * row_bytes
        for f in range(field_offsets.size):
            count = field_bytes[f]
            copy_bytes(row + field_offsets[f], source_addresses[f] + i * count, count)


@njit(nogil=True, cache=True)
def stream_rows(  # type: ignore[no-untyped-def]
    rows_address,
    row_bytes,
    slots,
    field_offsets,
    field_bytes,
    source_addresses,
    whole_line_bytes,
    mixed_lines,
    staging,
):
    """`scatter_rows` for rows of whole, aligned cache lines, written past the caches.

    Lines that belong to one field go straight from the source; those that hold ends of fields and small
    fields are put together in `staging` first.
    """
    for i in range(slots.size):
        row = rows_address + slots[i] * row_bytes
        for f in range(field_offsets.size):
            count, whole = field_bytes[f], whole_line_bytes[f]
            source, offset = source_addresses[f] + i * count, field_offsets[f]
            for at in range(0, whole, CACHE_LINE_BYTES):
                _stream_line(row + offset + at, source + at)
            if whole < count:
                copy_bytes(staging + offset + whole, source + whole, count - whole)
        for line in mixed_lines:
            _stream_line(row + line, staging + line)
    _finish_streams()
