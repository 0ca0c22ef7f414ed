"""Bodies from CAD: netgen.occ solids and STEP files, mass, centre and inertia from the geometry kernel (OpenCascade).

The kernel gives V, c and J at density 1 in its own length unit; with ρ [kg/m³] and s metres per kernel unit

    m = ρ s³ V,      c ← s c,      J ← ρ s⁵ J   (about the centre of mass, in the axes of the drawing).       (1)

Numbers and triangles are extracted at once, because kernel shapes cannot be pickled.

Pitfalls of netgen.occ: `Cone` takes its angle in *radians* and gives a wrong solid for 360 without an error; the first
radius of `Ellipsoid` is along the main direction of its axes; STEP files are always read in millimetres, so a file that
is declared in metres is a thousand times too large (read_step corrects it).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ...checks import file_path, positive
from ...errors import FileError, ModelError, require
from ...storage.bytes import read_limited
from ...storage.sandbox import run_sandboxed, serve
from ..mass import MassProperties
from ..surface import Surface
from ..tessellate import rounded
from .solid import METRES, Solid, metres, packed, unpacked

MILLIMETRE = 1e-3  # the unit of a STEP file that OpenCascade has read [m]
NOISE = 1e-12  # entries of a tensor below this fraction of the largest are round-off of the kernel

_PREFIX = {"KILO": 1e3, "DECI": 1e-1, "CENTI": 1e-2, "MILLI": 1e-3, "MICRO": 1e-6, "NANO": 1e-9}


def from_occ(shape: Any, *, density: float, name: str | None = None) -> Solid:
    """The netgen.occ `shape`, drawn in metres, as a body of `density` [kg/m³] in the frame of the drawing.

    >>> from netgen.occ import Box, Pnt
    >>> brick = from_occ(Box(Pnt(0, 0, 0), Pnt(0.2, 0.1, 0.05)), density=2000, name="brick")
    >>> round(brick.mass_properties.mass, 9), brick.mass_properties.center.round(9).tolist()
    (2.0, [0.1, 0.05, 0.025])
    """
    if not isinstance(shape, _netgen().TopoDS_Shape):
        raise ModelError(f"from_occ takes a netgen.occ shape, not {shape!r}.")
    solids = shape.solids  # boolean operations give a compound, which has no name of its own
    label = name or (solids[0].name if len(solids) == 1 else None)
    return _taken(shape, positive(density, "density", "kg/m³"), 1.0, label)


def hammer(density: float = 1.0) -> Solid:
    """The hammer of the source documents: a 2 × 1 × 1 m head, a handle of radius 0.1 m from its middle to y = 2.5 m.

    Its three moments of inertia differ, so rotation about the intermediate axis is unstable. `density` in kg/m³. The
    numbers are those of `draw_hammer`, stored in hammer.json, so that the hammer does not need netgen.

    >>> hammer().mass_properties.inertia.diagonal().round(6).tolist()
    [0.4915, 0.833647, 0.9915]
    """
    kept = json.loads(files(__package__).joinpath("hammer.json").read_text(encoding="utf-8"))
    matter = MassProperties(kept["mass"], kept["inertia"], kept["center"]).scaled(positive(density, "density", "kg/m³"))
    return Solid(matter, Surface(np.array(kept["vertices"]), np.array(kept["triangles"], dtype=np.int32)), "hammer")


def draw_hammer() -> Solid:
    """The hammer at density 1, drawn and integrated by the geometry kernel."""
    occ = _netgen()
    head = occ.Box(occ.Pnt(-1, -0.5, -0.5), occ.Pnt(1, 0.5, 0.5))
    return from_occ(head + occ.Cylinder(occ.Pnt(0, 0, 0), occ.Y, r=0.1, h=2.5), density=1.0, name="hammer")


def read_step(
    path: str | PathLike[str], *, density: float, unit: str | float, max_bytes: int = 500_000_000
) -> list[Solid]:
    """Every solid of a STEP file as a body of `density` [kg/m³]: its name, and its position in the drawing.

    The body frame of each solid is at its centre of mass with the axes of the drawing; `place` is its pose.

    `unit` is the length of the number 1.0 *in the file*. A name ("mm", "m", "cm", "in") must be the unit that the file
    declares, otherwise it is refused, so that a wrong guess or a wrong file is noticed. A number [metres] overrides the
    declaration: netgen, for example, always declares millimetres, so a drawing in metres that netgen has written is
    read with unit=1.0. A file without a declaration is read in the unit given. The file is read in a separate process,
    which has two minutes and 4 GiB.

    >>> from netgen.occ import Box, Pnt
    >>> with TemporaryDirectory() as folder:
    ...     Box(Pnt(0, 0, 0), Pnt(20, 10, 10)).WriteStep(folder + "/brick.step")
    ...     [brick] = read_step(folder + "/brick.step", density=2000, unit="mm")
    >>> brick.name, round(brick.mass_properties.mass, 9), brick.place.a.round(9).tolist()
    ('brick', 0.004, [0.01, 0.005, 0.005])
    """
    file, density = file_path(path), positive(density, "density", "kg/m³")
    _netgen()
    data = read_limited(file, max_bytes)
    scale = _scale(data.decode("latin-1"), unit, file)
    with TemporaryDirectory() as folder:  # the kernel needs the ending .step, in lower case
        copy = Path(folder) / "part.step"
        copy.write_bytes(data)
        request = {"path": str(file), "copy": str(copy), "density": density, "scale": scale}
        return unpacked(run_sandboxed("livens.describe.shapes.cad", request))


def answer(request: dict[str, Any]) -> bytes:
    """The solids of a STEP file, in the other process."""
    occ, file = _netgen(), Path(request["path"])
    try:
        leaves = list(_leaves(occ.OCCGeometry(request["copy"]).GetAssemblyTree()))
    except Exception as error:
        raise FileError(f"{file} cannot be read as STEP: {_first_line(error)}.") from None
    found: list[Solid] = []
    for leaf in leaves:
        label = leaf.name if leaf.name and not leaf.name.startswith("Open CASCADE STEP translator") else file.stem
        for shape in leaf.shape.solids:
            name = _unique(shape.name or label, [solid.name for solid in found])
            found.append(_taken(shape, request["density"], request["scale"], name).centered())
    if not found:
        raise ModelError(f"{file} contains no solid: faces and wires alone have no volume.")
    return packed(found)


def _taken(shape: Any, density: float, scale: float, name: str | None) -> Solid:
    """Equation (1) and the triangles."""
    label = f"solid '{name}'" if name else "the solid"
    if not len(shape.solids) or not shape.mass > 0.0:
        raise ModelError(f"{label} is empty: its volume is zero, as that of a face, a wire or an empty intersection.")
    V, c, J = shape.mass, shape.center, shape.inertia
    inertia = density * scale**5 * np.array([[J[i, j] for j in range(3)] for i in range(3)])
    center = scale * np.array([c.x, c.y, c.z])
    surface = _surface(shape, label)
    surface = Surface(scale * surface.vertices, surface.triangles)
    inertia[np.abs(inertia) < NOISE * np.abs(inertia).max()] = 0.0
    center[np.abs(center) < NOISE * np.abs(surface.vertices).max()] = 0.0
    return Solid(MassProperties(density * scale**3 * V, inertia, center), surface, name)


def _surface(shape: Any, label: str) -> Surface:
    """The kernel's display triangles (28 sides on a cylinder), refined with its exact normals."""
    groups = shape._webgui_data()["Bezier_trig_points"]
    points = np.stack([np.reshape(g, (-1, 4))[:, :3] for g in groups[:3]], axis=1)
    normals = np.stack([np.reshape(g, (-1, 3)) for g in groups[3:6]], axis=1)
    if not points.size or not np.isfinite(points).all():
        raise ModelError(f"{label} has a volume but faces that cannot be drawn: is it damaged?")
    return rounded(points.astype(np.float64), normals.astype(np.float64))


def _scale(text: str, unit: str | float, file: Path) -> float:
    """Metres per kernel unit, from the unit the file declares and the one the user states."""
    stated = metres(unit)
    if not text.lstrip().startswith("ISO-10303-21") or "END-ISO-10303-21" not in text:
        raise FileError(f"{file} is not a complete STEP file (it does not run from ISO-10303-21 to END-ISO-10303-21).")
    ids = re.findall(r"#(\d+)", " ".join(re.findall(r"GLOBAL_UNIT_ASSIGNED_CONTEXT\s*\(\s*\(([^)]*)\)", text)))
    declared = sorted({u for u in (_declared(text, i, file) for i in dict.fromkeys(ids)) if u is not None})
    if len(declared) > 1:
        several = ", ".join(map(_spoken, declared))
        raise ModelError(f"{file} declares several length units ({several}): save it with one.")
    if not declared:
        return stated
    if isinstance(unit, str) and abs(stated - declared[0]) > 1e-6 * stated:
        raise ModelError(
            f"{file} declares its lengths in {_spoken(declared[0])}, but unit={unit!r} was given: "
            f"use the unit it declares, or unit={stated!r} (metres per number in the file) if the declaration is wrong."
        )
    return stated * MILLIMETRE / declared[0]


def _declared(text: str, entity: str, file: Path, depth: int = 0) -> float | None:
    """Metres per length unit #entity of a STEP file; None if it is a unit of something else."""
    found = re.search(rf"#{entity}\s*=([^;]*);", text)
    body = found[1] if found else ""
    if not re.search(r"\bLENGTH_UNIT\b", body):
        return None
    if si := re.search(r"SI_UNIT\s*\(\s*(?:\$|\.(\w+)\.)\s*,\s*\.METRE\.", body):
        if si[1] is None or si[1] in _PREFIX:
            return _PREFIX.get(si[1] or "", 1.0)
    elif (based := re.search(r"CONVERSION_BASED_UNIT\s*\(\s*'[^']*'\s*,\s*#(\d+)", body)) and depth < 4:
        measure = re.search(rf"#{based[1]}\s*=[^;]*LENGTH_MEASURE\s*\(\s*([\d.+\-E]+)\s*\)\s*,\s*#(\d+)", text)
        base = _declared(text, measure[2], file, depth + 1) if measure else None
        if measure and base is not None:
            return float(measure[1]) * base
    raise FileError(f"{file} declares a length unit that cannot be understood: {' '.join(body.split())}.")


def _spoken(size: float) -> str:
    known = (repr(name) for name, value in METRES.items() if abs(value - size) < 1e-6 * size)
    return next(known, f"units of {size:g} m")


def _leaves(node: Any) -> Iterator[Any]:
    """The parts of a product structure, each with its shape placed in the drawing."""
    if node.shape is not None:
        yield node
    for child in node.children:
        yield from _leaves(child)


def _unique(name: str, taken: list[str | None]) -> str:
    """`name`, or name-2, name-3, … if it is taken."""
    count = 1
    while (candidate := name if count == 1 else f"{name}-{count}") in taken:
        count += 1
    return candidate


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


def _netgen() -> Any:
    return require("netgen.occ", "CAD solids need netgen", "livens[cad]")


if __name__ == "__main__":
    serve(answer)
