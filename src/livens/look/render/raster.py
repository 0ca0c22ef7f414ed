"""Triangles to pixels: a depth buffer, flat light, thin outlines.

A pinhole camera at `eye` looks along −d; right and up are the directions of the screen. A point x has the depth
z = (eye − x)·d and lies on the screen, in units of half its height, at

    f ((x − eye)·right, (x − eye)·up) / z,        f = 1/tan(half the angle of view).                       (1)

1/z is linear on the screen along a triangle, so the nearest triangle at a pixel is the one with the largest 1/z.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._jit import njit
from ...checks import Array

F = 2.6  # of (1)
SUN = np.array([0.4, -0.3, 0.9]) / np.linalg.norm([0.4, -0.3, 0.9])
EDGE = 0.45  # brightness of an outline


@dataclass(frozen=True, eq=False)
class Camera:
    """A camera: the target in the middle of the picture, the direction d to the eye, their distance [m]."""

    target: Array
    d: Array
    far: float
    width: int  # pixels
    height: int

    @property
    def eye(self) -> Array:
        """The position of the camera [m]."""
        return self.target + self.far * self.d

    @property
    def right(self) -> Array:
        """The world direction to the right of the screen."""
        r = np.cross((0.0, 0.0, 1.0), self.d)
        return r / np.linalg.norm(r)

    @property
    def up(self) -> Array:
        """The world direction to the top of the screen."""
        return np.cross(self.d, self.right)

    def screen(self, x: Array) -> Array:
        """Pixels from the left and from the top, and 1/depth, of points (..., 3), by (1)."""
        r = x - self.eye
        z = np.maximum(-r @ self.d, 1e-3 * self.far)
        half = 0.5 * self.height
        across, above = F * (r @ self.right) / z, F * (r @ self.up) / z
        return np.stack([0.5 * self.width + half * across, half - half * above, 1.0 / z], axis=-1)

    def rays(self) -> Array:
        """Directions from the eye through the middle of every pixel (height, width, 3), not of length one."""
        half = 0.5 * self.height
        u = (np.arange(self.width) + 0.5 - 0.5 * self.width) / half / F
        v = (half - np.arange(self.height) - 0.5) / half / F
        return u[None, :, None] * self.right + v[:, None, None] * self.up - self.d


@njit
def cover(corners: Any, nearest: float, depth: Any, owner: Any) -> None:
    """Enter triangles (n, 3 corners, (x, y, 1/z)) into the buffers: 1/z, and the number of the nearest triangle.

    Triangles with 1/z above `nearest` are behind the camera or too near, and are left out.
    """
    height, width = depth.shape
    for k in range(corners.shape[0]):
        x0, y0, z0 = corners[k, 0, 0], corners[k, 0, 1], corners[k, 0, 2]
        x1, y1, z1 = corners[k, 1, 0], corners[k, 1, 1], corners[k, 1, 2]
        x2, y2, z2 = corners[k, 2, 0], corners[k, 2, 1], corners[k, 2, 2]
        area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        if area == 0.0 or max(z0, z1, z2) > nearest:
            continue
        left, right = max(0.0, np.ceil(min(x0, x1, x2) - 0.5)), min(width - 1.0, np.floor(max(x0, x1, x2) - 0.5))
        top, bottom = max(0.0, np.ceil(min(y0, y1, y2) - 0.5)), min(height - 1.0, np.floor(max(y0, y1, y2) - 0.5))
        if right < left or bottom < top:
            continue
        for j in range(int(top), int(bottom) + 1):
            for i in range(int(left), int(right) + 1):
                x, y = i + 0.5, j + 0.5
                b = ((x - x0) * (y2 - y0) - (x2 - x0) * (y - y0)) / area
                c = ((x1 - x0) * (y - y0) - (x - x0) * (y1 - y0)) / area
                if b >= 0.0 and c >= 0.0 and b + c <= 1.0:
                    z = (1.0 - b - c) * z0 + b * z1 + c * z2
                    if z > depth[j, i]:
                        depth[j, i] = z
                        owner[j, i] = k


@njit
def outline(depth: Any, owner: Any, part: Any, edge: Any) -> None:
    """Mark pixels at the borders of parts (a number for each triangle, −1 for lines)."""
    height, width = depth.shape
    for j in range(height):
        for i in range(width):
            here = -1 if owner[j, i] < 0 else part[owner[j, i]]
            for side in range(2):
                v, u = j + side, i + 1 - side
                if v < height and u < width:
                    there = -1 if owner[v, u] < 0 else part[owner[v, u]]
                    if here != there:
                        if depth[j, i] > depth[v, u]:
                            edge[j, i] = here >= 0
                        else:
                            edge[v, u] = there >= 0


@dataclass(frozen=True, eq=False)
class Buffers:
    """The nearest triangle at each pixel: its 1/depth [1/m], and its number or −1."""

    depth: NDArray[np.float32]
    owner: NDArray[np.int32]


def seen(corners: Array, camera: Camera) -> Buffers:
    """The buffers of triangles (n, 3, 3) given in pixels and 1/depth, as `Camera.screen` gives them.

    >>> camera = Camera(np.zeros(3), np.array([1.0, 0.0, 0.0]), 10.0, 40, 30)
    >>> wall = np.array([[(0, -9, -9), (0, 9, -9), (0, 0, 9)]], dtype=float)
    >>> int((seen(camera.screen(wall), camera).owner == 0).sum()) > 300
    True
    """
    shape = (camera.height, camera.width)
    buffers = Buffers(np.zeros(shape, dtype=np.float32), np.full(shape, -1, dtype=np.int32))
    cover(np.ascontiguousarray(corners), 50.0 / camera.far, buffers.depth, buffers.owner)
    return buffers


def shaded(
    buffers: Buffers, corners: Array, normals: Array, colors: Array, lit: NDArray[np.bool_], camera: Camera
) -> Array:
    """Colours (m, 3) of the covered pixels: sun, sky and a little gloss, by the corners' normals and colours, both
    (n, 3, 3)."""
    rows, columns = np.nonzero(buffers.owner >= 0)
    k = buffers.owner[rows, columns]
    p = corners[k, :, :2]
    u, v, w = p[:, 1] - p[:, 0], p[:, 2] - p[:, 0], np.stack([columns + 0.5, rows + 0.5], axis=1) - p[:, 0]
    area = u[:, 0] * v[:, 1] - v[:, 0] * u[:, 1]
    b = ((w[:, 0] * v[:, 1] - v[:, 0] * w[:, 1]) / area)[:, None]
    c = ((u[:, 0] * w[:, 1] - w[:, 0] * u[:, 1]) / area)[:, None]
    n = normals[k, 0] * (1.0 - b - c) + normals[k, 1] * b + normals[k, 2] * c
    n = n / np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-12)
    facing = n @ camera.d
    n = np.where(facing[:, None] < 0.0, -n, n)
    sun, sky = np.maximum(n @ SUN, 0.0), 0.5 + 0.5 * n[:, 2]
    half = (SUN + camera.d) / np.linalg.norm(SUN + camera.d)
    gloss = np.maximum(n @ half, 0.0) ** 40
    light = 0.42 + 0.46 * sun + 0.12 * sky + 0.12 * np.abs(facing)
    color = colors[k, 0] * (1.0 - b - c) + colors[k, 1] * b + colors[k, 2] * c
    return np.where(lit[k][:, None], color * light[:, None] + 0.12 * gloss[:, None], color).clip(0.0, 1.0)


def outlined(buffers: Buffers, part: NDArray[np.int64]) -> NDArray[np.bool_]:
    """The pixels on outlines (height, width)."""
    edge = np.zeros(buffers.owner.shape, dtype=np.bool_)
    outline(buffers.depth, buffers.owner, part, edge)
    return edge


def coarser(mask: NDArray[np.bool_], fine: int) -> Array:
    """The covered part of each pixel, from pixels `fine` times as fine in both directions."""
    pieces = [mask[i::fine, j::fine].astype(np.float64) for i in range(fine) for j in range(fine)]
    return np.asarray(sum(pieces)) / fine**2
