"""Coordinates of joints in scenes: format 2 counts displacements from the start, format 1 from the first point."""

import numpy as np
import pytest

import livens as lv
from livens.compile.system import compile_model, same
from livens.scene import from_dict, to_dict

pytestmark = pytest.mark.filterwarnings("ignore::livens.errors.ModelWarning")


def scene(version, **rail):
    """A cart on a rail, 2 m from its first point."""
    return {
        "livens": version,
        "bodies": {"cart": {"mass": 2.0, "inertia": [0.1, 0.1, 0.1], "at": [2, 0, 0]}},
        "joints": {
            "rail": {
                "type": "Prismatic", "a": {"body": "world", "point": [0, 0, 0]},
                "b": {"body": "cart", "point": [0, 0, 0]}, "axis": [1, 0, 0], **rail,
            }
        },
    }  # fmt: skip


def test_format_1_keeps_its_meaning():
    """Release 0.1: the spring pulls from 2 m to its rest at 1.5 m, and the drive begins at 2."""
    for version, start, energy in ((1, 2.0, 12.5), (2, 0.0, 112.5)):
        model = lv.Scene(scene(version, stiffness=100.0, rest=1.5)).model()
        now = lv.dynamics(model)
        assert now.coordinate("rail")[0] == pytest.approx(start, abs=1e-15)
        assert now.potential[0] == pytest.approx(energy)
    motion = lv.Scene(scene(1, drive="2 + 0.1*t")).simulate(h=1e-2, until=1.0)
    assert motion.coordinate("rail")[-1] == pytest.approx(2.1)
    assert lv.dynamics(lv.Scene(scene(1, start=0.5)).model()).coordinate("rail")[0] == pytest.approx(0.5)


def test_a_scene_of_format_1_is_written_in_format_2_with_the_same_meaning():
    model = lv.Scene(scene(1, stiffness=100.0, rest=1.5)).model()
    document = to_dict(model)
    assert document["livens"] == 2
    assert document["joints"]["rail"]["start"] == 2.0
    again = from_dict(document)
    assert lv.dynamics(again).potential[0] == lv.dynamics(model).potential[0]


def test_both_coordinates_of_format_1():
    document = scene(1)
    document["joints"]["rail"] |= {"type": "Cylindrical", "start_rate": 1.0}
    assert lv.dynamics(lv.Scene(document).model()).coordinate("rail")[0] == pytest.approx([0.0, 2.0], abs=1e-15)


def every_joint_with_elements():
    """Joints with one number or one for each coordinate, and motors on them."""
    rng = np.random.default_rng(0)
    m = lv.Model(gravity=(0, 0, -9.81), name="elements")
    body = [m.add(lv.Body(lv.Box(1, 0.3, 0.2, mass=1 / 3), at=(k, 0, 0), name=f"b{k}")) for k in range(6)]
    ends = [(m.world.point_at(*b.pose.a), b.center) for b in body]
    u, w = np.linalg.qr(rng.normal(size=(3, 3)))[0][:2]
    m.add(lv.Universal(*ends[0], u, w, start=(1 / 3, -0.2), stiffness=(1 / 7, 2.0), rest=(0.0, 0.1), damping=0.3,
                       limits=((-1.0, 1 / 3 + 1), None), limit_stiffness=(10.0, 1e5), name="cross"))  # fmt: skip
    m.add(lv.Planar(*ends[1], u, start=(0.1, 0.2, 1 / 3), stiffness=(1.0, 0.0, 3.0), limits=(None, (-1, 1), None),
                    name="table"))  # fmt: skip
    m.add(lv.Spherical(*ends[2], start=(0.1, -0.2, 1 / 3), stiffness=2.0, rest=(0.0, 1 / 3, 0.0), damping=0.1,
                       limits=(None, 1.5), limit_stiffness=3e3, name="ball"))  # fmt: skip
    m.add(lv.Cylindrical(*ends[3], u, start=(1 / 3, -2.0), stiffness=(3.0, 4.0), drive=lv.Expression("1/3 + t")))
    m.add(lv.Screw(*ends[4], w, 0.2, start=0.5, damping=(0.0, 1.5), limits=(-1.0, 2.0), name="thread"))
    m.add(lv.Prismatic(*ends[5], w, start=-1 / 3, name="rail"))
    for joint, part in (("cross", "angle_b"), ("table", "y"), ("ball", "turn_z"), ("rail", None)):
        m.add(lv.Motor(m[joint], 0.1, coordinate=part, name=f"on {joint}"))
    return m


def test_elements_of_every_coordinate_are_written_and_read(tmp_path):
    """The same arrays bit for bit from a scene, from TOML and from a saved motion."""
    m = every_joint_with_elements()
    mine = compile_model(m)
    lv.write_scene(m, tmp_path / "m.toml")
    motion = lv.simulate(m, h=1e-3, until=2e-3)
    motion.save(tmp_path / "m.nc")
    loaded = lv.load(tmp_path / "m.nc")
    for other in (from_dict(to_dict(m)), lv.read_scene(tmp_path / "m.toml").model(), loaded.model):
        theirs = compile_model(other)
        assert same(mine.system, theirs.system)
        assert same(mine.state, theirs.state)
        assert to_dict(other) == to_dict(m)
    for joint in m.joints:
        assert np.array_equal(loaded.coordinate(joint.name), motion.coordinate(joint))


def test_planar_models_are_written_and_read(tmp_path):
    m = lv.Model(gravity=(0, 0, -9.81), planar="xz")
    m.add(lv.Body(lv.Box(1, 1, 1, mass=1.0), velocity=(0.3, 0, 0), name="box"))
    lv.write_scene(m, tmp_path / "m.toml", h=1e-2, until=0.1)
    scene = lv.read_scene(tmp_path / "m.toml")
    assert scene.model().planar == "xz"
    assert scene.simulate().freedom == 3
    with pytest.raises(lv.LivensError, match="planar"):
        lv.Scene({"livens": 2, "planar": "ab"})


@pytest.mark.parametrize(
    ("rail", "words"),
    [
        ({"start": "left"}, "rail"),
        ({"start": [1, 2]}, "start"),
        ({"start": True}, "it must be a number"),
        ({"limits": [[0, 1], [0, 1]]}, r"must be \(lower, upper\)"),
        ({"limits": [0]}, "it must be 2 numbers"),
    ],
)
def test_refusals(rail, words):
    with pytest.raises(lv.LivensError, match=words):
        lv.Scene(scene(2, **rail)).model()
