"""Regression tests for inputs that fuzzing found, each as a minimal file. For folders and HDF5 see test_security.py."""

import json
import struct
import time

import numpy as np
import pytest

import livens as lv
from benchmarks.fuzz.meshes import packed
from livens.describe.shapes.mesh import FAR
from livens.record import netcdf
from livens.storage import append_log
from livens.study import journal

TETRAHEDRON = "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"


# ── meshes ──


def test_a_mesh_whose_corners_are_not_points(tmp_path):
    """Accessors of glTF give the number of components of a corner."""
    trimesh = pytest.importorskip("trimesh")
    data = trimesh.creation.box((2, 1, 1)).export(file_type="glb")
    length = struct.unpack("<I", data[12:16])[0]
    head = json.loads(data[20 : 20 + length])
    next(a for a in head["accessors"] if a["type"] == "VEC3")["type"] = "VEC2"
    (tmp_path / "flat.glb").write_bytes(packed(head, data[28 + length :]))
    with pytest.raises(lv.FileError, match="its faces are not triangles"):
        lv.read_mesh(tmp_path / "flat.glb", density=1000)


def test_a_mesh_that_is_too_large_to_compute_with(tmp_path):
    pytest.importorskip("trimesh")
    for size, fits in ((1e-3 * FAR, True), (1e3 * FAR, False), (1e200, False)):
        (tmp_path / "far.obj").write_text(f"v 0 0 0\nv {size:g} 0 0\nv 0 {size:g} 0\nv 0 0 {size:g}\n{TETRAHEDRON}")
        if fits:
            assert lv.read_mesh(tmp_path / "far.obj", density=1e-30).mass_properties.mass > 0.0
            continue
        with pytest.raises(lv.ModelError, match="too far to compute with: check its unit"):
            lv.read_mesh(tmp_path / "far.obj", density=1000)


def test_a_mesh_with_most_corners_at_one_point(tmp_path):
    """Beside a corner a kilometre away, 20,000 others within a millimetre are 2·10⁸ pairs that might be one corner."""
    pytest.importorskip("trimesh")
    rng = np.random.default_rng(1)
    places = np.vstack([rng.uniform(0, 1e-6, (20_000, 3)), [[1e3, 0, 0]]])
    corners = "\n".join("v {:.12f} {:.12f} {:.12f}".format(*x) for x in places)
    faces = "\n".join(f"f {k} {k + 1} {k + 2}" for k in range(1, 19_999)) + "\nf 1 2 20001"
    (tmp_path / "crowd.obj").write_text(f"{corners}\n{faces}\n")
    begin = time.process_time()
    with pytest.raises(lv.ModelError, match="is one of them far away"):
        lv.read_mesh(tmp_path / "crowd.obj", density=1000)
    assert time.process_time() - begin < 10.0


# ── journals and motions ──


def member(number, layout, *numbers):
    return append_log.pack_record(b"M", struct.pack("<QI", number, layout) + np.array(numbers, dtype="<f8").tobytes())


@pytest.mark.parametrize(
    "records",
    [
        [append_log.pack_record(b"L", b'[["x", []]]'), member(7, 0, 1.0)],  # a member that the study has not
        [append_log.pack_record(b"L", b'[["x", []]]'), member(0, 1, 1.0)],  # a layout that is not there
        [append_log.pack_record(b"L", b'[["x", [2]]]'), member(0, 0, 1.0)],  # a number too few
        [append_log.pack_record(b"L", b'[["x", [-1]]]'), member(0, 0)],
        [append_log.pack_record(b"L", b'[["x", [1e9]]]')],
        [append_log.pack_record(b"L", b"{"), member(0, 0, 1.0)],
        [append_log.pack_record(b"L", b"7")],
        [append_log.pack_record(b"L", b"[" * 100_000)],
        [append_log.pack_record(b"M", b"short")],
        [append_log.pack_record(b"E", b"short")],
        [append_log.pack_record(b"E", struct.pack("<Q", 0) + b"\xff\xfe")],
    ],
)
def test_a_contradictory_journal_of_a_study(tmp_path, records):
    path = tmp_path / "study.nc.journal"
    path.write_bytes(journal.HEAD + append_log.pack_record(b"F", b"{}") + b"".join(records))
    draft = journal.Journal(path, {})
    with pytest.raises(lv.FileError, match="is damaged: delete it to start the study again"):
        list(draft.outcomes(2))
    draft.close()


@pytest.mark.parametrize("facts", [b"7", b"{", b"[1]", b"[" * 100_000])
def test_a_journal_of_a_study_without_facts(tmp_path, facts):
    path = tmp_path / "study.nc.journal"
    path.write_bytes(journal.HEAD + append_log.pack_record(b"F", facts))
    with pytest.raises(lv.FileError, match="is damaged: delete it"):
        journal.Journal(path, {})


@pytest.mark.parametrize(
    ("fact", "value"),
    [("h", 0.0), ("h", -1.0), ("h", float("nan")), ("every", 0), ("steps", -1), ("seconds", float("inf"))],
)
def test_a_motion_with_impossible_counts(tmp_path, monkeypatch, fact, value):
    """Its digest is right, so the file was written on purpose."""
    m = lv.Model()
    m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), body_rates=(0.1, 2, 0.1), name="top"))
    facts = netcdf._facts
    monkeypatch.setattr(netcdf, "_facts", lambda motion: {**facts(motion), fact: value})
    lv.simulate(m, h=0.1, until=1.0).save(tmp_path / "top.nc")
    with pytest.raises(lv.FileError, match="is damaged or incomplete: its step or its counts are none"):
        lv.load(tmp_path / "top.nc")


# ── robots ──


def test_a_robot_whose_slider_is_too_far_away(tmp_path, say):
    matter = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    links = "".join(f'<link name="{name}">{matter}</link>' for name in "abc")
    (tmp_path / "far.urdf").write_text(
        f'<robot name="far">{links}<joint name="pin" type="continuous"><parent link="a"/><child link="b"/></joint>'
        '<joint name="arm" type="prismatic"><parent link="b"/><child link="c"/>'
        '<mimic joint="pin" offset="1e308"/></joint></robot>'
    )
    code, _, err = say("check", "far.urdf")
    assert (code, len(err.splitlines())) == (2, 1)
    assert "1e+308 m from their bodies, too far to compute with" in err
