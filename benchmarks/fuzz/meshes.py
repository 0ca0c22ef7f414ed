"""Meshes: binary and text STL, OBJ, and GLB, whose JSON structure is also changed."""

from __future__ import annotations

import json
import struct
from functools import cache
from pathlib import Path
from random import Random

from livens.describe.shapes import mesh
from livens.errors import LivensError
from livens.formats.visuals import read_surface

from . import Input
from .harness import apart_here
from .scenes import altered
from .spoil import of_bytes, of_words

NEEDS = "trimesh"
ENDINGS = ("stl", "obj", "glb")


@cache
def seeds() -> list[Input]:
    import trimesh

    box, ball = trimesh.creation.box((2, 1, 1)), trimesh.creation.icosphere(subdivisions=1)
    scene = trimesh.Scene([box, ball.apply_translation((5, 0, 0))])
    made = [(f"mesh.{kind}", shape.export(file_type=kind)) for shape in (box, ball) for kind in ENDINGS]
    made += [("mesh.stl", box.export(file_type="stl_ascii")), ("mesh.glb", scene.export(file_type="glb"))]
    return [Input(name, data.encode() if isinstance(data, str) else data) for name, data in made]


def spoilt(random: Random, seeds: list[Input]) -> Input:
    name, data = random.choice(seeds)
    same = [other.data for other in seeds if other.name == name]
    if name.endswith("glb") and random.random() < 0.6:
        data = packed(*inner(random, data))
        return Input(name, data if random.random() < 0.8 else of_bytes(random, data, same))
    words = name.endswith("obj") or data.startswith(b"solid")
    if words and random.random() < 0.7:
        text = of_words(random, data.decode(), [other.decode("latin-1") for other in same])
        return Input(name, text.encode("utf-8", "replace"))
    return Input(name, of_bytes(random, data, same))


def inner(random: Random, data: bytes) -> tuple[dict, bytes]:
    """The two chunks of a GLB file, with changed JSON."""
    length = struct.unpack("<I", data[12:16])[0]
    return altered(random, json.loads(data[20 : 20 + length])), data[28 + length :]


def packed(head: dict, rest: bytes) -> bytes:
    """A GLB file of two chunks."""
    words = json.dumps(head).encode()
    words += b" " * (-len(words) % 4)
    chunks = struct.pack("<I4s", len(words), b"JSON") + words + struct.pack("<I4s", len(rest), b"BIN\0") + rest
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def attempt(file: Path) -> str:
    mesh.run_sandboxed, refused = apart_here(mesh.answer), None
    try:
        mesh.read_mesh(file, density=1000.0, unit="mm")
    except LivensError as error:
        refused = error
    if file.suffix != ".glb":
        read_surface(file.read_bytes(), file)
    if refused is not None:
        raise refused
    return "solid"
