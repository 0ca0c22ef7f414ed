"""Convex parts of solids that are not convex: exact where the solid has flat faces, the same in any axes and unit."""

import sys

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import livens as lv
from livens.describe.shapes.convex_parts import _shells
from livens.scene import from_dict, to_dict

NEEDS = "the extra convex (coacd) is not installed"
UNITS = [(0, 1.0), (1, 1e-3), (2, 1e3)]  # seed, metres per unit


def extruded(profile, cuts, depth):
    """A prism along y: a profile (n, 2) in x and z, anticlockwise, divided into triangles `cuts`."""
    x, n = np.array(profile, dtype=float), len(profile)
    ends = [np.stack([x[:, 0], np.full(n, y), x[:, 1]], axis=1) for y in (-depth / 2, depth / 2)]
    sides = [t for i in range(n) for t in ((i, (i + 1) % n, (i + 1) % n + n), (i, (i + 1) % n + n, i + n))]
    triangles = [*cuts, *((c + n, b + n, a + n) for a, b, c in cuts), *(t[::-1] for t in sides)]
    return np.concatenate(ends), np.array(triangles, dtype=np.int32)


# 2 m wide, 1.6 m high, with walls and a bottom of 0.4 m
U = extruded(
    [(-1, -0.6), (1, -0.6), (1, 1.0), (0.6, 1.0), (0.6, -0.2), (-0.6, -0.2), (-0.6, 1.0), (-1, 1.0)],
    [(0, 1, 4), (0, 4, 5), (1, 2, 3), (1, 3, 4), (0, 5, 6), (0, 6, 7)],
    1.0,
)
# the walls of an L, of different thickness
L = extruded(
    [(0, 0), (1, 0), (1, 0.3), (0.2, 0.3), (0.2, 1.4), (0, 1.4)], [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)], 0.5
)


def torus(large, small, around=16, across=8):
    u, v = np.meshgrid(2 * np.pi * np.arange(around) / around, 2 * np.pi * np.arange(across) / across, indexing="ij")
    rho = large + small * np.cos(v)
    x = np.stack([rho * np.cos(u), rho * np.sin(u), small * np.sin(v)], axis=-1).reshape(-1, 3)
    i, j = (k.ravel() for k in np.meshgrid(np.arange(around), np.arange(across), indexing="ij"))
    a, b = i * across + j, (i + 1) % around * across + j
    c, d = (i + 1) % around * across + (j + 1) % across, i * across + (j + 1) % across
    return x, np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)]).astype(np.int32)


def somewhere(surface, seed, unit):
    """The solid of a surface in random axes, far from the origin, in a unit, and the place of its own axes."""
    rng = np.random.default_rng(seed)
    place = lv.Pose(unit * rng.normal(size=3), Rotation.random(random_state=rng).as_matrix())
    x, triangles = surface
    moved = lv.Surface(unit * x @ place.B.T + place.a, triangles)
    return lv.Solid(lv.convex_hull(moved.vertices, density=unit**-3).mass_properties, moved, "solid"), place


def solid_of(surface):
    x, triangles = surface
    shape = lv.Surface(np.asarray(x, dtype=float), triangles)
    return lv.Solid(lv.MassProperties(1.0, (1, 1, 1)), shape, "solid")


@pytest.mark.parametrize(("seed", "unit"), UNITS)
@pytest.mark.parametrize(("surface", "count"), [(U, 3), (L, 2)])
def test_solids_with_flat_faces_have_exact_parts(surface, count, seed, unit):
    pytest.importorskip("coacd", reason=NEEDS)
    solid, place = somewhere(surface, seed, unit)
    parts = lv.convex_parts(solid)
    assert len(parts.parts) == count
    volumes = [part.surface.volume for part, _ in parts.parts]
    assert sum(volumes) == pytest.approx(solid.surface.volume, rel=1e-11)
    corners = place.inverse().point(np.concatenate([part.surface.vertices for part, _ in parts.parts])) / unit
    coordinates = [np.unique(surface[0][:, k]) for k in range(3)]
    for k in range(3):  # all corners lie in planes of the solid
        assert np.abs(corners[:, k, None] - coordinates[k]).min(axis=1).max() < 1e-12
    assert parts.mass_properties.mass == pytest.approx(solid.mass_properties.mass, rel=1e-11)


@pytest.mark.parametrize(("seed", "unit"), UNITS)
def test_a_ball_falls_into_a_cup_and_rests_on_its_bottom(seed, unit):
    """The cup lies on a floor; its mesh is in random axes, and so is the world."""
    pytest.importorskip("coacd", reason=NEEDS)
    solid, place = somewhere(U, seed, unit)
    world = lv.Pose(unit * np.ones(3), Rotation.random(random_state=seed + 9).as_matrix())
    up = world.B[:, 2]
    at = world @ place.inverse()
    m = lv.Model(gravity=-9.81 * unit * up)
    cup = m.add(lv.Body(solid, collision=lv.convex_parts(solid), at=at.a, rotation=at.B, name="cup"))
    ball = m.add(lv.Body(lv.Ball(0.3 * unit, mass=0.1), at=world.point(unit * np.array([0.2, 0.1, 1.5])), name="ball"))
    floor = m.world.plane(world.point(unit * np.array([0, 0, -0.6])), normal=up)
    m.add(lv.Contacts(planes=[floor], friction=0.5, restitution=0.3))
    motion = lv.simulate(m, h=5e-3, until=3.0)
    assert up @ (motion.position(ball)[-1] - world.a) == pytest.approx(0.1 * unit, abs=1e-9 * unit)
    assert up @ (motion.position(cup)[-1] - at.a) == pytest.approx(0.0, abs=1e-9 * unit)
    assert np.abs(motion.velocity(ball)[-1]).max() < 1e-9 * unit


def test_a_ball_passes_through_a_ring_but_not_through_its_hull():
    pytest.importorskip("coacd", reason=NEEDS)
    ring = solid_of(torus(1.0, 0.3))
    lowest = {}
    for collision in (lv.convex_parts(ring), None):
        m = lv.Model(gravity=(0, 0, -9.81))
        body = m.add(lv.Body(ring, collision=collision, name="ring"))
        m.add(lv.Rigid(m.world.point(0, 0, 0), body.point(0, 0, 0)))
        ball = m.add(lv.Body(lv.Ball(0.6, mass=1.0), at=(0.03, 0.02, 1.5), name="ball"))
        m.add(lv.Contacts())
        lowest[collision is None] = lv.simulate(m, h=5e-3, until=1.5).position(ball)[:, 2].min()
    assert lowest[False] < -2.0
    assert lowest[True] > 0.3 + 0.6 - 0.05  # the hull of a polyhedron that is inscribed


@pytest.mark.parametrize("tolerance", [0.03, 0.05])
def test_parts_reach_beyond_a_round_solid_by_the_tolerance(tolerance):
    pytest.importorskip("coacd", reason=NEEDS)
    large, small = 1.0, 0.3
    parts = lv.convex_parts(solid_of(torus(large, small)), tolerance=tolerance)
    longest = 2.0 * (large + small)
    rng = np.random.default_rng(0)
    for part, _ in parts.parts:
        x = part.surface.vertices
        inside = rng.dirichlet(np.ones(len(x)), 2000) @ x
        faces = rng.dirichlet(np.ones(3), len(part.surface.triangles))
        x = np.concatenate([inside, np.einsum("tk,tkc->tc", faces, x[part.surface.triangles])])
        away = np.hypot(np.hypot(x[:, 0], x[:, 1]) - large, x[:, 2]) - small
        assert away.max() < tolerance * longest
    assert 1.0 < parts.mass_properties.mass < 1.0 + 5.0 * tolerance  # the solid has 1 kg


def test_parts_are_the_same_in_every_call_and_after_a_scene():
    pytest.importorskip("coacd", reason=NEEDS)
    solid, _ = somewhere(L, 5, 1.0)
    one, two = lv.convex_parts(solid), lv.convex_parts(solid)
    m = lv.Model()
    m.add(lv.Body(solid, collision=one, name="angle"))
    read = from_dict(to_dict(m))["angle"].collision
    for other in (two, read):
        for (a, _), (b, _) in zip(one.parts, other.parts, strict=True):
            assert np.array_equal(a.surface.vertices, b.surface.vertices)
            assert np.array_equal(a.surface.triangles, b.surface.triangles)


def test_convex_solids_and_shapes_of_this_package_need_no_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "coacd", None)
    box = lv.convex_hull(lv.Box(1, 2, 3, mass=1).surface.vertices, density=700.0)
    [(part, _)] = lv.convex_parts(box).parts
    assert part.mass_properties.mass == pytest.approx(4200.0, rel=1e-12)
    ball = lv.Ball(0.1, mass=1.0)
    assert lv.convex_parts(ball).parts[0][0] is ball
    with pytest.raises(lv.MissingExtra, match=r"convex parts of solids need coacd .*: pip install 'livens\[convex\]'"):
        lv.convex_parts(solid_of(U))


def test_shells_that_overlap_are_divided_one_by_one():
    """A cross of two beams, each a closed shell."""
    pytest.importorskip("coacd", reason=NEEDS)
    beams = [lv.Box(*sides, mass=1.0).surface for sides in ((2, 0.3, 0.3), (0.3, 2, 0.3))]
    parts = lv.convex_parts(beams[0].joined(beams[1])).parts
    assert sorted(len(part.surface.vertices) for part, _ in parts) == [8, 8]
    assert [part.surface.volume for part, _ in parts] == pytest.approx([0.18, 0.18], rel=1e-12)


def test_a_cavity_is_divided_together_with_its_solid():
    outer, inner = lv.Box(1, 1, 1, mass=1.0).surface, lv.Box(0.8, 0.8, 0.8, mass=1.0).surface
    room = outer.joined(lv.Surface(inner.vertices, inner.triangles[:, ::-1]))
    assert [len(shell) for shell in _shells(room.vertices, room.triangles)] == [24]
    both = outer.joined(inner)
    assert [len(shell) for shell in _shells(both.vertices, both.triangles)] == [12, 12]


X, T = U
REFUSED = {
    "watertight": lv.Surface(X, T[1:]),
    "no triangles": lv.Surface(np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int32)),
    "not finite": lv.Surface(np.where(X > 0.9, np.nan, X), T),
    "encloses no volume": lv.Surface(X * (1, 0, 1), T),
    "face both ways": lv.Surface(X, np.concatenate([T[:1, ::-1], T[1:]])),
}


@pytest.mark.parametrize("what", REFUSED)
def test_surfaces_that_are_not_solids_are_refused(what):
    with pytest.raises(lv.ModelError, match=what):
        lv.convex_parts(REFUSED[what])


@pytest.mark.parametrize("tolerance", [0.0, -1.0, 1.0, np.nan, "fine", None])
def test_tolerances_outside_their_range_are_refused(tolerance):
    with pytest.raises(lv.ModelError, match="tolerance"):
        lv.convex_parts(solid_of(U), tolerance=tolerance)


@pytest.mark.parametrize("shape", [None, 3, "solid", lv.Box])
def test_what_is_not_a_solid_is_refused(shape):
    with pytest.raises(lv.ModelError, match="solid or a Surface"):
        lv.convex_parts(shape)
