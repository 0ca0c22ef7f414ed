"""A motion as one HTML page that plays in any browser, without a network: page(motion), write_page(motion, path).

The template page.html is the player, and drawing.js draws; this module fills in the description (each shape once) and
the poses, at no more times than a screen can show. Numbers are little-endian single precision in base64.
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
from numpy.typing import NDArray

from ...checks import Array, positive
from ...describe.model import Body, Point
from ...describe.pose import quaternions
from ...record.trajectory import Trajectory
from ...storage.atomic import replacing
from ..picture.coils import RADIUS, profile
from ..picture.colors import EXTENSION, hexadecimal
from ..picture.contacts import NORMAL, ContactPicture
from ..picture.extent import LIFT, TURN, extent, extent_of_bodies, upright
from ..picture.instants import Instant, chosen, upright_instants
from ..picture.phases import intervals, passing
from ..picture.picture import AXIS, Picture, picture_of
from ..picture.places import Places

MOST_TIMES, LEAST_TIMES = 2000, 100  # at which poses are stored; in between the page interpolates
POSES = 400_000  # of all bodies at all times: 15 MB
SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)  # of the list, to which the given one is added
TRACED_BODIES = 50  # models with more have traces only on request
IMPACT_MARKS = 300  # on the time axis: the strongest impacts
CONTACT_MARKS = 200_000  # contact points at all times: 8 MB
SPRING_STATES = 200  # states at which the extensions of springs are compared


def write_page(
    motion: Trajectory,
    path: str | os.PathLike[str],
    follow: bool = False,
    trace: Sequence[Point | Body] | None = None,
    force: bool = False,
) -> None:
    """Write the stand-alone HTML page of `motion` to `path`; force: replace a file that livens did not write.

    >>> import livens as lv, tempfile
    >>> m = lv.Model(name="top")
    >>> top = m.add(lv.Body(lv.Box(1, 0.2, 0.1, density=500), body_rates=(0.1, 4, 0.1), name="top"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_page(lv.simulate(m, h=1e-2, until=1.0), folder + "/top.html", trace=[top.point(0.5, 0, 0)])
    ...     "<title>top</title>" in open(folder + "/top.html").read()
    True
    """
    text = page(motion, follow, trace)
    with replacing(path, force) as temporary:
        temporary.write_text(text, encoding="utf-8")


def page(
    motion: Trajectory,
    follow: bool = False,
    trace: Sequence[Point | Body] | None = None,
    speed: float = 1.0,
    most: int | None = None,
) -> str:
    """The stand-alone HTML page of `motion`.

    follow: the camera moves with the centre of mass. trace: the points and bodies that leave traces (None: all centres
    of mass of at most 50 bodies). speed: initial speed of the clock. most: limit on the poses of all bodies at all
    times (None: 400,000, which are 15 MB).
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
        **{name: hexadecimal(color) for name, color in EXTENSION.items()},
        "data": json.dumps(_data(motion, trace, most or POSES)).replace("<", "\\u003c"),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: marks[mark[1]], text)


def _data(motion: Trajectory, trace: Sequence[Point | Body] | None, most: int) -> dict[str, Any]:
    bodies = motion.model.bodies[1:]
    if trace is None:
        trace = bodies if len(bodies) <= TRACED_BODIES else []
    picture = picture_of(passing(motion), trace)
    k = chosen(len(motion), int(np.clip(most // len(bodies), LEAST_TIMES, MOST_TIMES)))
    now = upright_instants(motion, k)
    low, high = extent(picture, now.x, now.R)
    data = scene(picture) | {
        "times": packed(motion.t[k]),
        "poses": packed(_poses(now)[:, 1:]),
        "low": float(low[2]),
        "middle": (0.5 * (low + high)).tolist(),
        "size": float((high - low).max()) / 2,
        "near": extent_of_bodies(picture, now.x),
        "camera": {"turn": TURN, "lift": LIFT},
    }
    some = slice(None, None, max(1, len(k) // SPRING_STATES))
    extension = picture.springs.extension(picture.springs.ends(now.x[some], now.R[some]))
    data["springs"]["most"] = float(np.abs(extension).max(initial=0.0))
    data |= _contacts(motion, k, float(data["size"]))
    if len(motion.phases) > 1:  # lines are hidden in phases without their joints and forces
        for kind in ("springs", "dampers", "rods", "axes"):
            data[kind]["shown"] = intervals(motion, vars(picture)[kind].names)
    return data


def _contacts(motion: Trajectory, k: NDArray[np.int64], half: float) -> dict[str, Any]:
    """Position, normal, force and friction of the contact points at the states k; times of impacts."""
    marks = ContactPicture(motion, half)
    if not marks.exists:
        return {}
    up, rows, first = upright(motion.model.gravity), [], [0]
    for state in k:
        now = marks.at(int(state))
        row = np.concatenate([now.point @ up.T, now.normal @ up.T, now.force @ up.T, now.friction[:, None]], axis=1)
        strongest = np.argsort(-np.linalg.norm(now.force, axis=1))[: max(1, CONTACT_MARKS // len(k))]
        rows.append(row[strongest])
        first.append(first[-1] + len(strongest))
    hits = motion.impacts
    strongest = np.argsort(-np.linalg.norm(hits.impulse, axis=1))[:IMPACT_MARKS]
    return {
        "contacts": {
            "first": first,
            "marks": packed(np.concatenate(rows)),
            "scale": marks.scale,
            "normal": NORMAL * half,
        },
        "impacts": sorted(hits.t[strongest].tolist()),
    }


def scene(picture: Picture) -> dict[str, Any]:
    """The description as drawing.js reads it: everything except the poses and the size of the motion."""
    model = picture.model
    mass = np.array([body.mass_properties.mass for body in model.bodies[1:]])
    springs, axes = picture.springs, picture.axes
    return {
        "world": quaternions(upright(model.gravity)[None])[0].tolist(),
        "shapes": [
            {"vertices": packed(one.surface.vertices), "triangles": packed(one.surface.triangles, "<u4")}
            for one in picture.shapes
        ],
        "bodies": [
            {
                "name": body.name,
                "shape": int(picture.shape_of[b]),
                "color": rgba(picture.colors[b]),
                "center": body.mass_properties.center.tolist(),
                "share": float(mass[b - 1] / mass.sum()),
            }
            for b, body in enumerate(model.bodies[1:], start=1)
        ],
        "springs": _places(springs.a, springs.b)
        | {"length": springs.length.tolist(), "coil": packed(profile(len(springs))), "radius": RADIUS},
        "dampers": _places(picture.dampers.a, picture.dampers.b),
        "rods": _places(picture.rods.a, picture.rods.b),
        "axes": _places(axes.points, axes.directions) | {"half": AXIS},
        "traces": _places(picture.traces),
        "tints": {name: rgba(color) for name, color in EXTENSION.items()},
    }


def _poses(now: Instant) -> Array:
    """(x y z, w x y z) of every body (times, bodies, 7)."""
    q = quaternions(now.R.reshape(-1, 3, 3)).reshape(*now.x.shape[:-1], 4)
    return np.concatenate([now.x, q], axis=-1)


def _places(*of: Places) -> dict[str, Any]:
    """Points fixed to bodies: for each row of points their bodies, and their coordinates there."""
    return {"body": [places.body.tolist() for places in of], "r": [packed(places.r) for places in of]}


def packed(array: Any, kind: str = "<f4") -> str:
    """An array as text for a page."""
    return base64.b64encode(np.ascontiguousarray(array, dtype=kind).tobytes()).decode()


def rgba(color: Any) -> list[float]:
    """A colour of three numbers up to 255 as four from 0 to 1, the last of which is the opacity."""
    return [int(part) / 255 for part in color] + [1.0]
