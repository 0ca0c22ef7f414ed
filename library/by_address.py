"""NamedTuples by address in the code that numba makes: a tuple is a pointer to memory that is written once.

Numba moves tuples by value. A System has a thousand words, so that a call of a kernel takes a thousand arguments, and
every instruction with a tuple names the types of all its fields. By address a call takes one argument for each tuple,
and a field is read where it is needed. A tuple inside another one lies in the memory of that one. A number takes one
word, and an array the words of numba's description of it: two that are zero here, number of items, bytes of an item,
address, shape, strides.

LLVM may keep a field in a register only if it knows that no number that a kernel stores changes it. It is told twice:
the arguments are marked (what they point to is reached in no other way), and loads of fields and stores of numbers have
different types (TBAA).

A tuple that a kernel makes in a loop is made in the same memory each time: it must not be kept for the next turn.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.callconv import CPUCallConv
from numba.core.cpu import CPUContext
from numba.core.datamodel import models
from numba.core.datamodel.registry import default_manager
from numba.core.imputils import lower_getattr_generic
from numba.np import arrayobj

TUPLE = types.NamedTuple  # one whose parts have equal types is another class, and stays a value: kernels loop over it
WORD = 8
LONG, ADDRESS = ir.IntType(64), ir.IntType(8).as_pointer()


class Address(models.PrimitiveModel):
    """The data model of a NamedTuple: its value is the address of its data."""

    def __init__(self, manager: Any, kind: Any) -> None:
        self.data = ir.ArrayType(LONG, _offsets(manager, kind)[-1])
        super().__init__(manager, kind, ADDRESS)

    def get_data_type(self) -> Any:
        return self.data

    def get_return_type(self) -> Any:
        return self.data

    def as_return(self, builder: Any, value: Any) -> Any:
        return builder.load(builder.bitcast(value, self.data.as_pointer()))

    def from_return(self, builder: Any, value: Any) -> Any:
        memory = cgutils.alloca_once(builder, self.data)
        builder.store(value, memory)
        return builder.bitcast(memory, ADDRESS)

    def as_data(self, builder: Any, value: Any) -> Any:
        raise NotImplementedError("an array of NamedTuples")

    from_data = as_data


def words(data: Any) -> int:
    """The size of data in memory."""
    if isinstance(data, ir.LiteralStructType):
        return sum(map(words, data.elements))
    return data.count * words(data.element) if isinstance(data, ir.ArrayType) else 1


def _offsets(manager: Any, kind: Any) -> list[int]:
    """Where the parts of a tuple begin, and where it ends, in words."""
    return list(accumulate((words(manager[part].get_data_type()) for part in kind.types), initial=0))


def _part(manager: Any, builder: Any, kind: Any, address: Any, k: int) -> Any:
    """The address of the k-th part of a tuple."""
    return builder.gep(address, [LONG(WORD * _offsets(manager, kind)[k])], inbounds=True)


def _marked(builder: Any, instruction: Any, content: str) -> None:
    """Say what the memory contains that a load or store concerns: a "field" or a "number"."""
    module = builder.module
    root = module.add_metadata(["livens"])
    node = module.add_metadata([content, root, LONG(0)])
    instruction.set_metadata("tbaa", module.add_metadata([node, node, LONG(0)]))


def value_at(context: Any, builder: Any, kind: Any, address: Any) -> Any:
    """The value of a type that lies at an address."""
    manager = context.data_model_manager
    if isinstance(kind, TUPLE):
        return address
    if isinstance(kind, types.BaseTuple):
        parts = [_part(manager, builder, kind, address, k) for k in range(len(kind.types))]
        return context.make_tuple(
            builder, kind, [value_at(context, builder, *pair) for pair in zip(kind.types, parts, strict=True)]
        )
    data = manager[kind].get_data_type()
    loaded = builder.load(builder.bitcast(address, data.as_pointer()))
    _marked(builder, loaded, "field")
    return loaded if data == manager[kind].get_value_type() else manager[kind].from_data(builder, loaded)


def _put(context: Any, builder: Any, kind: Any, value: Any, address: Any) -> None:
    """Write a value to an address."""
    manager = context.data_model_manager
    if isinstance(kind, TUPLE):
        cgutils.raw_memcpy(builder, address, value, LONG(manager[kind].data.count), WORD)
    elif isinstance(kind, types.BaseTuple):
        for k, part in enumerate(kind.types):
            one = builder.extract_value(value, k)
            _put(context, builder, part, one, _part(manager, builder, kind, address, k))
    else:
        same = manager[kind].get_data_type() == manager[kind].get_value_type()
        data = value if same else manager[kind].as_data(builder, value)
        builder.store(data, builder.bitcast(address, data.type.as_pointer()))


def _get_field(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    k = kind.fields.index(name)
    here = _part(context.data_model_manager, builder, kind, value, k)
    return value_at(context, builder, kind.types[k], here)


def _make_tuple(plain: Callable[..., Any]) -> Callable[..., Any]:
    def make_tuple(context: Any, builder: Any, kind: Any, values: Any) -> Any:
        if not isinstance(kind, TUPLE):
            return plain(context, builder, kind, values)
        manager = context.data_model_manager
        memory = builder.bitcast(cgutils.alloca_once(builder, manager[kind].data), ADDRESS)
        for k, (part, value) in enumerate(zip(kind.types, values, strict=True)):
            _put(context, builder, part, value, _part(manager, builder, kind, memory, k))
        return memory

    return make_tuple


def _decorate_function(plain: Callable[..., Any]) -> Callable[..., Any]:
    def decorate_function(convention: Any, function: Any, names: Any, kinds: Any, noalias: bool = False) -> None:
        plain(convention, function, names, kinds, noalias)
        manager, at = convention.context.data_model_manager, 0
        for kind in kinds:
            if isinstance(kind, TUPLE):
                argument = convention.get_arguments(function)[at]
                for attribute in ("noalias", "captures(none)", "nonnull"):
                    argument.add_attribute(attribute)
                argument.attributes.align = WORD
                argument.attributes.dereferenceable = WORD * manager[kind].data.count
            at += _count(manager[kind].get_argument_type())

    return decorate_function


def _count(arguments: Any) -> int:
    return sum(map(_count, arguments)) if isinstance(arguments, (tuple, list)) else 1


def _store_item(context: Any, builder: Any, array: Any, value: Any, address: Any) -> None:
    data = context.data_model_manager[array.dtype].as_data(builder, value)
    _marked(builder, builder.store(data, address, align=None if array.aligned else 1), "number")


def use_addresses() -> None:
    """From now on NamedTuples are addresses in all that numba compiles in this process."""
    default_manager.register(TUPLE, Address)
    lower_getattr_generic(TUPLE)(_get_field)
    CPUContext.make_tuple = _make_tuple(CPUContext.make_tuple)
    CPUCallConv.decorate_function = _decorate_function(CPUCallConv.decorate_function)
    arrayobj.store_item = _store_item
