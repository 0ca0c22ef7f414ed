"""Beams and cables as surfaces: the outline of the section, carried along the line through the sections.

Between neighbours at x₀, R₀ and x₁, R₁ the strain of a beam is constant, so its line is the helix (beams/strain.py)

    R(s) = R₀ exp(s φ),   x(s) = x₀ + R₀ s T(s φ) u,      φ = log R₀ᵀR₁,   T(φ) u = R₀ᵀ(x₁ − x₀),   0 ≤ s ≤ 1,      (1)
    T(φ) = 1 + (1 − cos φ)/φ² φ̂ + (φ − sin φ)/φ³ φ̂²,

whose axes are continuous, so that the surface has no edges at the sections. A cable is a spline of Catmull and Rom
through its nodes; its axes are carried along without rotation about the tangent. A fibre at (x, y) of the section has
the strain

    ε = δΓ₃ + δκ₁ y − δκ₂ x,                                                                                         (2)

which colours the surface: between sections linearly, at a section the mean of both sides. page/beams.js has the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...checks import Array
from ...describe.model import Body, Model
from ...describe.sweep import Sweep
from .colors import Bytes, of_extension
from .interpolation import exponential, logarithm
from .shapes import Mesh
from .themes import Theme

ROUND_SIDES = 24  # of a circle
FLAT_PARTS = 4  # of a side of a rectangle, so that colours change at its middle
STATIONS, MOST_PARTS = 72, 12  # of a whole beam at least, where this needs no more parts of a length than MOST_PARTS
THIN, LINE = 0.006, 0.009  # least half width of a section, and that of a line, in halves of the motion's largest side


@dataclass(frozen=True, eq=False)
class BeamPicture:
    """What is drawn of one beam or cable."""

    name: str
    body: NDArray[np.int64]  # the numbers of its bodies (n + 1,)
    sizes: tuple[float, ...]  # [m] radius, or sides; none: the picture chooses
    directed: bool
    color: Bytes
    opacity: float
    strains: Callable[[Array, Array], Array] | None  # None: it has one colour

    @property
    def parts(self) -> int:
        """Pieces of the surface between two neighbours."""
        return int(np.clip(-(-STATIONS // (len(self.body) - 1)), 2, MOST_PARTS))

    @cached_property
    def outline(self) -> Array:
        """Corners and normals of its section (m, 4) [m], without unit; of a line that has no sizes, with the radius 1.
        An edge has two corners at one place."""
        if len(self.sizes) != 2:
            angle = 2.0 * np.pi * np.arange(ROUND_SIDES) / ROUND_SIDES
            normal = np.stack([np.cos(angle), np.sin(angle)], axis=1)
            return np.concatenate([(self.sizes[0] if self.sizes else 1.0) * normal, normal], axis=1)
        w, h = (0.5 * side for side in self.sizes)
        part = np.linspace(-1.0, 1.0, FLAT_PARTS + 1)
        one = np.ones_like(part)
        sides = [(w * one, h * part, 1, 0), (-w * part, h * one, 0, 1), (-w * one, -h * part, -1, 0)]
        sides.append((w * part, -h * one, 0, -1))
        return np.concatenate([np.stack([x, y, nx * one, ny * one], axis=1) for x, y, nx, ny in sides])

    def drawn(self, half: float) -> Array:
        """The outline as it is drawn, widened where it would be too thin to see; half: half the largest side of the
        motion [m]."""
        wide = float(np.abs(self.outline[:, :2]).max())
        scale = max(1.0, THIN * half / wide) if self.sizes else LINE * half or 1.0
        return self.outline * (scale, scale, 1.0, 1.0)

    @cached_property
    def triangles(self) -> NDArray[np.int64]:
        """The triangles of its surface: those along it, then those of both ends."""
        m, rings = len(self.outline), self.parts * (len(self.body) - 1) + 1
        corner = np.arange(m)
        after = np.roll(corner, -1)
        solid = (
            np.abs(self.outline[corner, :2] - self.outline[after, :2]).max(axis=1) > 0.0
        )  # not between two of an edge
        a, b = (number[solid][None] + m * np.arange(rings - 1)[:, None] for number in (corner, after))
        along = np.concatenate([np.stack([a, b, b + m], axis=-1), np.stack([a, b + m, a + m], axis=-1)]).reshape(-1, 3)
        ends = []
        for begin, turn in ((m * rings, -1), (m * rings + m + 1, 1)):
            fan = np.stack([np.full(m, begin + m), begin + corner, begin + after], axis=1)
            ends.append(fan[:, ::turn])
        return np.concatenate([along, *ends])

    def stations(self, x: Array, R: Array) -> tuple[Array, Array]:
        """Places and axes of the outlines along it, by (1), for frames of all bodies at x (bodies, 3), R."""
        x, R = x[self.body], R[self.body]
        s = np.arange(self.parts) / self.parts
        return _helices(x, R, s) if self.directed else _spline(x, s)

    def mesh(self, x: Array, R: Array, half: float) -> Mesh:
        """Its surface at one time, with the triangles of `triangles`."""
        at, axes = self.stations(x, R)
        outline = self.drawn(half)
        rings = at[:, None] + outline[:, :2] @ np.swapaxes(axes[:, :, :2], 1, 2)
        normals = outline[:, 2:] @ np.swapaxes(axes[:, :, :2], 1, 2)
        ends = [np.concatenate([rings[k], at[k, None]]) for k in (0, -1)]
        faces = [np.tile(sign * axes[k, :, 2], (len(outline) + 1, 1)) for k, sign in ((0, -1.0), (-1, 1.0))]
        return Mesh(
            np.concatenate([rings.reshape(-1, 3), *ends]),
            np.concatenate([normals.reshape(-1, 3), *faces]),
            self.triangles,
        )

    def fibres(self, changes: Array) -> Array:
        """The strain (2) at the vertices of its surface, from the changes of stretch and curvatures between neighbours
        (n, 3)."""
        at = np.concatenate([changes[:1], 0.5 * (changes[:-1] + changes[1:]), changes[-1:]])
        s = np.arange(self.parts) / self.parts
        between = (1.0 - s)[:, None] * at[:-1, None] + s[:, None] * at[1:, None]
        every = np.concatenate([between.reshape(-1, 3), at[-1:]])
        x, y = self.outline[:, :2].T if self.sizes else np.zeros((2, len(self.outline)))
        rings = every[:, :1] + np.outer(every[:, 1], y) - np.outer(every[:, 2], x)
        ends = [np.append(rings[k], every[k, 0]) for k in (0, -1)]
        return np.concatenate([rings.ravel(), *ends])

    def of_faces(self, values: Array) -> Array:
        """Means of values of the vertices over the triangles; both halves of a piece of the side have one value."""
        found = values[self.triangles].mean(axis=1)
        half = (len(found) - 2 * len(self.outline)) // 2
        found[:half] = found[half : 2 * half] = 0.5 * (found[:half] + found[half : 2 * half])
        return np.asarray(found)

    def changes(self, x: Array, R: Array) -> Array:
        """Changes of stretch and curvatures between neighbours (…, n, 3), for frames of all bodies at x, R."""
        if self.strains is None:
            return np.zeros((*x.shape[:-2], len(self.body) - 1, 3))
        return self.strains(x[..., self.body, :], R[..., self.body, :, :])

    def largest(self, changes: Array) -> float:
        """The largest strain (2) of its surface over changes (…, n, 3)."""
        stretch = np.abs(changes[..., 0]).max(initial=0.0)
        if not self.sizes:
            return float(stretch)
        x, y = self.outline[:, :2].T
        return float(np.abs(changes[..., :1] + changes[..., 1:2] * y - changes[..., 2:] * x).max(initial=0.0))

    def colors(self, changes: Array, most: float, theme: Theme) -> Bytes:
        """The colours of its vertices: by strain, or its own."""
        if self.strains is None:
            return np.tile(self.color, (self.triangles.max() + 1, 1))
        return self.tinted(self.fibres(changes), most, theme)

    def tinted(self, strains: Array, most: float, theme: Theme) -> Bytes:
        """The colours of strains (n,), of which `most` has the full colour."""
        return of_extension(strains, most, theme.short, theme.calm, theme.long)


def largest_strain(beams: Sequence[BeamPicture], x: Array, R: Array) -> float:
    """The largest strain of the surfaces of all beams that are coloured by it, for frames at x (…, bodies, 3), R."""
    return max((beam.largest(beam.changes(x, R)) for beam in beams if beam.strains is not None), default=0.0)


def strain_in_words(strain: float) -> str:
    """A strain as text.

    >>> strain_in_words(0.0213), strain_in_words(3.14e-5), strain_in_words(0.0)
    ('2.1 %', '31 µm/m', '0 %')
    """
    factor, unit = (1e6, "µm/m") if 0.0 < abs(strain) < 5e-4 else (1e2, "%")
    return f"{float(f'{factor * strain:.2g}'):g} {unit}"


def traced_bodies(model: Model) -> list[Body]:
    """The bodies whose centres leave traces: all, of beams and cables the last one."""
    sweeps = (glyph.sweep for thing in model.things for glyph in thing.glyphs() if glyph.sweep is not None)
    inner = {body.name for sweep in sweeps for body in sweep.bodies[:-1]}
    return [body for body in model.bodies[1:] if body.name not in inner]


def beams_of(model: Model, sweeps: Sequence[tuple[str, Sweep]], colors: Bytes) -> list[BeamPicture]:
    """The pictures of all sweeps; `colors`: of all bodies."""
    number = {body.name: k for k, body in enumerate(model.bodies)}
    found = []
    for name, sweep in sweeps:
        body = np.array([number[one.name] for one in sweep.bodies], dtype=np.int64)
        first = model.bodies[int(body[0])]
        found.append(
            BeamPicture(
                name,
                body,
                tuple(float(size) for size in sweep.sizes),
                sweep.directed,
                colors[body[0]],
                first.opacity,
                sweep.strains if first.color is None else None,
            )
        )
    return found


def _helices(x: Array, R: Array, s: Array) -> tuple[Array, Array]:
    """Equation (1) at the parts s of each length, and at the end."""
    back = np.swapaxes(R[:-1], 1, 2)
    phi = logarithm(back @ R[1:])
    u = np.linalg.solve(_screw(phi), np.einsum("nij,nj->ni", back, np.diff(x, axis=0))[..., None])[..., 0]
    many = (s[None, :, None] * phi[:, None]).reshape(-1, 3)
    moved = np.einsum("nij,nj->ni", _screw(many), (s[None, :, None] * u[:, None]).reshape(-1, 3))
    first = np.repeat(R[:-1], len(s), axis=0)
    at = np.repeat(x[:-1], len(s), axis=0) + np.einsum("nij,nj->ni", first, moved)
    return np.concatenate([at, x[-1:]]), np.concatenate([first @ exponential(many), R[-1:]])


def _screw(phi: Array) -> Array:
    """T of (1), (n, 3, 3)."""
    angle = np.linalg.norm(phi, axis=1)[:, None, None]
    small = angle < 1e-3
    safe = np.where(small, 1.0, angle)
    b = np.where(small, 0.5 - angle**2 / 24.0, (1.0 - np.cos(safe)) / safe**2)
    c = np.where(small, 1.0 / 6.0 - angle**2 / 120.0, (safe - np.sin(safe)) / safe**3)
    K = np.swapaxes(np.cross(phi[:, None, :], np.eye(3)), 1, 2)
    return np.eye(3) + b * K + c * (K @ K)


def _spline(x: Array, s: Array) -> tuple[Array, Array]:
    """A spline of Catmull and Rom through x at the parts s of each length, and axes carried along it."""
    slope = np.empty_like(x)
    slope[1:-1] = 0.5 * (x[2:] - x[:-2])
    slope[0], slope[-1] = x[1] - x[0], x[-1] - x[-2]
    h2 = (s * s * (3.0 - 2.0 * s))[None, :, None]
    h1, h3 = (s * (1.0 - s) ** 2)[None, :, None], (s * s * (s - 1.0))[None, :, None]
    inner = (1.0 - h2) * x[:-1, None] + h1 * slope[:-1, None] + h2 * x[1:, None] + h3 * slope[1:, None]
    at = np.concatenate([inner.reshape(-1, 3), x[-1:]])
    along = np.gradient(at, axis=0)
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-300)
    axes = np.empty((len(at), 3, 3))
    first: Any = np.eye(3)[np.argmin(np.abs(along[0]))]
    for k, t in enumerate(along):
        first = first - (first @ t) * t
        first = first / max(float(np.linalg.norm(first)), 1e-300)
        axes[k] = np.stack([first, np.cross(t, first), t], axis=1)
    return at, axes
