"""Lagrangian problems as data: each function gives a fresh ld.Problem, with a closed form where there is one.

Stiff chain and outer solar system: Hairer, Lubich & Wanner, Geometric Numerical Integration, I.5.1 and I.2.4.
"""

import numpy as np
from scipy.special import ellipj, ellipk

import livens.discrete as ld

G = 9.81


def harmonic(until=10.0):
    """m = k = 1 from 1 at rest: cos t."""
    system = ld.Mechanical(mass=[1.0], potential=lambda x: 0.5 * x[0] ** 2)
    return ld.Problem(
        system, [1.0], [0.0], until, lambda t: (np.array([np.cos(t)]), np.array([-np.sin(t)])), "harmonic oscillator"
    )


def pendulum(angle=2.0, until=10.0):
    """q″ = −g sin q from `angle` at rest: sin(q/2) = k sn, cos(q/2) = dn of K + ω t, k = sin(angle/2), ω² = g."""
    system = ld.Lagrangian(lambda q, v: 0.5 * v[0] ** 2 + G * ld.cos(q[0]), n=1)

    def exact(t):
        k, w = np.sin(angle / 2.0), np.sqrt(G)
        sn, cn, _, _ = ellipj(ellipk(k * k) + w * t, k * k)
        return np.array([2.0 * np.arcsin(k * sn)]), np.array([2.0 * k * w * cn])

    return ld.Problem(system, [angle], [0.0], until, exact, "pendulum")


def double_pendulum(until=2.0, **more):
    """Two unit masses on unit rods, by their angles: a mass matrix that depends on q."""

    def L(q, v):
        kinetic = v[0] ** 2 + 0.5 * v[1] ** 2 + v[0] * v[1] * ld.cos(q[0] - q[1])
        return kinetic + G * (2.0 * ld.cos(q[0]) + ld.cos(q[1]))

    return ld.Problem(ld.Lagrangian(L, n=2, **more), [1.0, 0.4], [0.5, -1.0], until, name="double pendulum")


def double_pendulum_in_places(until=2.0, **more):
    """The same in the places of the masses, on two rods."""
    q, v = double_pendulum().q, double_pendulum().v
    arms = np.array([[np.sin(a), -np.cos(a)] for a in q])
    turns = np.array([[np.cos(a), np.sin(a)] for a in q]) * v[:, None]
    rods = lambda x: [  # noqa: E731
        0.5 * (x[0] ** 2 + x[1] ** 2 - 1.0),
        0.5 * ((x[2] - x[0]) ** 2 + (x[3] - x[1]) ** 2 - 1.0),
    ]
    system = ld.Mechanical(mass=np.ones(4), potential=lambda x: G * (x[1] + x[3]), constraints=rods, **more)
    return ld.Problem(
        system, np.cumsum(arms, axis=0).ravel(), np.cumsum(turns, axis=0).ravel(), until, name="double pendulum on rods"
    )


def kepler(e=0.6, until=20.0):
    """Unit masses and attraction, from periapsis of a unit ellipse: E − e sin E = t."""
    turn = {"angular momentum": lambda q: (-q[1], q[0])}
    system = ld.Mechanical(mass=[1.0, 1.0], potential=lambda x: -1.0 / ld.norm(x), symmetries=turn)

    def exact(t):
        E = t + e * np.sin(t)
        for _ in range(50):
            E -= (E - e * np.sin(E) - t) / (1.0 - e * np.cos(E))
        b, rate = np.sqrt(1.0 - e * e), 1.0 / (1.0 - e * np.cos(E))
        return np.array([np.cos(E) - e, b * np.sin(E)]), rate * np.array([-np.sin(E), b * np.cos(E)])

    return ld.Problem(system, *exact(0.0), until, exact, f"Kepler, e = {e:g}")


def henon_heiles(until=100.0):
    """A star in a galaxy; energy 1/8, just chaotic."""
    potential = lambda q: 0.5 * ld.dot(q, q) + q[0] ** 2 * q[1] - q[1] ** 3 / 3.0  # noqa: E731
    v = np.sqrt(2.0 / 8.0 - 0.1**2 + 2.0 * 0.1**3 / 3.0 - 0.2**2)
    return ld.Problem(ld.Mechanical(1.0, potential, n=2), [0.0, 0.1], [v, 0.2], until, name="Hénon–Heiles")


OMEGA, SPRINGS = 50.0, 3


def stiff_chain(until=1.0, omega=OMEGA, m=SPRINGS):
    """Fermi, Pasta & Ulam: 2m masses, soft nonlinear and stiff linear springs by turns; x₀ … the soft lengths' sums,
    x_m … the stiff springs' lengths, both divided by √2."""

    def V(x):
        soft, stiff = [x[i] for i in range(m)], [x[m + i] for i in range(m)]
        ends = (soft[0] - stiff[0]) ** 4 + (soft[-1] + stiff[-1]) ** 4
        between = sum((soft[i + 1] - stiff[i + 1] - soft[i] - stiff[i]) ** 4 for i in range(m - 1))
        return 0.5 * omega**2 * sum(x**2 for x in stiff) + 0.25 * (ends + between)

    q, v = np.zeros(2 * m), np.zeros(2 * m)
    q[0], v[0], q[m], v[m] = 1.0, 1.0, 1.0 / omega, 1.0
    return ld.Problem(ld.Mechanical(1.0, V, n=2 * m), q, v, until, name="Fermi–Pasta–Ulam")


def oscillatory_energy(run, omega=OMEGA, m=SPRINGS):
    """I₁, I₂, … of the stiff springs (n, m); their sum is almost kept."""
    return 0.5 * (run.v[:, m:] ** 2 + omega**2 * run.q[:, m:] ** 2)


PLANETS = {  # mass / sun, place [AU], velocity [AU/day], on September 5, 1994
    "sun": (1.00000597682, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
    "Jupiter": (
        0.000954786104043,
        (-3.5023653, -3.8169847, -1.5507963),
        (0.00565429, -0.00412490, -0.00190589),
    ),
    "Saturn": (0.000285583733151, (9.0755314, -3.0458353, -1.6483708), (0.00168318, 0.00483525, 0.00192462)),
    "Uranus": (0.0000437273164546, (8.3101420, -16.2901086, -7.2521278), (0.00354178, 0.00137102, 0.00055029)),
    "Neptune": (0.0000517759138449, (11.4707666, -25.7294829, -10.8169456), (0.00288930, 0.00114527, 0.00039677)),
    "Pluto": (1.0 / 1.3e8, (-15.5387357, -25.2225594, -3.1902382), (0.00276725, -0.00170702, -0.00136504)),
}
GRAVITY = 2.95912208286e-4  # AU³/day², with masses relative to the sun


def solar_system(until=20_000.0):
    """The sun (with the inner planets) and five outer bodies [AU, day]."""
    masses = np.array([m for m, _, _ in PLANETS.values()])
    q, v = (np.array([body[k] for body in PLANETS.values()]).ravel() for k in (1, 2))
    pairs = [(i, j) for i in range(len(masses)) for j in range(i)]
    pull = ld.Elements(
        lambda x, p: -p[0] / ld.norm(x[1] - x[0]),
        pairs,
        [GRAVITY * masses[i] * masses[j] for i, j in pairs],
        dim=3,
        name="attraction",
    )
    shifts = {f"momentum {'xyz'[k]}": lambda q, k=k: np.tile(np.eye(3)[k], len(masses)) for k in range(3)}
    turn = lambda q: [  # noqa: E731
        part for i in range(len(masses)) for part in (-q[3 * i + 1], q[3 * i], 0.0 * q[0])
    ]
    system = ld.Mechanical(np.repeat(masses, 3), pull, symmetries=shifts | {"angular momentum z": turn})
    return ld.Problem(system, q, v, until, name="outer solar system")


def spring_network(side=4, until=1.0, whole=False):
    """side × side masses in space, springs between neighbours, hung by stiff springs at two corners. whole: the same
    energy written as one function."""
    n = side * side
    nodes = np.arange(n).reshape(side, side)
    along, down = (nodes[:, :-1], nodes[:, 1:]), (nodes[:-1], nodes[1:])
    pairs = np.concatenate([np.column_stack([a.ravel(), b.ravel()]) for a, b in (along, down)])
    x = np.array([(i, 0.1 * np.sin(i + 2.0 * j), -j) for j in range(side) for i in range(side)], dtype=float)
    hung = [(k, x[k]) for k in (0, side - 1)]

    def weight(q):
        held = sum(500.0 * ld.dot(q[3 * k : 3 * k + 3] - at, q[3 * k : 3 * k + 3] - at) for k, at in hung)
        return held + sum(G * 0.2 * q[3 * k + 2] for k in range(n))

    def springs(q):
        at = lambda k: q[3 * k : 3 * k + 3]  # noqa: E731
        return sum(0.5 * 200.0 * (ld.norm(at(int(j)) - at(int(i))) - 0.9) ** 2 for i, j in pairs)

    net = springs if whole else ld.springs(pairs, stiffness=200.0, length=0.9)
    system = ld.Mechanical(mass=0.2, potential=[net, weight], n=3 * n)
    return ld.Problem(system, x.ravel(), 0.1 * np.cos(np.arange(3.0 * n)), until, name="spring network")


def spherical_pendulum(until=1.0, q=(1.0, 0.0, 0.0), v=(0.0, 1.0, 0.0), **more):
    """A unit mass on a sphere, by its place and one constraint."""
    system = ld.Mechanical(
        mass=np.ones(3),
        potential=lambda x: G * x[2],
        constraints=lambda x: 0.5 * (ld.dot(x, x) - 1.0),
        symmetries={"angular momentum": lambda q: (-q[1], q[0], 0.0)},
        **more,
    )
    return ld.Problem(system, q, v, until, name="spherical pendulum")


def damped(c=0.1, until=10.0):
    """x″ + c x′ + x = 0 from 1 at rest."""

    def exact(t):
        r, w = 0.5 * c, np.sqrt(1.0 - 0.25 * c * c)
        cos, sin, fade = np.cos(w * t), np.sin(w * t), np.exp(-r * t)
        return np.array([fade * (cos + r / w * sin)]), np.array([-fade * sin / w])

    system = ld.Mechanical(mass=[1.0], potential=lambda x: 0.5 * x[0] ** 2, damping=[c])
    return ld.Problem(system, [1.0], [0.0], until, exact, f"damped oscillator, c = {c:g}")


def relativistic(until=5.0):
    """L = −√(1 − v²) − V: not quadratic in v; c = m = 1, speeds up to 0.85."""
    L = lambda q, v: -ld.sqrt(1.0 - ld.dot(v, v)) - 0.5 * ld.dot(q, q) - 0.1 * q[0] ** 2 * q[1]  # noqa: E731
    system = ld.Lagrangian(L, n=2)
    return ld.Problem(system, [1.0, 0.2], [0.1, 0.6], until, name="relativistic particle")


def pushed(system, until=2.0, **more):
    """A problem of this file with drag and a push that depends on place, velocity and time."""
    drag = lambda q, v: 0.2 * ld.dot(v, v) + 0.05 * (v[0] ** 2) ** 2  # noqa: E731
    n = system().system.n
    push = lambda q, v, t: [0.7 * ld.sin(2.0 * t + k) - 0.3 * v[(k + 1) % n] * q[k] for k in range(n)]  # noqa: E731
    return system(until, dissipation=drag, force=push, **more)
