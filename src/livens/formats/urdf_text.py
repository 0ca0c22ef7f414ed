"""The contents of a URDF file: links with their mass and visuals, and joints, checked to be a tree."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from ..checks import Array
from ..describe.pose import Pose
from ..errors import FileError, ModelError
from ..storage.xml import read_markup

URDF_JOINTS = ("fixed", "revolute", "continuous", "prismatic", "floating", "planar")


@dataclass
class Link:
    """A link: mass, centre of mass and inertia about it in the axes of its frame, its visuals and collisions."""

    name: str
    mass: float = 0.0  # kg
    center: Array = field(default_factory=lambda: np.zeros(3))  # m
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))  # kg m²
    visuals: list[tuple[Pose, Element]] = field(default_factory=list)  # pose, and <box>, <mesh>, …
    collisions: list[tuple[Pose, Element]] = field(default_factory=list)
    color: tuple[float, ...] | None = None  # red, green, blue and opacity of its first visual that has a colour


@dataclass
class Arm:
    """A joint of the file: the child's frame, the axis in it, and the elements on its coordinate."""

    name: str
    kind: str
    parent: str
    child: str
    origin: Pose
    axis: Array
    limits: tuple[float, float] | None
    damping: float
    friction: float
    mimic: tuple[str, float, float] | None  # joint, multiplier, offset


@dataclass
class Robot:
    """A tree of links: `arms` leads from each child to its joint, parents before children."""

    name: str
    root: str
    links: dict[str, Link]
    arms: dict[str, Arm]


def read_robot(path: Path, notes: list[str]) -> Robot:
    """The robot in a URDF file."""
    top = read_markup(path)
    if top.tag != "robot":
        raise FileError(f"{path} is not URDF: its first element must be <robot>, not <{top.tag[:60]}>.")
    links: dict[str, Link] = {}
    paints = _paints(top)
    for element in top.findall("link"):
        link = _link(element, paints)
        if link.name in links:
            raise ModelError(f"link {link.name!r} is defined twice.")
        links[link.name] = link
    arms = [_arm(element, links, notes) for element in top.findall("joint")]
    if len({arm.name for arm in arms}) < len(arms):
        raise ModelError("two joints have the same name.")
    return Robot(top.get("name", path.stem) or path.stem, *_tree(links, arms))


def _tree(links: dict[str, Link], arms: list[Arm]) -> tuple[str, dict[str, Link], dict[str, Arm]]:
    """Root, links and arms, the arms in an order in which parents come first."""
    of: dict[str, Arm] = {}
    children: dict[str, list[Arm]] = {}
    for arm in arms:
        if arm.child in of:
            raise ModelError(f"link {arm.child!r} is the child of two joints: URDF describes trees.")
        of[arm.child] = arm
        children.setdefault(arm.parent, []).append(arm)
    roots = [name for name in links if name not in of]
    if len(roots) != 1:
        some = ", ".join(map(repr, roots[:5]))
        raise ModelError(
            f"a robot has one link that is not a child, and this one has {len(roots)}{': ' * bool(some)}{some}."
        )
    ordered: dict[str, Arm] = {}
    queue = [roots[0]]
    for name in queue:
        for arm in children.get(name, ()):
            ordered[arm.child] = arm
            queue.append(arm.child)
    if len(ordered) < len(of):
        lost = next(name for name in of if name not in ordered)
        raise ModelError(f"link {lost!r} is in a loop of joints: URDF describes trees.")
    return roots[0], links, ordered


def _paints(top: Element) -> dict[str, tuple[float, ...]]:
    """The colours of named materials."""
    found: dict[str, tuple[float, ...]] = {}
    for material in top.iter("material"):
        if (color := material.find("color")) is not None and (paint := _paint(color)) is not None:
            found.setdefault(material.get("name", ""), paint)
    return found


def _paint(color: Element) -> tuple[float, ...] | None:
    """Red, green, blue and opacity from 0 to 1; None if the file does not give four such numbers."""
    try:
        values = tuple(float(word) for word in color.get("rgba", "").split())
    except ValueError:
        return None
    return values if len(values) == 4 and all(0.0 <= x <= 1.0 for x in values) else None


def _link(element: Element, paints: dict[str, tuple[float, ...]]) -> Link:
    name = _named(element, "link")
    colors = [_of_material(visual.find("material"), paints) for visual in element.findall("visual")]
    link = Link(
        name,
        visuals=_geometry(element, "visual", name),
        collisions=_geometry(element, "collision", name),
        color=next((color for color in colors if color is not None), None),
    )
    inertial = element.find("inertial")
    if inertial is None:
        return link
    label = f"link {name!r}"
    at = _pose(inertial.find("origin"), label)
    m = _number(inertial.find("mass"), "value", 0.0, f"mass of {label}")
    if m < 0.0:
        raise ModelError(f"mass of {label} is negative: {m:g} kg.")
    tensor = inertial.find("inertia")
    xx, xy, xz, yy, yz, zz = (
        _number(tensor, key, 0.0, f"inertia of {label}") for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    link.mass, link.center = m, at.a
    link.inertia = at.B @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ at.B.T
    return link


def _geometry(element: Element, tag: str, name: str) -> list[tuple[Pose, Element]]:
    """The poses and shapes in the <visual> or <collision> elements of a link."""
    return [
        (_pose(part.find("origin"), f"link {name!r}"), shape)
        for part in element.findall(tag)
        if (geometry := part.find("geometry")) is not None
        for shape in geometry
    ]


def _of_material(material: Element | None, paints: dict[str, tuple[float, ...]]) -> tuple[float, ...] | None:
    if material is None:
        return None
    color = material.find("color")
    return paints.get(material.get("name", "")) if color is None else _paint(color)


def _arm(element: Element, links: dict[str, Link], notes: list[str]) -> Arm:
    name = _named(element, "joint")
    label, kind = f"joint {name!r}", element.get("type", "")
    if kind not in URDF_JOINTS:
        raise ModelError(f"{label} is of type {kind[:40]!r}; types are {', '.join(URDF_JOINTS)}.")
    ends = []
    for role in ("parent", "child"):
        found = element.find(role)
        link = "" if found is None else found.get("link", "")
        if link not in links:
            raise ModelError(f"{label} has {role} link {link!r}, which the file does not have.")
        ends.append(link)
    axis = _numbers(element.find("axis"), "xyz", (1.0, 0.0, 0.0), f"axis of {label}")
    size = float(np.linalg.norm(axis))
    if size == 0.0 and kind not in ("fixed", "floating"):
        raise ModelError(f"axis of {label} has length zero.")
    acts, limit, mimic = element.find("dynamics"), element.find("limit"), element.find("mimic")
    limits = None
    if limit is not None and kind in ("revolute", "prismatic"):
        lower, upper = (_number(limit, key, 0.0, f"limit of {label}") for key in ("lower", "upper"))
        limits = (lower, upper) if lower < upper else None
        if limits is None:
            notes.append(f"the limits of {name!r}, {lower:g} to {upper:g}, which are empty")
    damping, friction = (_number(acts, key, 0.0, f"{key} of {label}") for key in ("damping", "friction"))
    follow = None
    if mimic is not None and kind in ("planar", "floating"):
        raise ModelError(f"{label} is {kind} and mimics another joint, which needs exactly one coordinate.")
    if mimic is not None and kind != "fixed":
        ratio, offset = (
            _number(mimic, key, value, f"mimic of {label}") for key, value in (("multiplier", 1.0), ("offset", 0.0))
        )
        follow = (mimic.get("joint", ""), ratio, offset)
    at = _pose(element.find("origin"), label)
    return Arm(name, kind, ends[0], ends[1], at, axis / (size or 1.0), limits, damping, friction, follow)


# ── words and numbers ──


def _named(element: Element, what: str) -> str:
    name = element.get("name", "")
    if not name or len(name) > 200 or "\0" in name:
        raise ModelError(f"a {what} has no name, or one longer than 200 letters.")
    return name


def _number(element: Element | None, key: str, otherwise: float, what: str) -> float:
    return float(_numbers(element, key, (otherwise,), what)[0])


def _numbers(element: Element | None, key: str, otherwise: tuple[float, ...], what: str) -> Array:
    text: Any = None if element is None else element.get(key)
    if text is None:
        return np.array(otherwise)
    try:
        values = np.array([float(word) for word in text.split()])
    except ValueError:
        values = np.empty(0)
    if len(values) != len(otherwise) or not np.isfinite(values).all():
        raise ModelError(f"{what}: {key}={text[:60]!r} is not {len(otherwise)} number{'s' * (len(otherwise) > 1)}.")
    return values


def _pose(origin: Element | None, what: str) -> Pose:
    """<origin xyz rpy>: roll, pitch and yaw about the fixed axes x, y, z."""
    at = _numbers(origin, "xyz", (0.0, 0.0, 0.0), f"origin of {what}")
    rpy = _numbers(origin, "rpy", (0.0, 0.0, 0.0), f"origin of {what}")
    B = np.eye(3)
    for axis, angle in zip(np.eye(3), rpy, strict=True):
        B = Pose.from_axis_angle(axis, angle).B @ B
    return Pose(at, B)
