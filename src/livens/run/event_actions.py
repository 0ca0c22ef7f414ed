"""Actions of events, carried out: from one mechanism and its state to another, at one time.

A mechanism that an action changes is compiled again, from the user's model with edits (describe/actions.py). Bodies
keep their positions, rotations and velocities (transfer.py). Then joints answer with impulses: with the mass matrix M
and the Jacobian G of the new mechanism at q(t),

    p⁺ = p⁻ + P − Gᵀ S⁻¹ (G M⁻¹ (p⁻ + P) + ∂g/∂t),        S = G M⁻¹ Gᵀ,                                        (1)

where P are the impulses of strikes. The energy that the impulses of attached joints take away is dissipated; every
other change of energy is work, so that energy − work + dissipated is constant.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..checks import Array
from ..compile.compiled import Compiled
from ..compile.contact_start import refuse_overlaps
from ..compile.redundancy import redundant_rows
from ..compile.rows import PRECISION
from ..compile.states import as_record, copied
from ..describe.actions import Action, Structure
from ..describe.event import Event
from ..describe.model import Model
from ..describe.thing import Thing
from ..errors import LivensError, ModelError
from ..kernels.arrays import DISSIPATED, WORK, State
from ..kernels.contact.arrays import FRICTION, HEAD
from ..kernels.coordinates import update_coordinates
from ..record.instant import Instant
from ..record.kinematics import positions
from ..scene import from_dict, to_dict
from ..scene.reading import Forgotten
from ..scene.values import with_values
from ..step import Scheme
from .given_state import checked_start
from .loop import OPEN
from .transfer import carried

CLOSED = 4.0 * PRECISION  # violations that steps leave, relative to the size of the joints: positions stay as they are


@dataclass(frozen=True, eq=False)
class Mechanism:
    """What an event may change: the structure, its compiled model, and the state at the time of the event."""

    structure: Structure
    compiled: Compiled
    state: State


def perform(event: Event, before: Mechanism, scheme: Scheme, h: float, t: float) -> Mechanism:
    """The mechanism after the actions of `event` at t: first all changes of the mechanism, then all impulses."""
    actions = event.actions_at(_instant(before.compiled, copied(before.state), scheme, h, t))
    if not actions:
        return before
    try:
        after = _performed(actions, before, scheme, h, t)
    except LivensError as error:
        raise type(error)(f"event {event.name!r} at t = {t:.9g} s: {error}") from error
    if scheme.carries == "accelerations" and after is not before:
        after.state.memory[:] = 0.0  # forces jump: the carried accelerations are invalid
    return after


def energy(compiled: Compiled, state: State, scheme: Scheme, h: float, t: float) -> float:
    """Kinetic plus potential energy [J]."""
    return float(_instant(compiled, state, scheme, h, t).energy[0])


def _performed(actions: tuple[Action | State, ...], here: Mechanism, scheme: Scheme, h: float, t: float) -> Mechanism:
    E = [energy(here.compiled, here.state, scheme, h, t)]
    structure, compiled, state = here.structure, here.compiled, copied(here.state)
    given = [action for action in actions if isinstance(action, State)]
    edits = [action for action in actions if isinstance(action, Action)]
    for own in given:
        fields = checked_start(own, compiled.state)
        state = fields._replace(memory=state.memory, account=state.account.copy())
        update_coordinates(compiled.system.coordinates, state.a, state.B, state.angle)
    for action in edits:
        structure = action.edited(structure)
    struck = given or any(action.impulses for action in edits)
    if structure is here.structure and not struck:
        return here
    if structure is not here.structure:
        compiled, state = _restructured(structure, compiled, state, t)
        state = state._replace(memory=carried_memory(here.state.memory, scheme.memory(compiled.system)))
    _push(edits, compiled, state)
    E.append(energy(compiled, state, scheme, h, t))
    _fit(compiled, state, t)
    E.append(energy(compiled, state, scheme, h, t))
    lost = max(0.0, E[1] - E[2]) if any(action.joins for action in edits) and not struck else 0.0
    state.account[DISSIPATED] += lost
    state.account[WORK] += E[2] - E[0] + lost
    return Mechanism(structure, compiled, state)


def carried_memory(before: Array, size: int) -> Array:
    """The memory of a mechanism that begins: contacts carry their sums on."""
    memory = np.zeros(size)
    if size >= HEAD and len(before) >= HEAD:
        memory[FRICTION:HEAD] = before[FRICTION:HEAD]
    return memory


def _instant(compiled: Compiled, state: State, scheme: Scheme, h: float, t: float) -> Instant:
    return Instant(compiled, scheme, h, t, as_record(state))


def _restructured(structure: Structure, before: Compiled, state: State, t: float) -> tuple[Compiled, State]:
    """The compiled model of a structure, and `state` as its state; redundant constraints are found where it is."""
    model = structure.described()
    if structure.values:
        model = changed_values(model, structure)
    compiled = Compiled.restored(model, frozenset())
    moved = carried(compiled, before, state)
    refuse_overlaps(model, compiled.system, moved)
    if not len(compiled.system.rows.kind):
        return compiled, moved
    fit = compiled.assembly(moved, t)
    _check_fits(compiled, moved, t)
    if fit.is_open(CLOSED):
        fit.project_positions()
        fit.check_orientations()
    left_out = redundant_rows(fit)
    if left_out:
        compiled = Compiled.restored(model, left_out)
        moved = moved._replace(lam=np.zeros((len(moved.lam), len(compiled.system.rows.kind))))
    moved.lam[:] = 0.0
    return compiled, moved


def _check_fits(compiled: Compiled, state: State, t: float) -> None:
    fit = compiled.assembly(state, t)
    if fit.is_open(OPEN):
        g = np.abs(fit.violations())
        r = int(np.argmax(g * compiled.system.rows.weight))
        owner = compiled.owners[r]
        raise ModelError(
            f"{owner.label} does not fit: {_apart(compiled, owner, state)}its equations are violated by {g[r]:.3g} "
            f"(m or rad), {g[r] * compiled.system.rows.weight[r] * PRECISION:.2g} of its size; the limit is {OPEN:g}. "
            "Attach or switch it where bodies and prescribed motions satisfy it."
        )


def _apart(compiled: Compiled, owner: Thing, state: State) -> str:
    """How far the points of a joint are from each other, in words."""
    if owner.ends is None:
        return ""
    bodies, record = compiled.system.bodies, as_record(state)
    one, two = (positions(bodies, record, compiled.number[end.body], end.r)[0] for end in owner.ends)
    return f"its points are {np.linalg.norm(one - two):.4g} m apart, and "


def _fit(compiled: Compiled, state: State, t: float) -> None:
    """Equation (1), after a check of the positions."""
    if not len(compiled.system.rows.kind):
        return
    _check_fits(compiled, state, t)
    compiled.assembly(state, t).project_velocities(shift=0.0)


def _push(actions: list[Action], compiled: Compiled, state: State) -> None:
    """Add the impulses of strikes to the momenta."""
    for action in actions:
        for point, impulse, angular in action.impulses:
            body = compiled.model[point.body.name]
            k, bodies = compiled.number[body], compiled.system.bodies
            lever = state.B[k] @ bodies.axes[k].T @ (point.r - bodies.center[k])
            state.p[k] += impulse
            moment = state.B[k].T @ (np.cross(lever, impulse) + angular)
            state.L[k] += np.where(bodies.inverse_inertia[k] > 0.0, moment, 0.0)


def changed_values(model: Model, structure: Structure) -> Model:
    """A copy of `model` with other values in its document; its Python functions are those of `model`."""
    made = from_dict(with_values(to_dict(model, forget=True), structure.values))
    for thing in made.things:
        own = model.find(thing.name)
        for name, value in vars(thing).items():
            if isinstance(value, Forgotten):
                vars(thing)[name] = vars(own)[name]
    return made
