"""Runs with contact: files, resuming, scenes, wrong input; momentum and energy of random impacts."""

from __future__ import annotations

import numpy as np
import pytest

import livens as lv
from livens.compile import contacts
from tests.helpers.frames import Frame

G = 9.81
TURNED = lv.Pose.from_axis_angle((0, 1, 0), 0.5 * np.pi).B  # z along x


def tumbling(restitution=0.5) -> tuple[lv.Model, lv.Body]:
    """A box that falls, tumbles and comes to rest."""
    m = lv.Model(gravity=(0, 0, -G))
    box = m.add(lv.Body(lv.Box(0.3, 0.2, 0.1, mass=1.0), at=(0, 0, 0.5), body_rates=(1, 2, 3), name="box"))
    m.add(lv.Contact(m.world.plane((0, 0, 0)), box, friction=0.3, restitution=restitution, name="floor"))
    return m, box


def same(one: lv.Trajectory, other: lv.Trajectory) -> bool:
    records = all(np.array_equal(a, b) for a, b in zip(one.record, other.record, strict=True))
    return records and np.array_equal(one.impact_log, other.impact_log)


@pytest.fixture(scope="module")
def tumble():
    m, _ = tumbling()
    return lv.simulate(m, h=1e-2, until=1.5)


def test_a_tumbling_box_comes_to_rest_on_a_face(tumble):
    box = tumble.model["box"]
    x, R = tumble.position(box), tumble.rotation(box)
    lowest = min((x[:, 2] + (R @ corner)[:, 2]).min() for corner in corners(0.3, 0.2, 0.1))
    assert lowest > -1e-12
    assert np.abs(tumble.velocity(box)[-1]).max() < 1e-12
    assert min(abs(x[-1, 2] - half) for half in (0.15, 0.1, 0.05)) < 1e-12
    assert (np.diff(tumble.dissipated) > -1e-9).all()
    force = tumble.contact_force(tumble.model.world, box)[-1]
    assert np.allclose(force, (0, 0, G), atol=1e-9)
    points = tumble.contact_points(-1)
    assert len(points) == 4
    assert np.allclose(points.force.sum(axis=0), force)


def corners(x, y, z):
    return [np.array([i * x, j * y, k * z]) for i in (-0.5, 0.5) for j in (-0.5, 0.5) for k in (-0.5, 0.5)]


def test_files_keep_contacts_and_impacts(tumble, tmp_path):
    tumble.save(tmp_path / "box.nc")
    again = lv.load(tmp_path / "box.nc")
    assert same(again, tumble)
    assert len(again.impacts) == len(tumble.impacts) > 5
    assert again.impacts.contact[0] == "floor"


def test_resume_is_bitwise(tumble, tmp_path):
    half = lv.simulate(tumble.model, h=1e-2, until=0.5)
    assert same(lv.resume(half, until=1.5), tumble)
    half.save(tmp_path / "half.nc")
    assert same(lv.resume(lv.load(tmp_path / "half.nc"), until=1.5), tumble)


def test_checkpoints_keep_impacts(tmp_path):
    """A run that is stopped by an exception, and resumed from its journal."""
    m, box = tumbling()
    calls = []

    def load(t):
        calls.append(t)
        if len(calls) == 900:
            raise RuntimeError("stop")
        return (0.0, 0.0, 0.0)

    m.add(lv.Load(box.center, force=load))
    path = tmp_path / "box.nc"
    with pytest.raises(RuntimeError, match="stop"):
        lv.simulate(m, h=1e-2, until=20.0, checkpoint=path, checkpoint_every=1e-9)
    found = lv.load(f"{path}.journal")
    assert 0 < found.steps < 2000
    assert len(found.impacts) > 5


def test_scenes_hold_contacts(tmp_path):
    m, box = tumbling()
    lid = m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(0, 0, 2), collision=lv.Box(0.2, 0.2, 0.2, mass=1.0), name="lid"))
    m.add(lv.Contacts(planes=[m.world.plane((0, 0, -1), normal=(0, 1, 1))], exclude=[(box, lid)], impacts="together"))
    hinge = m.add(lv.Revolute(m.world.point(0, 0, 2), lid.center, axis=(0, 1, 0), name="hinge"))
    m.add(lv.Stop(hinge, upper=1.0, restitution=0.5))
    lv.write_scene(m, tmp_path / "scene.toml")
    again = lv.read_scene(tmp_path / "scene.toml").model()
    one, two = (lv.simulate(model, h=1e-2, until=0.3) for model in (m, again))
    assert same(one, two)


def test_acceleration_and_reaction_contain_contact_forces():
    """A bar that rests with one end on the floor and hangs on a hinge at the other: half of its weight each."""
    m = lv.Model(gravity=(0, 0, -G))
    bar = m.add(lv.Body(lv.Box(1.0, 0.1, 0.1, mass=2.0), at=(0.5, 0, 0.05), name="bar"))
    hinge = m.add(lv.Revolute(m.world.point(0, 0, 0.05), bar.point(-0.5, 0, 0), axis=(0, 1, 0), name="hinge"))
    foot = m.add(lv.Body(lv.Ball(0.05, mass=1e-3), at=(1, 0, -0.05), name="foot"))
    m.add(lv.Rigid(bar.point(0.5, 0, -0.1), foot.center, name="weld"))
    m.add(lv.Contact(m.world.plane((0, 0, -0.1)), foot))
    motion = lv.simulate(m, h=1e-2, until=0.1)
    assert np.allclose(motion.contact_force(m.world, foot)[-1], (0, 0, 1.001 * G), rtol=1e-9)
    assert np.allclose(motion.reaction(hinge)[-1], (0, 0, G), rtol=1e-9)
    assert np.abs(motion.acceleration(bar)[-1]).max() < 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_random_impacts_keep_momentum_and_lose_energy(seed):
    """Random shapes fly into each other, with friction and any restitution: momenta are exact, energy never grows."""
    rng = np.random.default_rng(seed)
    m, unit = lv.Model(), 10.0 ** rng.uniform(-2, 2)
    shapes = [
        lv.Ball(0.3 * unit, mass=1.0),
        lv.Box(*rng.uniform(0.3, 0.8, 3) * unit, mass=2.0),
        lv.Capsule(0.2 * unit, 0.5 * unit, mass=1.5),
    ]
    for k in range(5):
        at = 1.5 * unit * np.array([np.cos(1.2566 * k), np.sin(1.2566 * k), rng.uniform(-0.1, 0.1)])
        turn = lv.Pose.from_axis_angle(rng.normal(size=3), rng.uniform(0, 3)).B
        v = -at * rng.uniform(0.5, 1.5)
        m.add(lv.Body(shapes[k % 3], at=at, rotation=turn, velocity=v, body_rates=rng.normal(size=3)))
    m.add(lv.Contacts(friction=rng.uniform(0, 1), restitution=rng.choice([0.0, 0.5, 1.0])))
    motion = lv.simulate(m, h=2e-2, until=3.0)
    size = motion.kinetic.max()
    assert len(motion.impacts) > 0
    scale = np.linalg.norm(motion.record.p, axis=2).sum(axis=1).max()
    assert np.ptp(motion.momentum, axis=0).max() < 1e-13 * scale
    assert np.ptp(motion.angular_momentum, axis=0).max() < 1e-12 * scale * unit
    assert np.diff(motion.impact_loss).min() > -1e-12 * size  # no impact adds energy
    spin = max(np.linalg.norm(motion.body_rates(body), axis=1).max() for body in m.bodies[1:])
    assert np.ptp(motion.energy + motion.dissipated) < (2e-2 * spin) ** 2 * size  # order 2 while bodies slide
    assert motion.record.memory[-1, 4] < 1e-9 * unit  # all contact problems were solved


def test_wrong_input_is_refused():
    m = lv.Model()
    one = m.add(lv.Body(lv.Ball(0.5, mass=1.0), name="one"))
    two = m.add(lv.Body(lv.Ball(0.5, mass=1.0), at=(0.9, 0, 0), name="two"))
    floor = m.world.plane((0, 0, 0))
    for wrong in (
        lambda: lv.Contact(one, two, friction=-0.1),
        lambda: lv.Contact(one, two, restitution=1.1),
        lambda: lv.Contact(one, two, friction=float("nan")),
        lambda: lv.Contact(one, one),
        lambda: lv.Contact(floor, m.world),
        lambda: lv.Contact(floor, floor),
        lambda: lv.Contact(one, "two"),
        lambda: lv.Contact(one, two, impacts="all"),
        lambda: lv.Contacts(planes=[one]),
        lambda: lv.Contacts(exclude=[one]),
        lambda: m.world.plane((0, 0, 0), normal=(0, 0, 0)),
        lambda: lv.Stop(one, upper=1.0),
    ):
        with pytest.raises(lv.ModelError):
            wrong()
    m.add(lv.Contact(one, two))
    with pytest.raises(lv.ModelError, match=r"'one' and 'two' overlap at the start by 0\.1 m"):
        lv.simulate(m, h=1e-2, until=0.1)


@pytest.mark.parametrize("shape", [lv.ThinRod(1.0, mass=1.0), lv.ThinPlate(1.0, 0.5, mass=1.0)])
def test_bodies_without_thickness_touch_planes_and_are_refused_with_other_bodies(shape):
    """They would pass through other bodies."""

    def model(*rules):
        m = lv.Model(gravity=(0, 0, -G))
        turn = lv.Pose.from_axis_angle((1, 2, 3), 0.7).B
        table = m.add(lv.Body(lv.Box(1, 1, 1, mass=1.0), at=(0, 0, 0.5), name="table"))
        thin = m.add(lv.Body(shape, at=(5, 0, 2), rotation=turn, name="thin"))
        floor, top = m.world.plane((0, 0, 0)), table.plane((0, 0, 0.5))
        for rule in rules:
            m.add(rule(floor, table, thin, top))
        return m

    refused = "body 'thin' has no thickness and touches planes only, not body 'table'"
    for wrong in (
        lambda floor, table, thin, top: lv.Contacts(planes=[floor]),
        lambda floor, table, thin, top: lv.Contact(table, thin),
    ):
        with pytest.raises(lv.ModelError, match=refused):
            lv.simulate(model(wrong), h=1e-2, until=0.1)
    for right in (
        [lambda floor, table, thin, top: lv.Contacts(planes=[floor], exclude=[(table, thin)])],
        [lambda floor, table, thin, top: lv.Contacts(planes=[floor, top])],
        [
            lambda floor, table, thin, top: lv.Contact(floor, thin),
            lambda floor, table, thin, top: lv.Contact(top, thin),
        ],
        [
            lambda floor, table, thin, top: lv.Contacts(planes=[floor]),
            lambda floor, table, thin, top: lv.Contact(top, thin),
        ],
    ):
        motion = lv.simulate(model(*right), h=1e-2, until=2.0)
        assert motion.position(motion.model["thin"].point(0.5, 0, 0))[:, 2].min() > -1e-9
    along = lv.Compound([(lv.Capsule(0.01, 1.0, mass=1.0), lv.Pose((0, 0, 0), TURNED))])
    planks = lv.Model(gravity=(0, 0, -G))
    body = planks.add(lv.Body(shape, at=(0, 0, 2), collision=along, name="thin"))
    table = planks.add(lv.Body(lv.Box(1, 1, 1, mass=1.0), at=(0, 0, 0.5), name="table"))
    planks.add(lv.Contacts(planes=[planks.world.plane((0, 0, 0))]))
    assert lv.simulate(planks, h=1e-2, until=2.0).position(body)[-1, 2] == pytest.approx(1.01, abs=1e-9)
    assert table.pose.a[2] == 0.5


@pytest.mark.parametrize("scheme", [lv.Livens(compensated=True), lv.Newmark(), lv.GeneralizedAlpha()])
def test_other_schemes_refuse_contact(scheme):
    m, _ = tumbling()
    with pytest.raises(lv.ModelError, match=r"does not take contact: use lv\.Livens\(order=2\)"):
        lv.simulate(m, scheme, h=1e-2, until=0.1)


@pytest.mark.parametrize("order", [4, 6])
def test_orders_with_negative_stages_refuse_friction(order):
    m, _ = tumbling()
    with pytest.raises(lv.ModelError, match=f"order {order} takes some steps backwards in time, where friction would"):
        lv.simulate(m, lv.Livens(order=order), h=1e-2, until=0.1)


@pytest.mark.parametrize("turn", [0.0, 0.7, 2.1])
@pytest.mark.parametrize("miss", [False, True])
@pytest.mark.parametrize("away", [5.0, 3.3, 0.4])
def test_a_fast_cube_does_not_pass_a_thin_wall(turn, miss, away):
    """1,000 m/s and steps of 0.01 s: 10 m in a step, through a wall of 1 cm; and one that misses it."""
    frame = Frame(round(10 * away))
    m = lv.Model()
    R = lv.Pose.from_axis_angle((1, 2, 3), turn).B
    frame.box(m, (0.01, 2, 2), (away, 0, 0), mass=1e6, name="wall")
    for y, name in ((0.1, "hit"), (1.2, "miss"))[: 1 + miss]:
        frame.box(m, (0.1, 0.1, 0.1), (0, y, 0), velocity=(1000, 0, 0), turn=R, name=name)
    m.add(lv.Contacts(restitution=0.5))
    motion = lv.simulate(m, h=1e-2, until=0.03)
    assert frame.back(motion.position("hit"))[:, 0].max() < away
    assert len(motion.impacts) >= 1
    assert np.ptp(motion.momentum, axis=0).max() < 1e-12 * 1000.0 * frame.unit
    if miss:
        assert frame.back(motion.position("miss"))[-1, 0] == pytest.approx(30.0)


def test_two_thin_plates_do_not_pass_each_other():
    """They move 5 times their thickness in a step."""
    m = lv.Model()
    for s, name in ((-1, "left"), (1, "right")):
        turn = lv.Pose.from_axis_angle((0, 0, 1), 0.02 * s).B
        plate = lv.Box(1e-3, 1, 1, mass=1.0)
        m.add(lv.Body(plate, at=(0.0333 * s, 0, 0), velocity=(-0.5 * s, 0, 0), rotation=turn, name=name))
    m.add(lv.Contacts(restitution=0.5))
    motion = lv.simulate(m, h=1e-2, until=0.2)
    assert (motion.position("left")[:, 0] < motion.position("right")[:, 0]).all()
    assert len(motion.impacts) >= 1


def test_stack_of_ten_boxes_does_not_creep():
    m = lv.Model(gravity=(0, 0, -G))
    boxes = [m.add(lv.Body(lv.Box(1, 1, 1, mass=1.0), at=(0.01 * (k % 3), 0, 0.5 + k))) for k in range(10)]
    m.add(lv.Contacts(planes=[m.world.plane((0, 0, 0))], friction=0.5))
    motion = lv.simulate(m, h=1e-2, until=2.0)
    x = np.array([motion.position(box) for box in boxes])
    assert np.abs(x - x[:, :1]).max() < 1e-11
    assert motion.contact_force(m.world, boxes[0])[-1, 2] == pytest.approx(10.0 * G, rel=1e-9)


def test_a_body_on_a_hinge_touches_the_floor():
    """A joint excludes contact between moving bodies, not with the planes of the world; and dampers are rows, too."""
    m = lv.Model(gravity=(0, 0, -G))
    arm = m.add(lv.Body(lv.Capsule(0.1, 1.0, mass=1.0), at=(0.5, 0, 0.5), rotation=TURNED, name="arm"))
    m.add(lv.Revolute(m.world.point(0, 0, 0.5), arm.point(0, 0, -0.5), axis=(0, 1, 0), damping=0.1, name="hinge"))
    m.add(lv.Contacts(planes=[m.world.plane((0, 0, 0))]))
    motion = lv.simulate(m, h=1e-2, until=3.0)
    tip = motion.position(arm.point(0, 0, 0.5))
    assert tip[:, 2].min() > 0.1 - 1e-12
    assert abs(tip[-1, 2] - 0.1) < 1e-12


@pytest.mark.parametrize("damper", [False, True])
def test_more_contact_points_than_there_is_room_for_are_refused(damper, monkeypatch):
    """Bodies that rows connect are solved together: the number of contact points is limited, with a sentence."""
    monkeypatch.setattr(contacts, "DENSE_WITH_JOINTS", 6)
    m = lv.Model(gravity=(0, 0, -G))
    boxes = [m.add(lv.Body(lv.Box(1, 1, 1, mass=1.0), at=(2 * k, 0, 0.5), name=f"box {k}")) for k in range(2)]
    if damper:
        m.add(lv.Damper(boxes[0].center, boxes[1].center, rate=0.1))
        m.add(lv.Contacts(planes=[m.world.plane((0, 0, 0))]))
        with pytest.raises(lv.StepFailed, match="more contact points than there is room for"):
            lv.simulate(m, h=1e-2, until=0.1)
    else:
        m.add(lv.Contacts(planes=[m.world.plane((0, 0, 0))]))
        assert lv.simulate(m, h=1e-2, until=0.1).steps == 10


def test_planes_of_another_model_are_refused():
    m, _ = tumbling()
    m.add(lv.Contacts(planes=[lv.Model().world.plane((0, 0, 0))]))
    with pytest.raises(lv.ModelError, match="not in the model"):
        lv.simulate(m, h=1e-2, until=0.1)
