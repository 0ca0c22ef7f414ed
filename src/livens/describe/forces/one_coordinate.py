"""The coordinate of a joint on which a motor, a stop or friction acts."""

from __future__ import annotations

from typing import Any

from ...errors import ModelError
from ..thing import Thing


def chosen_coordinate(joint: Any, part: str | None, label: str) -> int:
    """The number of the coordinate `part` of `joint`; of the first one if `part` is None."""
    if not isinstance(joint, Thing) or not joint.coordinates:
        raise ModelError(f"{label} needs a joint with a coordinate (Revolute, Prismatic, …), not {joint!r}.")
    parts = [q.part or ("angle" if q.is_angle else "displacement") for q in joint.coordinates]
    if part is not None and part not in parts:
        raise ModelError(f"{label} acts on {joint.label}, which has {', '.join(parts)}, not {part!r}.")
    return 0 if part is None else parts.index(part)
