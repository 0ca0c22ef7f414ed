"""Errors of scenes: one sentence each, with the path in the file and the remedy."""

import os
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import livens as lv
from livens.scene import solids, text
from livens.scene.text import parse
from livens.storage import sandbox

BASE = """\
livens = 1
gravity = [0, 0, -9.81]

[parameters]
k = 3.0

[bodies.arm]
shape = { type = "Box", x = 1.0, y = 0.1, z = 0.1, density = 1000 }
at = [0.5, 0, 0]

[joints.shoulder]
type = "Revolute"
a = { body = "world", point = [0, 0, 0] }
b = { body = "arm", point = [-0.5, 0, 0] }
axis = [0, 1, 0]

[forces.wind]
type = "Load"
point = { body = "arm" }
force = ["k*sin(t)", 0, 0]

[forces.well]
type = "Energy"
formula = "k*dot(x, x)"
where = { x = { body = "arm" } }

[run]
scheme = { type = "Livens", order = 4 }
h = 1e-3
until = 1.0
"""
WRONG = {  # what is replaced, by what, and the sentence
    ("axis =", "axs ="): r"joints\.shoulder: there is no key 'axs' here: did you mean 'axis'\?",
    ("[0, 1, 0]", "[0, 1]"): r"joints\.shoulder\.axis: it must be 3 numbers such as \[0.0, 0.0, 0.0\]\.",
    ("[0, 1, 0]", "[0, 0, 0]"): r"joints\.shoulder: axis of Revolute 'shoulder' has length zero: give a direction",
    ("[0, 1, 0]", "[0, true, 0]"): r"joints\.shoulder\.axis: it must be a number",
    ("[0, 1, 0]", '[0, "q", 0]'): r"joints\.shoulder\.axis\.1: 'q' uses 'q', which is not defined",
    ('"Revolute"', '"Revolut"'): r"joints\.shoulder\.type: there is no 'Revolut': did you mean 'Revolute'\?",
    ('type = "Revolute"\n', ""): r"joints\.shoulder: it must be a table with a type",
    ('"Revolute"', '"Body"'): r"joints\.shoulder\.type: there is no 'Body'",
    ('"Revolute"', '"__class__"'): r"joints\.shoulder\.type: there is no '__class__'",
    ("axis = [0, 1, 0]\n", ""): r"joints\.shoulder\.axis: it is needed \(direction, world axes at the start\)\.",
    (
        "axis = [0, 1, 0]\n",
        "axis = [0, 1, 0]\nlimits = [2, 1]\n",
    ): r"joints\.shoulder: limits of Revolute 'shoulder' must",
    ("livens = 1", "livens = 3"): r"livens: it must be 1 or 2\.",
    ("livens = 1", ""): r"livens: it is needed\.",
    ("[bodies.arm]", "[bodis.arm]"): r"the scene: there is no key 'bodis' here: did you mean 'bodies'\?",
    ('"Box"', '"Bax"'): r"bodies\.arm\.shape\.type: there is no 'Bax': did you mean 'Box'\?",
    ("x = 1.0", "x = -1.0"): r"bodies\.arm\.shape: Box x must be positive, got -1 m\.",
    (", density = 1000", ""): r"bodies\.arm\.shape: Box takes exactly one of density= and mass=, got neither\.",
    ("at = [0.5, 0, 0]", 'at = "there"'): r"bodies\.arm\.at: it must be 3 numbers",
    ("at = [0.5, 0, 0]", "mass = 2.0"): r"bodies\.arm: a body has a shape, or else mass, inertia and center",
    ("at = [0.5, 0, 0]", "rotation = { axis = [0, 0, 1] }"): r"bodies\.arm\.rotation: a rotation is a 3 × 3 matrix",
    (
        "at = [0.5, 0, 0]",
        "rotation = [[1, 0, 0], [0, 1, 0], [0, 0, 2]]",
    ): r"bodies\.arm: rotation of body 'arm' is not ort",
    (
        '{ body = "arm", point = [-0.5, 0, 0] }',
        '{ body = "arn" }',
    ): r"joints\.shoulder\.b\.body: .*did you mean 'arm'\?",
    (
        '{ body = "arm", point = [-0.5, 0, 0] }',
        '{ body = "world" }',
    ): r"joints\.shoulder: Revolute 'shoulder' joins body",
    (
        "point = [-0.5, 0, 0]",
        "point = [-0.5, 0, 0], point_at = [0, 0, 0]",
    ): r"joints\.shoulder\.b: give point \(body axes\)",
    ("k*sin(t)", "k*sin(t"): r"forces\.wind\.force: 'k\*sin\(t', column 6: '\(' was never closed\.",
    ("k*sin(t)", "q*sin(t)"): r"forces\.wind\.force: .* uses 'q', which is not defined",
    ('["k*sin(t)", 0, 0]', '"k*sin(t)"'): r"3 finite numbers",
    ("k*dot(x, x)", "k*dot(x, y)"): r"forces\.well\.formula: .* uses 'y', which is not defined",
    ("k*dot(x, x)", "k"): r"forces\.well: Energy 'well' gives 3, which depends on none of its bodies\.",
    ("k*dot(x, x)", "x"): r"forces\.well: Energy 'well' must give one number",
    ("k*dot(x, x)", "norm(x - x)"): r"forces\.well: Energy 'well' .*",
    ("k = 3.0", 'k = "1e308*10"'): r"k in .* is not finite|not finite",
    ("k = 3.0", "k = 3.0\npi = 3"): r"parameters\.pi: 'pi' already has a meaning in formulas: choose another name",
    ("k = 3.0", "k = 3.0\nt = 3"): r"parameters\.t: 't' already has a meaning",
    ("x = { body", "t = 5, x = { body"): r"forces\.well\.where\.t: 't' already has a meaning",
    ("k = 3.0", "k = 1979-05-27"): r"parameters\.k: it must be a number",
    ("order = 4", "order = 3"): r"run\.scheme: the Livens scheme has order 2, 4 or 6, not 3\.",
    ("h = 1e-3", 'h = "soon"'): r"run\.h: 'soon' uses 'soon', which is not defined",
    ("[forces.well]", "[forces.arm]"): r"forces\.arm: the name 'arm' is taken by a Body\.",
    ("[forces.well]", "[forces.world]"): r"forces\.world: the name 'world' is taken",
    ("gravity = [", "gravity = [["): r"is not TOML: .*\(at line 4, column \d+\)",
    ("[run]", "[run"): r"is not TOML: .*line \d+",
}


def used(path):
    """Read a scene completely and run it, as `livens run` does."""
    scene = lv.read_scene(path)
    model, run = scene.model(), scene.run
    if not isinstance(run["h"], str):
        lv.simulate(model, run.get("scheme"), h=run["h"], until=2 * run["h"])


@pytest.mark.parametrize(("change", "sentence"), WRONG.items(), ids=[f"{a} → {b}" for a, b in WRONG])
def test_an_error_is_one_sentence_with_the_path(change, sentence, tmp_path):
    old, new = change
    assert old in BASE
    (tmp_path / "scene.toml").write_text(BASE.replace(old, new, 1))
    with pytest.raises(lv.LivensError, match=sentence) as error:
        used(tmp_path / "scene.toml")
    assert str(error.value).count("\n") == 0
    assert str(error.value).endswith((".", "?"))


def test_errors_of_wrong_arguments(tmp_path):
    model, file = lv.Scene(parse(BASE)).model(), tmp_path / "scene.toml"
    for call, fault in {
        lambda: lv.write_scene(5, file): "the first argument of write_scene must be a Model, not 5",
        lambda: lv.write_scene(model, file, scheme=lv.Livens): "the scheme must be one such as",
        lambda: lv.write_scene(model, file, scheme="Livens"): "the scheme must be one such as",
        lambda: lv.read_scene(5): "5 is not the name of a file",
        lambda: lv.Scene({1: 2}): "its keys are words, not 1",
    }.items():
        with pytest.raises(lv.LivensError, match=fault):
            call()
    lv.write_scene(lv.Model(), file, h=np.float32(0.5), until=np.int64(2), every=np.int64(3))
    assert lv.read_scene(file).run == {"h": 0.5, "until": 2.0, "every": 3}
    assert lv.simulate(model, h="auto", until="1").t[-1] == 1.0  # as h="0.1" would be


def test_a_byte_order_mark_and_windows_line_ends_are_accepted(tmp_path):
    (tmp_path / "scene.toml").write_bytes(b"\xef\xbb\xbf" + BASE.replace("\n", "\r\n").encode())
    assert lv.read_scene(tmp_path / "scene.toml").document == lv.Scene(parse(BASE)).document


def test_the_base_scene_is_valid(tmp_path):
    (tmp_path / "scene.toml").write_text(BASE)
    used(tmp_path / "scene.toml")


def test_python_functions_are_errors_with_their_name(tmp_path):
    m = lv.Model()
    ball = m.add(lv.Body(lv.Ball(0.1, mass=1), name="ball"))
    m.add(lv.Load(ball.center, force=lambda t: (t, 0, 0), name="wind"))
    with pytest.raises(lv.ModelError, match=r"force of 'wind' is the Python function .* lv.Expression"):
        lv.write_scene(m, tmp_path / "scene.toml")
    assert not list(tmp_path.iterdir())
    m["wind"].force = lv.Expression("[t, 0, 0]")
    lv.write_scene(m, tmp_path / "scene.toml")
    guide = m.add(lv.Prismatic(m.world.point(0, 0, 0), ball.point(0, 0, 0), axis=(1, 0, 0), name="guide"))
    m.add(lv.Motor(guide, lambda t, now: 0.0, rate=10.0, name="servo"))
    with pytest.raises(lv.ModelError, match="effort of 'servo' is the Python function"):
        lv.write_scene(m, tmp_path / "scene.toml")


def test_values_by_path(tmp_path):
    scene = lv.Scene(parse(BASE))
    other = scene.with_values({"bodies.arm.shape.density": 7800.0, "parameters.k": 5.0, "bodies.arm.at.1": 2.0})
    model = other.model()
    assert model["arm"].mass_properties.mass == pytest.approx(78.0)
    assert model["arm"].pose.a.tolist() == [0.5, 2.0, 0.0]
    assert scene.model()["arm"].mass_properties.mass == pytest.approx(10.0)
    assert scene.with_values({"bodies.arm.velocity": [1, 0, 0]}).model()["arm"].velocity[0] == 1.0
    for path, fault in {
        "bodies.arn.at": r"in bodies there is no 'arn'; did you mean 'arm'\?",
        "bodies.arm.shape.densty": "there is no key 'densty' here: did you mean 'density'",
        "bodies.arm.at.7": "there is no '7'",
        "parameters.kk": r"in parameters there is no 'kk'; did you mean 'k'\?",
        "forces.well.where.y": "in forces.well.where there is no 'y'",
        "livens.x.y": "it has no parts",
        "livens.x": "is a value",
        "a b": "is not a path",
        "": "is not a path",
    }.items():
        with pytest.raises(lv.ModelError, match=fault):
            scene.with_values({path: 1.0})


# ── size and depth ──


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("x = " + "[" * 10_000, "nested tables and lists"),
        ("x = " + "[" * 500 + "]" * 500, "nested tables and lists"),
        ("a" + ".a" * 10_000 + " = 1", "a key of more than 16 parts"),
        ("[" + "a." * 200_000 + "a]\n" + "b = 1\n" * 100_000, "a key of more than 16 parts"),
        ('["a".' + "'b'." * 40 + "c]", "a key of more than 16 parts"),
        ("x = " + "1" * 10_000, "is not TOML"),
        ("x = 0x" + "f" * 100_000, "there is no key 'x'"),
        ('x = "' + "a" * 1_000_000 + '"', "there is no key 'x'"),
        ("a" * 1_000_000, "is not TOML"),
        (
            "livens = 1\nbodies = {" + ", ".join(f"b{k} = {{}}" for k in range(20_001)) + "}",
            "a body needs|the limit is 20000",
        ),
        ("\x00", "is not TOML"),
        ("livens = 1\ngravity = [1e400, 0, 0]", "gravity"),
        ("livens = 1\ngravity = [" + "9" * 400 + ", 0, 0]", "gravity.0: it is too large to compute with"),
    ],
)
def test_size_and_depth(content, fault, tmp_path):
    (tmp_path / "scene.toml").write_text(content)
    begin = time.process_time()
    with pytest.raises(lv.LivensError, match=fault):
        lv.read_scene(tmp_path / "scene.toml").model()
    assert time.process_time() - begin < 10.0


def test_other_files(tmp_path):
    with pytest.raises(lv.FileError, match="does not exist"):
        lv.read_scene(tmp_path / "nowhere.toml")
    with pytest.raises(lv.FileError, match="is not a file"):
        lv.read_scene(tmp_path)
    (tmp_path / "scene.toml").write_bytes(b"name = '\xff'")
    with pytest.raises(lv.FileError, match="is not text in UTF-8"):
        lv.read_scene(tmp_path / "scene.toml")
    (tmp_path / "scene.toml").write_text(BASE)
    with pytest.raises(lv.FileError, match="raise max_bytes"):
        lv.read_scene(tmp_path / "scene.toml", max_bytes=100)


# ── files that a scene refers to ──


def named(file, kind="Mesh", more=""):
    table = f'{{ type = "{kind}", file = "{file}", density = 2000, unit = "mm"{more} }}'
    return f"livens = 1\n[bodies.part]\nshape = {table}\n"


@pytest.fixture
def folder(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    (tmp_path / "scene").mkdir()
    for where in ("scene/brick.stl", "outside.stl"):
        trimesh.creation.box((20, 10, 10)).export(str(tmp_path / where))
    return tmp_path / "scene"


def test_a_mesh_is_read_from_the_folder(folder):
    (folder / "s.toml").write_text(named("brick.stl"))
    body = lv.read_scene(folder / "s.toml").model()["part"]
    direct = lv.read_mesh(folder / "brick.stl", density=2000, unit="mm")
    assert body.shape.mass_properties.mass == direct.mass_properties.mass
    assert (body.shape.mass_properties.inertia == direct.mass_properties.inertia).all()
    assert (body.shape.surface.vertices == direct.surface.vertices).all()
    lv.write_scene(lv.read_scene(folder / "s.toml").model(), folder / "copy.toml")
    copy = lv.read_scene(folder / "copy.toml").model()["part"]
    assert (copy.shape.mass_properties.inertia == direct.mass_properties.inertia).all()


@pytest.mark.parametrize("way", ["../outside.stl", "{outside}", "link.stl", "down/../../outside.stl"])
def test_files_outside_the_folder_are_errors(folder, way):
    (folder / "link.stl").symlink_to(folder.parent / "outside.stl")
    way = way.format(outside=folder.parent / "outside.stl")
    (folder / "s.toml").write_text(named(way))
    with pytest.raises(lv.FileError, match=r"bodies\.part\.shape: .* is outside the scene's folder"):
        lv.read_scene(folder / "s.toml").model()
    if not way.startswith("down"):
        lv.read_scene(folder / "s.toml", allow_outside=True).model()


def test_an_output_outside_the_folder_is_an_error(tmp_path):
    for name, fault in {"../out.nc": "outside the scene's folder", "out.sh": "must end in .nc"}.items():
        (tmp_path / "s.toml").write_text(f'livens = 1\n[run]\noutput = "{name}"\n')
        with pytest.raises(lv.FileError, match=rf"run\.output: .*{fault}"):
            _ = lv.read_scene(tmp_path / "s.toml").output
    assert lv.Scene({"livens": 1, "run": {"output": "a.nc"}}, tmp_path).output == (tmp_path / "a.nc").resolve()


def test_files_that_are_not_solids(folder):
    (folder / "empty.stl").write_bytes(b"")
    (folder / "note.txt").write_text("hello")
    for file, fault in {
        "empty.stl": r"bodies\.part\.shape: .*empty.stl",
        "note.txt": "must end in .stl or .obj or .glb",
        "gone.stl": "does not exist",
        "": "is not the name of a file",
    }.items():
        (folder / "s.toml").write_text(named(file))
        with pytest.raises(lv.LivensError, match=fault):
            lv.read_scene(folder / "s.toml").model()
    with pytest.raises(lv.FileError, match="folder of the scene is not known"):
        lv.Scene(parse(named("brick.stl"))).model()


def test_a_reader_that_takes_too_long_is_stopped(folder, monkeypatch):
    (folder / "s.toml").write_text(named("brick.stl"))
    monkeypatch.setattr(sandbox, "SECONDS", 0.01)
    with pytest.raises(lv.FileError, match=r"could not be read within 0\.01 s"):
        lv.read_scene(folder / "s.toml").model()
    monkeypatch.setattr(sandbox, "SECONDS", 60.0)
    monkeypatch.setattr(solids, "MAX_SOLID_BYTES", 100)
    with pytest.raises(lv.FileError, match="the limit for files of a scene is 100"):
        lv.read_scene(folder / "s.toml").model()


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on memory there")
def test_the_memory_of_a_reader_is_limited(folder, monkeypatch):
    """A glTF file whose nodes repeat one mesh very often would exhaust the memory."""
    import json
    import struct

    trimesh = pytest.importorskip("trimesh")
    data = trimesh.creation.icosphere(subdivisions=6).export(file_type="glb")
    length = struct.unpack("<I", data[12:16])[0]
    head = json.loads(data[20 : 20 + length])
    mesh = next(k for k, node in enumerate(head["nodes"]) if "mesh" in node)
    first = len(head["nodes"])
    head["nodes"] += [{"mesh": head["nodes"][mesh]["mesh"], "name": f"n{k}"} for k in range(3000)]
    head["scenes"][0]["nodes"] += list(range(first, first + 3000))
    words = json.dumps(head).encode()
    words += b" " * (-len(words) % 4)
    rest = data[20 + length :]
    whole = 20 + len(words) + len(rest)
    (folder / "many.glb").write_bytes(
        struct.pack("<4sII", b"glTF", 2, whole) + struct.pack("<I4s", len(words), b"JSON") + words + rest
    )
    (folder / "s.toml").write_text(named("many.glb").replace('"mm"', "1.0"))
    monkeypatch.setattr(sandbox, "SECONDS", 60.0)
    monkeypatch.setattr(sandbox, "MEMORY", 2**30)
    with pytest.raises(lv.FileError, match=r"needs more memory|MemoryError|Unable to allocate"):
        lv.read_scene(folder / "s.toml").model()


def test_a_step_file(tmp_path):
    occ = pytest.importorskip("netgen.occ")
    parts = [occ.Box(occ.Pnt(0, 0, 0), occ.Pnt(20, 10, 10)), occ.Box(occ.Pnt(50, 0, 0), occ.Pnt(60, 10, 10))]
    for part, name in zip(parts, ("crank", "rod"), strict=True):
        part.solids[0].name = name
    occ.Compound(parts).WriteStep(str(tmp_path / "machine.step"))
    (tmp_path / "s.toml").write_text(named("machine.step", "Step"))
    with pytest.raises(lv.ModelError, match=r"bodies\.part\.shape: .* has several solids: choose one of solid ="):
        lv.read_scene(tmp_path / "s.toml").model()
    direct = lv.read_step(tmp_path / "machine.step", density=2000, unit="mm")
    (tmp_path / "s.toml").write_text(named("machine.step", "Step", f', solid = "{direct[1].name}"') + 'at = "drawn"\n')
    body = lv.read_scene(tmp_path / "s.toml").model()["part"]
    assert body.mass_properties.mass == direct[1].mass_properties.mass
    assert body.pose.a.tolist() == direct[1].place.a.tolist() == pytest.approx([0.055, 0.005, 0.005])
    (tmp_path / "s.toml").write_text(named("machine.step", "Step", ', solid = "lid"'))
    with pytest.raises(lv.ModelError, match=r"has no solid 'lid'; it has"):
        lv.read_scene(tmp_path / "s.toml").model()


def test_without_pydantic(monkeypatch):
    for name in [name for name in sys.modules if name.startswith(("pydantic", "livens.scene.schema"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pydantic", None)
    with pytest.raises(lv.MissingExtra, match=r"scenes need pydantic .* pip install pydantic"):
        lv.Scene({"livens": 1})


def test_limits_agree_with_the_reference():
    said = (Path(__file__).parents[2] / "docs/reference/scenes.md").read_text(encoding="utf-8")
    assert f"{sandbox.SECONDS:g} s, {sandbox.MEMORY // 2**30} GiB and {solids.MAX_SOLID_BYTES // 10**6} MB" in said
    assert f"{text.MAX_THINGS:,} bodies" in said
    assert f"{text.MAX_DEPTH} tables and lists" in said


def test_names_with_special_meaning_are_errors(tmp_path):
    """A NUL, a device, a folder: an error before a file is opened."""
    for file in ("\\u0000.stl", "/dev/zero.stl", os.fspath(tmp_path)):
        with pytest.raises(lv.LivensError):
            lv.Scene(parse(named(file)), tmp_path).model()
