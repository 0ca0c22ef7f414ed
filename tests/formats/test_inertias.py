"""Impossible inertias in files: refused with file, part and number, or moved to the nearest possible one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import livens as lv
from livens.describe.mass import LEAST_EIGENVALUE, inertia_fault, nearest_inertia

HINGE = '<joint name="pin" type="continuous"><parent link="base"/><child link="bar"/><axis xyz="0 1 0"/></joint>'
FAULTS = {
    "triangle": (np.diag((1.0, 1.0, 5.0)), r"breaks the triangle inequality: 5 > 1 \+ 1 kg m²"),
    "negative": (np.diag((-1.0, 1.0, 1.0)), "has a negative principal moment: -1 kg m²"),
    "indefinite": (np.array([[1.0, 3, 0], [3, 1, 0], [0, 0, 1]]), "has a negative principal moment: -2 kg m²"),
}


def turned(J, seed):
    Q = lv.Pose.from_quaternion(np.random.default_rng(seed).normal(size=4)).B
    return Q @ J @ Q.T


def urdf(folder, J, base=""):
    """A hinged link with this inertia; `base`: the inertial of the link that is fixed to the world."""
    entries = {"ixx": J[0, 0], "iyy": J[1, 1], "izz": J[2, 2], "ixy": J[0, 1], "ixz": J[0, 2], "iyz": J[1, 2]}
    text = " ".join(f'{key}="{float(value)!r}"' for key, value in entries.items())
    matter = f'<inertial><mass value="2"/><inertia {text}/></inertial>'
    path = folder / "robot.urdf"
    path.write_text(f'<robot name="r"><link name="base">{base}</link><link name="bar">{matter}</link>{HINGE}</robot>')
    return path


def mjcf(folder, J):
    numbers = J[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    full = np.any(J - np.diag(np.diag(J)))
    given = numbers if full else numbers[:3]
    text = f'{"full" if full else "diag"}inertia="{" ".join(repr(float(x)) for x in given)}"'
    path = folder / "robot.xml"
    path.write_text(
        f'<mujoco><worldbody><body name="bar"><joint axis="0 1 0"/><inertial pos="0 0 0" mass="2" {text}/></body>'
        "</worldbody></mujoco>"
    )
    return path


READERS = {
    "urdf": (urdf, lv.read_urdf, "robot.urdf: link 'bar'"),
    "mjcf": (mjcf, lv.read_mjcf, "robot.xml: body 'bar'"),
}


@pytest.mark.parametrize(("J", "words"), FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("reader", READERS)
def test_an_impossible_inertia_is_refused_or_repaired(tmp_path, reader, J, words):
    if reader == "mjcf":
        pytest.importorskip("mujoco")
    write, read, part = READERS[reader]
    for seed in (None, 1, 2):
        tensor = J if seed is None else turned(J, seed)
        path = write(tmp_path, tensor)
        with pytest.raises(lv.ModelError, match=f"{part}: inertia tensor {words}.*inertia='repair'"):
            read(path)
        with pytest.warns(lv.ModelWarning, match=r"repaired: of .* 'bar', principal moments .* became .* kg m²"):
            model = read(path, inertia="repair")
        found = model["bar"].mass_properties.inertia
        assert found == pytest.approx(nearest_inertia(tensor), abs=1e-12)
        assert not inertia_fault(found)
        motion = lv.simulate(model, h=1e-3, until=1e-2)
        assert np.isfinite(motion.energy).all()


def test_inertias_that_do_not_count_are_not_refused(tmp_path, recwarn):
    """Of the link that is fixed to the world; a possible inertia keeps its bits, and nothing is reported."""
    J = turned(np.diag((1.0, 2.0, 2.5)), 3)
    base = '<inertial><mass value="1"/><inertia ixx="-1" iyy="1" izz="1"/></inertial>'
    for choice in ("refuse", "repair"):
        model = lv.read_urdf(urdf(tmp_path, J, base), inertia=choice)
        assert model["bar"].mass_properties.inertia.tobytes() == (0.5 * (J + J.T)).tobytes()
    assert not recwarn.list
    with pytest.raises(lv.ModelError, match=r"'base'.*negative principal moment"):
        lv.read_urdf(urdf(tmp_path, J, base), base="free")
    with pytest.raises(lv.ModelError, match="inertia must be 'refuse' or 'repair', not 'fix'"):
        lv.read_urdf(urdf(tmp_path, J), inertia="fix")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-1.0, 1.0), min_size=3, max_size=3), st.integers(0, 1000), st.floats(-9.0, 9.0))
def test_the_repaired_inertia_is_the_nearest_possible_one(moments, seed, power):
    """Against candidates around it and at random: none that is possible has an Euler tensor nearer to that of J."""
    scale = 10.0**power
    J = turned(np.diag(np.array(moments) * scale), seed)
    rng = np.random.default_rng(seed)
    near = nearest_inertia(J)
    assert not inertia_fault(near)

    def euler(J):
        return 0.5 * np.trace(J) * np.eye(3) - J

    size = 3.0 * np.abs(euler(J)).max()  # no squares: moments may be very small
    distance = np.linalg.norm(euler(near) - euler(J))
    for _ in range(20):
        A = rng.normal(size=(3, 3)) * np.sqrt(scale) * rng.choice([1.0, 0.1])
        for E in (A @ A.T, euler(near) + 1e-3 * A @ A.T):
            assert np.linalg.norm(E - euler(J)) >= distance - 2 * LEAST_EIGENVALUE * size
    if not inertia_fault(J) and np.linalg.eigvalsh(euler(J))[0] > LEAST_EIGENVALUE * size:
        assert near == pytest.approx(0.5 * (J + J.T), abs=1e-12 * size)


def test_mass_properties_are_repaired_with_a_warning():
    with pytest.warns(lv.ModelWarning, match=r"5 > 1 \+ 1 .*: principal moments 1, 1, 5 became 2.5, 2.5, 5 kg m²"):
        matter = lv.MassProperties.repaired(2.0, (1, 1, 5), center=(1, 0, 0))
    assert matter.center.tolist() == [1, 0, 0]
    with pytest.warns(lv.ModelWarning, match="not symmetric"):
        lv.MassProperties.repaired(1.0, np.eye(3) + np.diag((0.1, 0), 1)[:3, :3])
    with pytest.raises(lv.ModelError, match="inertia must be 3 numbers, not"):
        lv.MassProperties.repaired(1.0, "heavy")
