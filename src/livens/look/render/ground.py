"""The ground of a picture: planes with a grid that fades with the distance, and the shadows on them.

A ray from the eye e along d meets the plane through p with the normal n at

    e + t d,        t = n·(p − e) / n·d,                                                                      (1)

if the eye is above the plane. Matter fills the space below each plane, so of several planes the ray ends at the
smallest t. The shadow of a point x on a plane, with s towards the sun, is x − (n·(x − p) / n·s) s.           (2)
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...checks import Array
from ..picture.themes import Theme, unit
from .raster import SUN, Camera, F, coarser, seen

FINE = 2  # finer pixels in each direction
GRID_LINE = 0.44  # weight of a line of the grid, of that of the theme
LOWEST_SUN = 0.05  # n·s below which a plane has no shadows


class Ground:
    """Planes (n, 2, 3), points and normals in upright axes, seen by a camera; in whole pixels."""

    def __init__(self, fine: Camera, planes: Array, theme: Theme):
        self.planes, self.theme = planes, theme
        camera = replace(fine, width=fine.width // FINE, height=fine.height // FINE)
        rays = camera.rays()
        self.owner = np.full(rays.shape[:2], -1)  # the number of the plane at each pixel
        self.fade, line = np.zeros(rays.shape[:2]), np.zeros(rays.shape[:2])
        nearest = np.full(rays.shape[:2], np.inf)
        for k, (p, n) in enumerate(planes):
            down = np.minimum(rays @ n, -1e-9)
            reach = float(n @ (p - camera.eye)) / down  # t of (1)
            visible = (rays @ n < -1e-6) & (reach > 0.0) & (reach < nearest)
            here, away = _grid(camera, rays, p, n, down, reach)
            fade = np.clip(1.4 - away, 0.0, 1.0)
            nearest[visible], self.owner[visible] = reach[visible], k
            line[visible], self.fade[visible] = here[visible], fade[visible]
        weight = (GRID_LINE * theme.grid_weight * line * self.fade)[..., None]
        self.color = np.array(unit(theme.paper)) * (1.0 - weight) + np.array(unit(theme.grid)) * weight

    def shadowed(self, world: Array, fine: Camera) -> Array:
        """The ground with the shadows of triangles (n, 3, 3)."""
        dark = np.zeros(self.owner.shape)
        for k, (p, n) in enumerate(self.planes):
            if n @ SUN > LOWEST_SUN:
                fallen = world - (((world - p) @ n) / (n @ SUN))[..., None] * SUN  # (2)
                here = coarser(seen(fine.screen(fallen), fine).owner >= 0, FINE)
                dark[self.owner == k] = here[self.owner == k]
        return self.color * (1.0 - (1.0 - self.theme.shadow) * dark * self.fade)[..., None]


def directions(n: Array) -> tuple[Array, Array]:
    """Two directions of the grid of a plane with the upward normal n: a level one, and one along the slope.

    >>> [e.tolist() for e in directions(np.array([0.0, 0.0, 1.0]))]
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    level = np.array([-n[1], n[0], 0.0])
    size = float(np.linalg.norm(level))
    first = level / size if size > 1e-9 else np.array([1.0, 0.0, 0.0])
    return first, np.cross(n, first)


def _grid(camera: Camera, rays: Array, p: Array, n: Array, down: Array, reach: Array) -> tuple[Array, Array]:
    """The weight of the lines at each pixel, and the distance from the middle of the picture, in about its sizes."""
    step = grid_step(2.0 * camera.far / F)
    place = camera.eye + reach[..., None] * rays
    pixel = reach / (0.5 * camera.height * F)  # metres in a pixel across the ray
    slant = pixel * (np.linalg.norm(rays, axis=-1) / -down - 1.0)  # and the excess along it
    ahead = rays - (rays @ n)[..., None] * n
    ahead = ahead / np.maximum(np.linalg.norm(ahead, axis=-1, keepdims=True), 1e-12)
    line = np.zeros(reach.shape)
    for e in directions(n):
        x = (place - p) @ e / step
        off = np.abs(x - np.round(x)) * step
        wide = 0.9 * np.hypot(pixel, slant * (ahead @ e))
        line = np.maximum(line, np.clip(1.4 - off / wide, 0.0, 1.0) * np.clip(step / (6.0 * wide), 0.0, 1.0))
    middle = camera.target - n * (n @ (camera.target - p))
    return line, np.linalg.norm(place - middle, axis=-1) / (1.2 * camera.far)


def grid_step(span: float) -> float:
    """The distance of the grid's lines [m]: 1, 2 or 5 times a power of ten, about ten of them in `span`.

    >>> [grid_step(span) for span in (1.0, 7.0, 30.0)]
    [0.1, 1.0, 5.0]
    """
    power = 10.0 ** np.floor(np.log10(span / 5.0))
    return float(power * next(k for k in (1.0, 2.0, 5.0, 10.0) if span / (power * k) < 12.0))
