"""Primitives against direct integrals over their volume and against the formulas printed in handbooks.

Turned solids are cut into discs, r = (ρ cos φ, ρ sin φ, z) with ρ ≤ R(z): Gauss-Legendre in z and ρ, equal steps in φ.
The integrands are polynomials in z, ρ and the first two harmonics of φ, so the rule makes no error but round-off.
"""

import pickle
from dataclasses import fields
from itertools import pairwise
from math import pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from livens.describe.mass import MassProperties
from livens.describe.pose import Pose
from livens.describe.shapes.ball import Ball
from livens.describe.shapes.box import Box
from livens.describe.shapes.capsule import Capsule
from livens.describe.shapes.compound import Compound
from livens.describe.shapes.cone import Cone
from livens.describe.shapes.cylinder import Cylinder
from livens.describe.shapes.ellipsoid import Ellipsoid
from livens.describe.shapes.point_mass import PointMass
from livens.describe.shapes.solid import Solid
from livens.describe.shapes.thin_plate import ThinPlate
from livens.describe.shapes.thin_rod import ThinRod
from livens.describe.tessellate import SIDES
from livens.errors import ModelError

EPS = np.finfo(float).eps
X, W = np.polynomial.legendre.leggauss(6)


def line(low, high):
    return 0.5 * (low + high) + 0.5 * (high - low) * X, 0.5 * (high - low) * W


def product(*axes):
    points = np.stack(np.meshgrid(*(x for x, _ in axes), indexing="ij"), -1).reshape(-1, len(axes))
    weights = np.prod(np.stack(np.meshgrid(*(w for _, w in axes), indexing="ij"), -1), -1).ravel()
    return points, weights


def box(x, y, z):
    return product(line(-x / 2, x / 2), line(-y / 2, y / 2), line(-z / 2, z / 2))


def turned(R, *cuts):
    """The solid ρ ≤ R(z) about z, the range of z cut where R has a kink."""
    points, weights = [], []
    for low, high in pairwise(cuts):
        for z, wz in zip(*line(low, high), strict=True):
            for rho, wr in zip(*line(0, R(z)), strict=True):
                for phi in 2 * pi * np.arange(5) / 5:
                    points.append((rho * np.cos(phi), rho * np.sin(phi), z))
                    weights.append(wz * wr * rho * 2 * pi / 5)
    return np.array(points), np.array(weights)


def stretched(solid, factors):
    points, weights = solid
    return points * factors, weights * np.prod(factors)


def flat(points, weights):
    """Points of a line or a rectangle, in space."""
    return np.pad(points, ((0, 0), (0, 3 - points.shape[1]))), weights


def sphere(r):
    return lambda z: sqrt(max(r**2 - z**2, 0.0))


def capsule(r, l):
    return turned(lambda z: sphere(r)(max(abs(z) - l / 2, 0.0)), -l / 2 - r, -l / 2, l / 2, l / 2 + r)


SHAPES = {  # shape at density 2.5: the same by direct integration
    "box": (Box(0.3, 1.2, 2.0, density=2.5), box(0.3, 1.2, 2.0)),
    "ball": (Ball(0.7, density=2.5), turned(sphere(0.7), -0.7, 0.7)),
    "cylinder": (Cylinder(0.4, 1.3, density=2.5), turned(lambda z: 0.4, -0.65, 0.65)),
    "capsule": (Capsule(0.4, 1.3, density=2.5), capsule(0.4, 1.3)),
    "cone": (Cone(0.6, 1.1, density=2.5), turned(lambda z: 0.6 * (1 - z / 1.1), 0.0, 1.1)),
    "ellipsoid": (Ellipsoid(0.3, 0.5, 0.9, density=2.5), stretched(turned(sphere(1.0), -1, 1), (0.3, 0.5, 0.9))),
    "rod": (ThinRod(1.7, density=2.5), flat(*product(line(-0.85, 0.85)))),
    "plate": (ThinPlate(0.8, 1.9, density=2.5), flat(*product(line(-0.4, 0.4), line(-0.95, 0.95)))),
}
each = pytest.mark.parametrize(("shape", "solid"), SHAPES.values(), ids=SHAPES)


def integrals(points, weights):
    """Mass, centre, inertia about it, straight from their definitions."""
    m = weights.sum()
    c = weights @ points / m
    r = points - c
    J = np.einsum(
        "n,nij->ij", weights, np.einsum("nk,nk->n", r, r)[:, None, None] * np.eye(3) - r[:, :, None] * r[:, None]
    )
    return m, c, J


def same(properties, m, c, J):
    tolerance = 256 * EPS  # some 10³ terms are summed
    assert abs(properties.mass - m) <= tolerance * m
    np.testing.assert_allclose(properties.center, c, rtol=0, atol=tolerance * 4)
    np.testing.assert_allclose(properties.inertia, J, rtol=0, atol=tolerance * np.trace(J))


@each
def test_mass_center_and_inertia_are_the_integrals(shape, solid):
    points, weights = solid
    same(shape.mass_properties, *integrals(points, 2.5 * weights))


@each
def test_given_mass_and_given_density_agree(shape, solid):
    sizes = [getattr(shape, f.name) for f in fields(shape) if f.name not in ("density", "mass")]
    a, b = shape.mass_properties, type(shape)(*sizes, mass=shape.mass_properties.mass).mass_properties
    assert abs(a.mass - b.mass) <= EPS * a.mass
    np.testing.assert_allclose(a.inertia, b.inertia, rtol=8 * EPS)


m, r, l, a, b, c = 3.0, 0.4, 1.5, 0.3, 0.5, 0.9


@pytest.mark.parametrize(
    ("shape", "moments"),
    [  # principal moments about the centre of mass as printed in handbooks (Meriam & Kraige, Dynamics, table D/4)
        (Box(a, b, c, mass=m), (m / 12 * (b * b + c * c), m / 12 * (c * c + a * a), m / 12 * (a * a + b * b))),
        (Ball(r, mass=m), 3 * (2 / 5 * m * r * r,)),
        (Cylinder(r, l, mass=m), (m * r * r / 4 + m * l * l / 12, m * r * r / 4 + m * l * l / 12, m * r * r / 2)),
        (Cone(r, l, mass=m), 2 * (3 / 20 * m * r * r + 3 / 80 * m * l * l,) + (3 / 10 * m * r * r,)),
        (Ellipsoid(a, b, c, mass=m), (m / 5 * (b * b + c * c), m / 5 * (c * c + a * a), m / 5 * (a * a + b * b))),
        (ThinRod(l, mass=m), (0.0, m * l * l / 12, m * l * l / 12)),
        (ThinPlate(a, b, mass=m), (m * b * b / 12, m * a * a / 12, m / 12 * (a * a + b * b))),
        (PointMass(m), (0.0, 0.0, 0.0)),
    ],
    ids=lambda x: type(x).__name__,
)
def test_handbook(shape, moments):
    J = shape.mass_properties.inertia
    np.testing.assert_allclose(J, np.diag(moments), rtol=0, atol=8 * EPS * m)


def test_handbook_about_other_points():
    np.testing.assert_allclose(
        ThinRod(l, mass=m).mass_properties.about((l / 2, 0, 0))[1, 1], m * l**2 / 3, rtol=8 * EPS
    )
    tip = Cone(r, l, mass=m).mass_properties.about((0, 0, l))
    np.testing.assert_allclose(np.diag(tip)[:2], 3 / 20 * m * r**2 + 3 / 5 * m * l**2, rtol=8 * EPS)
    base = Cone(r, l, mass=m).mass_properties.about((0, 0, 0))
    np.testing.assert_allclose(np.diag(base)[:2], 3 / 20 * m * r**2 + m * l**2 / 10, rtol=8 * EPS)


def test_capsule_lies_between_cylinder_and_ball():
    thin, short = Capsule(1e-9, l, mass=m), Capsule(r, 1e-12, mass=m)
    np.testing.assert_allclose(
        thin.mass_properties.inertia, Cylinder(1e-9, l, mass=m).mass_properties.inertia, atol=1e-8
    )
    np.testing.assert_allclose(short.mass_properties.inertia, Ball(r, mass=m).mass_properties.inertia, atol=1e-11)


def test_capsule_is_a_cylinder_and_two_halves_of_a_ball():
    half = turned(sphere(0.4), 0.0, 0.4)
    ends = [(half[0] * s + (0, 0, s * 0.65), half[1]) for s in (1, -1)]
    points, weights = (np.concatenate(x) for x in zip(turned(lambda z: 0.4, -0.65, 0.65), *ends, strict=True))
    same(Capsule(0.4, 1.3, density=1.0).mass_properties, *integrals(points, weights))


@given(st.floats(0.01, 100), st.floats(0.01, 100), st.floats(0.1, 10))
def test_similar_bodies_scale_with_the_third_and_fifth_power(x, y, s):
    for kind in (Cylinder, Capsule, Cone):
        small, large = kind(x, y, density=1).mass_properties, kind(s * x, s * y, density=1).mass_properties
        np.testing.assert_allclose(large.mass, s**3 * small.mass, rtol=32 * EPS)
        np.testing.assert_allclose(large.inertia, s**5 * small.inertia, rtol=64 * EPS)


# ── compounds ──


def boxes(seed):
    """An unsymmetric heap: parts for Compound, and its points and weights."""
    rng = np.random.default_rng(seed)
    parts, points, weights = [], [], []
    for B in Rotation.random(3, rng).as_matrix():
        sides, pose, density = rng.uniform(0.2, 2, 3), Pose(rng.normal(size=3), B), rng.uniform(1, 5)
        r, w = box(*sides)
        parts.append((Box(*sides, density=density), pose))
        points.append(pose.point(r))
        weights.append(density * w)
    return parts, np.concatenate(points), np.concatenate(weights)


@pytest.mark.parametrize("seed", range(3))
def test_compound_is_the_integral_over_its_parts(seed):
    parts, points, weights = boxes(seed)
    body = Compound(parts).mass_properties
    m, c, J = integrals(points, weights)
    same(body, m, c, J)
    E = np.einsum("n,ni,nj->ij", weights, points - c, points - c)
    np.testing.assert_allclose(body.euler, E, rtol=0, atol=256 * EPS * np.trace(E))
    assert abs(E[0, 1]) > 1e-3 * np.trace(E)  # so that a wrong sign off the diagonal cannot pass


def test_compound_of_mixed_parts():
    (rod, r), (plate, p), (cone, k) = (SHAPES[n] for n in ("rod", "plate", "cone"))
    lift, turn = Pose((0.1, 0.2, 0.3)), Pose.from_axis_angle((1, 1, 0), 1.0, at=(-1, 0, 0.5))
    body = Compound([rod, (plate, lift), [cone, turn]])
    points = np.concatenate([r[0], lift.point(p[0]), turn.point(k[0])])
    same(body.mass_properties, *integrals(points, 2.5 * np.concatenate([r[1], p[1], k[1]])))
    assert len(body.surface.vertices) == sum(len(s.surface.vertices) for s in (rod, plate, cone))


def test_compounds_nest():
    parts, _, _ = boxes(5)
    pose = Pose.from_axis_angle((1, 2, 3), 0.5, at=(1, 2, 3))
    inner = Compound([(Compound(parts[:2]), pose), (parts[2][0], pose @ parts[2][1])])
    direct = Compound(parts).mass_properties.moved(pose)
    np.testing.assert_allclose(inner.mass_properties.inertia, direct.inertia, atol=256 * EPS * np.trace(direct.inertia))
    np.testing.assert_allclose(inner.mass_properties.center, direct.center, atol=256 * EPS)


def test_an_imported_part_sits_where_it_was_drawn():
    ball, place = Ball(0.1, mass=2.0), Pose((1, 2, 3))
    drawn = Solid(ball.mass_properties, ball.surface, "ball", place)
    assert Compound([drawn]).mass_properties.center.tolist() == [1, 2, 3]
    assert Compound([(drawn, Pose())]).mass_properties.center.tolist() == [0, 0, 0]


def test_two_point_masses_are_a_rod_without_inertia_about_its_axis():
    ends = [(PointMass(1.5), Pose((0, 0, 1))), (PointMass(1.5), Pose((0, 0, -1)))]
    assert Compound(ends).mass_properties.inertia.tolist() == np.diag([3.0, 3.0, 0.0]).tolist()


# ── surfaces ──


def closed(surface):
    """Every edge is passed once in each direction, and every vertex is used."""
    t = surface.triangles
    edges = np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]])
    forward = {tuple(e) for e in edges.tolist()}
    return (
        len(forward) == len(edges)
        and forward == {(j, i) for i, j in forward}
        and len(np.unique(t)) == len(surface.vertices)
    )


ALL = [s for s, _ in SHAPES.values()] + [PointMass(1.0)]


@pytest.mark.parametrize("shape", ALL, ids=lambda s: type(s).__name__)
def test_surface_is_closed_outward_and_made_of_int32(shape):
    s = shape.surface
    assert closed(s)
    assert s.volume > 0
    assert s.triangles.dtype == np.int32
    a, b, c = (s.vertices[s.triangles[:, k]] for k in range(3))
    outward = np.einsum("ij,ij->i", np.cross(b - a, c - a), (a + b + c) / 3 - s.vertices.mean(0))
    assert outward.min() > 0  # all of these are convex


@pytest.mark.parametrize("name", ["box", "ball", "cylinder", "capsule", "cone", "ellipsoid"])
def test_surface_encloses_the_volume_and_looks_round(name):
    shape, (points, weights) = SHAPES[name]
    lost = 1 - shape.surface.volume / weights.sum()
    assert (
        -8 * EPS <= lost <= (2 * pi / SIDES) ** 2 / 2
    )  # a polygon loses (2π/n)²/6 of its circle, a sphere 5/2 times as much
    low, high = shape.surface.vertices.min(0), shape.surface.vertices.max(0)
    assert (points > low).all()
    assert (points < high).all()


def test_surfaces_lie_where_the_shapes_do():
    v = SHAPES["cone"][0].surface.vertices
    assert (v[:, 2].min(), v[:, 2].max()) == (0.0, 1.1)
    v = SHAPES["ellipsoid"][0].surface.vertices / (0.3, 0.5, 0.9)
    np.testing.assert_allclose(np.linalg.norm(v, axis=1), 1, rtol=8 * EPS)
    v = SHAPES["rod"][0].surface.vertices
    np.testing.assert_allclose((v[:, 0].min(), v[:, 0].max()), (-0.85, 0.85), rtol=8 * EPS)
    v = SHAPES["capsule"][0].surface.vertices
    np.testing.assert_allclose(np.ptp(v, axis=0), (0.8, 0.8, 2.1), rtol=8 * EPS)


# ── refusals ──

NAN, INF = float("nan"), float("inf")
SIZES = {
    Box: ("x", "y", "z"), Ball: ("radius",), Cylinder: ("radius", "length"), Capsule: ("radius", "length"),
    Cone: ("radius", "height"), Ellipsoid: ("x", "y", "z"), ThinRod: ("length",), ThinPlate: ("x", "y"),
}  # fmt: skip
EVERY_SIZE = [(kind, name) for kind, names in SIZES.items() for name in names]
every_kind = pytest.mark.parametrize("kind", SIZES, ids=lambda k: k.__name__)


@pytest.mark.parametrize(("kind", "name"), EVERY_SIZE, ids=lambda x: getattr(x, "__name__", x))
@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (0, "must be positive, got 0 m"),
        (-0.5, "must be positive, got -0.5 m"),
        (NAN, "is not finite: nan"),
        (INF, "is not finite: inf"),
        ("long", "must be a number, not 'long'"),
    ],
)
def test_refuses_a_size(kind, name, value, fault):
    sizes = dict.fromkeys(SIZES[kind], 1.0) | {name: value}
    with pytest.raises(ModelError, match=f"{kind.__name__} {name} {fault}"):
        kind(**sizes, mass=1.0)


@every_kind
def test_refuses_a_mass_or_density(kind):
    sizes = [1.0] * len(SIZES[kind])
    with pytest.raises(ModelError, match=f"{kind.__name__} takes exactly one of density= and mass=, got neither"):
        kind(*sizes)
    with pytest.raises(ModelError, match=f"{kind.__name__} takes exactly one of density= and mass=, got both"):
        kind(*sizes, density=1.0, mass=1.0)
    with pytest.raises(ModelError, match=f"{kind.__name__} mass must be positive, got 0 kg"):
        kind(*sizes, mass=0)
    with pytest.raises(ModelError, match=f"{kind.__name__} density must be positive, got -1 kg/m"):
        kind(*sizes, density=-1)
    with pytest.raises(ModelError, match=f"{kind.__name__} density is not finite: nan"):
        kind(*sizes, density=NAN)
    with pytest.raises(ModelError, match=f"{kind.__name__} mass is not finite: inf"):
        kind(*sizes, mass=INF)


def test_units_of_density():
    for kind, unit in [(Box, "kg/m³"), (ThinPlate, "kg/m²"), (ThinRod, "kg/m")]:
        with pytest.raises(ModelError, match=rf"got -1 {unit}\."):
            kind(*[1.0] * len(SIZES[kind]), density=-1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PointMass(0), r"PointMass mass must be positive, got 0 kg"),
        (lambda: PointMass(NAN), r"PointMass mass is not finite"),
        (lambda: Box(1e200, 1e200, 1e200, density=1.0), r"Box\(x=1e\+200, .* is too large"),
        (lambda: Compound([]), r"Compound has no parts"),
        (lambda: Compound([PointMass(1), 7]), r"part 1 of a Compound must be a shape or \(shape, pose\), not 7"),
        (
            lambda: Compound([(PointMass(1), (0, 0, 1))]),
            r"part 0 of a Compound must be placed by a Pose .* not by \(0, 0, 1\)",
        ),
    ],
)
def test_refuses(make, message):
    with pytest.raises(ModelError, match=message):
        make()


# ── what dataclasses promise ──


@pytest.mark.parametrize("shape", ALL, ids=lambda s: type(s).__name__)
def test_shapes_are_values(shape):
    twin = pickle.loads(pickle.dumps(shape))
    assert twin == shape
    assert hash(twin) == hash(shape)
    assert eval(repr(shape)) == shape
    assert isinstance(twin.mass_properties, MassProperties)
    with pytest.raises(AttributeError):
        shape.mass = 2.0
