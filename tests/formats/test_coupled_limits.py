"""Limits of joints that follow others: <mimic> in URDF, equalities in MJCF."""

import numpy as np
import pytest

import livens as lv

MATTER = '<inertial><origin xyz="0.3 0 0"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>'


def joint(name, child, kind="revolute", limits=None, mimic=None):
    limit = "" if limits is None else f'<limit lower="{limits[0]!r}" upper="{limits[1]!r}" effort="1" velocity="1"/>'
    follow = "" if mimic is None else f'<mimic joint="{mimic[0]}" multiplier="{mimic[1]!r}" offset="{mimic[2]!r}"/>'
    return (
        f'<joint name="{name}" type="{kind}"><parent link="base"/><child link="{child}"/><axis xyz="0 1 0"/>'
        f"{limit}{follow}</joint>"
    )


def write(folder, *joints):
    links = "".join(f'<link name="l{k}">{MATTER}</link>' for k in range(len(joints)))
    path = folder / "gripper.urdf"
    path.write_text(f'<robot name="r"><link name="base"/>{links}{"".join(joints)}</robot>')
    return path


@pytest.mark.parametrize("seed", range(12))
def test_the_leader_has_the_limits_of_all_its_followers(tmp_path, seed):
    """Against a grid of its coordinate: allowed where all joints, the follower of a follower too, are within theirs."""
    rng = np.random.default_rng(seed)
    ratio = rng.choice([-1.0, 1.0], 2) * rng.uniform(0.3, 3.0, 2)
    offset = rng.normal(size=2)
    own = (-2.0, 2.5) if seed % 2 else None
    middle = rng.uniform(-0.5, 0.5)  # where all limits hold
    values = [ratio[0] * middle + offset[0]]
    values.append(ratio[1] * values[0] + offset[1])
    ends = [(float(q - rng.uniform(0.1, 4.0)), float(q + rng.uniform(0.1, 4.0))) for q in values]
    path = write(
        tmp_path,
        joint("third", "l0", limits=ends[1], mimic=("second", float(ratio[1]), float(offset[1]))),
        joint("leader", "l1", kind="revolute" if own else "continuous", limits=own),
        joint("second", "l2", limits=ends[0], mimic=("leader", float(ratio[0]), float(offset[0]))),
    )
    model = lv.read_urdf(path, positions={"leader": middle})
    lower, upper = model["leader"].limits
    grid = np.linspace(-6.0, 6.0, 120_001)
    second = ratio[0] * grid + offset[0]
    third = ratio[1] * second + offset[1]
    fine = (second >= ends[0][0]) & (second <= ends[0][1]) & (third >= ends[1][0]) & (third <= ends[1][1])
    fine &= (grid >= own[0]) & (grid <= own[1]) if own else True
    assert (lower, upper) == pytest.approx((grid[fine].min(), grid[fine].max()), abs=2e-4)
    assert model["second"].limits is None
    assert model["third"].limits is None
    begun = lv.read_urdf(path)  # at the allowed value nearest to zero
    start = float(np.clip(0.0, lower, upper))
    assert begun["leader"].limits == pytest.approx((lower, upper), abs=1e-9)
    assert begun["leader"].start == pytest.approx(start, abs=1e-9)


def test_a_follower_stops_at_its_limit(tmp_path):
    """The leader is continuous: without the limit of its follower it would turn over."""
    path = write(
        tmp_path,
        joint("leader", "l0", kind="continuous"),
        joint("finger", "l1", limits=(-1.0, 0.5), mimic=("leader", -2.0, 0.1)),
    )
    model = lv.read_urdf(path, velocities={"leader": 3.0}, gravity=(0, 0, 0))
    motion = lv.simulate(model, h=1e-4, until=1.0, every=10)
    finger = motion.coordinate("finger")
    assert -1.02 < finger.min() < -0.99
    assert finger.max() < 0.52
    assert finger == pytest.approx(0.1 - 2.0 * motion.coordinate("leader"), abs=1e-9)


def test_limits_that_exclude_each_other_are_named(tmp_path):
    path = write(
        tmp_path,
        joint("leader", "l0", limits=(-1.0, 1.0)),
        joint("finger", "l1", limits=(5.0, 6.0), mimic=("leader", 1.0, 0.0)),
    )
    with pytest.warns(lv.ModelWarning, match="the limits of 'finger', which exclude those of 'leader'"):
        model = lv.read_urdf(path)
    assert model["leader"].limits.tolist() == [-1.0, 1.0]


def test_a_mimic_in_a_chain_of_joints_is_named(tmp_path):
    """Two joints around a link without mass become one joint, whose coordinates cannot be coupled."""
    path = tmp_path / "chain.urdf"
    path.write_text(
        f'<robot name="r"><link name="base"/><link name="l0">{MATTER}</link><link name="between"/>'
        f'<link name="l1">{MATTER}</link>{joint("leader", "l0", limits=(-1.0, 1.0))}'
        f"{joint('first', 'between', kind='continuous', mimic=('leader', 1.0, 0.0))}"
        '<joint name="second" type="continuous"><parent link="between"/><child link="l1"/><axis xyz="1 0 0"/></joint>'
        "</robot>"
    )
    with pytest.warns(lv.ModelWarning, match="the mimic of 'first', which is one of several joints"):
        lv.read_urdf(path)


@pytest.mark.filterwarnings("ignore::livens.errors.ModelWarning")
@pytest.mark.parametrize("ratio", [-2.0, 0.5])
def test_joints_of_an_equality_keep_their_limits(tmp_path, ratio):
    pytest.importorskip("mujoco")
    bodies = "".join(
        f'<body name="b{k}" pos="0 {k} 0"><joint name="j{k}" axis="0 1 0" {limit}/>'
        '<geom size="0.1" pos="0.3 0 0"/></body>'
        for k, limit in enumerate(("", 'range="-0.6 0.4"'))
    )
    path = tmp_path / "pair.xml"
    path.write_text(
        f'<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><worldbody>{bodies}</worldbody><equality>'
        f'<joint joint1="j1" joint2="j0" polycoef="0 {ratio} 0 0 0"/></equality></mujoco>'
    )
    model = lv.read_mjcf(path, qvel=[2.0, 2.0 * ratio])
    assert model["j1"].limits.tolist() == [-0.6, 0.4]
    motion = lv.simulate(model, h=1e-4, until=2.0, every=10)
    turned = ratio * motion.coordinate("j0")
    assert -0.7 < turned.min() < turned.max() < 0.5
    assert np.ptp(turned) > 0.9
