"""Imported bodies: mass properties and triangles, read once from a file or the geometry kernel."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...checks import positive
from ...errors import ModelError
from ..mass import MassProperties
from ..pose import Pose
from ..surface import Surface

METRES = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "in": 0.0254}


@dataclass(frozen=True, eq=False)
class Solid:
    """An imported body: mass properties and surface in body axes, a name, and `place`, its pose in the file.

    >>> from livens import Box
    >>> box = Box(1.0, 1.0, 1.0, mass=2.0)
    >>> Solid(box.mass_properties, box.surface, name="crate").place.a.tolist()
    [0.0, 0.0, 0.0]
    """

    mass_properties: MassProperties
    surface: Surface
    name: str | None = None
    place: Pose = field(default_factory=Pose)

    def centered(self) -> Solid:
        """The same solid at the same position, with the origin of its body frame at the centre of mass."""
        c = Pose(self.mass_properties.center)
        back = c.inverse()
        return Solid(self.mass_properties.moved(back), self.surface.moved(back), self.name, self.place @ c)


def metres(unit: str | float) -> float:
    """The length of one unit [m]: a name (m, cm, mm, in) or a number of metres.

    >>> metres("in"), metres(0.3048)
    (0.0254, 0.3048)
    """
    if isinstance(unit, str):
        if unit not in METRES:
            raise ModelError(f"unit must be one of {', '.join(map(repr, METRES))} or metres per unit, got {unit!r}.")
        return METRES[unit]
    return positive(unit, "unit", "m")


def packed(solids: Sequence[Solid]) -> bytes:
    """Solids as bytes, for transfer between processes."""
    arrays: dict[str, Any] = {"names": json.dumps([solid.name for solid in solids])}
    for k, solid in enumerate(solids):
        matter = solid.mass_properties
        arrays |= {f"mass{k}": matter.mass, f"inertia{k}": matter.inertia, f"center{k}": matter.center}
        arrays |= {f"vertices{k}": solid.surface.vertices, f"triangles{k}": solid.surface.triangles}
        arrays |= {f"a{k}": solid.place.a, f"B{k}": solid.place.B}
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def unpacked(data: bytes) -> list[Solid]:
    """The solids from the bytes of `packed`.

    >>> from livens import Ball
    >>> ball = Ball(0.1, density=1000)
    >>> [again] = unpacked(packed([Solid(ball.mass_properties, ball.surface, "ball")]))
    >>> again.name, again.mass_properties.mass == ball.mass_properties.mass
    ('ball', True)
    """
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return [
            Solid(
                MassProperties(float(arrays[f"mass{k}"]), arrays[f"inertia{k}"], arrays[f"center{k}"]),
                Surface(arrays[f"vertices{k}"], arrays[f"triangles{k}"]),
                name,
                Pose(arrays[f"a{k}"], arrays[f"B{k}"]),
            )
            for k, name in enumerate(json.loads(str(arrays["names"])))
        ]
