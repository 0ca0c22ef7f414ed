"""Collision geometry of MJCF: geoms as shapes, and the pairs of bodies that touch by MuJoCo's rules.

Geoms i and j of bodies that are not welded together touch if

    (contype_i & conaffinity_j) or (contype_j & conaffinity_i),                                                (1)

unless <exclude> names their bodies, or one body is the parent of the other and not the world; or if <pair> names them.
Friction is that of the geom of higher priority, or the larger one; zero if condim is 1. What has no counterpart is
listed: torsional and rolling friction (condim 4, 6), margins, softness, height fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from ..describe.body import Body, Plane
from ..describe.contact_rule import Side
from ..describe.model import Model
from ..describe.pose import Pose
from ..describe.shapes.ball import Ball
from ..describe.shapes.box import Box
from ..describe.shapes.capsule import Capsule
from ..describe.shapes.cylinder import Cylinder
from ..describe.shapes.ellipsoid import Ellipsoid
from ..errors import ModelError
from .collision import Placed, add_contacts, fixed_body, mesh_shape
from .visuals import geom_surface


class GeomPairs:
    """The geoms of a compiled file that can touch others."""

    def __init__(self, mj: Any, m: Any, d: Any, collision: str = "hull"):
        self.mj, self.m, self.d, self.collision = mj, m, d, collision
        self.flat: list[str] = []  # meshes without volume
        self.whole: list[str] = []  # meshes that could not be divided, and why
        self.known: dict[int, Any] = {}  # shapes of meshes by number

    @cached_property
    def friction(self) -> dict[tuple[int, int], float]:
        """Pairs of geoms that touch, by (1), and their friction."""
        m, g = self.m, np.arange(self.m.ngeom)
        weld = m.body_weldid[m.geom_bodyid]
        one, two = np.meshgrid(g, g, indexing="ij")
        kind, like = m.geom_contype, m.geom_conaffinity
        allowed = ((kind[one] & like[two]) | (kind[two] & like[one])) != 0
        allowed &= (one < two) & (weld[one] != weld[two])
        if not int(m.opt.disableflags) & int(self.mj.mjtDisableBit.mjDSBL_FILTERPARENT):
            above = m.body_weldid[m.body_parentid[weld]]
            family = (weld[one] == above[two]) | (weld[two] == above[one])
            allowed &= ~(family & (weld[one] != 0) & (weld[two] != 0))
        found = {}
        excluded = set(m.exclude_signature.tolist())
        for i, j in zip(*np.nonzero(allowed), strict=True):
            a, b = sorted((int(m.geom_bodyid[i]), int(m.geom_bodyid[j])))
            if (a << 16) + b not in excluded:
                found[int(i), int(j)] = self._friction(int(i), int(j))
        for k in range(m.npair):
            i, j = sorted((int(m.pair_geom1[k]), int(m.pair_geom2[k])))
            found[i, j] = float(m.pair_friction[k, 0]) if m.pair_dim[k] > 1 else 0.0
        usable = set(np.flatnonzero(np.isin(m.geom_type, [int(x) for x in self._makers])).tolist())
        usable |= set(np.flatnonzero(m.geom_type == int(self.mj.mjtGeom.mjGEOM_PLANE)).tolist())
        return {pair: value for pair, value in found.items() if usable.issuperset(pair)}

    def _friction(self, i: int, j: int) -> float:
        """The sliding friction of two geoms."""
        m = self.m
        p, q = int(m.geom_priority[i]), int(m.geom_priority[j])
        chosen = [i, j] if p == q else [i if p > q else j]
        return float(max(m.geom_friction[k, 0] for k in chosen)) if max(m.geom_condim[chosen]) > 1 else 0.0

    @cached_property
    def touching(self) -> set[int]:
        """The geoms that touch others."""
        return {g for pair in self.friction for g in pair}

    @cached_property
    def _makers(self) -> dict[Any, Any]:
        kinds = self.mj.mjtGeom
        return {
            kinds.mjGEOM_SPHERE: lambda s: Ball(s[0], mass=1.0),
            kinds.mjGEOM_CAPSULE: lambda s: Capsule(s[0], 2.0 * s[1], mass=1.0),
            kinds.mjGEOM_CYLINDER: lambda s: Cylinder(s[0], 2.0 * s[1], mass=1.0),
            kinds.mjGEOM_BOX: lambda s: Box(*(2.0 * s), mass=1.0),
            kinds.mjGEOM_ELLIPSOID: lambda s: Ellipsoid(*s, mass=1.0),
            kinds.mjGEOM_MESH: None,
        }

    def is_plane(self, g: int) -> bool:
        return bool(self.m.geom_type[g] == self.mj.mjtGeom.mjGEOM_PLANE)

    def pose(self, g: int) -> Pose:
        """Of a geom, in world axes."""
        return Pose(self.d.geom_xpos[g], self.d.geom_xmat[g].reshape(3, 3))

    def parts(self, b: int, pose: Pose) -> list[Placed]:
        """The shapes of a body and of those welded to it, in the axes of `pose`; planes are not among them."""
        m, found = self.m, []
        for g in np.flatnonzero(m.body_weldid[m.geom_bodyid] == b).tolist():
            if g in self.touching and not self.is_plane(g):
                shape = self._shape(g)
                if shape is not None:
                    found.append((shape, pose.inverse() @ self.pose(g)))
        return found

    def _shape(self, g: int) -> Any:
        m, kind = self.m, self.mj.mjtGeom(int(self.m.geom_type[g]))
        if kind != self.mj.mjtGeom.mjGEOM_MESH:
            return self._makers[kind](m.geom_size[g])
        k, surface = int(m.geom_dataid[g]), geom_surface(self.mj, m, g)
        assert surface is not None
        if k not in self.known:
            name = m.mesh(k).name or f"mesh {k}"
            try:
                self.known[k] = mesh_shape(surface, self.collision, lambda why: self.whole.append(f"{name!r} {why}"))
            except ModelError:  # without volume
                self.known[k] = None
        if self.known[k] is None:
            self.flat.append(m.geom(g).name or f"geom {g}")
        return self.known[k]

    # ── contacts ──

    def add(self, model: Model, bodies: dict[int, Body]) -> None:
        """Add the contacts of the file to a model with these bodies (by number of the body they are welded to)."""
        m = self.m
        weld = m.body_weldid[m.geom_bodyid]
        still = sorted({int(w) for w in weld if bodies[int(w)] is model.world})
        fixed = [part for w in still for part in self.parts(w, Pose())]
        ground = fixed_body(model, fixed) if fixed else None
        sides: dict[int, Side] = {}
        for g in self.touching:
            body = bodies[int(weld[g])]
            if self.is_plane(g):
                sides[g] = self._plane(g, body)
            elif not body.is_world:
                sides[g] = body
            elif ground is not None:
                sides[g] = ground
        touching: dict[tuple[Side, Side], float] = {}
        for (i, j), value in self.friction.items():
            if i in sides and j in sides:
                a, b = (sides[g] for g in ((i, j) if self.is_plane(i) or not self.is_plane(j) else (j, i)))
                known = (b, a) if (b, a) in touching else (a, b)
                if a is not b and not isinstance(b, Plane):
                    touching[known] = max(value, touching.get(known, 0.0))
        add_contacts(model, touching)

    def _plane(self, g: int, body: Body) -> Plane:
        """The plane of a geom, whose normal is its z axis."""
        pose = body.pose.inverse() @ self.pose(g)
        return body.plane(pose.a, normal=pose.B[:, 2])

    def add_floors(self, model: Model, bodies: Mapping[int, Body]) -> None:
        """Let pictures show the planes of the file that do not move, where they are."""
        planes = self.m.geom_type == int(self.mj.mjtGeom.mjGEOM_PLANE)
        for g in np.flatnonzero(planes & (self.m.geom_rgba[:, 3] > 0.0)):
            if bodies[int(self.m.body_weldid[self.m.geom_bodyid[g]])] is model.world:
                model.add(self._plane(int(g), model.world))

    def notes(self) -> list[str]:
        """What the contacts of the file have and those of livens have not."""
        m, used = self.m, sorted(self.touching)
        if not used:
            return []
        found = []
        if (m.geom_condim[used] > 3).any() or (m.npair and (m.pair_dim > 3).any()):
            found.append("torsional and rolling friction (condim above 3)")
        if np.any(m.geom_margin[used]) or (m.npair and np.any(m.pair_margin)):
            found.append("margins of contacts")
        if (m.geom_type[used] == self.mj.mjtGeom.mjGEOM_MESH).any():
            if self.collision == "hull":
                found.append("meshes that are not convex (their hulls touch; collision='parts' divides them)")
            elif self.whole:
                found.append(f"meshes that cannot be divided ({'; '.join(self.whole[:3])}): their hulls touch")
        if self.flat:
            found.append(f"meshes without volume ({', '.join(self.flat[:3])})")
        others = np.flatnonzero((m.geom_contype != 0) | (m.geom_conaffinity != 0))
        unusable = [int(t) for t in m.geom_type[others] if t in (1, 8)]  # height fields, signed distance fields
        if unusable:
            found.append("height fields and signed distance fields")
        return [*found, "the softness of contacts (solref, solimp): here they are rigid"]
