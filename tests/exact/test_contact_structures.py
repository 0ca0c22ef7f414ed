"""Many bodies that touch: dominoes, arches and stacks, against a model of one freedom and known limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial import ConvexHull

import livens as lv
from livens.describe.pose import cross
from livens.describe.surface import Surface
from tests.helpers.frames import Frame, G

# ── dominoes ──


class Dominoes:
    """Dominoes that lean on each other, as one freedom (van Leeuwen, American Journal of Physics 78, 2010): they turn
    about their front edges without slip, without friction between them, and without bounce. The angle θ of one and
    that of the one behind obey h sin(θ_behind − θ) = (s + d) cos θ − d."""

    height, thick, space = 0.048, 0.0075, 0.02
    inertia = (height**2 + thick**2) / 3.0  # about the edge, over the mass

    def angles(self, q, count):
        found = [q]
        for _ in range(count - 1):
            t = found[-1]
            found.append(t + np.arcsin(((self.space + self.thick) * np.cos(t) - self.thick) / self.height))
        return np.array(found[::-1])

    def slopes(self, q, count, d=1e-6):
        return (self.angles(q + d, count) - self.angles(q - d, count)) / (2.0 * d)

    def rates(self, y, count):
        q, v = y
        c, turn = self.slopes(q, count), self.angles(q, count)
        curve = (self.slopes(q + 1e-4, count) - self.slopes(q - 1e-4, count)) / 2e-4
        torque = 0.5 * G * (self.height * np.sin(turn) - self.thick * np.cos(turn))
        return [v, (torque @ c - self.inertia * (c @ curve) * v * v) / (self.inertia * (c @ c))]

    def hits(self, count, rate):
        """The times at which each domino hits the next one."""
        times, t, y = [], 0.0, [0.0, rate]
        for k in range(1, count):

            def touch(t, y):
                return y[0] - np.arcsin(self.space / self.height)

            touch.terminal, touch.direction = True, 1
            done = solve_ivp(lambda t, y, k=k: self.rates(y, k), (t, t + 2.0), y, events=touch, rtol=1e-9, atol=1e-11)
            t, (q, v) = done.t[-1], done.y[:, -1]
            times.append(t)
            c = self.slopes(1e-7, k + 1)
            y = [0.0, (c[:-1] @ self.slopes(q, k)) * v / (c @ c)]  # all of them go on together
        return np.array(times)


@pytest.mark.parametrize("frame", [Frame(0), Frame(1)], ids=["plain", "turned"])
def test_dominoes(frame):
    """The wave runs as in the model of one freedom, at about 1 m/s."""
    known, count, rate = Dominoes(), 6, 4.0
    m, pitch = frame.model(), known.thick + known.space
    sides = (known.thick, 0.024, known.height)
    row = []
    for k in range(count):
        spin = (0, rate, 0) if k == 0 else (0, 0, 0)
        v = np.cross(spin, (-known.thick / 2, 0, known.height / 2))
        at = (k * pitch, 0, known.height / 2)
        row.append(frame.box(m, sides, at, velocity=v, spin=spin, name=f"domino {k}"))
    m.add(lv.Contacts())
    for one in row:
        m.add(lv.Contact(frame.floor(m), one, friction=5.0, name=f"floor below {one.name}"))
    times = known.hits(count, rate)
    motion = lv.simulate(m, h=5e-4, until=times[-1] + 1e-3)
    first: dict[frozenset[str], float] = {}
    for t, a, b in zip(motion.impacts.t, motion.impacts.first, motion.impacts.second, strict=True):
        if "world" not in (a, b):
            first.setdefault(frozenset((a, b)), t)
    assert np.array(sorted(first.values())) == pytest.approx(times, rel=5e-5)
    assert pitch / (times[-1] - times[-2]) == pytest.approx(1.0, abs=0.1)  # m/s


# ── walls of stones ──


def stone(corners, density):
    """A convex solid with these corners: mass properties by tetrahedra from the origin."""
    hull = ConvexHull(corners)
    V, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    triangles = []
    for triangle, plane in zip(hull.simplices, hull.equations, strict=True):
        a, b, c = corners[triangle]
        if cross(b - a, c - a) @ plane[:3] < 0.0:
            b, c = c, b
            triangle = triangle[::-1]
        triangles.append(triangle)
        D, s = a @ cross(b, c), a + b + c
        V += D / 6.0
        first += D * s / 24.0
        second += D * (np.outer(a, a) + np.outer(b, b) + np.outer(c, c) + np.outer(s, s)) / 120.0
    center = first / V
    spread = second / V - np.outer(center, center)
    matter = lv.MassProperties(density * V, density * V * (np.trace(spread) * np.eye(3) - spread), center)
    return lv.Solid(matter, Surface(corners, np.array(triangles, dtype=np.int32)))


def arch(frame, count, thickness):
    """A semicircular arch of equal stones with mean radius 1 on a floor, with so much friction that none slides."""
    m = frame.model()
    stones = []
    for k in range(count):
        ends = np.pi * np.array([k, k + 1]) / count
        corners = np.array(
            [
                [r * np.cos(a), y, r * np.sin(a)]
                for a in ends
                for r in (1.0 - thickness / 2, 1.0 + thickness / 2)
                for y in (-0.1, 0.1)
            ]
        )
        middle = corners.mean(axis=0)
        shape = stone(frame.unit * (corners - middle), 2000.0 / frame.unit**3)
        stones.append(frame.body(m, shape, middle, name=f"stone {k}"))
    m.add(lv.Contacts([frame.floor(m)], friction=5.0))
    return m, stones


def test_arch_above_the_critical_thickness_stands():
    """Milankovitch: a semicircular arch stands if t/R > 0.1075; of 11 equal stones if t/R > 0.10459 (linear program
    over the forces in the joints)."""
    frame = Frame(1)
    m, stones = arch(frame, 11, 1.01 * 0.10459)
    motion = lv.simulate(m, h=5e-3, until=1.0)
    x = np.array([frame.back(motion.position(one)) for one in stones])
    assert np.abs(x - x[:, :1]).max() < 1e-11


def test_arch_below_the_critical_thickness_falls():
    """Of 7 equal stones the critical thickness is t/R = 0.09570."""
    frame = Frame(1)
    m, stones = arch(frame, 7, 0.99 * 0.09570)
    motion = lv.simulate(m, h=5e-3, until=1.5)
    key = frame.back(motion.position(stones[3]))
    assert key[-1, 2] < 0.8 * key[0, 2]


def test_stack_of_ten_boxes_does_not_creep_in_ten_seconds():
    frame, rng = Frame(2), np.random.default_rng(4)
    m = frame.model()
    boxes = [frame.box(m, (1, 1, 1), (*rng.uniform(-0.05, 0.05, 2), 0.5 + k)) for k in range(10)]
    m.add(lv.Contacts([frame.floor(m)], friction=0.5))
    motion = lv.simulate(m, h=1e-2, until=10.0, every=10)
    x = np.array([frame.back(motion.position(box)) for box in boxes])
    assert np.abs(x - x[:, :1]).max() < 1e-11
    assert (np.diff(x[:, :, 2], axis=0) - 1.0).min() > -1e-12
    assert x[0, :, 2].min() > 0.5 - 1e-12
