"""A motion as one HTML page that plays in any browser, without a network: page(motion), write_page(motion, path).

The template page.html holds the player and drawing.js draws; here they get the surfaces (each shape once), and poses at
no more times than a screen can show. Numbers go as little-endian single precision in base64.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

from ...checks import positive
from ...describe.model import Body, Model, Point
from ...describe.pose import quaternions
from ...errors import ModelError
from ...kernels.arrays import State
from ...record.trajectory import Trajectory
from ...storage.atomic import replacing
from ..picture.colors import BODIES, hexadecimal
from ..picture.instants import chosen, instant
from ..picture.meshes import equal_shapes
from ..picture.parts import Parts, Places, parts, traced
from ..picture.sizes import upright

FRAMES, FEW = 2000, 100  # times, at most and at least; in between the page interpolates
POSES = 400_000  # of all bodies at all times: some 15 MB
SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)  # to choose from, with the one asked for
TRACED = 50  # more bodies leave no traces unless asked
COLORS = tuple(hexadecimal(color) for color in BODIES)


def write_page(
    motion: Trajectory,
    path: str | os.PathLike[str],
    follow: bool = False,
    trace: Sequence[Point | Body] | None = None,
) -> None:
    """Write `motion` to `path` as a stand-alone HTML page, as `page` makes it.

    >>> import livens as lv, tempfile
    >>> m = lv.Model(name="top")
    >>> top = m.add(lv.Body(lv.Box(1, 0.2, 0.1, density=500), body_rates=(0.1, 4, 0.1), name="top"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_page(lv.simulate(m, h=1e-2, until=1.0), folder + "/top.html", trace=[top.point(0.5, 0, 0)])
    ...     "<title>top</title>" in open(folder + "/top.html").read()
    True
    """
    text = page(motion, follow, trace)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def page(
    motion: Trajectory,
    follow: bool = False,
    trace: Sequence[Point | Body] | None = None,
    speed: float = 1.0,
    most: int | None = None,
) -> str:
    """The stand-alone HTML page of `motion`.

    follow: the camera goes with the centre of mass. trace: the points and bodies that leave traces (None: all centres
    of mass, where there are not too many). speed: that of the clock at first. most: poses of all bodies at
    all times (None: some 15 MB of them).
    """
    text, script = (
        files(__package__).joinpath(name).read_text(encoding="utf-8") for name in ("page.html", "drawing.js")
    )
    speeds = sorted({*SPEEDS, positive(speed, "the speed of the page", "1")})
    marks = {
        "drawing": script,
        "title": escape(motion.model.name),
        "subtitle": escape(f"{motion.scheme!r}, h = {motion.h:.6g} s, {motion.steps:,} steps"),
        "follow": "checked" if follow else "",
        "speeds": "".join(f"<option{' selected' if s == speed else ''}>{s:g}" for s in speeds),
        "data": json.dumps(_data(motion, trace, most or POSES)).replace("<", "\\u003c"),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: marks[mark[1]], text)


def _data(motion: Trajectory, trace: Sequence[Point | Body] | None, most: int) -> dict[str, Any]:
    bodies = motion.model.bodies[1:]
    if not bodies:
        raise ModelError(f"model {motion.model.name!r} has no bodies: there is nothing to show.")
    if trace is None:
        trace = bodies if len(bodies) <= TRACED else []
    k = chosen(len(motion), int(np.clip(most // len(bodies), FEW, FRAMES)))
    these, up = parts(motion.model), upright(motion.model.gravity)
    poses = np.zeros((len(k), len(bodies), 7))
    for b, body in enumerate(bodies):
        poses[:, b, :3], poses[:, b, 3:] = motion.position(body)[k] @ up.T, quaternions(up @ motion.rotation(body)[k])
    reach = these.reach[1:, None]
    below, above = poses[..., :3] - reach, poses[..., :3] + reach
    hooks = these.points.r[these.points.body == 0] @ up.T
    low = np.vstack([below.min(axis=(0, 1)), hooks]).min(axis=0)
    high = np.vstack([above.max(axis=(0, 1)), hooks]).max(axis=0)
    data = scene(motion.model, these, trace) | {
        "times": packed(motion.t[k]),
        "poses": packed(poses),
        "low": float(low[2]),
        "middle": (0.5 * (low + high)).tolist(),
        "size": float((high - low).max()) / 2,
        "near": float((above.max(axis=1) - below.min(axis=1)).max()) / 2,
    }
    data["springs"]["most"] = _most(motion, these, k)
    return data


def scene(model: Model, these: Parts, trace: Sequence[Point | Body]) -> dict[str, Any]:
    """What drawing.js draws of a model that consists of `these`, apart from where it is and how far it moves."""
    bodies, kinds = model.bodies[1:], equal_shapes(model)
    shape = {body: number for number, members in enumerate(kinds) for body in members}
    surfaces = [model.bodies[members[0]].shape.surface for members in kinds]
    mass = np.array([body.mass_properties.mass for body in bodies])
    return {
        "world": quaternions(upright(model.gravity)[None])[0].tolist(),
        "shapes": [{"vertices": packed(s.vertices), "triangles": packed(s.triangles, "<u4")} for s in surfaces],
        "bodies": [
            {
                "name": body.name,
                "shape": shape[b + 1],
                "color": rgba(COLORS[b % len(COLORS)]),
                "center": body.mass_properties.center.tolist(),
                "share": float(mass[b] / mass.sum()),
            }
            for b, body in enumerate(bodies)
        ],
        "springs": _ends(these.springs) | {"length": these.length.tolist()},
        "dampers": _ends(these.dampers),
        "rods": _ends(these.rods),
        "axes": _ends(these.axes),
        "traces": _ends((traced(model, trace),)),
    }


def _ends(of: Sequence[Places]) -> dict[str, Any]:
    """Points fixed to bodies: for each row of points their bodies, and their places there."""
    return {"body": [places.body.tolist() for places in of], "r": [packed(places.r) for places in of]}


def _most(motion: Trajectory, these: Parts, k: Any) -> float:
    """The largest extension of any spring [m], as some of the states tell."""
    some = k[:: max(1, len(k) // 200)]
    then = instant(motion.system, State(*(x[some] for x in motion.record)), 0.0)
    a, b = ([places.at(x, R) for x, R in zip(then.x, then.R, strict=True)] for places in these.springs)
    return float(np.abs(np.linalg.norm(np.array(b) - np.array(a), axis=2) - these.length).max(initial=0.0))


def packed(array: Any, kind: str = "<f4") -> str:
    """An array as text for a page."""
    return base64.b64encode(np.ascontiguousarray(array, dtype=kind).tobytes()).decode()


def rgba(text: str) -> list[float]:
    """A colour such as "#e69f00" as four numbers from 0 to 1."""
    return [int(text[k : k + 2], 16) / 255 for k in (1, 3, 5)] + [1.0]
