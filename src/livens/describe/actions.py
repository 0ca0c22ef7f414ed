"""Actions of events: what changes at an event. An action describes a change; run/event_actions.py carries it out.

    release("cord")                a joint or force is removed
    attach(joint)                  a joint is added; velocities change by its impulses, and energy is lost
    switch("motor", 2.0)           a motor or a prescribed motion gets another signal, or is switched on or off
    change("bodies.arm.mass", 2)   a value of the model, by its path in a scene
    strike(point, (0, 0, 1))       an impulse on a body

The model of the user is never changed: an action makes a new Structure, which is the user's model with a list of edits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

from numpy.typing import ArrayLike

from ..checks import Array, vector
from ..errors import ModelError
from ..kernels.arrays import State
from .body import Point
from .model import Model
from .thing import Thing


@dataclass(frozen=True, eq=False)
class Structure:
    """The user's model with edits: names of things that are left out, things that are added or that replace others of
    the same name, and values by their paths in a scene."""

    model: Model
    removed: frozenset[str] = frozenset()
    things: Mapping[str, Thing] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> set[str]:
        """The names of the joints and forces that are there now."""
        return ({thing.name for thing in self.model.things} | set(self.things)) - self.removed

    def without(self, name: str) -> Structure:
        """Without the joint or force `name`, which can be put back."""
        return replace(self, removed=self.removed | {name})

    def put(self, thing: Thing) -> Structure:
        """With `thing` in place of the one of its name, or added."""
        return replace(self, removed=self.removed - {thing.name}, things={**self.things, thing.name: thing})

    def set(self, path: str, value: Any) -> Structure:
        """With another value at a path."""
        return replace(self, values={**self.values, path: value})

    def described(self) -> Model:
        """The model with all edits but `values`. Its bodies are those of the user's model."""
        own = {thing.name for thing in self.model.things}
        kept = [self.things.get(x.name, x) for x in self.model.things if x.name not in self.removed]
        made = self.model.with_things(kept)
        for name, thing in self.things.items():
            if name not in own and name not in self.removed:
                made.add(copy(thing))
        there = {id(joint) for joint in made.joints} | {id(q.joint) for joint in made.joints for q in joint.coordinates}
        for thing in made.things:
            for joint in thing.joints:
                if id(joint) not in there:
                    raise ModelError(
                        f"{thing.label} acts on joint {joint.name!r}, which an event releases: release "
                        f"{thing.name!r} too, as in lv.release({joint.name!r}, {thing.name!r})."
                    )
        return made


class Action:
    """What happens at an event."""

    joins = False  # True if bodies are joined: the energy that the impulses take away is lost

    def check(self, structure: Structure, known: set[str]) -> None:
        """Raise a ModelError if the action is impossible; `known`: names of all things that are there at some time."""

    def edited(self, structure: Structure) -> Structure:
        """The structure after the action."""
        return structure

    @property
    def attached(self) -> set[str]:
        """The names of the things that the action adds."""
        return set()

    @property
    def impulses(self) -> tuple[tuple[Point, Array, Array], ...]:
        """Points, impulses [N s] and angular impulses [N m s] on their bodies, in world axes."""
        return ()


@dataclass(frozen=True)
class Release(Action):
    """Joints and forces are removed."""

    names: tuple[str, ...]

    def check(self, structure: Structure, known: set[str]) -> None:
        for name in self.names:
            _check_known(name, known, "release")

    def edited(self, structure: Structure) -> Structure:
        for name in self.names:
            structure = structure.without(name) if name in structure.names else structure
        return structure


@dataclass(frozen=True, eq=False)
class Attach(Action):
    """A joint or force is added, or one that was released is put back."""

    thing: Thing | str
    joins = True

    @property
    def name(self) -> str:
        """The name of the thing."""
        return self.thing if isinstance(self.thing, str) else self.thing.name

    @property
    def attached(self) -> set[str]:
        return set() if isinstance(self.thing, str) else {self.name}

    def copied(self) -> Thing:
        """A copy of the thing, for another model."""
        assert isinstance(self.thing, Thing)
        return copy(self.thing)

    def check(self, structure: Structure, known: set[str]) -> None:
        if isinstance(self.thing, str):
            _check_known(self.thing, known, "attach")
            return
        structure.model.check_parts(self.thing)
        if structure.model.find(self.name) is not None:
            raise ModelError(f"{self.name!r} cannot be attached: the model has something of this name already.")

    def edited(self, structure: Structure) -> Structure:
        if self.name in structure.names:
            return structure
        if not isinstance(self.thing, str):
            return structure.put(self.thing)
        return structure.put(structure.things.get(self.thing) or structure.model[self.thing])


@dataclass(frozen=True)
class Switch(Action):
    """A motor, a prescribed motion or a force is switched on or off, or gets another signal."""

    name: str
    value: Any

    def check(self, structure: Structure, known: set[str]) -> None:
        _check_known(self.name, known, "switch")
        if (thing := structure.model.find(self.name)) is not None:
            thing.switched(self.value)

    def edited(self, structure: Structure) -> Structure:
        first = structure.model.find(self.name) or structure.things.get(self.name)
        if first is None:
            raise ModelError(f"{self.name!r} cannot be switched: it is not attached at this time.")
        after = first.switched(self.value)
        return structure.without(self.name) if after is None else structure.put(after)


@dataclass(frozen=True)
class Change(Action):
    """A value of the model changes."""

    path: str
    value: Any

    def edited(self, structure: Structure) -> Structure:
        return structure.set(self.path, self.value)


@dataclass(frozen=True, eq=False)
class Strike(Action):
    """An impulse acts on a body."""

    point: Point
    impulse: Array
    angular_impulse: Array

    def check(self, structure: Structure, known: set[str]) -> None:
        if structure.model.find(self.point.body.name) is None:
            raise ModelError(f"strike acts on body {self.point.body.name!r}, which is not in the model.")
        if self.point.body.is_world:
            raise ModelError("strike acts on the world, which does not move.")

    @property
    def impulses(self) -> tuple[tuple[Point, Array, Array], ...]:
        return ((self.point, self.impulse, self.angular_impulse),)


# ── public names ──


def release(*names: str | Thing) -> Action:
    """An action of an event: the joints and forces of these names are removed, if they are there. Positions and
    velocities do not change.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> stone = m.add(lv.Body(lv.Ball(0.1, mass=2.0), at=(1, 0, 0), velocity=(0, 0, 8), name="stone"))
    >>> cord = m.add(lv.Rod(m.world.point(0, 0, 0), stone.point(0, 0, 0), name="cord"))
    >>> let_go = lv.Event(lambda now: now.position(stone)[0, 2] - 0.5, direction=1, do=lv.release("cord"))
    >>> motion = lv.simulate(m, h=1e-3, until=0.5, events=[let_go])
    >>> len(motion.phases), [joint.name for joint in motion.phases[1].model.joints]
    (2, [])
    """
    if not names:
        raise ModelError('release needs the name of a joint or force, as in lv.release("cord").')
    return Release(tuple(_name(name, "release") for name in names))


def attach(thing: Thing | str) -> Action:
    """An action of an event: a joint, which must fit the bodies then, is added, or one that was released is put back.
    If it is there already, nothing happens.

    The joint is described like all joints of the model: points in body axes, directions in world axes for the bodies as
    they are described at t = 0. Its impulses change the velocities by the projection in the metric of the mass matrix,
    a perfectly inelastic impact; the energy that is lost is added to `motion.dissipated`.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> one = m.add(lv.Body(lv.PointMass(1.0), velocity=(3, 0, 0), name="one"))
    >>> two = m.add(lv.Body(lv.PointMass(2.0), at=(1, 0, 0), name="two"))
    >>> hook = lv.attach(lv.Spherical(one.point(0, 0, 0), two.point(0, 0, 0), name="hook"))
    >>> meet = lv.Event(lambda now: (now.position(two) - now.position(one))[0, 0], do=hook)
    >>> motion = lv.simulate(m, h=0.01, until=1.0, events=[meet])
    >>> motion.velocity(two)[-1].round(9).tolist(), motion.dissipated[-1].round(9)
    ([1.0, 0.0, 0.0], np.float64(3.0))
    """
    if isinstance(thing, str):
        return Attach(thing)
    if not isinstance(thing, Thing):
        raise ModelError(f"attach takes a joint, or the name of one that was released, not {thing!r}.")
    if not thing.name:
        thing = copy(thing)
        thing.name = f"attached {type(thing).__name__.lower()}"
    return Attach(thing)


def switch(name: str | Thing, value: Any) -> Action:
    """An action of an event: a motor, or the prescribed motion of a joint, is switched.

    value: True or False for on and off; for a motor also another effort [N m] or [N], a number or a function of time;
    for a joint another drive, a function of time that begins where the joint is. Other forces are switched on and off.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> wheel = m.add(lv.Body(lv.MassProperties(1.0, (1, 1, 2)), name="wheel"))
    >>> hub = m.add(lv.Revolute(m.world.point(0, 0, 0), wheel.point(0, 0, 0), axis=(0, 0, 1), name="hub"))
    >>> _ = m.add(lv.Motor(hub, 4.0, name="motor"))
    >>> full = lv.Event(lambda now: now.rate("hub")[0] - 3.0, do=lv.switch("motor", False), name="full speed")
    >>> motion = lv.simulate(m, h=0.01, until=3.0, events=[full])
    >>> motion.rate("hub")[-1].round(9), round(motion.events[0].t, 9)
    (np.float64(3.0), 1.5)
    """
    return Switch(_name(name, "switch"), value)


def change(path: str, value: Any) -> Action:
    """An action of an event: a value of the model changes, such as change("bodies.arm.mass", 2.0) or
    change("gravity.2", -1.62). The paths are those of scenes and of `livens sweep --vary`; units are SI. Positions and
    velocities stay the same; the change of energy counts as work.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -10.0))
    >>> ball = m.add(lv.Body(lv.MassProperties(1.0, (1, 1, 1)), velocity=(0, 0, 10), name="ball"))
    >>> top = lv.Event(lambda now: now.velocity("ball")[0, 2], do=lv.change("gravity.2", -2.0))
    >>> lv.simulate(m, h=0.1, until=2.0, events=[top]).velocity("ball")[-1].round(9).tolist()
    [0.0, 0.0, -2.0]
    """
    if not isinstance(path, str):
        raise ModelError(f'change needs a path such as "bodies.arm.mass", not {path!r}.')
    return Change(path, value)


def strike(point: Point, impulse: ArrayLike = (0.0, 0.0, 0.0), angular_impulse: ArrayLike = (0.0, 0.0, 0.0)) -> Action:
    """An action of an event: an impulse [N s] at a point of a body, and an angular impulse [N m s], in world axes. The
    joints answer with impulses of their own; the change of energy counts as work.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -10.0))
    >>> ball = m.add(lv.Body(lv.PointMass(2.0), at=(0, 0, 5), name="ball"))
    >>> def bounce(now):
    ...     return lv.strike(ball.point(0, 0, 0), -2.0 * 2.0 * now.velocity(ball)[0])
    >>> ground = lv.Event(lambda now: now.position(ball)[0, 2], direction=-1, do=bounce, name="ground")
    >>> motion = lv.simulate(m, h=0.03, until=6.0, events=[ground])
    >>> [round(event.t, 9) for event in motion.events]
    [1.0, 3.0, 5.0]
    """
    if not isinstance(point, Point):
        raise ModelError(f"strike needs a point such as body.point(0, 0, 0), not {point!r}.")
    both = vector(impulse, "impulse of strike"), vector(angular_impulse, "angular impulse of strike")
    return Strike(point, *both)


# ── inside ──


def actions_of(given: Any, owner: str) -> tuple[Any, ...]:
    """One action, several, or none, as a tuple. A function of the user may also return a state."""
    if given is None:
        return ()
    if isinstance(given, Action | State):
        return (given,)
    if isinstance(given, Sequence) and not isinstance(given, str) and all(isinstance(x, Action) for x in given):
        return tuple(given)
    raise ModelError(
        f"do of {owner} must be an action such as lv.release(…), a list of actions, or a function do(now) that returns "
        f"these or a state; got {given!r}."
    )


def check_actions(actions: Sequence[Action], model: Model, others: set[str] | None = None) -> None:
    """Raise a ModelError if an action names something that the model never has; others: names of things that events
    have attached before."""
    structure, before = Structure(model), others or set()
    known = structure.names | {name for action in actions for name in action.attached} | before
    for action in actions:
        if not action.attached & before:
            action.check(structure, known)


def _name(thing: Any, verb: str) -> str:
    if isinstance(thing, Thing):
        thing = thing.name
    if not isinstance(thing, str) or not thing:
        raise ModelError(f"{verb} needs the name of a joint or force, not {thing!r}.")
    return thing


def _check_known(name: str, known: set[str], verb: str) -> None:
    if name not in known:
        there = f"there are {', '.join(sorted(known))}" if known else "it has none"
        raise ModelError(f"{verb} names {name!r}, which is not a joint or force of the model: {there}.")
