"""Contacts in a motion: impacts, forces and gaps.

A stored state contains the contact points of its step with the impulses P₂ of the second half step: the force at each
is P₂/(h/2), of first order in h.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..checks import Array
from ..compile.contacts import touch_scratch
from ..describe.body import Body, Plane
from ..errors import ModelError
from ..kernels.contact.arrays import (
    COUNT,
    FIRST_BODY,
    FRICTION,
    HEAD,
    IMPACT,
    IMPACTS,
    IMPULSE,
    INELASTIC,
    LAST_STEP,
    LOG_FIRST,
    LOG_IMPULSE,
    LOG_NORMAL,
    LOG_PLACE,
    LOG_RULE,
    LOG_SECOND,
    LOG_SPEED,
    LOG_TIME,
    LOG_WIDTH,
    PAIR,
    PARADOX,
    PLACE,
    RECORD,
    RESIDUAL,
    SECOND_BODY,
)
from ..kernels.contact.separation import body_gaps

if TYPE_CHECKING:
    from .trajectory import Trajectory


SHOWN = 20  # rows of a printed table of impacts


@dataclass(frozen=True, eq=False)
class Impacts:
    """The impacts of a motion, one row each: t [s], the names of both bodies and of the contact, `point` [m], `normal`
    (from the first body to the second) and `impulse` on the second body [N s] in world axes (n, 3), and the approach
    `speed` along the normal [m/s].

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> ball = m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(0, 0, 1.1), name="ball"))
    >>> floor = m.add(lv.Contact(m.world.plane((0, 0, 0)), ball, restitution=0.5, name="floor"))
    >>> impacts = lv.simulate(m, h=1e-2, until=1.0).impacts
    >>> len(impacts), impacts.contact[0], impacts.second[0], round(float(impacts.speed[0]), 6)
    (2, 'floor', 'ball', 4.429447)
    """

    t: Array
    contact: list[str]
    first: list[str]
    second: list[str]
    point: Array
    normal: Array
    impulse: Array
    speed: Array

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        """A table of the first impacts."""
        rows = [("t [s]", "bodies", "contact", "speed [m/s]", "impulse [N s]")]
        for k in range(min(len(self), SHOWN)):
            size = float(np.linalg.norm(self.impulse[k]))
            pair = f"{self.first[k]} – {self.second[k]}"
            rows.append((f"{self.t[k]:.6f}", pair, self.contact[k], f"{self.speed[k]:.4g}", f"{size:.4g}"))
        wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(word.ljust(w) for word, w in zip(row, wide, strict=True)).rstrip() for row in rows]
        more = [f"… {len(self) - SHOWN:,} more"] if len(self) > SHOWN else []
        return "\n".join([f"{len(self):,} impact{'s' * (len(self) != 1)}", *lines * bool(len(self)), *more])


@dataclass(frozen=True, eq=False)
class ContactPoints:
    """The contact points of one stored state, and the ropes that are taut: the names of both bodies, `point` [m] and
    `force` on the second body [N], world axes (n, 3)."""

    first: list[str]
    second: list[str]
    point: Array
    force: Array

    def __len__(self) -> int:
        return len(self.point)


def checked_log(motion: Trajectory, log: Array) -> Array:
    """The impacts of a file, if they can be those of the motion."""
    log = np.asarray(log, dtype=np.float64).reshape(-1, LOG_WIDTH)
    rules = sum(len(thing.contacts()) for thing in motion.model.things)
    named = ((LOG_FIRST, len(motion.model.bodies)), (LOG_SECOND, len(motion.model.bodies)), (LOG_RULE, rules))
    if not np.isfinite(log).all() or any(((log[:, k] < 0) | (log[:, k] >= count)).any() for k, count in named):
        raise ValueError("its impacts are not those of its model")
    return log


def impacts(motion: Trajectory) -> Impacts:
    """The impacts of a motion."""
    log, names = motion.impact_log, [body.name for body in motion.model.bodies]
    owners = [thing.name for thing in motion.model.things for _ in thing.contacts()]
    return Impacts(
        log[:, LOG_TIME].copy(),
        [owners[int(k)] for k in log[:, LOG_RULE]],
        [names[int(k)] for k in log[:, LOG_FIRST]],
        [names[int(k)] for k in log[:, LOG_SECOND]],
        log[:, LOG_PLACE : LOG_PLACE + 3].copy(),
        log[:, LOG_NORMAL : LOG_NORMAL + 3].copy(),
        log[:, LOG_IMPULSE : LOG_IMPULSE + 3].copy(),
        log[:, LOG_SPEED].copy(),
    )


def joined_impacts(parts: Sequence[Impacts]) -> Impacts:
    """The impacts of consecutive motions."""
    return Impacts(
        np.concatenate([part.t for part in parts]),
        [name for part in parts for name in part.contact],
        [name for part in parts for name in part.first],
        [name for part in parts for name in part.second],
        np.concatenate([part.point for part in parts]),
        np.concatenate([part.normal for part in parts]),
        np.concatenate([part.impulse for part in parts]),
        np.concatenate([part.speed for part in parts]),
    )


def has_contacts(motion: Trajectory) -> bool:
    """True if the model of a motion has contacts; of one of several phases, read the phases."""
    return bool(motion.system.contacts.capacity) and motion.record.memory.shape[1] > 0


def records(motion: Trajectory) -> Array:
    """The records of the contact points at all stored states (n, capacity, 9); those beyond the count are zero."""
    if not has_contacts(motion):
        raise ModelError("the model of this motion has no contacts: add lv.Contact or lv.Contacts.")
    return motion.record.memory[:, HEAD:].reshape(len(motion), -1, RECORD)


def contact_points(motion: Trajectory, k: int) -> ContactPoints:
    """The contact points at the stored state number k."""
    names = [body.name for body in motion.model.bodies]
    count, h = int(motion.record.memory[k, COUNT]), float(motion.record.memory[k, LAST_STEP])
    held = records(motion)[k, :count]
    held = held[_pushes(motion, held[:, PAIR])]
    return ContactPoints(
        [names[int(i)] for i in held[:, FIRST_BODY]],
        [names[int(i)] for i in held[:, SECOND_BODY]],
        held[:, PLACE : PLACE + 3].copy(),
        held[:, IMPULSE : IMPULSE + 3] * (2.0 / h if h else 0.0),
    )


def contact_force(motion: Trajectory, a: Any, b: Any) -> Array:
    """The force that the first body exerts on the second through all their contact points and ropes [N], world axes
    (n, 3)."""
    i, j = (_number(motion, side) for side in (a, b))
    held, h = records(motion), motion.record.memory[:, LAST_STEP]
    force = held[:, :, IMPULSE : IMPULSE + 3] * np.divide(2.0, h, out=np.zeros_like(h), where=h > 0.0)[:, None, None]
    first, second = held[:, :, FIRST_BODY], held[:, :, SECOND_BODY]
    sign = ((first == i) & (second == j)).astype(float) - ((first == j) & (second == i))
    return np.einsum("nc,nck->nk", sign * _pushes(motion, held[:, :, PAIR]), force)


def gap(motion: Trajectory, a: Any, b: Any) -> Array:
    """The distance of two bodies whose contact is declared [m] (n,)."""
    i, j = (_number(motion, side) for side in (a, b))
    records(motion)
    out, points = np.full(len(motion), np.inf), touch_scratch(motion.system, 0).points
    held = motion.record
    if i != j:
        body_gaps(motion.system.contacts, motion.system.coordinates, points, i, j, held.a, held.B, held.angle, out)
    if not np.isfinite(out).all():
        raise ModelError(
            f"no contact is declared between {motion.model.bodies[i].name!r} and {motion.model.bodies[j].name!r}."
        )
    return out


def _pushes(motion: Trajectory, pair: Array) -> NDArray[np.bool_]:
    """Which contact points of these pairs exert a force: bodies that touch, and ropes."""
    contacts = motion.system.contacts
    special, others = -1 - pair, contacts.stop.shape[1] + contacts.dry.shape[1]
    return (special < 0) | ((special >= others) & (special < others + contacts.rope.shape[1]))


def _number(motion: Trajectory, side: Any) -> int:
    side = side.body if isinstance(side, Plane) else motion.own(side)
    if isinstance(side, Body) and side in motion.compiled.number:
        return motion.compiled.number[side]
    raise ModelError(f"{side!r} is not a body of this motion's model, nor a plane of one.")


def losses(motion: Trajectory) -> tuple[Array, Array]:
    """Energy lost in friction and in impacts since the start [J] (n,)."""
    if not has_contacts(motion):
        return np.zeros(len(motion)), np.zeros(len(motion))
    return motion.record.memory[:, FRICTION], motion.record.memory[:, IMPACT]


class Totals(NamedTuple):
    """Of the contacts of a motion, from its start to its end."""

    impacts: int
    inelastic: int  # contacts that closed without restitution
    impact_loss: float  # [J]
    friction_loss: float  # [J]
    residual: float  # largest residual of a contact problem that was not solved to its tolerance [m/s]
    paradoxes: int  # parts of steps in which a sliding contact had no force, or several


def totals(motion: Trajectory) -> Totals | None:
    """The totals at the end of a motion; None if its last phase has no contacts."""
    motion = motion.phases[-1]
    if not has_contacts(motion):
        return None
    end = motion.record.memory[-1]
    return Totals(
        int(end[IMPACTS]), int(end[INELASTIC]), float(end[IMPACT]), float(end[FRICTION]), float(end[RESIDUAL]),
        int(end[PARADOX]),
    )  # fmt: skip


class ContactReadings:
    """What a motion says of its contacts."""

    impact_log: Array

    @property
    def impacts(self: Any) -> Impacts:
        """The impacts: times, bodies, points, normals, impulses and approach speeds."""
        return impacts(self)

    def contact_force(self: Any, a: Body | Plane | str, b: Body | Plane | str) -> Array:
        """The force that the first body exerts on the second through all their contact points [N] (n, 3)."""
        return contact_force(self, a, b)

    def gap(self: Any, a: Body | Plane | str, b: Body | Plane | str) -> Array:
        """The distance between the shapes of two bodies that can touch [m] (n,), negative where they overlap. Two
        polyhedra that are farther apart than a tenth of their size are at least so far apart."""
        return gap(self, a, b)

    def contact_points(self: Any, k: int) -> ContactPoints:
        """The contact points at the stored state number k, with their forces."""
        return contact_points(self, k)

    @property
    def friction_loss(self: Any) -> Array:
        """Energy lost in contacts between impacts, by friction, since the start [J] (n,): part of `dissipated`."""
        return losses(self)[0]

    @property
    def impact_loss(self: Any) -> Array:
        """Energy lost in impacts since the start [J] (n,): part of `dissipated`."""
        return losses(self)[1]
