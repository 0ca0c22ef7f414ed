"""A motion as an animated binary glTF 2.0 file (.glb), which other programs play: write_gltf(motion, path).

One node for each body below a root that turns what is up, against gravity or along z, into glTF's y; one mesh for each
shape, shared by the bodies that have it; for each body samplers of places [m] and of quaternions (x, y, z, w), over
the same times [s].
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
from ..checks import Array, positive
from ..describe.pose import quaternions
from ..describe.surface import Surface
from ..errors import FileError, ModelError
from ..record.trajectory import Trajectory
from ..storage.atomic import replacing
from .page.page import COLORS, rgba
from .picture.meshes import shape_key
from .picture.sizes import upright

FLOAT, UNSIGNED = 5126, 5125  # component types of 32 bits
VERTICES, INDICES = 34962, 34963  # targets of buffer views
CREASE = np.cos(np.radians(35.0))  # triangles that meet at a sharper angle do not share a normal
Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # turns z into y


def write_gltf(motion: Trajectory, path: str | os.PathLike[str], rate: float | None = None) -> None:
    """Write `motion` to `path` (.glb) with no more than `rate` poses per second; programs interpolate in between.

    Left out, that is 60, or as many as it takes for no body to turn by more than a radian from one to the next.

    >>> import livens as lv, tempfile
    >>> m = lv.Model(name="top")
    >>> top = m.add(lv.Body(lv.Box(1, 0.2, 0.1, density=500), body_rates=(0.1, 4, 0.1), name="top"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_gltf(lv.simulate(m, h=1e-2, until=1.0), folder + "/top.glb")
    ...     open(folder + "/top.glb", "rb").read(4)
    b'glTF'
    """
    if not os.fspath(path).lower().endswith(".glb"):
        raise FileError(f"{path} cannot be written: the ending of a binary glTF file is .glb.")
    if len(motion.model.bodies) < 2:
        raise ModelError(f"model {motion.model.name!r} has no bodies: there is nothing to show.")
    document = _Document()
    shapes: dict[Any, int] = {}
    nodes, channels = [], []
    samplers: list[dict[str, Any]] = []
    chosen = frames(motion.t, _enough(motion) if rate is None else positive(rate, "rate", "poses/s"))
    time = document.accessor(motion.t[chosen, None], "SCALAR", bounds=True)
    for k, body in enumerate(motion.model.bodies[1:]):
        look = (shape_key(body), k % len(COLORS))
        if look not in shapes:
            shapes[look] = document.mesh(body.shape.surface, body.name, k % len(COLORS))
        x, q = motion.position(body)[chosen], motion.quaternion(body)[chosen][:, [1, 2, 3, 0]]
        q = q * _signs(q)[:, None]
        nodes.append({"name": body.name, "mesh": shapes[look], "translation": x[0].tolist(), "rotation": q[0].tolist()})
        for kind, values, shape in (("translation", x, "VEC3"), ("rotation", q, "VEC4")):
            channels.append({"sampler": len(samplers), "target": {"node": k, "path": kind}})
            samplers.append({"input": time, "output": document.accessor(values, shape), "interpolation": "LINEAR"})
    turn = quaternions((Y_UP @ upright(motion.model.gravity))[None])[0, [1, 2, 3, 0]]
    root = {"name": motion.model.name, "rotation": turn.tolist(), "children": list(range(len(nodes)))}
    text = {
        "asset": {"version": "2.0", "generator": f"livens {__version__}"},
        "scene": 0,
        "scenes": [{"name": motion.model.name, "nodes": [len(nodes)]}],
        "nodes": [*nodes, root],
        "animations": [{"name": motion.model.name, "channels": channels, "samplers": samplers}],
        "materials": [_material(color) for color in COLORS[: len(nodes)]],
        **document.tables(),
    }
    with replacing(path) as temporary:
        temporary.write_bytes(_binary(text, bytes(document.bytes)))


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


class _Document:
    """The bytes and the tables that say what they mean."""

    def __init__(self) -> None:
        self.bytes = bytearray()
        self.views: list[dict[str, int]] = []
        self.accessors: list[dict[str, Any]] = []
        self.meshes: list[dict[str, Any]] = []

    def accessor(self, values: Any, shape: str, bounds: bool = False, target: int | None = None) -> int:
        """Append rows of numbers, single precision or, for indices, unsigned; `bounds` adds the least and largest."""
        indices = target == INDICES
        data = np.ascontiguousarray(values, dtype="<u4" if indices else "<f4")
        view = {"buffer": 0, "byteOffset": len(self.bytes), "byteLength": data.nbytes}
        self.views.append(view | ({"target": target} if target else {}))
        self.bytes += data.tobytes()  # all numbers have four bytes: every view begins on a multiple of four
        entry = {"bufferView": len(self.views) - 1, "componentType": UNSIGNED if indices else FLOAT,
                 "count": len(data), "type": shape}  # fmt: skip
        if bounds:
            entry |= {"min": data.min(axis=0).tolist(), "max": data.max(axis=0).tolist()}
        self.accessors.append(entry)
        return len(self.accessors) - 1

    def mesh(self, surface: Surface, name: str, material: int) -> int:
        """Append a surface: vertices are doubled along creases, so that edges look sharp and round sides round."""
        vertices, normals, triangles = creased(surface)
        attributes = {
            "POSITION": self.accessor(vertices, "VEC3", bounds=True, target=VERTICES),
            "NORMAL": self.accessor(normals, "VEC3", target=VERTICES),
        }
        indices = self.accessor(triangles.reshape(-1, 1), "SCALAR", target=INDICES)
        primitive = {"attributes": attributes, "indices": indices, "material": material, "mode": 4}
        self.meshes.append({"name": name, "primitives": [primitive]})
        return len(self.meshes) - 1

    def tables(self) -> dict[str, Any]:
        return {
            "meshes": self.meshes,
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{"byteLength": len(self.bytes)}],
        }


def creased(surface: Surface) -> tuple[Array, Array, Any]:
    """Vertices, unit normals and triangles: a corner's normal is the mean over the triangles there that bend little.

    >>> from livens import Box
    >>> vertices, normals, triangles = creased(Box(1, 1, 1, mass=1).surface)
    >>> vertices.shape, triangles.shape, sorted(set(abs(normals).max(axis=1).tolist()))
    ((24, 3), (12, 3), [1.0])
    """
    T = surface.triangles
    p = surface.vertices[T]
    across = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    size = np.linalg.norm(across, axis=1)
    T, across, size = T[size > 0.0], across[size > 0.0], size[size > 0.0]
    flat = across / size[:, None]
    corner, owner = T.ravel(), np.repeat(np.arange(len(T)), 3)
    order = np.argsort(corner, kind="stable")
    begin = np.searchsorted(corner[order], np.arange(len(surface.vertices) + 1))
    normals = np.empty((len(corner), 3))
    for v in range(len(surface.vertices)):
        here = order[begin[v] : begin[v + 1]]
        mine = owner[here]
        near = flat[mine] @ flat[mine].T > CREASE
        normals[here] = near @ across[mine]
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    both = np.column_stack([corner, (normals * 1e6).round()])
    _, first, number = np.unique(both, axis=0, return_index=True, return_inverse=True)
    return surface.vertices[corner[first]], normals[first], number.reshape(-1, 3)


def _signs(q: Array) -> Array:
    """Of q and −q, which turn alike, those that lie nearest to the one before."""
    flips = np.einsum("ij,ij->i", q[1:], q[:-1]) < 0.0
    return np.concatenate([[1.0], np.where(np.cumsum(flips) % 2, -1.0, 1.0)])


def _material(color: str) -> dict[str, Any]:
    linear = [c**2.2 for c in rgba(color)[:3]]  # glTF wants linear colours, a screen's are not
    rough: dict[str, Any] = {"baseColorFactor": [*linear, 1.0], "metallicFactor": 0.1, "roughnessFactor": 0.6}
    return {"name": color, "pbrMetallicRoughness": rough, "doubleSided": True}


def _binary(text: dict[str, Any], data: bytes) -> bytes:
    words = json.dumps(text, separators=(",", ":")).encode()
    words += b" " * (-len(words) % 4)
    data += b"\0" * (-len(data) % 4)
    head = struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(words) + 8 + len(data))
    return head + struct.pack("<I4s", len(words), b"JSON") + words + struct.pack("<I4s", len(data), b"BIN\0") + data
