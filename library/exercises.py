"""Small runs that call every kernel that Python calls; `trace.py` reads the types of the arguments from them.

They run as plain Python, so they are short. The schemes are those of the package: a new one is included.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np

import livens as lv
from livens.compile.compiled import Compiled
from livens.compile.states import empty_record
from livens.compile.system import scratch
from livens.kernels.forces import free_forces
from livens.kernels.potential import gravity_force
from livens.kernels.record import store_state
from livens.kernels.spin import drift, kick
from livens.run.members import follow_members
from livens.run.plan import plan
from livens.step import COMPARED, SCHEMES
from livens.step.start_forces import start_forces

G = (0.0, 0.0, -9.81)
STEPS = 4


def read(motion: lv.Trajectory) -> None:
    """All that a motion computes from its states."""
    _ = (motion.energy, motion.momentum, motion.angular_momentum, motion.defect_position, motion.defect_velocity)
    for body in motion.model.bodies[1:]:
        motion.position(body), motion.acceleration(body)
    for joint in motion.model.joints:
        motion.reaction(joint)
    motion.report()


def move(build: Callable[[], lv.Model], h: float = 1e-2) -> None:
    """A few steps with every scheme that takes the model. All models can be moved with the first one."""
    read(lv.simulate(build(), lv.Livens(), h=h, until=STEPS * h))
    for scheme in (*SCHEMES, *COMPARED, lv.Livens(compensated=True)):
        with suppress(lv.ModelError):  # some schemes do not take dampers or velocity-dependent forces
            read(lv.simulate(build(), scheme, h=h, until=STEPS * h))


def free() -> lv.Model:
    """Springs, attraction, loads that follow the body or not, an energy and a force of the user."""
    m = lv.Model(gravity=G)
    one = m.add(lv.Body(lv.Box(0.8, 0.5, 0.2, density=25.0), at=(0, 0, -1), body_rates=(0.3, 2, 0.1), name="one"))
    two = m.add(lv.Body(lv.Ball(0.2, mass=1.0), at=(1, 0, -1), velocity=(0, 0.5, 0), name="two"))
    m.add(lv.Spring(m.world.point(0, 0, 0), one.point(0.4, 0.2, 0), stiffness=60.0, length=0.5))
    m.add(lv.Attraction(G=1.0))
    m.add(lv.Load(one.point(0.1, 0, 0), force=lambda t: (np.sin(t), 0.0, 1.0), axes="body"))
    m.add(lv.Load(two.center, torque=(0.1, 0.0, 0.0)))
    m.add(lv.Energy(lambda b: 0.25 * lv.norm(b[two].position) ** 4, bodies=[two], name="well"))
    return m


def free_with_drag() -> lv.Model:
    """A velocity-dependent force of the user."""
    m = free()
    two = m["two"]
    m.add(lv.Force(two.center, lambda b: -0.5 * b[two].velocity((0, 0, 0)), name="drag"))
    return m


def jointed() -> lv.Model:
    """Joints with a spring, a stop, a motor and a drive, and a constraint of the user."""
    m = lv.Model(gravity=G)
    arm = m.add(lv.Body(lv.Box(1.0, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="arm"))
    fore = m.add(lv.Body(lv.Box(0.8, 0.1, 0.1, density=1000), at=(1.4, 0, 0), name="fore"))
    crank = m.add(lv.Body(lv.Box(0.5, 0.1, 0.1, density=100), at=(0.25, 3, 0), name="crank"))
    bead = m.add(lv.Body(lv.PointMass(0.1), at=(1, 6, 1), name="bead"))
    base = m.world.point(0, 0, 0)
    m.add(lv.Revolute(base, arm.point(-0.5, 0, 0), axis=(0, 1, 0), stiffness=3.0, limits=(-0.5, 0.01), name="shoulder"))
    elbow = m.add(lv.Revolute(arm.point(0.5, 0, 0), fore.point(-0.4, 0, 0), axis=(0, 1, 0), name="elbow"))
    m.add(lv.Motor(elbow, lambda t: 2.0 * t))
    m.add(lv.Load(fore.center, force=(0.0, 1.0, 0.0)))
    pivot = m.world.point(0, 3, 0)
    m.add(lv.Revolute(pivot, crank.point(-0.25, 0, 0), axis=(0, 0, 1), drive=lambda t: 2.0 * t, name="drive"))
    m.add(lv.Constraint(lambda b: b[bead].position[2] - b[bead].position[0] ** 2, bodies=[bead], name="wire"))
    m.add(lv.Force(bead.center, lambda b: -0.5 * b[bead].velocity((0, 0, 0)), name="drag"))
    m.add(lv.Energy(lambda b: 0.25 * lv.norm(b[bead].position) ** 2, bodies=[bead], name="well"))
    return m


def told_by_time() -> lv.Model:
    """Formulas, functions and a controller that depend on time, on a free body, a drive and a motor."""
    m = lv.Model(gravity=G)
    ship = m.add(lv.Body(lv.Box(0.8, 0.5, 0.2, density=25.0), at=(0, 5, 0), name="ship"))
    crank = m.add(lv.Body(lv.Box(0.5, 0.1, 0.1, density=100), at=(0.25, 0, 0), name="crank"))
    rod = m.add(lv.Body(lv.Box(0.5, 0.1, 0.1, density=100), at=(0.75, 0, 0), name="rod"))
    m.add(lv.Load(ship.center, force=lv.Expression("[sin(3*t), 0, 1]"), torque=lambda t: (t, 0.0, 0.0)))
    turn = lv.Expression("0.5*(1 - cos(3*t))")
    m.add(lv.Revolute(m.world.point(0, 0, 0), crank.point(-0.25, 0, 0), axis=(0, 0, 1), drive=turn, name="turn"))
    hinge = m.add(lv.Revolute(crank.point(0.25, 0, 0), rod.point(-0.25, 0, 0), axis=(0, 0, 1), name="hinge"))
    m.add(lv.Motor(hinge, lambda t, now: -now.coordinate("hinge")[0], rate=50.0))
    bead = m.add(lv.Body(lv.PointMass(0.1), at=(1, 9, 1), name="bead"))
    m.add(lv.Energy(lambda b, t: t * b[bead].position[0], bodies=[bead], name="field"))
    return m


def loop() -> lv.Model:
    """A four-bar linkage: redundant rows, a damper, and a rolling disc beside it."""
    m = lv.Model(gravity=G)
    places = [((0, 0, 0), (0, 0, 1)), ((0, 0, 1), (2, 0, 1)), ((2, 0, 1), (2, 0, 0))]
    bars = [
        m.add(lv.Body(lv.Box(0.1, 0.1, 1.0, density=500), at=np.mean(place, axis=0), name=f"bar {k}"))
        for k, place in enumerate(places)
    ]
    ends = [m.world, *bars, m.world]
    pins = [place[0] for place in places] + [places[-1][1]]
    for k, (one, two, x) in enumerate(zip(ends, ends[1:], pins, strict=False)):
        m.add(lv.Revolute(one.point_at(*x), two.point_at(*x), axis=(0, 1, 0), damping=0.1 * (k == 1), name=f"pin {k}"))
    m.add(lv.Damper(m.world.point(0, 0, 2), bars[1].center, rate=0.5))
    return m


def touching() -> lv.Model:
    """All pairs of shapes that touch, with friction and restitution, beside a hinge with a drive."""
    m = lv.Model(gravity=G)
    ball = m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(0, 0, 0.11), velocity=(0, 0, -1), name="ball"))
    box = m.add(lv.Body(lv.Box(0.2, 0.2, 0.2, mass=1.0), at=(0, 0, 0.32), name="box"))
    lid = m.add(lv.Body(lv.Box(0.2, 0.2, 0.2, mass=1.0), at=(0.05, 0, 0.53), name="lid"))
    rod = m.add(lv.Body(lv.Capsule(0.05, 0.2, mass=1.0), at=(0.25, 0, 0.3), name="rod"))
    m.add(lv.Body(lv.Capsule(0.05, 0.2, mass=1.0), at=(0.36, 0, 0.3), name="other rod"))
    m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(0.52, 0, 0.3), velocity=(-1, 0, 0), name="other ball"))
    m.add(lv.Body(lv.Cylinder(0.1, 0.1, mass=1.0), at=(1, 0, 0.051), name="coin"))
    m.add(lv.Body(lv.Ellipsoid(0.1, 0.2, 0.3, mass=1.0), at=(2, 0, 0.301), name="egg"))
    m.add(lv.Revolute(m.world.point(0, 5, 0), lid.point_at(0, 5, 0), axis=(0, 1, 0), name="hinge"))
    m.add(lv.Contacts(planes=[m.world.plane((0, 0, 0))], friction=0.3, restitution=0.5))
    m.add(lv.Contact(box, rod, friction=0.1))
    m.add(lv.Contact(ball, box, restitution=1.0, impacts="together"))
    return m


def pendulum() -> lv.Model:
    """One rod on a ball joint."""
    m = lv.Model(gravity=G)
    bar = m.add(lv.Body(lv.ThinRod(1.0, mass=2.0), at=(0.5, 0, 0), name="bar"))
    m.add(lv.Spherical(m.world.point(0, 0, 0), bar.point(-0.5, 0, 0), name="pin"))
    return m


def spring_and_hinge() -> lv.Model:
    """What has an equilibrium: a bob on a spring, and a hinged rod with a spring."""
    m = lv.Model(gravity=G)
    bob = m.add(lv.Body(lv.PointMass(2.0), at=(0, 0, -1), name="bob"))
    m.add(lv.Spring(m.world.point(0, 0, 0), bob.point(0, 0, 0), stiffness=100.0, length=1.0))
    rod = m.add(lv.Body(lv.Box(1.0, 0.1, 0.1, density=100), at=(0.5, 2, 0), name="rod"))
    m.add(lv.Revolute(m.world.point(0, 2, 0), rod.point(-0.5, 0, 0), axis=(0, 1, 0), stiffness=20.0, name="hinge"))
    return m


def contact() -> None:
    """A few steps with contact; free bodies and bodies with joints."""
    motion = lv.simulate(touching(), h=5e-3, until=2e-2)
    read(motion)
    _ = (motion.impacts, motion.contact_force("ball", "box"), motion.contact_points(-1), motion.gap("ball", "box"))
    with suppress(lv.StepFailed):  # it takes impacts only
        lv.simulate(touching(), lv.RungeKutta(order=4), h=5e-3, until=2e-2)


def questions() -> None:
    """What is asked of a model besides its motion."""
    lv.stiffness(spring_and_hinge())
    lv.equilibrium(spring_and_hinge())
    lv.dynamics(jointed())
    energy = lv.Hamiltonian(spring_and_hinge())
    energy(*energy.start)
    lv.simulate(pendulum(), h="auto", until=0.1)
    lv.reversibility(pendulum(), lv.Livens(), h=1e-2, steps=2)


def signals() -> None:
    """Prescribed motions as formulas and as polynomials."""
    for drive in (lv.Expression("0.1 * sin(2 * t)"), np.polynomial.Polynomial([0.0, 0.1, 0.2])):
        m = spring_and_hinge()
        m["hinge"].drive = drive
        lv.simulate(m, h=1e-2, until=2e-2)


def joint_space() -> None:
    """The dynamics in joint coordinates, with a loop."""
    space = lv.JointSpace(loop())
    q, v = space.start, np.ones(len(space.names))
    space.equations(q, v), space.equations(space.state(q, v)), space.inverse_dynamics(q, v, v), space.rate_map(q)
    motion = lv.simulate(loop(), h=1e-2, until=2e-2)
    _ = (motion.q, motion.v, motion.coordinate_acceleration("pin 0"))


def tangents() -> None:
    """Derivatives of motions with respect to their start and to numbers of the model, with joints and without."""
    for scheme in (lv.Livens(), lv.RungeKutta(4)):
        for build in (free_with_drag, jointed, loop):
            lv.simulate(build(), scheme, h=1e-2, until=2e-2).tangent()
        for build in (spring_and_hinge, pendulum):
            motion = lv.simulate(build(), scheme, h=1e-2, until=2e-2)
            lv.sensitivity(motion, lambda motion: motion.energy[-1], ["gravity.2"])
    lv.simulate(pendulum(), lv.RungeKutta(tolerance=1e-8), h=1e-2, until=2e-2).tangent()
    lv.linearize(spring_and_hinge())
    stone = lv.Model(gravity=G)
    stone.add(lv.Body(lv.Ball(0.1, mass=1.0)))
    lv.sensitivity(lv.simulate(stone, h=1e-2, until=2e-2), lambda motion: motion.energy[-1], ["gravity.2"])


def picture() -> None:
    """An image of a motion."""
    motion = lv.simulate(pendulum(), h=1e-2, until=2e-2)
    with tempfile.TemporaryDirectory() as folder:
        motion.to_png(Path(folder) / "motion.png", size=(24, 16))


def lagrangians() -> None:
    """Systems of livens.discrete: dense, sparse, held by constraints, and by minimisation."""
    import livens.discrete as ld

    kepler = ld.Mechanical(mass=[1.0, 1.0], potential=lambda x: -1.0 / ld.norm(x))
    for scheme in (ld.Trapezoidal(), ld.Midpoint(), ld.Galerkin(4), ld.Newmark(0.25), ld.IncrementalPotential()):
        _ = ld.simulate(kepler, scheme, q=[0.5, 0.0], v=[0.0, 1.7], h=0.01, until=0.04).energy
    n = 80
    chain = ld.Mechanical(mass=np.ones(n), potential=ld.springs([(k, k + 1) for k in range(n - 1)], 10.0, 0.01, dim=1))
    for scheme in (ld.Midpoint(), ld.IncrementalPotential()):
        _ = ld.simulate(chain, scheme, q=np.linspace(0.0, 1.0, n), v=np.zeros(n), h=0.01, until=0.02).energy


def users_scheme() -> None:
    """The kernels that a scheme of a user calls, as on the page "Write a scheme"."""
    compiled = Compiled.of(free(), quiet=True)
    system, state, work = compiled.system, compiled.state, scratch(compiled.system, 0)
    kick(1e-3, work.f, work.tau, state.p, state.L)
    drift(system.bodies, 1e-3, state.a, state.B, state.p, state.L, state.a, state.B, state.L, work.fault)
    signals = compiled.signals(1e-3).table(np.zeros(1))
    free_forces(system, state.a, state.B, state.p, state.L, signals, 0, work, work.f, work.tau)
    start_forces(system, state, signals, work)
    gravity_force(system.bodies, system.gravity, work.f, work.tau)
    store_state(empty_record(state, 1), 0, state)


def members() -> None:
    """Many models of one structure in one call, by every scheme."""
    stone = lv.Model(gravity=G)
    stone.add(lv.Body(lv.Ball(0.1, mass=1.0)))
    for model in (stone, pendulum()):
        for scheme in (*SCHEMES, *COMPARED):
            list(follow_members(plan(scheme, 1e-2, 2e-2, 1), [Compiled.of(model, quiet=True)] * 2))


def quietly(exercise: Callable[[], None]) -> Callable[[], None]:
    def run() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exercise()

    return run


EXERCISES = [
    *(
        quietly(lambda build=build: move(build))
        for build in (free, free_with_drag, jointed, told_by_time, loop, pendulum)
    ),
    *map(quietly, (contact, questions, signals, joint_space, tangents, picture, lagrangians, users_scheme, members)),
]
