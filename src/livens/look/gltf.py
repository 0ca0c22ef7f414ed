"""A motion as an animated binary glTF 2.0 file (.glb), which other programs play: write_gltf(motion, path).

One node for each item of the picture, below a root that turns the direction against gravity into glTF's y. Bodies of
one shape and colour share a mesh. Springs, dampers, rods and axes are tubes along z from 0 to 1, which a node scales to
its length; beams are skins (gltf_beams.py). Samplers give translations [m], rotations (x, y, z, w) and, for lines,
scales over the same times [s].
A .glb is a header, a chunk of JSON and a chunk of bytes, each padded to a multiple of four, all little-endian:

    "glTF", version 2, total length;    length, "JSON", text;    length, "BIN\\0", bytes.

Source: Khronos Group, glTF 2.0 specification, sections 3.6 (buffers), 3.11 (animations) and 4.4 (binary layout).
"""

from __future__ import annotations

import json
import os
import struct
from typing import Any

import numpy as np

from .. import __version__
from ..checks import Array, file_path, positive
from ..describe.pose import quaternions
from ..errors import FileError
from ..record.trajectory import Trajectory
from ..storage.atomic import MARK, replacing
from .gltf_beams import add_beams
from .picture.arrows import ARROW_LENGTH, arrows_of
from .picture.coils import RADIUS, profile
from .picture.colors import BLACK, PURPLE, SLATE, VERMILION, hexadecimal
from .picture.contacts import ContactPicture
from .picture.extent import extent, upright
from .picture.instants import Instant, instants
from .picture.phases import lasting
from .picture.picture import AXIS, Picture, picture_of
from .picture.shapes import Mesh
from .picture.symbols import SYMBOL_SIZE
from .picture.themes import theme_of
from .picture.tubes import together, tube

FLOAT, UNSIGNED, SHORT = 5126, 5125, 5123  # component types: of 32 bits, and unsigned of 16 bits
CODES = {FLOAT: "<f4", UNSIGNED: "<u4", SHORT: "<u2"}
VERTICES, INDICES = 34962, 34963  # targets of buffer views
TRIANGLES = 4  # the mode of a primitive
THICKNESS = {
    "spring": 0.004,
    "damper": 0.003,
    "rod": 0.006,
    "axis": 0.006,
    "symbol": 0.003,
    "contact": 0.005,
}  # radii, in halves of the motion's size
STRAIGHT = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
LOADS = {"force": VERMILION, "torque": PURPLE}
CONTACT_ARROWS = 64  # contact forces at a time
Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # turns z into y


def write_gltf(
    motion: Trajectory, path: str | os.PathLike[str], rate: float | None = None, force: bool = False
) -> None:
    """Write `motion` to `path` (.glb) with no more than `rate` poses per second; programs interpolate in between.

    Left out, the rate is 60, or higher if a body turns by more than a radian from one pose to the next.

    >>> import livens as lv, tempfile
    >>> m = lv.Model(name="top")
    >>> top = m.add(lv.Body(lv.Box(1, 0.2, 0.1, density=500), body_rates=(0.1, 4, 0.1), name="top"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_gltf(lv.simulate(m, h=1e-2, until=1.0), folder + "/top.glb")
    ...     open(folder + "/top.glb", "rb").read(4)
    b'glTF'
    """
    if not str(file_path(path)).lower().endswith(".glb"):
        raise FileError(f"{path} cannot be written: the ending of a binary glTF file is .glb.")
    picture = picture_of(lasting(motion))
    chosen = frames(motion.t, _enough(motion) if rate is None else positive(rate, "rate", "poses/s"))
    document, now = _Document(motion.t[chosen]), instants(motion, chosen)
    _add_bodies(document, picture, now)
    low, high = extent(picture, now.x, now.R)
    half = float((high - low).max()) / 2
    _add_lines(document, picture, now, half)
    _add_symbols(document, picture, now, half)
    _add_loads(document, picture, motion.t[chosen], now, half)
    add_beams(document, picture, now, half, theme_of("light"))
    _add_contacts(document, motion, chosen, half)
    with replacing(path, "glTF", force) as temporary:
        temporary.write_bytes(document.binary(motion.model.name, Y_UP @ upright(motion.model.gravity)))


def frames(t: Array, rate: float) -> Any:
    """Numbers of the states to keep: first and last, and of those between no more than `rate` per second.

    >>> frames(np.linspace(0.0, 1.0, 1001), 10.0).tolist()
    [0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000]
    """
    many = min(len(t), 1 + int(np.ceil((t[-1] - t[0]) * rate - 1e-9)))
    return np.unique(np.searchsorted(t, np.linspace(t[0], t[-1], max(many, 2)) - 1e-9 * (t[-1] - t[0])))


def _enough(motion: Trajectory) -> float:
    fastest = max(float(np.linalg.norm(motion.body_rates(body), axis=1).max()) for body in motion.model.bodies[1:])
    return max(60.0, fastest)


def _add_bodies(document: _Document, picture: Picture, now: Instant) -> None:
    meshes: dict[tuple[int, int], int] = {}
    for k, body in enumerate(picture.model.bodies[1:], start=1):
        if picture.covered[k]:
            continue
        color = document.material(picture.colors[k], float(picture.opacity[k]))
        look = (int(picture.shape_of[k]), color)
        if look not in meshes:
            meshes[look] = document.surface(picture.shapes[look[0]].mesh, body.name, color)
        document.node(body.name, meshes[look], now.x[:, k], now.R[:, k])


def _add_symbols(document: _Document, picture: Picture, now: Instant, half: float) -> None:
    """Joints, ground and base link: tubes fixed to bodies."""
    symbols, size = picture.symbols, picture.shrink(half) * SYMBOL_SIZE * half
    for k, (name, kind) in enumerate(zip(symbols.names, symbols.kinds, strict=True)):
        mine = symbols.of(k)
        pieces = symbols.r[mine] + size * symbols.p[mine]
        mesh = together([tube(piece, THICKNESS["symbol"] * half) for piece in pieces])
        body = int(symbols.body[mine][0])
        number = document.surface(mesh, kind, document.material(SLATE if kind in ("ground", "base") else BLACK))
        document.node(name, number, now.x[:, body], now.R[:, body], kind="symbol")


def _add_loads(document: _Document, picture: Picture, t: Array, now: Instant, half: float) -> None:
    """Loads: arrows along z that nodes move, turn and scale; those of torques have two heads."""
    shown: set[str] = set()
    for one in arrows_of(picture, t, now.R):
        shaft, head = tube(STRAIGHT, 1.0), tube(STRAIGHT, 2.5)
        cone = head.vertices * np.where(head.vertices[:, 2:] > 0.5, (0.0, 0.0, 0.15), (1.0, 1.0, 0.15))
        ends = (0.85,) if one.kind == "force" else (0.85, 0.65)
        heads = [head._replace(vertices=cone + np.array((0.0, 0.0, z))) for z in ends]
        mesh = document.surface(together([shaft, *heads]), one.kind, document.material(LOADS[one.kind]))
        begin = one.points.at(now.x, now.R)
        along = one.values * (ARROW_LENGTH * half / one.most)
        length = np.maximum(np.linalg.norm(along, axis=2), 1e-12 * half)
        for k, name in enumerate(one.names):
            label = f"{name}, torque" if name in shown else name  # of a load with a force and a torque
            shown.add(name)
            width = np.full(len(t), THICKNESS["rod"] * half)
            scale = np.stack([width, width, length[:, k]], axis=1)
            document.node(label, mesh, begin[:, k], _turned_z(along[:, k] / length[:, k, None]), scale, "load")


def _add_lines(document: _Document, picture: Picture, now: Instant, half: float) -> None:
    """Springs, dampers, rods and axes: tubes along z that nodes move, turn and scale."""
    coil = profile(len(picture.springs))[:, [1, 2, 0]]
    for kind, names, ends in (
        ("spring", picture.springs.names, picture.springs.ends(now.x, now.R)),
        ("damper", picture.dampers.names, picture.dampers.ends(now.x, now.R)),
        ("rod", picture.rods.names, picture.rods.ends(now.x, now.R)),
        ("axis", picture.axes.names, picture.axes.ends(now.x, now.R, picture.shrink(half) * AXIS * half)),
    ):
        if not names:
            continue
        along = ends[:, :, 1] - ends[:, :, 0]
        length = np.linalg.norm(along, axis=2)
        width, mesh = THICKNESS[kind] * half, tube(STRAIGHT, 1.0)
        if kind == "spring" and len(coil) > 2:
            size = np.array([RADIUS * half, RADIUS * half, max(float(np.median(length[0])), RADIUS * half)])
            width, mesh = RADIUS * half, tube(coil, THICKNESS[kind] * half, size)
        number = document.surface(mesh, kind, document.material(BLACK))
        for k, name in enumerate(names):
            turn = _turned_z(along[:, k] / np.maximum(length[:, k], 1e-300)[:, None])
            scale = np.stack([np.full(len(length), width), np.full(len(length), width), length[:, k]], axis=1)
            document.node(name, number, ends[:, k, 0], turn, scale, kind)


def _add_contacts(document: _Document, motion: Trajectory, k: Any, half: float) -> None:
    """Contact forces: tubes from the contact points, of the strongest ones; those that are absent have no length."""
    marks = ContactPicture(motion, half)
    if not marks.exists:
        return
    ends = marks.arrows(k, CONTACT_ARROWS)
    along = ends[:, :, 1] - ends[:, :, 0]
    length = np.linalg.norm(along, axis=2)
    width = THICKNESS["contact"] * half
    number = document.surface(tube(STRAIGHT, 1.0), "contact", document.material(VERMILION))
    for c in range(ends.shape[1]):
        there = length[:, c] > 0.0
        turn = _turned_z(np.where(there[:, None], along[:, c] / np.maximum(length[:, c], 1e-300)[:, None], (0, 0, 1.0)))
        wide = np.where(there, width, 0.0)
        scale = np.stack([wide, wide, length[:, c]], axis=1)
        document.node(f"contact force {c + 1}", number, ends[:, c, 0], turn, scale, "contact")


def _turned_z(u: Array) -> Array:
    """Rotations (n, 3, 3) that turn z into the unit vectors u (n, 3): two half turns, about z and about z + u.

    >>> (_turned_z(np.array([[0.6, 0.0, 0.8]]))[0] @ (0, 0, 1)).round(12).tolist()
    [0.6, 0.0, 0.8]
    """
    middle = u + np.array([0.0, 0.0, 1.0])
    size = np.linalg.norm(middle, axis=1, keepdims=True)
    middle = np.where(size > 1e-9, middle / np.maximum(size, 1e-9), (1.0, 0.0, 0.0))
    return (2.0 * middle[:, :, None] * middle[:, None] - np.eye(3)) @ np.diag([-1.0, -1.0, 1.0])


class _Document:
    """The bytes, and the tables that describe them."""

    def __init__(self, t: Array) -> None:
        self.bytes = bytearray()
        self.views: list[dict[str, int]] = []
        self.accessors: list[dict[str, Any]] = []
        self.meshes: list[dict[str, Any]] = []
        self.nodes: list[dict[str, Any]] = []
        self.skins: list[dict[str, Any]] = []
        self.channels: list[dict[str, Any]] = []
        self.samplers: list[dict[str, Any]] = []
        self.materials: dict[str, dict[str, Any]] = {}
        self.time = self.accessor(t[:, None], "SCALAR", bounds=True)

    def accessor(
        self, values: Any, shape: str, bounds: bool = False, target: int | None = None, kind: int = FLOAT
    ) -> int:
        """Append rows of numbers; `bounds` adds the least and largest. A row has a multiple of four bytes."""
        data = np.ascontiguousarray(values, dtype=CODES[kind])
        view = {"buffer": 0, "byteOffset": len(self.bytes), "byteLength": data.nbytes}
        self.views.append(view | ({"target": target} if target else {}))
        self.bytes += data.tobytes()  # every view begins on a multiple of four
        entry = {"bufferView": len(self.views) - 1, "componentType": kind, "count": len(data), "type": shape}
        if bounds:
            entry |= {"min": data.min(axis=0).tolist(), "max": data.max(axis=0).tolist()}
        self.accessors.append(entry)
        return len(self.accessors) - 1

    def material(self, color: Any, opacity: float = 1.0) -> int:
        """The number of the material of this colour and opacity, appended if it is new."""
        name = hexadecimal(color) + (f" {opacity:g}" if opacity < 1.0 else "")
        linear = [(int(c) / 255) ** 2.2 for c in color]  # glTF takes linear colours
        rough: dict[str, Any] = {"baseColorFactor": [*linear, opacity], "metallicFactor": 0.1, "roughnessFactor": 0.6}
        self.materials.setdefault(
            name,
            {"name": name, "pbrMetallicRoughness": rough, "doubleSided": True}
            | ({"alphaMode": "BLEND"} if opacity < 1.0 else {}),
        )
        return list(self.materials).index(name)

    def surface(self, mesh: Mesh, name: str, material: int, colors: Any = None, owner: Any = None) -> int:
        """Append triangles. colors: of the vertices (n, 4); owner: of a skin, the number of the node of each one."""
        attributes = {
            "POSITION": self.accessor(mesh.vertices, "VEC3", bounds=True, target=VERTICES),
            "NORMAL": self.accessor(mesh.normals, "VEC3", target=VERTICES),
        }
        if colors is not None:
            attributes["COLOR_0"] = self.accessor(colors, "VEC4", target=VERTICES)
        if owner is not None:
            first = np.eye(4)[0]
            attributes["JOINTS_0"] = self.accessor(np.outer(owner, first), "VEC4", target=VERTICES, kind=SHORT)
            attributes["WEIGHTS_0"] = self.accessor(np.tile(first, (len(owner), 1)), "VEC4", target=VERTICES)
        indices = self.accessor(mesh.triangles.reshape(-1, 1), "SCALAR", target=INDICES, kind=UNSIGNED)
        primitive = {"attributes": attributes, "indices": indices, "material": material, "mode": TRIANGLES}
        self.meshes.append({"name": name, "primitives": [primitive]})
        return len(self.meshes) - 1

    def skin(self, nodes: list[int], x: Array, R: Array) -> int:
        """Append a skin whose `nodes` are at x (n, 3) with rotations R where its mesh has its shape."""
        back = np.zeros((len(nodes), 4, 4))
        turn = np.swapaxes(R, 1, 2)
        back[:, :3, :3], back[:, 3, 3] = turn, 1.0
        back[:, :3, 3] = -np.einsum("nij,nj->ni", turn, x)
        columns = np.swapaxes(back, 1, 2).reshape(-1, 16)
        self.skins.append({"joints": nodes, "inverseBindMatrices": self.accessor(columns, "MAT4")})
        return len(self.skins) - 1

    def node(
        self, name: str, mesh: int | None, x: Array, R: Array, scale: Array | None = None, kind: str = "body"
    ) -> None:
        """Append an item that moves: positions (n, 3), rotations (n, 3, 3) and, for lines, scales (n, 3)."""
        q = quaternions(R)[:, [1, 2, 3, 0]]
        q = q * _signs(q)[:, None]
        moves = [("translation", x, "VEC3"), ("rotation", q, "VEC4")]
        moves += [] if scale is None else [("scale", scale, "VEC3")]
        number = len(self.nodes)
        at_start = {path: values[0].tolist() for path, values, _ in moves}
        shown = {} if mesh is None else {"mesh": mesh}
        self.nodes.append({"name": name, **shown, "extras": {"kind": kind}, **at_start})
        for path, values, shape in moves:
            self.channels.append({"sampler": len(self.samplers), "target": {"node": number, "path": path}})
            output = self.accessor(values, shape)
            self.samplers.append({"input": self.time, "output": output, "interpolation": "LINEAR"})

    def binary(self, name: str, turn: Array) -> bytes:
        """The file: all nodes below a root of this name and rotation (3, 3)."""
        rotation = quaternions(turn[None])[0, [1, 2, 3, 0]].tolist()
        root = {"name": name, "rotation": rotation, "children": list(range(len(self.nodes)))}
        text = {
            "asset": {"version": "2.0", "generator": f"{MARK} {__version__}"},
            "scene": 0,
            "scenes": [{"name": name, "nodes": [len(self.nodes)]}],
            "nodes": [*self.nodes, root],
            "animations": [{"name": name, "channels": self.channels, "samplers": self.samplers}],
            "materials": list(self.materials.values()),
            "meshes": self.meshes,
            **({"skins": self.skins} if self.skins else {}),
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{"byteLength": len(self.bytes)}],
        }
        words = json.dumps(text, separators=(",", ":")).encode()
        words += b" " * (-len(words) % 4)
        data = bytes(self.bytes) + b"\0" * (-len(self.bytes) % 4)
        head = struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(words) + 8 + len(data))
        return head + struct.pack("<I4s", len(words), b"JSON") + words + struct.pack("<I4s", len(data), b"BIN\0") + data


def _signs(q: Array) -> Array:
    """Of q and −q, which are the same rotation, the sign that is nearest to the quaternion before."""
    flips = np.einsum("ij,ij->i", q[1:], q[:-1]) < 0.0
    return np.concatenate([[1.0], np.where(np.cumsum(flips) % 2, -1.0, 1.0)])
