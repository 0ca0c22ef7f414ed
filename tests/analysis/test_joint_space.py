"""Dynamics in joint coordinates: against closed forms, against MuJoCo, against the motions of driven mechanisms."""

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import livens as lv
from benchmarks.random_models.description import build
from benchmarks.random_models.generate import describe

G = 9.81


def rotation(rng):
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return q * np.sign(np.linalg.det(q))


def random_tree(rng, joints, scale=1.0, gravity=True):
    """A tree of bodies in random orientation; `joints` are classes, each on a random earlier body."""
    m = lv.Model(gravity=rng.normal(size=3) * G * scale if gravity else (0, 0, 0))
    bodies = [m.world]
    for k, joint in enumerate(joints):
        inertia = rng.uniform(0.5, 1.0, 3)
        shape = lv.MassProperties(
            rng.uniform(0.5, 3.0), tuple(inertia * scale**2), center=rng.normal(size=3) * scale / 5
        )
        body = m.add(lv.Body(shape, at=rng.normal(size=3) * scale, rotation=rotation(rng), name=f"b{k}"))
        x = rng.normal(size=3) * scale
        a, b = bodies[rng.integers(len(bodies))].point_at(*x), body.point_at(*x)
        if rng.random() < 0.3 and joint is not lv.Universal:
            a, b = b, a
        m.add(joined(joint, a, b, rng, f"j{k}"))
        bodies.append(body)
    return m


def joined(joint, a, b, rng, name):
    u, w = rotation(rng)[:2]
    if joint is lv.Universal:
        return lv.Universal(a, b, u, w, name=name)
    if joint is lv.Planar:
        return lv.Planar(a, b, u, name=name)
    return joint(a, b, name=name) if joint in (lv.Spherical, lv.Rigid) else joint(a, b, axis=u, name=name)


ALL = [lv.Revolute, lv.Prismatic, lv.Cylindrical, lv.Universal, lv.Planar, lv.Spherical, lv.Rigid, lv.Revolute]


def double_pendulum(q, v):
    """Mass matrix and bias of the double pendulum of the next test, written by hand."""
    (m1, m2), (i1, i2), l, (r1, r2) = (3.0, 2.0), (0.25, 0.15), 1.0, (0.5, 0.4)
    c, s = np.cos(q[1]), np.sin(q[1])
    off = i2 + m2 * (r2**2 + l * r2 * c)
    M = np.array([[i1 + i2 + m1 * r1**2 + m2 * (l**2 + r2**2 + 2 * l * r2 * c), off], [off, i2 + m2 * r2**2]])
    h = m2 * l * r2 * s
    coriolis = np.array([-h * (2 * v[0] * v[1] + v[1] ** 2), h * v[0] ** 2])
    weight = -G * np.array([(m1 * r1 + m2 * l) * np.cos(q[0]) + m2 * r2 * np.cos(sum(q)), m2 * r2 * np.cos(sum(q))])
    return M, coriolis + weight


def test_double_pendulum_by_hand():
    m = lv.Model(gravity=(0, 0, -G))
    arm = m.add(lv.Body(lv.MassProperties(3.0, (0.01, 0.25, 0.25)), at=(0.5, 0, 0), name="arm"))
    fore = m.add(lv.Body(lv.MassProperties(2.0, (0.01, 0.15, 0.15)), at=(1.4, 0, 0), name="fore"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 1, 0), name="shoulder"))
    m.add(lv.Revolute(arm.point(0.5, 0, 0), fore.point(-0.4, 0, 0), axis=(0, 1, 0), name="elbow"))
    space, rng = lv.JointSpace(m), np.random.default_rng(0)
    assert space.names == ("shoulder", "elbow")
    for _ in range(5):
        q, v, a = 3.0 * rng.normal(size=(3, 2))
        M, b = double_pendulum(q, v)
        assert space.mass_matrix(q) == pytest.approx(M, abs=1e-13)
        assert space.bias(q, v) == pytest.approx(b, abs=1e-12)
        assert space.inverse_dynamics(q, v, a) == pytest.approx(M @ a + b, abs=1e-12)
        assert space.forward_dynamics(q, v, M @ a + b) == pytest.approx(a, abs=1e-12)
        assert space.forward_kinematics(q).position(fore.point(-0.4, 0, 0))[0] == pytest.approx(
            [np.cos(q[0]), 0, -np.sin(q[0])], abs=1e-14
        )


@pytest.mark.parametrize("seed", range(6))
def test_random_trees_against_mujoco(seed, tmp_path):
    """Hinges, slides and cylinders in random orientation, unit and order."""
    mujoco = pytest.importorskip("mujoco", reason="the extra mjcf has MuJoCo")
    rng = np.random.default_rng(seed)
    kinds = [lv.Revolute, lv.Prismatic, lv.Cylindrical, lv.Revolute, lv.Rigid, lv.Revolute]
    m = random_tree(rng, [kinds[k] for k in rng.permutation(len(kinds))], scale=10.0 ** rng.uniform(-1, 1))
    path = tmp_path / "tree.xml"
    lv.write_mjcf(m, path)
    theirs = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(theirs)
    space = lv.JointSpace(m)

    def address(name):
        """The place in MuJoCo's vectors of a coordinate of ours: cylinders have a slide and a hinge of their own."""
        joint, _, part = name.partition(".")
        for spelled in {"": [joint], "angle": [joint, f"{joint} hinge"], "displacement": [f"{joint} slide"]}[part]:
            k = mujoco.mj_name2id(theirs, mujoco.mjtObj.mjOBJ_JOINT, spelled)
            if k >= 0:
                return int(theirs.jnt_dofadr[k])
        raise AssertionError(name)

    order = [address(name) for name in space.names]
    q, v = rng.normal(size=(2, len(order)))
    data.qpos[order] += q - space.start
    data.qvel[order] = v
    mujoco.mj_forward(theirs, data)
    full = np.zeros((theirs.nv, theirs.nv))
    mujoco.mj_fullM(theirs, data, full)
    M, b = space.equations(q, v)
    assert np.abs(M - full[np.ix_(order, order)]).max() <= 1e-10 * np.abs(M).max()
    assert np.abs(b - data.qfrc_bias[order]).max() <= 1e-10 * np.abs(b).max()


@pytest.mark.parametrize("seed", range(12))
def test_trees_of_all_joints(seed):
    """Coordinates make the round trip, Jacobians are derivatives of positions, the mass matrix gives the kinetic
    energy, and the accelerations are those of the equations of all bodies."""
    rng = np.random.default_rng(seed)
    m = random_tree(rng, [ALL[k] for k in rng.permutation(len(ALL))], scale=10.0 ** rng.uniform(-2, 2))
    scale = float(np.abs(m.bodies[1].pose.a).max())
    space = lv.JointSpace(m)
    unit = np.where([u == "m" for u in space.units], scale, 1.0)
    q, v, a = space.start + unit * rng.normal(size=len(unit)), *(unit * rng.normal(size=(2, len(unit))))
    state = space.state(q, v)
    again = space.read(state)
    assert np.abs((again[0] - q) / unit).max() <= 1e-12
    assert np.abs((again[1] - v) / unit).max() <= 1e-12
    motion = space.forward_kinematics(q, v)
    assert motion.defect_position[0] <= 1e-12 * max(1.0, scale)
    M, b = space.equations(q, v)
    assert 0.5 * v @ M @ v == pytest.approx(motion.kinetic[0], rel=1e-12)
    point = m.bodies[-1].point(0.1 * scale, 0.2 * scale, -0.3 * scale)
    J = space.jacobian(point, q)
    found = 1e-12 * scale * np.abs(v / unit).sum()  # coordinates are found to 1e-12, as above
    assert J @ v == pytest.approx(motion.velocity(point)[0], abs=found)
    twist = space.jacobian(m.bodies[-1], state) @ v
    assert twist[3:] == pytest.approx(motion.angular_velocity(m.bodies[-1])[0], abs=1e-12 * np.abs(v / unit).max())
    free = lv.dynamics(m, state)  # no efforts
    efforts = space.inverse_dynamics(q, v, a)
    size = np.abs(M @ a).max() + np.abs(b).max()
    assert efforts == pytest.approx(M @ a + b, abs=1e-12 * size)
    assert space.forward_dynamics(q, v, efforts) / unit == pytest.approx(a / unit, abs=1e-10 * np.abs(a / unit).max())
    falling = space.forward_dynamics(q, v, np.zeros(len(q)))
    hinge = next(k for k, joint in enumerate(m.joints) if isinstance(joint, lv.Revolute))
    mine = free.coordinate_acceleration(m.joints[hinge])[0]
    assert mine == pytest.approx(falling[space.names.index(m.joints[hinge].name)], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", [1, 2, 5, 12, 13, 14, 19, 23, 28, 31])
def test_loops(seed):
    """Random mechanisms with loops and redundant constraints: a chosen set of coordinates determines the motion."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lv.ModelWarning)
        space = lv.JointSpace(build(describe(seed)))
    rng = np.random.default_rng(seed)
    state = space.compiled.state
    q, v = space.read(state)
    assert len(q) == space.compiled.freedom < len(space.all_names)
    M, _ = space.equations(state)
    kinetic = 0.5 * float((state.p**2 * space.space.system.bodies.inverse_mass[:, None]).sum())
    kinetic += 0.5 * float((state.L**2 * space.space.system.bodies.inverse_inertia).sum())
    assert 0.5 * v @ M @ v == pytest.approx(kinetic, rel=1e-11)
    q, v, a = q + 0.02 * rng.normal(size=len(q)), *rng.normal(size=(2, len(q)))
    again = space.read(space.state(q, v))
    assert np.abs(again[0] - q).max() <= 1e-12
    assert np.abs(again[1] - v).max() <= 1e-11
    M, b = space.equations(q, v)
    assert space.generalized_forces(q, v, a) == pytest.approx(
        M @ a + b, abs=1e-10 * (np.abs(M @ a).max() + np.abs(b).max())
    )


def four_bar(rng, drive=None, motors=()):
    """A planar four-bar linkage in random orientation."""
    R, m = rotation(rng), None
    m = lv.Model(gravity=R @ (0, 0, -G))
    corners = np.array([(0, 0, 0), (0, 0, 1), (2, 0, 2), (2, 0, 0)], dtype=float)
    bodies = [m.world]
    for k in range(3):
        one, two = corners[k], corners[k + 1]
        x = (two - one) / np.linalg.norm(two - one)
        frame = np.stack([x, (0, 1, 0), np.cross(x, (0, 1, 0))], axis=1)
        bar = lv.Box(np.linalg.norm(two - one), 0.1, 0.1, density=1000)
        bodies.append(m.add(lv.Body(bar, at=R @ (0.5 * (one + two)), rotation=R @ frame, name=f"bar{k}")))
    bodies.append(m.world)
    for k in range(4):
        x = R @ corners[k]
        more = {"drive": drive} if k == 0 and drive else {}
        m.add(lv.Revolute(bodies[k].point_at(*x), bodies[k + 1].point_at(*x), R @ (0, 1, 0), name=f"j{k}", **more))
    for k in motors:
        m.add(lv.Motor(m.joints[k], 0.0, name=f"motor{k}"))
    return m


@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_four_bar_against_its_driven_motion():
    """The crank's torque of a simulated prescribed motion is the inverse dynamics of its coordinate."""
    drive = lv.Expression("0.6 * sin(1.3 * t)")
    m = four_bar(np.random.default_rng(1), drive)
    motion = lv.simulate(m, lv.Livens(order=4), h=2e-3, until=2.0, every=200)
    space = lv.JointSpace(m)
    assert (space.names, space.actuated) == (("j0",), ("j0",))
    w = 1.3
    for t, effort in zip(motion.t[1:], motion.effort("j0")[1:], strict=True):
        q, v, a = 0.6 * np.sin(w * t), 0.6 * w * np.cos(w * t), -0.6 * w**2 * np.sin(w * t)
        assert space.inverse_dynamics([q], [v], [a])[0] == pytest.approx(effort, rel=1e-7)


@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_over_actuated_loops_get_least_efforts():
    """Two motors on one freedom: together they do the work of one, and the sum of squares is least."""
    one, two = (lv.JointSpace(four_bar(np.random.default_rng(2), motors=k)) for k in ((0,), (0, 3)))
    q, v, a = [0.2], [0.7], [-1.1]
    alone, pair = one.inverse_dynamics(q, v, a), two.inverse_dynamics(q, v, a)
    last = two.all_names.index("j3")
    slope = two.read_all(two.state(q, [1.0]))[1][last]  # rate of the second motor per rate of the first
    assert pair[0] + slope * pair[1] == pytest.approx(alone[0], rel=1e-10)
    assert pair[1] == pytest.approx(slope * pair[0], rel=1e-9)  # least norm: along the gradient


def stewart_platform():
    """A plate on six legs, each of two bodies, with a motor in each leg."""
    m = lv.Model(gravity=(0, 0, -G))
    plate = m.add(lv.Body(lv.Cylinder(0.5, 0.1, density=800), at=(0, 0, 1.2), name="plate"))
    feet = [(np.cos(t), np.sin(t), 0.0) for t in np.radians([-10, 10, 110, 130, 230, 250])]
    tops = [(0.5 * np.cos(t), 0.5 * np.sin(t), 1.2) for t in np.radians([-50, 50, 70, 170, 190, 290])]
    for k, (foot, top) in enumerate(zip(np.array(feet), np.array(tops), strict=True)):
        u = (top - foot) / np.linalg.norm(top - foot)
        w = np.cross(u, (0, 0, 1.0)) / np.linalg.norm(np.cross(u, (0, 0, 1.0)))
        low = m.add(lv.Body(lv.MassProperties(2.0, (0.02, 0.02, 0.01)), at=foot + 0.3 * u, name=f"low{k}"))
        high = m.add(lv.Body(lv.MassProperties(1.0, (0.01, 0.01, 0.005)), at=top - 0.3 * u, name=f"high{k}"))
        m.add(lv.Universal(m.world.point(*foot), low.point_at(*foot), np.cross(w, u), w, name=f"foot{k}"))
        leg = m.add(lv.Prismatic(low.point_at(*foot), high.point_at(*top), axis=u, name=f"leg{k}"))
        m.add(lv.Spherical(high.point_at(*top), plate.point_at(*top), name=f"top{k}"))
        m.add(lv.Motor(leg, 0.0, name=f"motor{k}"))
    return m


def test_stewart_platform_against_virtual_work():
    """The forces of the legs do the virtual work of weight and inertia of all bodies, whose accelerations come from
    differences of their Jacobians."""
    m = stewart_platform()
    space, rng = lv.JointSpace(m), np.random.default_rng(3)
    assert space.names == tuple(f"leg{k}" for k in range(6)) == space.actuated
    q, v, a = space.start + 0.1 * rng.normal(size=6), *rng.normal(size=(2, 6))
    forces, e = np.zeros(6), 2.5e-4

    def map_at(s):
        return space.jacobian(body, q + s * e * v)

    for body in m.bodies[1:]:
        J, R = map_at(0.0), space.forward_kinematics(q).rotation(body)[0]
        rate = (8.0 * (map_at(1.0) - map_at(-1.0)) - (map_at(2.0) - map_at(-2.0))) / (12.0 * e)
        omega, change = (J @ v)[3:], J @ a + rate @ v
        mass, inertia = body.mass_properties.mass, R @ body.mass_properties.inertia @ R.T
        turn = inertia @ change[3:] + np.cross(omega, inertia @ omega)
        forces += J.T @ np.concatenate([mass * (change[:3] + np.array([0, 0, G])), turn])
    assert space.inverse_dynamics(q, v, a) == pytest.approx(forces, abs=1e-9 * np.abs(forces).max())


def test_a_planar_joint_counts_along_its_directions():
    """Displacements along x and normal × x, the angle about the normal, from zero."""
    m = lv.Model()
    puck = m.add(
        lv.Body(lv.MassProperties(1.0, (1, 1, 1)), velocity=(1.0, 2.0, 0), angular_velocity=(0, 0, 3.0), name="p")
    )
    m.add(lv.Planar(m.world.point(0, 0, 0), puck.point(0, 0, 0), normal=(0, 0, 1), name="table"))
    motion = lv.simulate(m, h=1e-3, until=0.5)
    assert motion.names == ("table.x", "table.y", "table.angle")
    assert motion.q[-1] == pytest.approx([0.5, 1.0, 1.5], abs=1e-5)
    assert motion.v[-1] == pytest.approx([1.0, 2.0, 3.0], abs=1e-12)
    assert motion.coordinate("table").shape == (len(motion), 3)


def test_a_universal_joint_counts_the_angle_about_each_axis():
    rng = np.random.default_rng(4)
    R = rotation(rng)
    for first, second in rng.uniform(-1.2, 1.2, size=(4, 2)):
        m = lv.Model()
        body = m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), name="body"))
        m.add(lv.Universal(m.world.point(0, 0, 0), body.point(0, 0, 0), R[:, 0], R[:, 1], name="cross"))
        space = lv.JointSpace(m)
        assert space.names == ("cross.angle_a", "cross.angle_b")
        turned = space.forward_kinematics([first, second])
        wanted = lv.Pose.from_axis_angle(R[:, 0], first).B @ lv.Pose.from_axis_angle(R[:, 1], second).B
        assert turned.rotation(body)[0] == pytest.approx(wanted, abs=1e-14)
        assert turned.coordinate("cross")[0] == pytest.approx([first, second], abs=1e-14)


def test_vectors_in_controllers_and_in_motions_agree():
    m = lv.Model(gravity=(0, 0, -G))
    arm = m.add(lv.Body(lv.MassProperties(1.0, (0.1, 0.1, 0.1)), at=(0.5, 0, 0), name="arm"))
    ball = m.add(lv.Body(lv.MassProperties(1.0, (0.1, 0.2, 0.3)), at=(1.5, 0, 0), body_rates=(0.3, 1, 2), name="ball"))
    free = m.add(lv.Body(lv.MassProperties(1.0, (0.1, 0.2, 0.3)), at=(3, 0, 0), velocity=(1, 2, 3), name="free"))
    hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 1, 0), name="hinge"))
    m.add(lv.Spherical(arm.point(0.5, 0, 0), ball.point(-0.5, 0, 0), name="socket"))
    seen = []
    m.add(lv.Motor(hinge, lambda t, now: seen.append((now.q, now.v)) or 0.0, rate=100.0))
    motion = lv.simulate(m, h=1e-2, until=0.2)
    turns = ("turn_x", "turn_y", "turn_z")
    assert motion.names == (
        "hinge", *(f"socket.{t}" for t in turns), "free.x", "free.y", "free.z", *(f"free.{t}" for t in turns)
    )  # fmt: skip
    for k, (q, v) in enumerate(seen):
        assert q == pytest.approx(motion.q[k], abs=1e-14)
        assert v == pytest.approx(motion.v[k], abs=1e-14)
    assert motion.v[:, 0] == pytest.approx(motion.rate("hinge"), abs=1e-14)
    assert motion.q[-1, 4:7] == pytest.approx(motion.position(free)[-1] - (3, 0, 0), abs=1e-13)


def test_point_masses_on_ball_joints_have_no_rotation():
    """A load of 2 kg at the end of a rod, and a rod that hangs from a sliding point mass, in random orientation."""
    R = Rotation.random(random_state=8).as_matrix()
    m = lv.Model(gravity=R @ (0, 0, -9.81))
    rod = m.add(lv.Body(lv.Box(1, 0.2, 0.1, mass=1.0), at=R @ (0.5, 0, 0), rotation=R, name="rod"))
    load = m.add(lv.Body(lv.PointMass(2.0), at=R @ (1, 0, 0), name="load"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), rod.point(-0.5, 0, 0), axis=R @ (0, 1, 0), name="hinge"))
    m.add(lv.Spherical(rod.point(0.5, 0, 0), load.center, name="pin"))
    space = lv.JointSpace(m)
    assert space.names == ("hinge",)
    assert space.mass_matrix([0.2])[0, 0] == pytest.approx((1 + 0.01) / 12 + 0.25 + 2.0)
    assert space.bias([0.0], [0.0])[0] == pytest.approx(-9.81 * 2.5)
    assert lv.simulate(m, h=1e-3, until=0.01).tangent().A.shape == (11, 2, 2)

    m = lv.Model(gravity=R @ (0, 0, -9.81))
    slider = m.add(lv.Body(lv.PointMass(2.0), name="slider"))
    rod = m.add(lv.Body(lv.MassProperties(1.0, (0.05, 0.06, 0.01)), at=R @ (0, 0, -0.5), rotation=R, name="rod"))
    m.add(lv.PointOnLine(m.world.point(0, 0, 0), slider.center, axis=R @ (1, 0, 0), name="rail"))
    m.add(lv.Spherical(slider.center, rod.point(0, 0, 0.5), name="pin"))
    omega = lv.linearize(m).modes().omega
    l, g = 0.5, 9.81  # along the rail both masses move; across it the rod alone
    along = np.sqrt(g * l / (0.06 + l**2 - l**2 / 3.0))
    across = np.sqrt(g * l / (0.05 + l**2))
    assert omega[2:] == pytest.approx(sorted([along, across]), rel=1e-9)


def test_bad_input_is_refused_in_words():
    m = lv.Model()
    body = m.add(lv.Body(lv.MassProperties(1.0, (1, 1, 1)), name="body"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), body.point(0, 0, 0), axis=(0, 1, 0), name="hinge"))
    space = lv.JointSpace(m)
    with pytest.raises(lv.ModelError, match="one number for each of hinge"):
        space.mass_matrix([1.0, 2.0])
    with pytest.raises(lv.ModelError, match="finite"):
        space.bias([np.nan])
    with pytest.raises(lv.ModelError, match="point or body of the model"):
        space.jacobian(lv.Body(lv.MassProperties(1.0, (1, 1, 1))), [0.0])
    with pytest.raises(lv.ModelError, match="a model, a JointSpace or a motion"):
        lv.mass_matrix("arm")
    with pytest.raises(lv.ModelError, match="neither a motor nor a prescribed motion"):
        lv.simulate(m, h=0.1, until=0.1).effort("hinge")
    with pytest.warns(lv.ModelWarning), pytest.raises(lv.ModelError, match="does not reach"):
        lv.JointSpace(four_bar(np.random.default_rng(0), motors=(3,))).state([2.5])


def slider_crank(angle, R, l, motor=True):
    """A crank of length l, a rod of 2 l and a slider with a motor, in a random orientation; dead centre at angle 0."""
    m = lv.Model(gravity=R @ (0, 0, -9.81), name="slider-crank")
    some = lv.MassProperties(1.0, tuple(l**2 * np.array([0.1, 0.11, 0.12])))
    pin = np.array([np.cos(angle), 0.0, np.sin(angle)])
    end = np.array([pin[0] + np.sqrt(4.0 - pin[2] ** 2), 0.0, 0.0])
    names, places = ("crank", "rod", "slider"), (0.5 * pin, 0.5 * (pin + end), end)
    crank, rod, slider = (
        m.add(lv.Body(some, at=l * (R @ x), rotation=R, name=name)) for name, x in zip(names, places, strict=True)
    )
    m.add(lv.Revolute(m.world.point(0, 0, 0), crank.point_at(0, 0, 0), axis=R @ (0, 1, 0), name="shaft"))
    pin, end = l * (R @ pin), l * (R @ end)
    m.add(lv.Revolute(crank.point_at(*pin), rod.point_at(*pin), axis=R @ (0, 1, 0), name="pin"))
    m.add(lv.Spherical(rod.point_at(*end), slider.point_at(*end), name="end"))
    rail = m.add(lv.Prismatic(m.world.point_at(*end), slider.point_at(*end), axis=R @ (1, 0, 0), name="rail"))
    if motor:
        m.add(lv.Motor(rail, 0.0))
    return m


@pytest.mark.parametrize("seed", range(2))
def test_a_dead_centre_is_refused_where_it_is_reached(seed):
    """The slider does not determine the crank where both are in line; beside it the mass matrix is that of (dx/dφ)²."""
    R, l = Rotation.random(random_state=seed).as_matrix(), 10.0 ** (2 * seed - 1)
    m = slider_crank(0.4, R, l)
    space, other = lv.JointSpace(m), lv.JointSpace(slider_crank(1e-3, R, l))
    assert space.names == ("rail",)
    shaft = lv.JointSpace(slider_crank(0.4, R, l, motor=False))
    moved = shaft.state([0.4])
    dead = lv.dynamics(m).state._replace(a=moved.a, B=moved.B)
    for call in (space.mass_matrix, space.bias, lambda at: space.jacobian("rod", at), lambda at: lv.mass_matrix(m, at)):
        with pytest.raises(lv.ModelError, match=r"stands at a dead centre of one of its coordinates \(rail\)"):
            call(dead)
    near = other.mass_matrix(other.start)[0, 0]
    slope = -np.sin(1e-3) - np.sin(1e-3) * np.cos(1e-3) / np.sqrt(4.0 - np.sin(1e-3) ** 2)  # dx/dφ over l
    freedom = lv.JointSpace(slider_crank(0.0, R, l))  # here the crank is the coordinate
    assert freedom.names == ("shaft",)
    assert near == pytest.approx(freedom.mass_matrix(freedom.start)[0, 0] / (slope * l) ** 2, rel=1e-4)


def test_a_state_that_is_open_has_no_mass_matrix():
    m = slider_crank(0.4, np.eye(3), 1.0)
    state = lv.dynamics(m).state
    state.a[3, 2] += 0.02
    with pytest.raises(lv.ModelError, match=r"not closed in the given state .*'rail' \(Prismatic, violation 0.02\)"):
        lv.mass_matrix(m, state)


@pytest.mark.parametrize("seed", range(2))
def test_a_small_moment_about_its_axis_does_not_change_the_motion_of_a_rod(seed):
    """The remedy for thin rods on ball joints: their chain moves as before, and has a mass matrix."""
    R = Rotation.random(random_state=seed).as_matrix()

    def chain(least):
        m, last = lv.Model(gravity=R @ (0.3, 0, -9.81)), None
        for k in range(3):
            matter = lv.MassProperties(1.0, (least, 1 / 12, 1 / 12)) if least else lv.ThinRod(1.0, mass=1.0)
            rod = m.add(lv.Body(matter, at=R @ (k + 0.5, 0, 0), rotation=R, velocity=R @ (0, 0.7 * k + 0.35, 0),
                                angular_velocity=R @ (0, 0, 0.7), name=f"rod{k}"))  # fmt: skip
            m.add(lv.Spherical(last or m.world.point(0, 0, 0), rod.point(-0.5, 0, 0), name=f"ball{k}"))
            last = rod.point(0.5, 0, 0)
        return m

    thin, thick = (lv.simulate(chain(x), h=1e-2, until=0.5).position("rod2")[-1] for x in (0.0, 1e-2))
    assert thin == pytest.approx(thick, abs=1e-12)
    M = lv.mass_matrix(chain(1e-2))
    assert np.linalg.eigvalsh(M).min() > 1e-3
