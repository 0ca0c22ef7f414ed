"""What an imported body is: numbers and triangles, taken out of the file or the geometry kernel once and for all."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

from .checks import positive
from .errors import FileError, ModelError
from .mass import MassProperties
from .pose import Pose
from .surface import Surface

METRES = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "in": 0.0254}


@dataclass(frozen=True, eq=False)
class Solid:
    """An imported body: mass properties and surface in body axes, a name, and `place`, where the body frame was drawn.

    >>> from livens.shapes import Box
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
    try:
        size = file.stat().st_size
        if not file.is_file():
            raise FileError(f"{file} is not a file.")
        if size > max_bytes:
            raise FileError(f"{file} has {size} bytes; raise max_bytes = {max_bytes} if you trust it.")
        return file.read_bytes()
    except FileNotFoundError:
        raise FileError(f"{file} does not exist.") from None
    except PermissionError:
        raise FileError(f"{file} may not be read: permission denied.") from None
