"""Mechanisms that the tests read, as data: each function builds one and returns its model.

Sources: A01 to A05 are problems of the IFToMM library of multibody benchmarks; heavy_top is that of Brüls, Cardona and
Arnold (2012); revolute01 to rot_spring01 are Project Chrono's joint tests; andrews is the seven-body mechanism of the
Test Set for IVP Solvers.
"""

import numpy as np

import livens as lv
from tests.helpers import problems

G = 9.81
DOWN = (0.0, 0.0, -G)
X, Y, Z = np.eye(3)


def turn(axis, angle):
    """The rotation by `angle` [rad] about `axis`."""
    return lv.Pose.from_axis_angle(axis, angle).B


def frame(x, y):
    """The rotation matrix with the first two columns along x and (about) y."""
    x = np.asarray(x) / np.linalg.norm(x)
    z = np.cross(x, y) / np.linalg.norm(np.cross(x, y))
    return np.stack([x, np.cross(z, x), z], axis=1)


# ── tops and pendulums ──


def heavy_top():
    m = lv.Model(gravity=DOWN, name="heavy top")
    top = m.add(
        lv.Body(
            lv.MassProperties(15.0, (0.234375, 0.46875, 0.234375), center=(0, 1, 0)),
            body_rates=(0, 150, -4.61538),
            name="top",
        )
    )
    m.add(lv.Spherical(m.world.point(0, 0, 0), top.point(0, 0, 0), name="pivot"))
    return m


def pendulum():
    """A01: a point mass on a massless rod."""
    m = lv.Model(gravity=DOWN, name="pendulum")
    bob = m.add(lv.Body(lv.PointMass(1.0), at=(-1, 0, 0), name="bob"))
    m.add(lv.Rod(m.world.point(0, 0, 0), bob.point(0, 0, 0), name="rod"))
    return m


def spherical_pendulum():
    m = lv.Model(gravity=DOWN, name="spherical pendulum")
    bob = m.add(lv.Body(lv.PointMass(1.0), at=(1, 0, 0), velocity=(0, 1, 0), name="bob"))
    m.add(lv.Rod(m.world.point(0, 0, 0), bob.point(0, 0, 0), name="rod"))
    return m


def chain(n):
    """n slender rods with ball joints, all along +x at rest."""
    m = lv.Model(gravity=DOWN, name=f"chain of {n}")
    last = m.world.point(0, 0, 0)
    for k in range(n):
        rod = m.add(lv.Body(lv.ThinRod(1.0, mass=1.0), at=(k + 0.5, 0, 0), name=f"rod{k}"))
        m.add(lv.Spherical(last, rod.point(-0.5, 0, 0), name=f"ball{k}"))
        last = rod.point(0.5, 0, 0)
    return m


def gimbal_gyroscope():
    """A rotor in two gimbals with a weight on the inner one, so that it precesses; all axes meet at the origin."""
    m = lv.Model(gravity=DOWN, name="gyroscope in gimbals")
    outer = m.add(lv.Body(lv.MassProperties(0.6, (0.004, 0.003, 0.005)), angular_velocity=0.4 * Z, name="outer"))
    inner = m.add(
        lv.Body(
            lv.MassProperties(0.5, (0.002, 0.0015, 0.0025), center=(0.02, 0, 0)), angular_velocity=0.4 * Z, name="inner"
        )
    )
    rotor = m.add(
        lv.Body(lv.MassProperties(1.2, (0.003, 0.0018, 0.0018)), angular_velocity=0.4 * Z + 60 * X, name="rotor")
    )
    origin = (0, 0, 0)
    m.add(lv.Revolute(m.world.point(origin), outer.point(origin), axis=Z, name="pan"))
    m.add(lv.Revolute(outer.point(origin), inner.point(origin), axis=Y, name="tilt"))
    m.add(lv.Revolute(inner.point(origin), rotor.point(origin), axis=X, name="spin"))
    return m


# ── planar loops ──

BAR = lv.MassProperties(1.0, (1 / 1200, 1 / 12, 1 / 12))  # one metre, one kilogram; turns about z only


def four_bars(n):
    """A02: n four-bars in a row, hinged throughout (3 n rows repeat others), cranks upright, turning at 1 rad/s."""
    m = lv.Model(gravity=(0, -G, 0), name=f"{n} four-bars")
    cranks = [
        m.add(
            lv.Body(BAR, at=(k, 0.5, 0), rotation=turn(Z, np.pi / 2), velocity=(0.5, 0, 0), angular_velocity=-Z,
                    name=f"crank{k}")
        )
        for k in range(n + 1)
    ]  # fmt: skip
    for k, crank in enumerate(cranks):
        m.add(lv.Revolute(m.world.point(k, 0, 0), crank.point(-0.5, 0, 0), axis=Z, name=f"foot{k}"))
    for k in range(n):
        bar = m.add(lv.Body(BAR, at=(k + 0.5, 1, 0), velocity=(1, 0, 0), name=f"coupler{k}"))
        m.add(lv.Revolute(cranks[k].point(0.5, 0, 0), bar.point(-0.5, 0, 0), axis=Z, name=f"left{k}"))
        m.add(lv.Revolute(cranks[k + 1].point(0.5, 0, 0), bar.point(0.5, 0, 0), axis=Z, name=f"right{k}"))
    return m


def crank_rocker():
    """One four-bar that is no parallelogram, with as many rows as it needs: a hinged tree and a point on a line."""
    m = lv.Model(gravity=(0, -G, 0), name="crank and rocker")
    foot, top, knee, ground = (np.array(x) for x in ((0.0, 0, 0), (0, 0.4, 0), (1.2, 0.9, 0), (1.0, 0, 0)))

    def bar(name, a, b):
        d = b - a
        l = np.linalg.norm(d)
        matter = lv.MassProperties(l, l**3 / 12 * np.array([1e-2, 1, 1]))
        return m.add(lv.Body(matter, at=(a + b) / 2, rotation=frame(d, np.cross(Z, d)), name=name))

    crank, coupler, rocker = bar("crank", foot, top), bar("coupler", top, knee), bar("rocker", ground, knee)
    m.add(lv.Revolute(m.world.point(foot), crank.point_at(foot), axis=Z, name="foot"))
    m.add(lv.Revolute(crank.point_at(top), coupler.point_at(top), axis=Z, name="top"))
    m.add(lv.Revolute(m.world.point(ground), rocker.point_at(ground), axis=Z, name="ground"))
    m.add(lv.PointOnLine(coupler.point_at(knee), rocker.point_at(knee), axis=Z, name="knee"))
    return m


def andrews(closing=lv.PointOnLine):
    """Andrews' squeezer. Loops are closed at E by points on lines (no row too many) or by hinges (nine too many)."""
    m = lv.Model(name="Andrews' squeezer")
    beta, theta, gamma, phi = -0.0617138900142764, 0.0, 0.4552798191630704, 0.2226683901658859
    delta, omega, epsilon = 0.4873649795438426, -0.2226683901658859, 1.2305474445498212
    mass = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
    inertia = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)  # about the centres of mass

    def vector(angle, x, y):
        c, s = np.cos(angle), np.sin(angle)
        return np.array([c * x - s * y, s * x + c * y, 0.0])

    O, A, B, C = (np.array([x, y, 0.0]) for x, y in ((0, 0), (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)))
    F = O + vector(beta, 0.007, 0)
    E = F + vector(beta + theta, -0.028, 0)
    D = B + vector(gamma, 0.02, -0.018)
    G_ = A + vector(delta, 0.04, 0)
    H = A + vector(epsilon, 0, -0.04)
    centers = (
        O + vector(beta, 0.00092, 0),
        F + vector(beta + theta, -0.0115, 0),
        B + vector(gamma, 0.01043, -0.01874),
        G_ + vector(phi + delta, 0, -(0.02 - 0.01421)),
        A + vector(delta, 0.02308, 0.00916),
        H + vector(omega + epsilon, 0.02 - 0.01421, 0),
        A + vector(epsilon, -0.00449, -0.01228),
    )
    K = [
        m.add(
            lv.Body(lv.MassProperties(mass[k], inertia[k] * np.array([0.6, 0.7, 1])), at=centers[k], name=f"K{k + 1}")
        )
        for k in range(7)
    ]
    world = m.world
    tree = (
        ("beta", world, K[0], O), ("theta", K[0], K[1], F), ("gamma", world, K[2], B), ("delta", world, K[4], A),
        ("phi", K[4], K[3], G_), ("epsilon", world, K[6], A), ("omega", K[6], K[5], H),
    )  # fmt: skip
    for name, a, b, x in tree:
        m.add(lv.Revolute(a.point_at(x), b.point_at(x), axis=Z, name=name))
    for k in (1, 3, 5):
        m.add(closing(K[2].point_at(E), K[k].point_at(E), axis=Z, name=f"E{k + 1}"))
    m.add(lv.Spring(world.point(C), K[2].point_at(D), stiffness=4530, length=0.07785, name="spring"))
    m.add(lv.Motor(m["beta"], 0.033, name="motor"))
    return m


# ── single joints, ADAMS ──

CHRONO = (0.0, 0.0, -9.80665)


def revolute01(stiffness=0.0, damping=0.0):
    m = lv.Model(gravity=CHRONO, name="Revolute 01")
    R = turn(X, -np.pi / 2)
    body = m.add(lv.Body(lv.MassProperties(1.0, (0.04, 0.1, 0.1)), at=R @ (2, 0, 0), rotation=R, name="body"))
    m.add(
        lv.Revolute(m.world.point(0, 0, 0), body.point_at(0, 0, 0), axis=R @ Z, stiffness=stiffness, damping=damping,
                    name="hinge")
    )  # fmt: skip
    return m


def rot_spring01():
    return revolute01(stiffness=200.0, damping=10.0)


def distance03():
    m = lv.Model(gravity=CHRONO, name="Distance 03")
    R = turn(Z, -np.pi / 2)
    body = m.add(lv.Body(lv.MassProperties(1.0, (0.04, 0.1, 0.1)), at=(0, 4, 0), rotation=R, name="body"))
    m.add(lv.Rod(m.world.point(0, 0, 0), body.point_at(0, 2, 0), length=2.0, name="rod"))
    return m


def tran_spring01():
    m = lv.Model(gravity=CHRONO, name="TranSpring 01")
    body = m.add(lv.Body(lv.MassProperties(1.0, (0.04, 0.1, 0.1)), name="body"))
    m.add(lv.Prismatic(m.world.point(0, 0, 0), body.point(0, 0, 0), axis=Z, stiffness=10, damping=0.5, name="guide"))
    return m


# ── spatial loops ──


def bricard():
    """A04: five rods between six hinges; one row too many, one degree of freedom."""
    m = lv.Model(gravity=(0, -G, 0), name="Bricard")
    places = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
    axes = (Y, Z, X, Y, Z, X)
    last = m.world
    for k in range(5):
        d = places[k + 1] - places[k]
        J = np.full(3, 1.01 / 12) - np.abs(d) * (1.01 / 12 - 1 / 600)
        rod = m.add(lv.Body(lv.MassProperties(1.0, J), at=(places[k] + places[k + 1]) / 2, name=f"rod{k + 1}"))
        m.add(lv.Revolute(last.point_at(places[k]), rod.point_at(places[k]), axis=axes[k], name=f"hinge{k}"))
        last = rod
    m.add(lv.Revolute(last.point_at(places[5]), m.world.point(places[5]), axis=axes[5], name="hinge5"))
    return m


def governor(stiffness=8e5, damping=4e4):
    """A05: a flyball governor with very stiff, damped springs between the rods' midpoints and the slider."""
    m = lv.Model(gravity=DOWN, name="governor")
    spin = 2 * np.pi * Z

    def placed(matter, at, name, rotation=None):
        return m.add(
            lv.Body(matter, at=at, rotation=rotation, velocity=np.cross(spin, at), angular_velocity=spin, name=name)
        )

    shaft = placed(lv.Box(0.01, 0.01, 1.0, density=3000), (0, 0, 0.5), "shaft")
    slider = placed(lv.Box(0.1, 0.1, 0.1, density=3000), (0, 0, 0.5), "slider")
    m.add(lv.Revolute(m.world.point(0, 0, 0), shaft.point_at(0, 0, 0), axis=Z, name="bearing"))
    m.add(lv.Prismatic(shaft.point_at(0, 0, 0), slider.point(0, 0, 0), axis=Z, start=0.5, name="slide"))
    bar = lv.Box(1.0, 0.01, 0.01, density=3000).mass_properties
    rod = bar + lv.MassProperties(5.0, (0, 0, 0), center=(0.5, 0, 0))
    for side, name in ((1, "right"), (-1, "left")):
        d = np.array([side * np.cos(np.pi / 6), 0, -np.sin(np.pi / 6)])
        top = np.array([side * 0.05, 0, 1])
        body = placed(rod, top + 0.5 * d, name, frame(d, Y))
        m.add(lv.Revolute(shaft.point_at(top), body.point(-0.5, 0, 0), axis=Y, name=f"{name} hinge"))
        m.add(
            lv.Spring(slider.point(side * 0.05, 0, 0), body.point(0, 0, 0), stiffness=stiffness, length=0.5,
                      damping=damping, name=f"{name} spring")
        )  # fmt: skip
    return m


def slider_crank(drive=None):
    """The spatial slider-crank of Haug: hinge, ball joint, universal joint, guide."""
    m = lv.Model(gravity=DOWN, name="spatial slider-crank")
    A, C = np.array([0, 0.1, 0.12]), np.array([0.2, 0, 0])
    B = np.add(A, (0, 0, 0.08))
    crank = m.add(
        lv.Body(lv.MassProperties(0.12, (1e-4, 1e-4, 1e-5)), at=(A + B) / 2, velocity=(0, -0.24, 0),
                angular_velocity=6 * X, name="crank")
    )  # fmt: skip
    R = frame((2, -1, -2), (0, 2, -1))
    rod = m.add(
        lv.Body(lv.MassProperties(0.5, (4e-4, 4e-3, 4e-3)), at=(B + C) / 2, rotation=R, velocity=(0.12, -0.24, 0),
                angular_velocity=(1.92, -0.96, 0.48), name="rod")
    )  # fmt: skip
    slider = m.add(lv.Body(lv.MassProperties(2.0, (1e-4, 1e-4, 1e-4)), at=C, velocity=(0.24, 0, 0), name="slider"))
    m.add(lv.Revolute(m.world.point(A), crank.point_at(A), axis=X, drive=drive, name="hinge"))
    m.add(lv.Spherical(crank.point_at(B), rod.point_at(B), name="ball"))
    m.add(lv.Universal(slider.point(0, 0, 0), rod.point_at(C), axis_a=X, axis_b=R @ Y, name="cross"))
    m.add(lv.Prismatic(m.world.point(C), slider.point(0, 0, 0), axis=X, name="guide"))
    return m


# ── what rolls and cuts ──


def rolling_ball(slope=0.3, matter=None):
    """A solid ball of radius 0.1 released on an inclined plane."""
    m = lv.Model(gravity=turn(Y, -slope) @ DOWN, name="rolling ball")
    matter = lv.Ball(0.1, mass=2.0) if matter is None else matter
    ball = m.add(lv.Body(matter, at=(0, 0, 0.1), name="ball"))
    m.add(lv.RollingBall(m.world.point(0, 0, 0), ball.point(0, 0, 0), normal=Z, radius=0.1, name="contact"))
    return m


def rolling_disc(lean=0.4, precession=1.5, spin=None, radius=0.3):
    """A thin disc on a horizontal plane that leans by `lean` from the vertical and turns about it with `precession`;
    `spin` about its own axis against a frame that precesses."""
    m = lv.Model(gravity=DOWN, name="rolling disc")
    spin = -8.0 if spin is None else spin
    R = turn(X, lean)  # axis e_y of the disc, tilted; the contact is below the centre along −R e_z
    omega = precession * Z + spin * (R @ Y)
    up = radius * (R @ Z)
    J = np.array([1, 2, 1]) / 4 * radius**2
    disc = m.add(
        lv.Body(lv.MassProperties(1.0, J), at=up, rotation=R, velocity=np.cross(omega, up), angular_velocity=omega,
                name="disc")
    )  # fmt: skip
    m.add(
        lv.RollingDisc(m.world.point(0, 0, 0), disc.point(0, 0, 0), normal=Z, axis=R @ Y, radius=radius, name="contact")
    )
    return m


def sleigh(slope=0.0, velocity=1.0, rate=2.0, center=0.0):
    """A knife edge under a plate on a plane that falls along +x; the edge points along x, `center` ahead of it."""
    m = lv.Model(gravity=turn(Y, -slope) @ DOWN, name="sleigh")
    matter = lv.MassProperties(1.5, (0.02, 0.03, 0.05), center=(center, 0, 0))
    body = m.add(lv.Body(matter, velocity=(velocity, 0, 0), angular_velocity=rate * Z, name="sleigh"))
    m.add(lv.Planar(m.world.point(0, 0, 0), body.point(0, 0, 0), normal=Z, name="ice"))
    m.add(lv.KnifeEdge(m.world.point(0, 0, 0), body.point(0, 0, 0), across=Y, name="blade"))
    return m


# ── everything at once ──


def every_joint(damping=0.0, rolling=True):
    """One spatial mechanism with every joint there is, loops among them; lopsided bodies, springs everywhere."""
    m = lv.Model(gravity=DOWN, name="every joint")
    seeds = iter(range(100, 200))

    def body(name, at, mass=1.0):
        seed = next(seeds)
        return m.add(
            lv.Body(problems.lopsided(seed, mass, 0.2), at=at, rotation=problems.turned(seed + 1000), name=name)
        )

    def spring(a, b, stiffness=30.0, stretch=0.8):
        length = stretch * float(np.linalg.norm(b.start - a.start))
        return m.add(lv.Spring(a, b, stiffness=stiffness, length=length))

    world = m.world
    tilted, skewed, slanted = (1.0, 2.0, 0.5), (0.3, -1.0, 2.0), (2.0, 0.3, -0.4)

    arm = body("arm", (0.5, 0, 0), mass=2.0)
    m.add(
        lv.Revolute(world.point(0, 0, 0), arm.point_at(0, 0, 0), axis=tilted, stiffness=5.0, rest=0.3, damping=damping,
                    name="hinge")
    )  # fmt: skip
    ram = body("ram", (1.0, 0.2, 0.3))
    m.add(
        lv.Prismatic(arm.point_at(1, 0.2, 0.3), ram.point_at(1, 0.2, 0.3), axis=skewed, stiffness=80.0, rest=0.2,
                     name="guide")
    )  # fmt: skip
    collar = body("collar", (1.5, 0.1, 0.4))
    m.add(lv.Cylindrical(ram.point_at(1.2, 0.2, 0.3), collar.point_at(1.2, 0.2, 0.3), axis=slanted, name="sleeve"))
    spring(ram.point_at(1, 0, 0), collar.point_at(1.6, 0.3, 0.1), stiffness=60.0)
    link = body("link", (2.0, 0.3, 0.2))
    m.add(
        lv.Universal(collar.point_at(1.7, 0.2, 0.3), link.point_at(1.7, 0.2, 0.3), axis_a=(0, 1, 0.4),
                     axis_b=(1, 0.2, 1), name="cardan")
    )  # fmt: skip
    plate = body("plate", (2.3, 0.2, 0.1), mass=0.7)
    m.add(lv.Rigid(link.point_at(2.1, 0.3, 0.2), plate.point_at(2.1, 0.3, 0.2), name="weld"))
    tail = body("tail", (2.6, 0.1, -0.3), mass=0.5)
    m.add(lv.Spherical(plate.point_at(2.4, 0.2, 0), tail.point_at(2.4, 0.2, 0), name="ball"))
    spring(tail.point_at(2.7, 0, -0.4), world.point(2.5, 0.5, -1.0))

    puck = body("puck", (1.8, 1.0, -0.8), mass=1.5)
    m.add(lv.Planar(world.point(0, 0, -1), puck.point_at(1.8, 1, -1), normal=Z, name="table"))
    m.add(lv.Rod(plate.point_at(2.2, 0.4, 0.1), puck.point_at(1.8, 1.0, -0.7), name="rod"))
    spring(puck.point_at(1.6, 1.2, -0.8), world.point(0, 1.5, -1))

    nut = body("nut", (0.3, 0.6, 0.5))
    m.add(lv.Screw(arm.point_at(0.3, 0.2, 0.1), nut.point_at(0.3, 0.2, 0.1), axis=skewed, pitch=0.4, name="screw"))
    wheel = body("wheel", (-0.8, 0.2, 0.1))
    axle = m.add(lv.Revolute(world.point(-0.8, 0.1, 0), wheel.point_at(-0.8, 0.1, 0), axis=slanted, name="axle"))
    m.add(lv.Coupling(m["hinge"], axle, ratio=-1.5, name="gear"))
    rack = body("rack", (-1.0, -0.5, 0.2), mass=0.8)
    m.add(lv.Prismatic(world.point(-1, -0.5, 0), rack.point_at(-1, -0.5, 0), axis=tilted, name="rail"))
    m.add(lv.Coupling(axle, m["rail"], ratio=0.2, name="pinion"))
    spring(nut.point_at(0.5, 0.7, 0.6), wheel.point_at(-0.7, 0.4, 0.2), stiffness=20.0)

    bead = body("bead", (0.2, -0.7, 0.3), mass=0.6)
    m.add(lv.PointOnLine(arm.point_at(0.2, -0.5, 0.2), bead.point_at(0.2, -0.5, 0.2), axis=(1, 0.2, 0.3), name="wire"))
    spring(bead.point_at(0.4, -0.8, 0.2), arm.point_at(0.8, -0.3, 0), stiffness=50.0)
    slab = body("slab", (0.3, -1.4, -0.5))
    m.add(lv.PointOnPlane(world.point(0, 0, -0.8), slab.point_at(0.3, -1.4, -0.8), normal=Z, name="floor"))
    spring(slab.point_at(0.1, -1.2, -0.3), bead.point_at(0.1, -0.9, 0.2))
    ghost = body("ghost", (0.9, -0.9, 0.6), mass=0.5)
    m.add(lv.FixedOrientation(arm, ghost, name="compass"))
    spring(ghost.point_at(1.1, -1, 0.6), arm.point_at(0.7, -0.4, 0.3), stiffness=40.0)
    if rolling:
        roll(m, spring, body)
    return m


def roll(m, spring, body):
    """A ball, a disc and a skate beside the mechanism, held to it by springs."""
    world = m.world
    ball = body("globe", (2.0, -1.5, -0.6))
    m.add(
        lv.RollingBall(world.point(0, 0, -1), ball.point_at(2, -1.5, -0.6), normal=Z, radius=0.4, name="rolling ball")
    )
    spring(ball.point_at(2.1, -1.3, -0.5), m["tail"].point_at(2.5, 0, -0.2))
    R = turn(X, 0.3)
    disc = body("disc", (3.0, -0.5, -1 + 0.5 * np.cos(0.3)))
    m.add(
        lv.RollingDisc(world.point(0, 0, -1), disc.point_at(3, -0.5, -1 + 0.5 * np.cos(0.3)), normal=Z, axis=R @ Y,
                       radius=0.5, name="rolling disc")
    )  # fmt: skip
    spring(disc.point_at(3.2, -0.5, -0.3), m["tail"].point_at(2.7, 0.2, -0.4), stiffness=40.0)
    spring(disc.point_at(3.0, -0.5, -0.1), world.point(3.1, -0.8, 0.4), stiffness=40.0)
    skate = body("skate", (1.0, 2.0, -0.7))
    m.add(lv.Planar(world.point(0, 0, -1), skate.point_at(1, 2, -1), normal=Z, name="ice"))
    m.add(lv.KnifeEdge(world.point(0, 0, -1), skate.point_at(1.1, 2.1, -1), across=(1, 2, 0), name="blade"))
    spring(skate.point_at(1.3, 2.2, -0.9), m["puck"].point_at(1.7, 1.2, -0.8), stiffness=50.0)


def damped(rolling=True):
    """Every joint with dampers in them, and one between two points."""
    m = every_joint(damping=0.8, rolling=rolling)
    m.add(lv.Damper(m["tail"].point(0, 0, 0), m.world.point(2.5, 0.5, -1.0), rate=3.0))
    return m


def driven():
    """Every joint with a motor, a load and a drive."""
    m = every_joint(rolling=False)
    m.add(lv.Motor(m["screw"], lambda t: 2 * np.cos(7 * t), name="motor"))
    m.add(lv.Load(m["puck"].point(0.1, 0.2, 0), force=lambda t: (3 * np.sin(5 * t), 1, 0), name="wind"))
    slab = m["slab"]
    fan = m.add(lv.Body(lv.MassProperties(0.4, (0.02, 0.03, 0.04)), at=np.add(slab.pose.a, (0, -0.5, 0)), name="fan"))
    turning = lambda t: 1 - np.cos(6 * t)  # noqa: E731
    m.add(lv.Revolute(slab.point_at(fan.pose.a), fan.point(0, 0, 0), axis=(1, 1, 0), drive=turning, name="drive"))
    return m
