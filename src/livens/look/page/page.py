"""A motion as one HTML page that plays in any browser, without a network: page(motion), write_page(motion, path).

The template page.html is the page, drawing.js draws, beams.js makes the surfaces of beams, marks.js adds scale, axes
and names, contacts.js adds forces of contacts, curves.js shows readings of bodies and joints over time, and player.js
plays; this module fills in the description (each shape once) and the poses (frames.py). Numbers are little-endian
single precision in base64.
"""

from __future__ import annotations

import base64
import json
import os
import re
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...checks import Array
from ...describe.pose import quaternions
from ...record.trajectory import Trajectory
from ...storage.atomic import replacing
from ..picture.arrows import ARROW_LENGTH, Arrows, arrows_of, tips
from ..picture.beams import BeamPicture, largest_strain, strain_in_words
from ..picture.coils import RADIUS, profile
from ..picture.colors import readable
from ..picture.contacts import NORMAL, ContactPicture
from ..picture.extent import corners, extent, extent_of_bodies, outermost, planes_of, upright
from ..picture.instants import chosen
from ..picture.phases import intervals, passing
from ..picture.picture import AXIS, Picture, picture_of
from ..picture.places import Places
from ..picture.readings import Curves, readings, readings_of_model
from ..picture.symbols import SYMBOL_SIZE
from ..picture.themes import THEMES, script_values, style_sheet
from ..picture.view import Traces, View, view_of
from .frames import Frames, frames_of

POSES = 400_000  # of all bodies at all times: 15 MB
SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)  # of the list; of slow and fast pages relative to their speed
IMPACT_MARKS = 300  # on the time axis: the strongest impacts
CONTACT_MARKS = 200_000  # contact points at all times: 8 MB
SPRING_STATES = 200  # states at which the extensions of springs are compared
CURVE_TIMES, CURVE_NUMBERS = 240, 40_000  # states at which curves are stored, and numbers of all curves: 210 kB
SCRIPTS = {name: f"{name}.js" for name in ("beams", "drawing", "marks", "contacts", "curves", "player")}

NO_BEAMS = "const beams = () => () => {}"  # for pages without beams, which stay small


def write_page(
    motion: Trajectory,
    path: str | os.PathLike[str],
    follow: bool = False,
    traces: Traces = None,
    camera: Any = None,
    title: str | None = None,
    speed: float | None = None,
    force: bool = False,
    theme: str | None = None,
) -> None:
    """Write the stand-alone HTML page of `motion` to `path`; the other arguments are those of picture/view.py, and
    force: replace a file that livens did not write.

    >>> import livens as lv, tempfile
    >>> m = lv.Model(name="top")
    >>> top = m.add(lv.Body(lv.Box(1, 0.2, 0.1, density=500), body_rates=(0.1, 4, 0.1), name="top"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_page(lv.simulate(m, h=1e-2, until=1.0), folder + "/top.html", traces=[top.point(0.5, 0, 0)])
    ...     "<title>top</title>" in open(folder + "/top.html").read()
    True
    """
    text = page(motion, view_of(motion, camera, traces, title, speed, follow, theme))
    with replacing(path, "page", force) as temporary:
        temporary.write_text(text, encoding="utf-8")


def page(motion: Trajectory, view: View, most: int | None = None) -> str:
    """The stand-alone HTML page of `motion`. most: limit on the poses of all bodies at all times
    (None: 400,000, which are 15 MB)."""
    text, *scripts = (
        files(__package__).joinpath(name).read_text(encoding="utf-8") for name in ("page.html", *SCRIPTS.values())
    )
    data, frames = _data(motion, view, most or POSES)
    chosen = float(f"{view.speed:.3g}")
    factor = 1.0 if min(SPEEDS) <= chosen <= max(SPEEDS) else chosen
    speeds = sorted({chosen, *(float(f"{speed * factor:.3g}") for speed in SPEEDS)})
    marks = {
        **dict(zip(SCRIPTS, scripts, strict=True)),
        **({} if data["beams"] else {"beams": NO_BEAMS}),
        "title": escape(view.title),
        "subtitle": escape(f"{motion.scheme!r}, h = {motion.h:.6g} s, {motion.steps:,} steps"),
        "note": escape(frames.note),
        "coarse": "coarse" if frames.coarse else "",
        "follow": "checked" if view.follow else "",
        "speeds": "".join(f"<option{' selected' if s == chosen else ''}>{s:g}" for s in speeds),
        "themes": style_sheet().replace("\n", "\n  "),
        "colors": json.dumps(script_values()),
        "theme": view.theme or "",
        "data": json.dumps(data).replace("<", "\\u003c"),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: marks[mark[1]], text)


def _data(motion: Trajectory, view: View, most: int) -> tuple[dict[str, Any], Frames]:
    picture = picture_of(passing(motion), view.traces)
    frames = frames_of(motion, most)
    now = frames.now
    low, high = extent(picture, now.x, now.R)
    size = float((high - low).max()) / 2
    shrink = picture.shrink(size)
    symbols = picture.symbols.ends(now.x[0], now.R[0], shrink * SYMBOL_SIZE * size)
    up = upright(motion.model.gravity)
    arrows = arrows_of(picture, motion.t[frames.number], up.T @ now.R, motion)
    room = [corners(picture, now.x, now.R), symbols.reshape(-1, 3), tips(arrows, now.x, now.R, up, size)]
    data = scene(picture) | {
        "times": packed(motion.t[frames.number], "<f8"),
        "poses": packed(frames.poses),
        "rates": None if frames.rates is None else packed(frames.rates),
        "floors": planes_of(picture, float(low[2])).tolist(),
        "middle": (0.5 * (low + high)).tolist(),
        "size": size,
        "room": packed(outermost(np.concatenate(room))),
        "near": extent_of_bodies(picture, now.x),
        "camera": {"turn": view.turn, "lift": view.lift},
    }
    data["symbols"]["size"], data["axes"]["half"] = shrink * SYMBOL_SIZE, shrink * AXIS
    data["arrows"] = [_arrow(one, up) for one in arrows]
    data["strain"] = _strains(picture, now.x, now.R, size, data["beams"])
    data["strainText"] = "" if data["strain"] is None else strain_in_words(data["strain"])
    some = slice(None, None, max(1, len(frames.number) // SPRING_STATES))
    extension = picture.springs.extension(picture.springs.ends(now.x[some], now.R[some]))
    data["springs"]["most"] = float(np.abs(extension).max(initial=0.0))
    data |= _contacts(motion, frames.number, size)
    data["curves"] = _curves(motion, CURVE_NUMBERS if most >= POSES else CURVE_NUMBERS // 4)
    if len(motion.phases) > 1:  # lines are hidden in phases without their joints and forces
        for kind in ("springs", "dampers", "rods", "axes", "symbols"):
            data[kind]["shown"] = intervals(motion, vars(picture)[kind].names)
    return data, frames


def _curves(motion: Trajectory, left: int) -> dict[str, Any]:
    """Readings of the whole motion, its joints and its bodies at some times: at most `left` numbers."""
    some = motion.chosen_states(chosen(len(motion), CURVE_TIMES))
    found = []
    things: list[tuple[str, str, str, Any]] = [("model", motion.model.name or "motion", "", None)]
    things += [("joint", joint.name, type(joint).__name__, joint) for joint in motion.model.joints]
    things += [("body", body.name, "", body) for body in motion.model.bodies[1:]]
    for kind, name, of_type, thing in things:
        charts = readings_of_model(some) if thing is None else readings(some, thing)
        left -= sum(chart.values.size for chart in charts)
        if left < 0:
            break
        if charts:
            found.append({"kind": kind, "name": name, "type": of_type, "charts": [_chart(chart) for chart in charts]})
    return {"times": packed(some.t, "<f8"), "things": found}


def _chart(chart: Curves) -> dict[str, Any]:
    return {"what": chart.what, "unit": chart.unit, "names": chart.names, "values": packed(chart.values)}


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
    kinds = {thing.name: type(thing).__name__ for thing in model.things}
    return {
        "world": quaternions(upright(model.gravity)[None])[0].tolist(),
        "gravity": float(np.linalg.norm(model.gravity)),
        "shapes": [
            {"vertices": packed(one.surface.vertices), "triangles": packed(one.surface.triangles, "<u4")}
            for one in picture.shapes
        ],
        "bodies": [
            {
                "name": body.name,
                "shape": int(picture.shape_of[b]),
                "reach": float(picture.reach[b]),
                "covered": bool(picture.covered[b]),
                "color": rgba(picture.colors[b], float(picture.opacity[b])),
                "trace": [
                    rgba(readable(picture.colors[b], paper)) for paper in (theme.paper for theme in THEMES.values())
                ],
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
        "symbols": _symbols(picture) | {"types": [kinds.get(name, "") for name in picture.symbols.names]},
        "arrows": [],
        "traces": _places(picture.traces),
        "beams": [_beam(beam) for beam in picture.beams],
        "strain": None,
    }


def _beam(beam: BeamPicture) -> dict[str, Any]:
    """A beam as beams.js reads it; `changes` are those of stretch and curvatures at all times."""
    return {
        "name": beam.name,
        "body": beam.body.tolist(),
        "parts": beam.parts,
        "directed": beam.directed,
        "flat": not beam.sizes,
        "outline": packed(beam.outline),
        "drawn": packed(beam.outline),
        "triangles": packed(beam.triangles, "<u4"),
        "color": rgba(beam.color, beam.opacity),
        "changes": None,
    }


def _strains(picture: Picture, x: Array, R: Array, size: float, found: list[dict[str, Any]]) -> float | None:
    """Enter the strains of all beams over the times of x and R, and their outlines in a motion of this size; return the
    largest strain, None if no beam is coloured by it."""
    for beam, entry in zip(picture.beams, found, strict=True):
        entry["drawn"] = packed(beam.drawn(size))
        if beam.strains is not None:
            entry["changes"] = packed(beam.changes(x, R))
    return largest_strain(picture.beams, x, R) if any(beam.strains for beam in picture.beams) else None


def _symbols(picture: Picture) -> dict[str, Any]:
    """Pieces of lines: their bodies, and the two parts r and p of their ends (picture/symbols.py)."""
    symbols = picture.symbols
    return {
        "names": symbols.names,
        "kinds": symbols.kinds,
        "owner": symbols.owner.tolist(),
        "body": symbols.body.tolist(),
        "r": packed(symbols.r),
        "p": packed(symbols.p),
        "size": SYMBOL_SIZE,
    }


def _arrow(arrows: Arrows, up: Array) -> dict[str, Any]:
    return {
        "kind": arrows.kind,
        "unit": arrows.unit,
        "names": arrows.names,
        **_places(arrows.points),
        "values": packed(arrows.values @ up.T),
        "most": arrows.most,
        "scale": arrows.scale,
        "length": ARROW_LENGTH,
    }


def _places(*of: Places) -> dict[str, Any]:
    """Points fixed to bodies: for each row of points their bodies, and their coordinates there."""
    return {"body": [places.body.tolist() for places in of], "r": [packed(places.r) for places in of]}


def packed(array: Any, kind: str = "<f4") -> str:
    """An array as text for a page."""
    return base64.b64encode(np.ascontiguousarray(array, dtype=kind).tobytes()).decode()


def rgba(color: Any, opacity: float = 1.0) -> list[float]:
    """A colour of three numbers up to 255 as four from 0 to 1, the last of which is the opacity."""
    return [int(part) / 255 for part in color] + [opacity]
