"""The numbers of one shape."""

from __future__ import annotations

from ..._jit import inline
from .arrays import CENTER, SHAPE_BODY, SHAPE_KIND, SIZE


@inline
def body_of(contacts, s):
    return contacts.table[SHAPE_BODY, s]


@inline
def kind_of(contacts, s):
    return contacts.table[SHAPE_KIND, s]


@inline
def center_of(contacts, s):
    """In principal axes of its body, from the centre of mass [m]."""
    return contacts.vector[CENTER, s]


@inline
def radius_of(contacts, s):
    """Of a ball, a capsule or a cylinder [m]."""
    return contacts.vector[SIZE, s, 0]
