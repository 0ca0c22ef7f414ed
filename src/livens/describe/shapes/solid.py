"""What an imported body is: numbers and triangles, taken out of the file or the geometry kernel once and for all."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ...checks import positive
from ...errors import FileError, ModelError
from ..mass import MassProperties
from ..pose import Pose
from ..surface import Surface

LONG = 300  # characters of a name that are said
METRES = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "in": 0.0254}


@dataclass(frozen=True, eq=False)
class Solid:
    """An imported body: mass properties and surface in body axes, a name, and `place`, where the body frame was drawn.

    >>> from livens.describe.shapes.primitives import Box
    >>> box = Box(1.0, 1.0, 1.0, mass=2.0)
    >>> Solid(box.mass_properties, box.surface, name="crate").place.a.tolist()
    [0.0, 0.0, 0.0]
    """

    mass_properties: MassProperties
    surface: Surface
    name: str | None = None
    place: Pose = field(default_factory=Pose)

    def centered(self) -> Solid:
        """The same solid at the same place with the origin of its body frame at the centre of mass."""
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


def contents(path: str | PathLike[str], max_bytes: int) -> bytes:
    """The bytes of a file that is not larger than `max_bytes`."""
    file = Path(path)
    name = str(file) if len(str(file)) <= LONG else f"{str(file)[:LONG]}…"
    try:
        size = file.stat().st_size
        if not file.is_file():
            raise FileError(f"{name} is not a file.")
        if size > max_bytes:
            raise FileError(f"{name} has {size} bytes; raise max_bytes = {max_bytes} if you trust it.")
        return file.read_bytes()
    except FileError:
        raise
    except FileNotFoundError:
        raise FileError(f"{name} does not exist.") from None
    except PermissionError:
        raise FileError(f"{name} may not be read: permission denied.") from None
    except OSError as error:
        raise FileError(f"{name} cannot be read: {(error.strerror or 'it is unreadable').lower()}.") from None


def packed(solids: Sequence[Solid]) -> bytes:
    """Solids as bytes, to go from one process to another."""
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
    """What `packed` packed.

    >>> from livens.describe.shapes.primitives import Ball
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
