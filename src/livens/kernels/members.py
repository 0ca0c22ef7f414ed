"""Members: systems and states that differ in their numbers only, in arrays with one more axis in front.

Arrays of floating-point numbers have the number of the member as their first axis; where its length is 1, all members
share the array. Arrays of integers and truth values are the structure, the same for all members, without that axis.
"""

from __future__ import annotations

from .._jit import inline, njit
from .arrays import Bodies, Coordinates, Dials, Formulas, Loads, Pairs, Rows, Springs, State, System, Tapes
from .contact.arrays import Contacts


@inline
def own(x, k):
    """The array of member k."""
    return x[k if x.shape[0] > 1 else 0]


@njit
def own_system(many, k):
    """The system of member k."""
    b, s, q, d, r, f = many.bodies, many.springs, many.coordinates, many.dials, many.rows, many.formulas
    t, loads, c = many.tapes, many.loads, many.contacts
    return System(
        Bodies(own(b.mass, k), own(b.inverse_mass, k), own(b.inertia, k), own(b.inverse_inertia, k), own(b.center, k),
               own(b.axes, k)),
        own(many.gravity, k),
        Springs(s.body, own(s.point, k), own(s.stiffness, k), own(s.length, k)),
        Pairs(many.pairs.body, own(many.pairs.strength, k)),
        Loads(loads.body, own(loads.point, k), own(loads.axes, k), loads.follows, loads.signal),
        Coordinates(q.kind, q.body, own(q.point, k), own(q.axis, k), own(q.dial, k), own(q.hand, k),
                    own(q.reference, k), own(q.stiffness, k), own(q.rest, k), own(q.limit, k), own(q.stop, k),
                    q.signal),
        Dials(d.body, own(d.axis, k), own(d.dial, k), own(d.hand, k)),
        Rows(r.kind, r.body, own(r.point, k), own(r.direction, k), own(r.value, k), r.component, r.coordinate,
             own(r.ratio, k), r.signal, own(r.rate, k), r.entry, own(r.weight, k), own(r.unit, k), own(r.metric, k)),
        many.blocks,
        Tapes(t.code, own(t.constant, k), t.begin, t.row, t.body, t.bodies, t.registers, t.clock),
        Formulas(f.code, own(f.constant, k), f.tape, f.first, f.handle, own(f.handle_point, k), own(f.number, k),
                 f.target, own(f.target_point, k), f.energies, f.forces, f.registers, f.clock),
        Contacts(c.table, own(c.vector, k), own(c.axes, k), own(c.number, k), own(c.vertex, k), own(c.face_normal, k),
                 c.corner_start, c.corner, c.edge, c.rule, own(c.law, k), c.excluded, own(c.stop, k), own(c.dry, k),
                 own(c.rope, k), c.capacity, c.dense, own(c.size_scale, k)),
        own(many.shift, k),
        own(many.finest, k),
        own(many.finest_turn, k),
        many.damped,
        many.rolls,
    )  # fmt: skip


@njit
def own_state(many, k):
    """The state, or the record, of member k."""
    return State(
        own(many.a, k), own(many.B, k), own(many.p, k), own(many.L, k), own(many.angle, k), own(many.lam, k),
        own(many.account, k), own(many.effort, k), own(many.half_turns, k), own(many.memory, k),
    )  # fmt: skip


@njit
def copy_state(start, state):
    """state ← start."""
    for b in range(state.a.shape[0]):
        for i in range(3):
            state.a[b, i], state.p[b, i], state.L[b, i] = start.a[b, i], start.p[b, i], start.L[b, i]
            for j in range(3):
                state.B[b, i, j] = start.B[b, i, j]
    for c in range(state.angle.shape[0]):
        state.angle[c] = start.angle[c]
    for r in range(state.lam.shape[1]):
        for i in range(state.lam.shape[0]):
            state.lam[i, r] = start.lam[i, r]
    for i in range(3):
        state.account[i] = start.account[i]
    for i in range(state.effort.shape[0]):
        state.effort[i] = start.effort[i]
    for i in range(state.half_turns.shape[0]):
        state.half_turns[i] = start.half_turns[i]
    for i in range(state.memory.shape[0]):
        state.memory[i] = start.memory[i]
