"""A motion as one HTML file that plays in any browser, without a network: write_page(motion, path).

The template page.html holds the player; here it gets the surfaces (each shape once), and poses at no more times than a
screen can show. Numbers go as little-endian single precision in base64.
"""

from __future__ import annotations

import base64
import json
import os
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

from .atomic import replacing
from .errors import ModelError
from .surface import Surface
from .trajectory import Trajectory
from .viewer.colors import BODIES, hexadecimal
from .viewer.meshes import shape_key

FRAMES = 2000  # at most; in between the page interpolates
COLORS = tuple(hexadecimal(color) for color in BODIES)


def write_page(motion: Trajectory, path: str | os.PathLike[str], follow: bool = False) -> None:
    """Write `motion` to `path` as a stand-alone HTML page; `follow` lets the camera go with the centre of mass.

    >>> import livens as lv, tempfile
    >>> m = lv.Model(name="top")
    >>> top = m.add(lv.Body(lv.Box(1, 0.2, 0.1, density=500), body_rates=(0.1, 4, 0.1), name="top"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_page(lv.simulate(m, h=1e-2, until=1.0), folder + "/top.html")
    ...     "<title>top</title>" in open(folder + "/top.html").read()
    True
    """
    text = files(__package__).joinpath("page.html").read_text(encoding="utf-8")
    marks = {
        "title": escape(motion.model.name),
        "subtitle": escape(f"{motion.scheme!r}, h = {motion.h:.6g} s, {motion.steps:,} steps"),
        "follow": "checked" if follow else "",
        "data": json.dumps(_data(motion)).replace("<", "\\u003c"),
    }
    for mark, value in marks.items():
        text = text.replace("{{" + mark + "}}", value)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _data(motion: Trajectory) -> dict[str, Any]:
    bodies = motion.model.bodies[1:]
    if not bodies:
        raise ModelError(f"model {motion.model.name!r} has no bodies: there is nothing to show.")
    chosen = np.unique(np.linspace(0, len(motion) - 1, min(len(motion), FRAMES)).astype(int))
    poses = np.zeros((len(chosen), len(bodies), 7))
    shapes: dict[Any, int] = {}
    surfaces: list[Surface] = []
    reach: list[float] = []
    for k, body in enumerate(bodies):
        poses[:, k, :3], poses[:, k, 3:] = motion.position(body)[chosen], motion.quaternion(body)[chosen]
        if shape_key(body) not in shapes:
            shapes[shape_key(body)] = len(surfaces)
            surfaces.append(body.shape.surface)
            reach.append(float(np.linalg.norm(surfaces[-1].vertices, axis=1).max(initial=0.0)))
    radius = np.array([reach[shapes[shape_key(body)]] for body in bodies])[:, None]
    low = (poses[:, :, :3] - radius).min(axis=(0, 1), initial=np.inf)
    high = (poses[:, :, :3] + radius).max(axis=(0, 1), initial=-np.inf)
    spread = (poses[..., :3] + radius).max(axis=1) - (poses[..., :3] - radius).min(axis=1)
    mass = np.array([body.mass_properties.mass for body in bodies])
    return {
        "times": _packed(motion.t[chosen]),
        "poses": _packed(poses),
        "shapes": [{"vertices": _packed(s.vertices), "triangles": _packed(s.triangles, "<u4")} for s in surfaces],
        "bodies": [
            {
                "name": body.name,
                "shape": shapes[shape_key(body)],
                "color": rgba(COLORS[k % len(COLORS)]),
                "center": body.mass_properties.center.tolist(),
                "share": float(mass[k] / mass.sum()),
            }
            for k, body in enumerate(bodies)
        ],
        "low": float(low[2]),
        "middle": (0.5 * (low + high)).tolist(),
        "size": float((high - low).max()) / 2,
        "near": float(spread.max()) / 2,
    }


def _packed(array: Any, kind: str = "<f4") -> str:
    return base64.b64encode(np.ascontiguousarray(array, dtype=kind).tobytes()).decode()


def rgba(text: str) -> list[float]:
    return [int(text[k : k + 2], 16) / 255 for k in (1, 3, 5)] + [1.0]
