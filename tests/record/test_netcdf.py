"""A file is bitwise identical to its motion; a write completes or leaves the old file; damaged files are errors."""

import json
import os
import subprocess
import sys

import h5netcdf
import h5py
import numpy as np
import pytest

import livens as lv
from livens.record.netcdf import FORMAT
from livens.scene import from_dict, to_dict

TILT = lv.Pose.from_axis_angle((1, 2, 3), 0.7).B


def same(one, other):
    """Whether two records are bitwise identical."""
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return np.array_equal(one, other)


def springs():
    """Tilted inertia, a frame away from the centre of mass, equal shapes, springs, attraction and loads."""
    m = lv.Model(gravity=(0.1, 0, -9.81), name="springs & Träger")
    matter = lv.MassProperties(1.5, TILT @ np.diag((1, 2, 2.5)) @ TILT.T, (0.1, 0.2, 0.3))
    one = m.add(lv.Body(matter, at=(1 / 3, 0, 0), rotation=TILT, body_rates=(0.1, 2, 0.1), name="one"))
    two = m.add(lv.Body(lv.Ball(0.1, mass=1 / 7), at=(1, 1, 0), velocity=(0, 0.1, 0), name="zwei"))
    m.add(lv.Body(lv.Ball(0.1, mass=1 / 7), at=(-1, 1, 0), name="three"))
    m.add(lv.Spring(m.world.point(0, 0, 1), one.point(0, 0.1, 0), stiffness=100 / 3))
    m.add(lv.Spring(one.point(0, 0, 0.5), two.point(0, 0, 0.1), stiffness=30.0, length=0.2, name="cord"))
    m.add(lv.Attraction(G=0.01, bodies=[one, two]))
    m.add(lv.Load(two.point(0, 0, 0), force=(0.1, 0, 0), torque=(0, 0, 0.01), axes="body", name="jet"))
    return m


def mechanism():
    """A driven, damped and geared mechanism with tilted axes."""
    m = lv.Model(gravity=(0, 0, -9.81), name="mechanism")
    hinges = []
    for k in range(2):
        body = m.add(lv.Body(lv.Box(1, 0.1, 0.2, density=500), at=(0.5, k, 0), name=f"arm{k}"))
        axis = (0.1, 1, 0.2 + k)
        place = m.world.point(0, k, 0)
        hinges.append(m.add(lv.Revolute(place, body.point(-0.5, 0, 0), axis, damping=0.1 * k, stiffness=1.0)))
    m.add(lv.Coupling(*hinges, ratio=-0.5, name="gear"))
    tip = m.add(lv.Body(lv.Ball(0.1, mass=1), at=(1.5, 0, 0), name="tip"))
    m.add(lv.Rod(m["arm0"].point(0.5, 0, 0), tip.point(0, 0, 0), name="rod"))
    m.add(lv.Motor(hinges[0], 0.3, name="motor"))
    return m


def four_bar(drive=None):
    """A closed loop of four hinges with three redundant equations."""
    m = lv.Model(gravity=(1, 0, -9.81), name="four-bar")
    sizes, places = ((0.1, 0.05, 1), (1, 0.05, 0.1), (0.1, 0.05, 1)), ((0, 0, 0.5), (0.5, 0, 1), (1, 0, 0.5))
    links = [m.add(lv.Body(lv.Box(*s, density=500), at=x)) for s, x in zip(sizes, places, strict=True)]
    chain, corners = [m.world, *links, m.world], ((0, 0, 0), (0, 0, 1), (1, 0, 1), (1, 0, 0))
    for k, x in enumerate(corners):
        drives = {"drive": drive, "name": "crank"} if k == 0 else {}
        m.add(lv.Revolute(chain[k].point_at(x), chain[k + 1].point_at(x), axis=(0, 1, 0), **drives))
    return m


MODELS = [springs, mechanism, four_bar]
H, N = 1e-2, 30
pytestmark = pytest.mark.filterwarnings("ignore::livens.errors.ModelWarning")


@pytest.fixture(scope="module", params=MODELS, ids=lambda model: model.__name__)
def motion(request):
    return lv.simulate(request.param(), lv.Livens(), h=H, until=N * H, every=7)


@pytest.fixture(scope="module")
def falling():
    m = lv.Model(gravity=(0, 0, -9.81))
    m.add(lv.Body(lv.Box(1, 0.2, 0.1, density=500), velocity=(1, 0, 5), body_rates=(0.1, 4, 0.1), name="stick"))
    return lv.simulate(m, lv.Livens(), h=H, until=N * H)


def test_round_trip_is_exact(motion, tmp_path):
    motion.save(tmp_path / "motion.nc")
    back = lv.load(tmp_path / "motion.nc")
    assert same(back.record, motion.record)
    assert same(back.system, motion.system)
    assert same(back.t, motion.t)
    for name in ("h", "every", "steps", "seconds", "scheme", "tally"):
        assert getattr(back, name) == getattr(motion, name)
    for kind in ("bodies", "joints", "forces"):
        assert [x.name for x in getattr(back.model, kind)] == [x.name for x in getattr(motion.model, kind)]
    assert back.model.name == motion.model.name
    for mine, theirs in zip(back.model.bodies, motion.model.bodies, strict=True):
        assert same(mine.shape.surface.vertices, theirs.shape.surface.vertices)
        assert same(mine.shape.surface.triangles, theirs.shape.surface.triangles)
    assert same(back.energy, motion.energy)
    back.save(tmp_path / "again.nc")
    assert same(lv.load(tmp_path / "again.nc").record, motion.record)


def test_a_loaded_motion_is_continued_bitwise_identically(motion, tmp_path):
    motion.save(tmp_path / "motion.nc")
    after = lv.resume(lv.load(tmp_path / "motion.nc"), until=2 * N * H)
    whole = lv.simulate(motion.model, lv.Livens(), h=H, until=2 * N * H, every=7)
    assert same(after.record, whole.record)
    assert same(after.t, whole.t)


@pytest.mark.parametrize("model", MODELS)
def test_a_model_is_unchanged_by_json(model):
    first = to_dict(model())
    again = to_dict(from_dict(json.loads(json.dumps(first, allow_nan=False))))
    assert again == first


def test_large_shapes_are_stored_once():
    m = lv.Model()
    solid = lv.Solid(lv.Ball(0.1, mass=1.0).mass_properties, lv.Ball(0.1, mass=1.0).surface)
    bodies = [m.add(lv.Body(solid, at=(k, 0, 0))) for k in range(5)]
    document = to_dict(m)
    assert list(document["shapes"]) == ["shape1"]
    assert document["bodies"][bodies[3].name]["shape"] == "shape1"
    again = from_dict(document)
    assert len({id(body.shape) for body in again.bodies[1:]}) == 1


def test_a_function_is_not_stored_and_gives_an_error_when_used(tmp_path):
    m = lv.Model()
    ball = m.add(lv.Body(lv.Ball(0.1, mass=1), name="ball"))
    push = lambda t: (np.sin(t), 0, 0)  # noqa: E731
    m.add(lv.Load(ball.center, force=push, name="wind"))
    half = lv.simulate(m, h=H, until=N * H)
    half.save(tmp_path / "wind.nc")
    back = lv.load(tmp_path / "wind.nc")
    assert same(back.record, half.record)
    with pytest.raises(lv.ModelError, match=r"force of 'wind' was the Python function .*model\['wind'\]\.force"):
        lv.resume(back, until=2 * N * H)
    back.model["wind"].force = push
    assert same(lv.resume(back, until=2 * N * H).record, lv.resume(half, until=2 * N * H).record)


def test_a_drive_in_a_closed_loop_is_not_stored(tmp_path):
    drive = lambda t: 0.5 * np.sin(t)  # noqa: E731
    half = lv.simulate(four_bar(drive), h=H, until=N * H)
    half.save(tmp_path / "loop.nc")
    back = lv.load(tmp_path / "loop.nc")
    assert same(back.system, half.system)
    assert "violations of the joints are unknown: drive of 'crank' was the Python function" in back.report().notes[-1]
    assert back.plot() is not None
    with pytest.raises(lv.ModelError, match="drive of 'crank' was the Python function"):
        lv.resume(back, until=2 * N * H)
    back.model["crank"].drive = drive
    assert same(lv.resume(back, until=2 * N * H).record, lv.resume(half, until=2 * N * H).record)


def test_other_principal_axes_give_the_same_motion(motion, tmp_path, monkeypatch):
    """An eigensolver on another machine may return other axes; public results do not change."""
    motion.save(tmp_path / "motion.nc")
    principal = lv.MassProperties.principal

    def turned(self):
        moments, axes = principal(self)
        return moments, axes * (-1.0, -1.0, 1.0)

    monkeypatch.setattr(lv.MassProperties, "principal", turned)
    back = lv.load(tmp_path / "motion.nc")
    eps = 100 * np.finfo(float).eps
    for body in motion.model.bodies[1:]:
        np.testing.assert_allclose(back.rotation(body.name), motion.rotation(body), rtol=0, atol=eps)
        np.testing.assert_allclose(back.velocity(body.name), motion.velocity(body), rtol=0, atol=10 * eps)
    np.testing.assert_allclose(back.angular_momentum, motion.angular_momentum, rtol=0, atol=100 * eps)


def test_a_changed_model_is_not_saved_with_an_old_motion(tmp_path):
    m = springs()
    motion = lv.simulate(m, h=H, until=H)
    m["cord"].stiffness = 31.0
    with pytest.raises(lv.ModelError, match="has been changed since"):
        motion.save(tmp_path / "motion.nc")
    assert not list(tmp_path.iterdir())


def test_things_that_cannot_be_stored_are_named():
    m = springs()
    m["cord"].length = object()
    with pytest.raises(lv.ModelError, match="length of 'cord' cannot be stored"):
        to_dict(m)


def test_the_file_describes_itself(falling, tmp_path):
    falling.save(tmp_path / "stick.nc")
    with h5netcdf.File(tmp_path / "stick.nc") as file:
        assert file.variables["a"].dimensions == ("time", "body", "axis")
        assert all("long_name" in variable.attrs for variable in file.variables.values())
        assert file.variables["p"].attrs["units"] == "kg m s-1"
        assert list(file.variables["body"][...]) == [b"world", b"stick"]
        assert file.attrs["source"] == f"livens {lv.__version__}"
        assert list(json.loads(bytes(file.variables["model"][...]))["bodies"]) == ["stick"]


def test_xarray(motion):
    data = motion.to_xarray()
    body = motion.model.bodies[1]
    assert same(data.position.sel(body=body.name).values, motion.position(body))
    assert same(data.quaternion.sel(body=body.name).values, motion.quaternion(body))
    assert same(data.energy.values, motion.energy)
    assert all({"units", "long_name"} <= set(data[name].attrs) for name in data.data_vars)
    assert data.time.units == "s"


# ── a write completes or leaves the old file ──


def test_a_failed_write_leaves_the_old_file(falling, tmp_path, monkeypatch):
    path = tmp_path / "motion.nc"
    falling.save(path)
    before = path.read_bytes()
    monkeypatch.setattr("livens.record.netcdf.add_checksum", lambda temporary: os.stat(temporary / "no"))
    with pytest.raises(lv.FileError, match="cannot be written"):
        falling.save(path)
    monkeypatch.setattr("livens.record.netcdf._names", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        falling.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


DISK_FULL = """
import resource, sys
import livens as lv
motion = lv.load(sys.argv[1])
for size in (100, 5_000, 20_000):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, -1))
    try:
        motion.save(sys.argv[1])
    except lv.FileError as error:
        print(str(error).rpartition(": ")[2])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no file size limits")
def test_a_full_disk_leaves_the_old_file(falling, tmp_path):
    """HDF5 would crash here: the error is deferred and raised afterwards."""
    path = tmp_path / "motion.nc"
    falling.save(path)
    before = path.read_bytes()
    run = subprocess.run([sys.executable, "-c", DISK_FULL, path], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.splitlines() == ["file too large."] * 3
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_folder_is_an_error(falling, tmp_path):
    with pytest.raises(lv.FileError, match=r"motion.nc cannot be written: the folder .*gone does not exist\."):
        falling.save(tmp_path / "gone" / "motion.nc")
    with pytest.raises(lv.FileError, match="it is a folder"):
        falling.save(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(lv.FileError, match="cannot be written: not a directory"):
        falling.save(tmp_path / "file" / "motion.nc")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder(falling, tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(lv.FileError, match="permission denied"):
            falling.save(tmp_path / "motion.nc")
    finally:
        tmp_path.chmod(0o700)


def test_the_error_of_a_read_only_folder(falling, tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("livens.storage.atomic.os.open", refuse)
    with pytest.raises(lv.FileError, match=r"cannot be written: permission denied\."):
        falling.save(tmp_path / "motion.nc")


def test_a_link_is_followed(falling, tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link.nc").symlink_to(tmp_path / "there" / "motion.nc")
    falling.save(tmp_path / "link.nc")
    assert (tmp_path / "link.nc").is_symlink()
    assert (tmp_path / "there" / "motion.nc").stat().st_size > 0


# ── errors ──


def test_files_of_other_programs_are_errors(tmp_path):
    with pytest.raises(lv.FileError, match=r"nowhere.nc does not exist\."):
        lv.load(tmp_path / "nowhere.nc")
    with pytest.raises(lv.FileError, match="cannot be read: is a directory"):
        lv.load(tmp_path)
    (tmp_path / "note.nc").write_text("hello")
    with pytest.raises(lv.FileError, match="not a netCDF-4 file"):
        lv.load(tmp_path / "note.nc")
    h5py.File(tmp_path / "other.nc", "w").close()
    with pytest.raises(lv.FileError, match="another netCDF or HDF5 file"):
        lv.load(tmp_path / "other.nc")


def test_damaged_files_are_errors(falling, tmp_path):
    """A flipped bit or a truncated end anywhere gives an error of one sentence, never a wrong motion."""
    path = tmp_path / "motion.nc"
    falling.save(path)
    data, random = path.read_bytes(), np.random.default_rng(1)
    for end in [8, 100, *random.integers(9, len(data) - 70, 10)]:
        path.write_bytes(data[:end])
        with pytest.raises(lv.FileError, match=r"damaged or incomplete: .*\.$"):
            lv.load(path)
    for place in random.integers(8, len(data) - 70, 50):
        spoilt = bytearray(data)
        spoilt[place] ^= 1 << int(random.integers(8))
        path.write_bytes(spoilt)
        with pytest.raises(lv.FileError, match=r"is damaged: its checksum is wrong\."):
            lv.load(path)


def altered(path, alter):
    """The file, changed by another program, which removes the checksum."""
    with h5py.File(path, "r+") as file:
        alter(file)
    path.write_bytes(path.read_bytes().partition(b"SHA-256 of all bytes before:")[0])


def test_attributes_of_another_program_are_ignored(falling, tmp_path):
    falling.save(tmp_path / "motion.nc")
    altered(tmp_path / "motion.nc", lambda file: file.attrs.update(history="looked at"))
    assert same(lv.load(tmp_path / "motion.nc").record, falling.record)


def test_altered_numbers_are_errors(falling, tmp_path):
    falling.save(tmp_path / "motion.nc")

    def alter(file):
        file["p"][3, 1, 0] += 1.0

    altered(tmp_path / "motion.nc", alter)
    with pytest.raises(lv.FileError, match="does not match its digest"):
        lv.load(tmp_path / "motion.nc")


def test_a_later_format_is_an_error_that_suggests_an_update(falling, tmp_path):
    falling.save(tmp_path / "motion.nc")
    altered(tmp_path / "motion.nc", lambda file: file.attrs.update(livens_format=FORMAT + 1))
    with pytest.raises(lv.FileError, match=rf"in format {FORMAT + 1}, and .* update livens\."):
        lv.load(tmp_path / "motion.nc")


@pytest.mark.parametrize("what", ["Popen", "Row", "Trajectory", "__class__"])
def test_only_joints_and_forces_are_constructed(what):
    data = to_dict(springs())
    data["forces"]["cord"]["type"] = what
    with pytest.raises(lv.ModelError, match="has no such joint or force"):
        from_dict(data)


def test_a_file_with_an_impossible_model_is_an_error(tmp_path):
    m = springs()
    m["zwei"].shape = lv.Solid(lv.MassProperties(1.0, (1, 1, 1)), lv.Ball(0.1, mass=1.0).surface)
    data = to_dict(m)
    data["bodies"]["zwei"]["shape"]["surface"]["triangles"] = [[0, 1, 9999]]
    with pytest.raises(lv.ModelError, match="names vertex 9999"):
        from_dict(data)


def test_forces_without_multipliers_of_earlier_versions(tmp_path):
    """They carried φ alone: the motion is read, and its continuation begins with the equations of motion."""
    m = lv.Model(gravity=(0, 0, -9.81))
    bar = m.add(lv.Body(lv.Box(1, 0.1, 0.1, mass=1.0), at=(0.5, 0, 0), name="bar"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), bar.point(-0.5, 0, 0), axis=(0, 1, 0), name="hinge"))
    whole = lv.simulate(m, lv.GeneralizedAlpha(), h=1e-3, until=0.2)
    old = lv.simulate(m, lv.GeneralizedAlpha(), h=1e-3, until=0.1)
    old.record = old.record._replace(memory=old.record.memory[:, : 6 * len(m.bodies)])
    old.save(tmp_path / "old.nc")
    read = lv.load(tmp_path / "old.nc")
    assert np.array_equal(read.record.L, old.record.L)
    assert read.record.memory.shape[1] == 6 * len(m.bodies) + 5
    longer = lv.resume(read, until=0.2)
    assert np.abs(longer.position("bar") - whole.position("bar")).max() < 10.0 * 1e-3**2
