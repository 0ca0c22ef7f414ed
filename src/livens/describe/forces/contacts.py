"""Contacts: contact between all bodies of a model."""

from __future__ import annotations

from collections.abc import Sequence

from ...checks import not_negative
from ...errors import ModelError
from ..body import Body, Plane, Point
from ..contact_rule import ContactRule, check_restitution, refuse_both
from ..symmetry import NONE, Symmetry
from ..thing import Thing
from .contact import plane_symmetry


class Contacts(Thing):
    """Contact between all bodies of the model, and with `planes` such as [m.world.plane((0, 0, 0))].

    friction, restitution, impacts, rolling, spinning, patch as in `lv.Contact`, which overrides them for one pair.
    Moving bodies that a joint connects and neighbours in a beam do not touch each other; `exclude` names more pairs
    that do not: [(a, b), …].

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> low = m.add(lv.Body(lv.Box(1, 1, 1, mass=1.0), at=(0, 0, 0.5), name="low"))
    >>> high = m.add(lv.Body(lv.Box(1, 1, 1, mass=1.0), at=(0, 0, 1.5), name="high"))
    >>> touch = m.add(lv.Contacts(planes=[m.world.plane((0, 0, 0))], friction=0.5))
    >>> motion = lv.simulate(m, h=1e-2, until=1.0)
    >>> bool(abs(motion.position(high)[-1, 2] - 1.5) < 1e-12)
    True
    """

    kind = "force"

    def __init__(
        self,
        planes: Sequence[Plane] = (),
        friction: float = 0.0,
        restitution: float = 0.0,
        exclude: Sequence[tuple[Body, Body]] = (),
        impacts: str = "sequence",
        rolling: float = 0.0,
        spinning: float = 0.0,
        patch: float = 0.0,
        name: str = "",
    ):
        label = f"contacts {name!r}" if name else "contacts"
        planes = (planes,) if isinstance(planes, Plane) else tuple(planes)
        for plane in planes:
            if not isinstance(plane, Plane):
                raise ModelError(f"planes of {label} are planes such as m.world.plane((0, 0, 0)), not {plane!r}.")
        for pair in exclude:
            two = isinstance(pair, Sequence) and len(pair) == 2
            if not two or not all(isinstance(body, Body) for body in pair):
                raise ModelError(f"exclude of {label} holds pairs of bodies such as (arm, wheel), not {pair!r}.")
        if impacts not in ("sequence", "together"):
            raise ModelError(f"{label} resolve impacts in 'sequence' or 'together', not {impacts!r}.")
        self.planes, self.exclude = planes, tuple((one, two) for one, two in exclude)
        self.impacts, self.name = impacts, name
        self.friction = not_negative(friction, f"friction of {label}")
        self.restitution = check_restitution(restitution, label)
        self.rolling = not_negative(rolling, f"rolling of {label}", "m")
        self.spinning = not_negative(spinning, f"spinning of {label}", "m")
        self.patch = not_negative(patch, f"patch of {label}", "m")
        refuse_both(self.spinning, self.patch, label)

    @property
    def points(self) -> tuple[Point, ...]:
        return ()

    @property
    def bodies(self) -> tuple[Body, ...]:  # type: ignore[override]
        """The bodies that it names."""
        return (*(plane.body for plane in self.planes), *(body for pair in self.exclude for body in pair))

    def contacts(self) -> list[ContactRule]:
        sequence = self.impacts == "sequence"
        return [
            ContactRule(
                (), self.friction, self.restitution, sequence, self.planes, self.exclude,
                rolling=self.rolling, spinning=self.spinning, patch=self.patch,
            )
        ]  # fmt: skip

    @property
    def dissipates(self) -> bool:
        return self.friction + self.rolling + self.spinning > 0.0 or self.restitution < 1.0

    def symmetries(self, acted: bool = False) -> list[Symmetry]:
        fixed = [plane for plane in self.planes if plane.body.is_world]
        resists = self.friction + self.rolling + self.spinning > 0.0
        return [Symmetry(NONE, NONE) if resists else plane_symmetry(plane) for plane in fixed]
