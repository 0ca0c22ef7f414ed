"""The statements of SECURITY.md that a program can check."""

import ast
import inspect
import re
import shutil
from pathlib import Path

import h5py
import numpy as np
import pytest

import livens as lv
from livens.describe.shapes import cad, mesh
from livens.formats import visuals
from livens.scene import document, text
from livens.storage import sandbox, untrusted_hdf5, xml

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "livens"
SAID = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
BOMB = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'


def uses(*names):
    """The modules of the package that import one of these, or call one by name."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                words = [alias.name.partition(".")[0] for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                words = [(node.module or "").partition(".")[0]]
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                words = [node.func.id]
            elif isinstance(node, ast.keyword) and node.arg:
                words = [f"{node.arg}={ast.unparse(node.value)}"]
            else:
                continue
            if used := set(words) & set(names):
                found.setdefault(str(path.relative_to(SOURCE)), set()).update(used)
    return found


def test_nothing_is_evaluated_or_unpickled():
    found = uses("eval", "exec", "compile", "__import__", "marshal", "shelve", "dill", "cloudpickle", "yaml")
    assert found == {"gpu/compiler.py": {"exec"}}  # the text of a kernel, which gpu/source.py writes
    assert uses("allow_pickle=True") == {}
    assert uses("runpy") == {"cli/source.py": {"runpy"}}  # Python files, which are programs
    assert uses("pickle") == {"study/executors.py": {"pickle"}}  # only to see whether a function can be sent
    sent = (SOURCE / "study" / "executors.py").read_text(encoding="utf-8")
    assert re.findall(r"pickle\.\w+", sent) == ["pickle.dumps"]


def test_nothing_is_downloaded_and_pages_are_local():
    assert uses("urllib", "http", "requests", "ftplib", "smtplib", "httpx", "aiohttp") == {}
    assert uses("socket") == {"look/browser/server.py": {"socket"}}  # to see whether a port is free
    for page in (lv.view, lv.live, lv.pose_playground):
        assert inspect.signature(page).parameters["host"].default == "127.0.0.1"
    assert "127.0.0.1" in SAID


def test_limits_agree_with_the_documented_ones():
    assert f"{sandbox.SECONDS:g} s, {sandbox.MEMORY // 2**30} GiB" in SAID
    assert f"{document.MAX_BYTES // 10**6} MB of text" in SAID
    assert f"{text.MAX_DEPTH} levels, {text.MAX_THINGS:,} things" in SAID
    assert f"{xml.MAX_BYTES // 10**6} MB, {xml.MAX_DEPTH} levels, {xml.MAX_ELEMENTS:,} elements" in SAID
    assert f"meshes {visuals.BYTES // 10**6} MB together" in SAID
    for reader, size in ((mesh.read_mesh, 200), (cad.read_step, 500)):
        assert inspect.signature(reader).parameters["max_bytes"].default == size * 10**6
        assert f"{size} MB (`max_bytes`)" in SAID


def test_the_page_is_linked_and_contains_no_addresses():
    assert "(SECURITY.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert "@" not in SAID
    assert "private security advisory" in SAID
    assert not re.search(r"https?://", SAID)


# ── folders ──


@pytest.fixture
def folder(tmp_path):
    """A folder, and a mesh outside it that must not be read."""
    (tmp_path / "secret.obj").write_text(OBJ)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "bar.obj").write_text(OBJ)
    return tmp_path / "in"


def mjcf(file, inside=""):
    return (
        f'<mujoco>{inside}<asset><mesh name="m" file="{file}"/></asset>'
        '<worldbody><body><joint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
    )


@pytest.mark.filterwarnings("ignore::livens.errors.ModelWarning")
def test_mjcf_reads_its_folder_only(folder):
    pytest.importorskip("mujoco")
    robot = folder / "robot.xml"
    robot.write_text(mjcf("bar.obj"))
    assert len(lv.read_mjcf(robot).bodies) == 2
    (folder / "up.xml").write_text('<mujoco><compiler meshdir=".."/></mujoco>')
    (folder / "up.txt").write_text('<mujoco><asset><mesh name="n" file="../secret.obj"/></asset></mujoco>')
    (folder / "link.obj").symlink_to(folder.parent / "secret.obj")
    for words in (
        mjcf("../secret.obj"),
        mjcf(r"..\secret.obj"),  # which MuJoCo takes for a slash
        mjcf("secret.obj", '<compiler meshdir=".."/>'),
        mjcf("secret.obj", '<include file="up.xml"/>'),  # the folder is named by another file
        mjcf("bar.obj", '<include file="up.txt"/>'),  # includes need not end in .xml
        mjcf("link.obj"),
        mjcf(str(folder.parent / "secret.obj")),
    ):
        robot.write_text(words)
        with pytest.raises(lv.FileError, match="outside the scene's folder"):
            lv.read_mjcf(robot)
    robot.write_text(mjcf("../secret.obj"))
    assert len(lv.read_mjcf(robot, allow_outside=True).bodies) == 2


@pytest.mark.parametrize("file", ["../secret.obj", "file://../secret.obj", "package://in/../../secret.obj", "link.obj"])
def test_urdf_reads_its_folder_only(folder, file):
    (folder / "link.obj").symlink_to(folder.parent / "secret.obj")
    matter = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    look = f'<visual><geometry><mesh filename="{file}"/></geometry></visual>'
    (folder / "r.urdf").write_text(f'<robot name="r"><link name="a">{matter}{look}</link></robot>')
    with pytest.warns(lv.ModelWarning, match="outside the scene's folder"):
        lv.read_urdf(folder / "r.urdf", base="free")


def test_entities_are_not_expanded(tmp_path):
    for name, rest in (("r.urdf", '<robot name="&b;"/>'), ("r.xml", '<mujoco model="&b;"/>')):
        (tmp_path / name).write_text(BOMB + rest)
        read = lv.read_urdf if name.endswith("urdf") else lv.read_mjcf
        if read is lv.read_mjcf:
            pytest.importorskip("mujoco")
        with pytest.raises(lv.FileError, match="document type"):
            read(tmp_path / name)


@pytest.mark.parametrize("file", ["x" * 10_000 + ".obj", "x/" * 3000 + "y.obj", "bar.obj/x.obj"])
def test_impossible_file_names(tmp_path, file):
    (tmp_path / "bar.obj").write_text(OBJ)
    matter = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    look = f'<visual><geometry><mesh filename="{file}"/></geometry></visual>'
    (tmp_path / "r.urdf").write_text(f'<robot name="r"><link name="a">{matter}{look}</link></robot>')
    with pytest.warns(lv.ModelWarning, match=r"not imported: meshes of \d link") as warned:
        lv.read_urdf(tmp_path / "r.urdf", base="free")
    assert len(str(warned[0].message)) < 1000


# ── HDF5 ──


@pytest.fixture
def motion(tmp_path):
    """A motion as a file that this process has not written."""
    m = lv.Model(name="top")
    m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), body_rates=(0.1, 2, 0.1), name="top"))
    lv.simulate(m, h=0.1, until=1.0).save(tmp_path / "saved.nc")
    shutil.copyfile(tmp_path / "saved.nc", tmp_path / "copy.nc")
    return tmp_path


def test_files_are_checked_in_the_sandbox_once(motion, monkeypatch):
    tried = []
    monkeypatch.setattr(
        untrusted_hdf5, "run_sandboxed", lambda module, request: tried.append(Path(request["file"]).name)
    )
    for name in ("saved.nc", "copy.nc", "copy.nc"):
        assert lv.load(motion / name).steps == 10
    assert tried == ["copy.nc"]
    (motion / "copy.nc").write_bytes((motion / "saved.nc").read_bytes())
    lv.load(motion / "copy.nc")
    assert tried == ["copy.nc", "copy.nc"]


def test_a_file_that_hangs_or_crashes_its_reader_is_an_error(motion, monkeypatch):
    assert lv.load(motion / "copy.nc").steps == 10  # by another process, as it is
    shutil.copyfile(motion / "saved.nc", motion / "other.nc")
    with monkeypatch.context() as patch:
        patch.setattr(sandbox, "SECONDS", 0.01)
        with pytest.raises(lv.FileError, match=r"other\.nc could not be read within 0\.01 s"):
            lv.load(motion / "other.nc")
    monkeypatch.setattr(sandbox, "MEMORY", 2**24)
    with pytest.raises(lv.FileError, match=r"needs more memory|the reader process failed"):
        lv.load(motion / "other.nc")


def test_variables_in_other_files_are_errors(motion):
    """An HDF5 file may refer to another file for a variable: by a link, as raw bytes, or in pieces."""
    (motion / "secret").write_bytes(np.arange(11.0).tobytes())
    layout = h5py.VirtualLayout(shape=(11,), dtype="f8")
    layout[:] = h5py.VirtualSource(motion / "saved.nc", "time", shape=(11,))
    for how in ("link", "raw", "pieces"):
        file = motion / f"{how}.nc"
        shutil.copyfile(motion / "saved.nc", file)
        with h5py.File(file, "r+") as stored:
            del stored["a"]
            if how == "link":
                stored["a"] = h5py.ExternalLink(motion / "saved.nc", "/a")
            elif how == "raw":
                stored.create_dataset("a", (11,), "f8", external=[(motion / "secret", 0, 88)])
            else:
                stored.create_virtual_dataset("a", layout)
        with pytest.raises(lv.FileError, match="'a' is in another file"):
            lv.load(file)
